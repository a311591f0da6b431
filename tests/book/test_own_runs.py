"""Runs made here beside published ones, from stored runs: which are compared, how often they are read, what is kept."""

import json
import shutil
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import sealing
from sealing import publish_copy

from benchbook import lab
from benchbook.book.assembly import assemble, comparing
from benchbook.book.assembly.chapter_plan import Shown
from benchbook.book.records.own_runs import State, read
from benchbook.errors import StoredRunError
from benchbook.model import Configuration, Estimate, Outcome, PlannedTrial, Run, Trial, Verdict
from benchbook.parameters.profiles import profile
from benchbook.store import schema
from benchbook.store import tables as stored_tables

NAME = "hot_cold_keys"


def verdicts(run: Run) -> list[Verdict]:
    low = float(run.trials["x"].iloc[0])
    number = Estimate(low + 0.5, low, low + 1, 3, "t")
    return [Verdict("L001", Outcome.REPRODUCED, "r", number), Verdict("L002", Outcome.INCONCLUSIVE, "r")]


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Stands for the only experiment: one claim whose number is what a run says, and one without a number."""
    real: Any = lab.experiment(NAME)
    own = {"title": "t", "summarize": lambda run: run, "judge": verdicts}
    module = SimpleNamespace(name=NAME, version=real.version, kind=real.kind, Parameters=real.Parameters, **own)
    monkeypatch.setattr(lab, "names", lambda: [NAME])
    monkeypatch.setattr(lab, "experiment", lambda name: module)
    return module


@pytest.fixture
def write(judge: Any, store_run: Any) -> Any:
    """A complete run whose number begins at ``low``; the local one has the quick profile's parameters unless told."""

    def written(low: float, *, published: bool, version: int = 0, of: str = "quick") -> str:
        planned = PlannedTrial(0, 0, Configuration("only", "only"), 1)
        trial = Trial(planned, "2026-01-17T10:00:00+00:00", 1.0, {"x": low}, {}, {"r": np.array([5, 6])})
        parameters = {} if published else profile(NAME, of)
        made: str = store_run(judge, parameters, trial, published=published, version=version)
        return made

    return written


def test_a_published_run_and_one_made_here_are_compared_number_by_number(home: Path, write: Any) -> None:
    first, second = write(1.0, published=True), write(1.5, published=False)
    [own] = comparing.of_runs(home)
    assert (own.chapter, own.published, own.run_id, own.profile) == (NAME, first, second, "quick")
    [number] = own.numbers
    assert (number.claim_id, number.state, number.verdict_here) == ("L001", State.OVERLAP, "")
    assert "rows_per_table" in own.differs
    assert "seed" not in own.differs
    assert comparing.of_runs(home, "paper") == [], "a named profile is compared alone"


def test_what_was_compared_is_kept_until_something_that_verdicts_rest_on_changes(
    home: Path, judge: Any, write: Any
) -> None:
    write(1.0, published=True)
    write(1.0, published=False)
    first = comparing.of_runs(home)
    judge.judge = lambda run: []
    assert comparing.of_runs(home) == first
    with (home / "data" / "claims-amendments.csv").open("a") as file:
        file.write("\n")
    assert [own.numbers for own in comparing.of_runs(home)] == [()]


def test_without_a_run_made_here_nothing_stands_beside(home: Path, write: Any) -> None:
    assert comparing.of_runs(home) == []
    write(1.0, published=True)
    assert comparing.of_runs(home) == []


def test_a_run_that_was_published_from_here_does_not_stand_beside_itself(home: Path, write: Any) -> None:
    identity = write(1.0, published=False)
    publish_copy(home / "runs" / NAME / identity, home)
    assert comparing.of_runs(home) == []


@pytest.mark.parametrize("version", [None, -1])
def test_a_run_made_here_stands_alone_where_nothing_of_this_version_is_published(
    home: Path, write: Any, version: int | None
) -> None:
    if version is not None:
        write(1.0, published=True, version=version)
    here = write(1.0, published=False)
    [own] = comparing.of_runs(home)
    assert (own.run_id, own.published, own.numbers, own.differs) == (here, "", (), ())


def test_a_build_ends_with_the_chapters_that_are_shown_as_published_only(
    home: Path, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(1.0, published=True)
    write(7.0, published=False)
    told, owns = Mock(), comparing.of_runs(home)
    every = [SimpleNamespace(name=name) for name in ("lru", NAME, "noise_floor")]
    monkeypatch.setattr(comparing, "measured_chapters", lambda root: every)
    assemble._tell(told, home, owns)
    beside, only = (call.args[0] for call in told.say.call_args_list)
    assert "1 chapter also measured here" in beside
    assert only == "Shown as published only, since no run of them was made here: lru, noise_floor."
    told.reset_mock()
    assemble._tell(told, home, [])
    told.say.assert_not_called()


def test_an_edition_has_nothing_of_this_machine_and_says_how_it_is_done(home: Path) -> None:
    comparing.write(home, Shown(edition=True), [])
    assert read(home) == ("edition", [])
    (home / "book" / "chapters" / "own.json").unlink()
    assert read(home) == ("edition", [])


def test_a_damaged_run_is_refused(home: Path, write: Any) -> None:
    write(1.0, published=True)
    here = write(1.0, published=False)
    (home / "runs" / NAME / here / "trials.parquet").write_bytes(b"torn")
    with pytest.raises(StoredRunError, match=r"trials\.parquet has 4 bytes"):
        comparing.of_runs(home)


ROOT = Path(__file__).parents[2]
PUBLISHED, MADE_HERE = sorted((ROOT / "data" / "published" / "lru").iterdir())[:2]
"""Two runs of one plan."""


@pytest.fixture
def make_here(home: Path) -> Any:
    """Let this machine have made so many runs of the plan that is published."""
    sealing.publish_copy(PUBLISHED, home)

    def made(count: int) -> None:
        record = json.loads((MADE_HERE / schema.RUN).read_text())
        for day in range(1, count + 1):
            folder = home / "runs" / "lru" / f"{record['key']}-202701{day:02}T000000"
            if not folder.is_dir():
                shutil.copytree(MADE_HERE, folder)
                moment = f"2027-01-{day:02}T00:00:00+00:00"
                sealing.rewrite(folder, id=folder.name, started_at=moment, finished_at=moment)

    return made


def counted(home: Path) -> tuple[Counter[str], Counter[str]]:
    """How often one comparison reads each record and each run's tables."""
    records: Counter[str] = Counter()
    tables: Counter[str] = Counter()
    parsed, read = schema._parsed, stored_tables.read

    def parse(path: Path, *more: Any) -> Any:
        records[path.parent.name] += 1
        return parsed(path, *more)

    def read_table(path: Path, *more: Any) -> Any:
        tables[path.parent.name] += 1
        return read(path, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "_parsed", parse)
        patch.setattr(stored_tables, "read", read_table)
        [compared] = comparing.of_runs(home)
    assert compared.numbers
    return records, tables


def test_each_record_and_table_is_read_as_often_with_many_runs_as_with_few(home: Path, make_here: Any) -> None:
    make_here(2)
    few = counted(home)
    make_here(6)
    for before, after in zip(few, counted(home), strict=True):
        assert len(after) == len(before) + 4
        assert {*before.values()} >= {*after.values()}, "one is read more often"
