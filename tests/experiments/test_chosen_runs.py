"""Which run stands for a chapter, and which of this machine stands beside it."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sealing import PROVENANCE, list_published, publish_copy

from benchbook import lab
from benchbook.errors import NoStoredRunError
from benchbook.experiments import chosen_runs
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.profiles import precedence, profile
from benchbook.store import RunWriter

NAME = "hot_cold_keys"
MODULE: Any = lab.experiment(NAME)


def write(home: Path, parameters: dict[str, Any], name: str, *, published: bool, version: int = 0) -> str:
    given = MODULE.Parameters.given(parameters)
    measured = MODULE.version + version
    record = {
        "key": given.key(NAME, measured), "experiment": NAME, "measurement_version": measured,
        "parameters": given.model_dump(mode="json"), "profile": name, "seed": 1, "blocks": 1, "provenance": {},
    }  # fmt: skip
    planned = PlannedTrial(0, 0, Configuration("only", "only"), 1)
    trial = Trial(planned, "2026-01-17T10:00:00+00:00", 1.0, {"x": 1.0}, {}, {"r": np.array([5, 6])})
    writer = RunWriter.create(home / ("data/published" if published else "runs"), record)
    writer.append(trial, writer.begin_session({}))
    folder = writer.finish(PROVENANCE)
    if published:
        list_published(home)
    return folder.name


def of(home: Path, name: str, *, published: bool = False) -> str:
    return write(home, profile(NAME, name), name, published=published)


def own(name: str | None = None, **given: bool) -> str | None:
    found = chosen_runs.own(MODULE, name, **given)
    return found.id if found else None


def test_the_newest_run_stands_and_a_quick_one_or_one_with_parameters_of_its_own_only_without_another() -> None:
    profiles = ["quick", "custom", "standard", "paper", "custom", "quick", "standard"]
    records = [{"profile": profile, "finished_at": f"2026-03-0{day}"} for day, profile in enumerate(profiles, 1)]
    assert sorted(records, key=precedence) == [records[i] for i in (0, 5, 1, 4, 2, 3, 6)]
    assert precedence({"profile": "standard", "finished_at": None}) == (2, "")


def test_a_published_quick_run_stands_only_while_it_is_alone(home: Path) -> None:
    quick = of(home, "quick", published=True)
    assert chosen_runs.entry(MODULE).id == quick  # type: ignore[union-attr]
    standard = of(home, "standard", published=True)
    assert chosen_runs.run(MODULE).id == standard  # type: ignore[union-attr]


def test_a_run_of_another_version_or_made_here_never_stands(home: Path) -> None:
    assert own() is None, "nothing is stored"
    write(home, {}, "standard", published=True, version=-1)
    of(home, "standard")
    assert chosen_runs.entry(MODULE) is chosen_runs.run(MODULE) is None


def test_of_the_runs_made_here_standard_goes_before_paper_before_quick(home: Path) -> None:
    standard = of(home, "standard")
    paper, quick = of(home, "paper"), of(home, "quick")
    assert own() == standard
    assert (own("paper"), own("quick")) == (paper, quick)
    shutil.rmtree(home / "runs" / NAME / standard)
    assert own() == paper
    shutil.rmtree(home / "runs" / NAME / paper)
    assert own() == quick


def test_a_run_with_parameters_of_ones_own_does_not_stand_beside(home: Path) -> None:
    write(home, {"n_tables": 3}, "custom", published=False)
    assert own() is None


@pytest.mark.parametrize("beside", [True, False])
def test_a_run_that_was_published_from_here_does_not_stand_beside_itself(home: Path, beside: bool) -> None:
    standard, quick = of(home, "standard"), of(home, "quick")
    publish_copy(home / "runs" / NAME / standard, home)
    assert own(beside=beside) == (quick if beside else standard)


def test_whoever_asks_with_parameters_of_their_own_gets_that_run_and_never_the_one_that_stands(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of(home, "standard", published=True)
    asked = write(home, {"n_tables": 3}, "custom", published=False)
    monkeypatch.setenv(lab.MEASURE, "never")
    assert lab.obtain(MODULE, MODULE.Parameters.given({"n_tables": 3})).id == asked
    with pytest.raises(NoStoredRunError):
        lab.obtain(MODULE, MODULE.Parameters.given({"n_tables": 4}))
