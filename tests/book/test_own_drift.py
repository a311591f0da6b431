"""Drift from stored runs: which of them are compared, and what the book's page shows of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook import lab
from benchbook.book import own_drift
from benchbook.book.drift import State
from benchbook.book.drift_page import drift_nodes, read
from benchbook.errors import StoredRunError
from benchbook.experiments.profiles import profile
from benchbook.model import Configuration, Outcome, PlannedTrial, Run, Trial, Verdict

NAME = "hot_cold_keys"
CLAIMS = ("L001", "L002")


class Judge:
    """Stands for an experiment: two claims, decided by what a run's first label says."""

    def __init__(self) -> None:
        real: Any = lab.experiment(NAME)
        self.module = SimpleNamespace(
            NAME=NAME,
            TITLE="t",
            MEASUREMENT_VERSION=real.MEASUREMENT_VERSION,
            Parameters=real.Parameters,
            summarize=self.summarize,
            judge=self.judge,
        )

    def summarize(self, run: Run) -> Run:
        return run

    def judge(self, run: Run) -> list[Verdict]:
        said = str(run.trials["said"].iloc[0])
        return [Verdict(CLAIMS[0], Outcome(said), "r"), Verdict(CLAIMS[1], Outcome.REPRODUCED, "r")]


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    made = Judge()
    monkeypatch.setattr(lab, "names", lambda: [NAME])
    monkeypatch.setattr(lab, "experiment", lambda name: made.module)
    return made


@pytest.fixture
def write(judge: Judge, store_run: Any) -> Any:
    """A complete run that says how it is to be judged; the local one has the quick profile's parameters."""

    def written(said: str, *, published: bool, version: int = 0) -> str:
        planned = PlannedTrial(0, 0, Configuration("only", "only"), 1)
        trial = Trial(planned, "2026-01-17T10:00:00+00:00", 1.0, {"x": 1.0}, {"said": said}, {"r": np.array([5, 6])})
        parameters = {} if published else profile(NAME, "quick")
        made: str = store_run(judge.module, parameters, trial, published=published, version=version)
        return made

    return written


def test_a_published_and_a_local_run_are_compared_claim_by_claim(home: Path, judge: Judge, write: Any) -> None:
    first = write("contradicted", published=True)
    second = write("inconclusive", published=False)
    [chapter] = own_drift.of_runs(home, "quick")
    assert (chapter.chapter, chapter.published, chapter.here) == (NAME, first, second)
    assert [each.state for each in chapter.claims] == [State.OPEN_HERE, State.HOLDS]


def test_what_was_compared_is_kept_until_something_that_verdicts_rest_on_changes(
    home: Path, judge: Judge, write: Any
) -> None:
    write("contradicted", published=True)
    write("contradicted", published=False)
    first = own_drift.of_runs(home, "quick")
    judge.module.judge = lambda run: []
    assert own_drift.of_runs(home, "quick") == first
    with (home / "data" / "claims-amendments.csv").open("a") as file:
        file.write("\n")
    assert own_drift.of_runs(home, "quick") == []


def test_without_one_of_the_two_nothing_is_compared(home: Path, judge: Judge, write: Any) -> None:
    assert own_drift.of_runs(home, "quick") == []
    identity = write("contradicted", published=False)
    assert own_drift.of_runs(home, "quick") == []
    shutil.copytree(home / "runs" / NAME / identity, home / "data" / "published" / NAME / identity)
    assert own_drift.of_runs(home, "quick") == [], "a run is not compared with itself"


def test_a_chapter_that_decides_nothing_is_left_out(home: Path, judge: Judge, write: Any) -> None:
    for published in (True, False):
        write("contradicted", published=published)
    judge.module.judge = lambda run: []
    assert own_drift.of_runs(home, "quick") == []


def test_an_earlier_version_is_not_compared(home: Path, judge: Judge, write: Any) -> None:
    write("contradicted", published=True, version=-1)
    write("contradicted", published=False)
    assert own_drift.of_runs(home, "quick") == []


def test_the_page_shows_what_was_written(home: Path, judge: Judge, write: Any) -> None:
    write("contradicted", published=True)
    here = write("reproduced", published=False)
    chapters = own_drift.of_runs(home, "quick")
    own_drift.write(home, "quick", chapters)
    assert read(home) == ("quick", chapters)
    words = " ".join(node.astext() for node in drift_nodes(*read(home)))
    assert "With the quick profile: of 2 verdicts" in words
    assert "1 hold here, 1 differ (L001)" in words
    assert here in words


def test_an_edition_compares_nothing_and_says_how_it_is_done(home: Path) -> None:
    own_drift.write(home, "", [])
    [paragraph] = drift_nodes(*read(home))
    assert "make book" in paragraph.astext()
    (home / "book" / "chapters" / "drift.json").unlink()
    assert read(home) == ("", [])


def test_a_damaged_run_is_refused(home: Path, judge: Judge, write: Any) -> None:
    write("contradicted", published=True)
    here = write("contradicted", published=False)
    (home / "runs" / NAME / here / "trials.parquet").write_bytes(b"torn")
    with pytest.raises(StoredRunError, match=r"trials\.parquet has 4 bytes"):
        own_drift.of_runs(home, "quick")
