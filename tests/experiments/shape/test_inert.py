"""A cause that cannot act: its counter is zero everywhere, and moves in the positive control."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from benchbook.errors import BenchbookError
from benchbook.numbers import inert
from benchbook.numbers.inert import Control, cannot_act

OWN = Control("moves", "workers", "a sum launched at least {} a trial", "")


def summary(**counters: list[float]) -> Any:
    """A run of which each configuration has this counter in each trial; none where it is missing."""
    return SimpleNamespace(
        arms=list(counters),
        chapter=SimpleNamespace(name="x", reads=("other", "nowhere")),
        has=lambda arm, metric: bool(counters.get(arm)),
        having=lambda arms, metric: [arm for arm in arms if counters.get(arm)],
        values=lambda arm, metric: SimpleNamespace(tolist=lambda: counters[arm]),
    )


def asked(arms: tuple[str, ...] | None, control: Control = OWN) -> Any:
    return cannot_act("workers", arms, counted="0 workers in {} trials", why="no parallel plan", control=control)


def test_zeros_in_every_trial_and_a_control_that_moves() -> None:
    found = asked(("a", "b"))(summary(a=[0.0, 0.0], b=[0.0], moves=[4.0, 9.0]))
    assert found.sentence == "no parallel plan: 0 workers in 3 trials; a sum launched at least 4 a trial"


@pytest.mark.parametrize("counters", [{"a": [0.0, 1.0], "b": [0.0]}, {"a": [0.0]}, {"a": [0.0], "b": []}])
def test_a_counter_that_moved_or_is_lacking_leaves_the_claim_to_its_interval(counters: dict[str, list[float]]) -> None:
    assert asked(("a", "b"))(summary(**counters, moves=[4.0])) is None


def test_a_control_that_moved_in_some_trials_only_shows_nothing() -> None:
    found = asked(("a",))(summary(a=[0.0], moves=[4.0, 0.0]))
    assert found.control == ""


def test_all_configurations_are_asked_where_none_is_named() -> None:
    assert (
        asked(None, Control("none", "workers", "{}", ""))(summary(a=[0.0], b=[0.0, 0.0])).counted
        == "0 workers in 3 trials"
    )
    assert asked(None)(summary(a=[0.0], b=[0.0, 1.0])) is None


def test_the_control_of_another_experiment_is_read_from_its_published_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        inert, "published", lambda chapter, experiment, arm, metric: (8.0, 6.0) if experiment == "other" else ()
    )
    for experiment, words in (("other", "at least 6"), ("nowhere", "")):
        assert Control("sum", "workers", "at least {}", experiment).shown(summary(a=[0.0])) == words


def test_a_chapter_says_whose_runs_it_reads() -> None:
    with pytest.raises(BenchbookError, match="x reads runs of turns and does not say so"):
        Control("sum", "workers", "at least {}", "turns").shown(summary(a=[0.0]))
