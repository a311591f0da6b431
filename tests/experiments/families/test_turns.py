"""Configurations that take turns: what memory holds together, what a turn counts, and an arm that dies alone."""

import signal
from typing import Any

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import lab
from benchbook.chapters.turns import Parameters
from benchbook.engines import kv
from benchbook.errors import BenchbookError, MachineError, NoEngineError
from benchbook.measuring.kv import turns
from benchbook.model import PlannedTrial, Trial
from benchbook.runner.growth import units

TINY = {"blocks": 2, "rounds": 3, "turn_ms": 20, "discard_ms": 2, "rows": 2_000, "warm_lookups": 100}


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 30)), min_size=1, max_size=20), st.integers(1, 200))
def test_a_divided_group_keeps_everybody_once_and_in_order_and_fits(sizes: list[tuple[int, int]], room: int) -> None:
    live = [waiting for waiting, _ in sizes]
    peak = [waiting + more for waiting, more in sizes]
    parts = turns.divided(live, peak, room)
    assert [place for part in parts for place in part] == list(range(len(sizes)))
    for part in parts:
        for at, place in enumerate(part):
            held = sum(live[each] for each in part[:at]) + peak[place]
            assert held <= room or len(part) == 1 or at == 0
    if sum(live) + max(more for _, more in sizes) <= room:
        assert len(parts) == 1, "what fits is not divided"


def test_turns_without_a_counted_lookup_have_no_number() -> None:
    given_turns = [
        {"operations": 200, "measured_ns": 1_000, "all_operations": 300, "all_ns": 2_500},
        {"operations": 0, "measured_ns": 0, "all_operations": 100, "all_ns": 900},
    ]
    assert turns.each_turn(given_turns).tolist() == [5_000], "ns for 1,000 lookups"
    told = turns.of_turns(given_turns)
    assert told["turns"] == 2
    assert told["discarded_lookups"] == 200
    assert told["discarded_over_kept"] == pytest.approx((2_400 / 200) / (1_000 / 200))
    whole = turns.of_turns([{"operations": 5, "measured_ns": 9, "all_operations": 5, "all_ns": 9}])
    assert whole["discarded_over_kept"] is None, "nothing was discarded"


@pytest.fixture
def session() -> Any:
    try:
        kv.find()
    except NoEngineError as missing:
        pytest.skip(f"{missing.problem}; {missing.mend}")
    chapter = lab.experiment("turns")
    with chapter.session(Parameters.given(TINY), lambda *_: None) as found:
        yield found


def group_of_turns() -> list[PlannedTrial]:
    planned = lab.experiment("turns").plan(Parameters.given(TINY)).trials
    return next(unit for unit in units(planned, turns=True) if unit[0].configuration.group == "turns")


def probes() -> list[psutil.Process]:
    return [each for each in psutil.Process().children(recursive=True) if each.name().startswith("kv")]


@pytest.mark.engine
def test_every_arm_of_a_group_has_its_trial_and_others_are_between_its_turns(session: Any) -> None:
    group, rounds = group_of_turns(), []
    found = list(session.side_by_side(group, lambda: rounds.append(1), pytest.fail))
    assert [trial.planned for trial in found] == group
    assert len(rounds) >= TINY["rounds"] - 1
    for trial in found:
        assert trial.metrics["turns"] >= TINY["rounds"]
        assert trial.metrics["lookups"] == trial.metrics["checked_reads"]
        each = trial.samples["turn"]
        assert each.dtype == np.int64
        assert 1 <= len(each) <= trial.metrics["turns"]
        low, high = each.min() / turns.PER_LOOKUPS, each.max() / turns.PER_LOOKUPS
        assert low * 0.99 <= trial.metrics["lookup_mean_ns"] <= high * 1.01, "all turns together give the number"


@pytest.mark.engine
@pytest.mark.faults
def test_an_arm_that_dies_in_its_turn_fails_its_trial_alone(session: Any) -> None:
    group, found = group_of_turns(), []

    def kill_one() -> None:
        waiting = probes()
        if len(waiting) == len(group):
            waiting[2].send_signal(signal.SIGKILL)

    with pytest.raises(MachineError, match="killed by signal 9"):
        found.extend(session.side_by_side(group, kill_one, pytest.fail))
    assert len(found) == len(group) - 1
    assert all(isinstance(trial, Trial) for trial in found)
    assert not probes()


@pytest.mark.engine
def test_a_group_that_memory_does_not_hold_is_divided_and_says_so(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    small = type("Memory", (), {"available": 600_000_000})
    monkeypatch.setattr(psutil, "virtual_memory", lambda: small)
    group = group_of_turns()
    assert len(list(session.side_by_side(group, lambda: None, said.append))) == len(group)
    assert len(said) == 1
    assert "measured in 6 parts" in said[0]


@pytest.mark.engine
def test_a_turn_shorter_than_a_batch_is_refused_with_the_mend(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = [each for each in lab.experiment("turns").plan(Parameters.given(TINY)).trials
             if each.configuration.name == "value_file_alone"][:1]  # fmt: skip
    monkeypatch.setattr(turns, "MS", 1)  # turns of nanoseconds: the first batch is discarded, and there is no second
    with pytest.raises(BenchbookError, match="a batch of lookups takes longer than a turn"):
        list(session.side_by_side(alone, lambda: None, pytest.fail))


@pytest.mark.engine
def test_a_group_ends_at_once_when_nobody_wants_it_any_more(session: Any) -> None:
    def stopped() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(session.side_by_side(group_of_turns(), stopped, pytest.fail))
    assert not probes()
