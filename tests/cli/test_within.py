"""A time that ``replicate`` keeps to, and what is offered after a run, before it and for other parameters."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchbook import lab, store
from benchbook.cli import report, to_replicate
from benchbook.cli.to_replicate import Within
from benchbook.errors import MachineError
from benchbook.runner.expected import expected

ROOT = Path(__file__).parents[2]


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(to_replicate, "time", made)
    return made


def test_blocks_that_fit_are_measured_to_the_end(clock: Clock) -> None:
    budget = Within(240.0)
    budget.check("lru", 3, 0, 1, None)
    for done in range(31):
        budget.check("lru", 3, done, 30, (30 - done) * 7.0 if done else None)
        clock.now += 7.0


def test_those_that_do_not_are_stopped_after_the_first_block(clock: Clock) -> None:
    budget = Within(240.0)
    budget.check("lru", 3, 0, 1, None)
    clock.now += 60.0  # loading
    for done in range(10):
        budget.check("lru", 3, done, 30, (30 - done) * 7.0 if done else None)
        clock.now += 7.0
    with pytest.raises(MachineError, match=r"3 blocks do not fit into 4 min") as caught:
        budget.check("lru", 3, 10, 30, 140.0)
    assert "10 of 30 trials took 2 min" in caught.value.problem
    assert "`benchbook replicate lru --blocks 3` goes on" in caught.value.mend
    assert "--budget 6m" in caught.value.mend


def test_nothing_goes_on_after_the_time(clock: Clock) -> None:
    budget = Within(60.0)
    budget.check("lru", 3, 0, 30, None)
    clock.now += 61.0
    with pytest.raises(MachineError, match="do not fit"):
        budget.check("lru", 3, 1, 30, 29 * 61.0)
    budget.check("lru", 3, 30, 30, 0.0)


@pytest.mark.usefixtures("home")
def test_only_a_profiles_run_is_offered_for_publishing() -> None:
    chapter = lab.experiment("lru")
    standard = chapter.Parameters().model_dump(mode="json")
    made: Any = SimpleNamespace(experiment="lru", id="0-20270101T000000", parameters=standard, blocks=100)
    assert report._publishing(made) == f"benchbook publish {made.id}"
    for other in ({"seed": 7}, {"rows": 20_000}):
        made.parameters = {**standard, **other}
        assert "benchbook run lru" in report._publishing(made)
        assert "benchbook publish" not in report._publishing(made)
    made.parameters, made.blocks = standard, 1
    assert "benchbook publish" not in report._publishing(made)


def test_what_is_foreseen_is_by_the_same_run_else_by_the_estimate_else_by_the_nearest_run(
    home: Path, lru: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = store.read_run(home / "data/published/lru" / lru, published=False)
    chapter = lab.experiment("lru")
    same = chapter.Parameters.given(run.parameters)
    block_s = store.measuring_s(run.trials) / run.blocks
    assert expected(chapter, same, more=2).seconds == pytest.approx(2 * block_s), "of the blocks that are added"
    assert "as in an earlier run" in str(expected(chapter, same))
    near = chapter.Parameters.given({**run.parameters, "lookups": 50_000})
    assert expected(chapter, near).seconds == pytest.approx(60 * (chapter.needs(near).minutes or 0.0))
    needs = chapter.needs
    monkeypatch.setattr(type(chapter), "needs", lambda _, parameters: replace(needs(parameters), minutes=None))
    found = expected(chapter, near)
    assert f"if a trial takes as long as with lookups={run.parameters['lookups']}" in str(found)
    assert found.seconds == pytest.approx(block_s * near.blocks)
    far = {"lookups": 50_000, "warm_lookups": 9_000, "once_lookups": 9_000, "rounds": 4, "zipf_exponent": 0.5}
    unknown = expected(chapter, chapter.Parameters.given({**run.parameters, **far}))
    assert unknown.seconds is None
    assert "not known" in str(unknown)


@pytest.mark.parametrize(("name", "least"), [("hot_cold_keys", "measured_requests"), ("own_server", "requests")])
def test_too_few_requests_for_a_median_are_refused_before_measuring(benchbook: Any, name: str, least: str) -> None:
    refused = benchbook("run", name, "-p", f"{least}=100", code=1)
    assert f"{least}=100: input should be greater than or equal to 200" in refused.stderr
