"""How far a machine stood from its quiet level, by its canary; it decides nothing."""

import math

import numpy as np
import pytest

from benchbook.errors import BenchbookError
from benchbook.statistics import canary_spread, movement, quiet_level
from benchbook.statistics.movement import BEYOND_SHARE, FLOOR, LEAST_READINGS

QUIET = np.zeros(40)
SPREAD = 0.0045


# the quiet level of a processor


def test_the_quiet_level_is_near_the_fastest_readings_and_not_at_the_one_that_was_faster_by_chance():
    readings = np.r_[np.full(95, 900.0), np.linspace(570.0, 580.0, 100), 100.0]
    assert 570 <= quiet_level(readings) <= 576
    assert quiet_level(readings) == np.quantile(readings, 0.05)


def test_few_readings_tell_no_quiet_level():
    assert quiet_level(np.full(LEAST_READINGS - 1, 5.0)) is None
    assert quiet_level([]) is None
    assert quiet_level(np.full(LEAST_READINGS, 5.0)) == 5


# w


def test_a_machine_that_stayed_at_its_quiet_level_around_every_trial_does_not_move():
    found = movement([QUIET], SPREAD, around_trials=True)
    assert found.w == 0
    assert found.reason == "the canary stayed within 0.45 % of its quiet level"


@pytest.mark.parametrize(("spread", "around"), [(None, True), (SPREAD, False), (None, False)])
def test_one_that_was_not_seen_to_hold_still_moves_by_a_quarter_however_quiet_its_readings(spread, around):
    found = movement([QUIET], spread, around_trials=around)
    assert found.w == FLOOR == math.log(1.25)
    assert "the canary stood at 1.00 times its quiet level" in found.reason
    assert ("was not looked at around each trial" in found.reason) is not around
    assert ("how far it moves on a quiet machine is not known" in found.reason) is around


@pytest.mark.parametrize("sign", [1, -1])
def test_a_level_is_movement_however_steady(sign):
    found = movement([np.full(40, sign * 0.3)], SPREAD, around_trials=True)
    assert found.w == pytest.approx(0.3)
    assert f"stood at {math.exp(sign * 0.3):.2f} times" in found.reason
    near = movement([np.full(40, sign * 0.1)], SPREAD, around_trials=True)
    assert near.w == FLOOR, "a tenth is movement too, and the least that movement may do is a quarter"


def test_the_edge_of_stillness_is_the_spread_in_level_and_in_movement():
    edge = math.log1p(SPREAD)
    assert movement([np.full(40, edge)], SPREAD, around_trials=True).w == 0
    assert movement([np.full(40, edge * 1.001)], SPREAD, around_trials=True).w == FLOOR
    for beyond, expected in ((2, 0.0), (3, FLOOR)):
        readings = QUIET.copy()
        readings[:beyond] = -10 * edge
        assert movement([readings], SPREAD, around_trials=True).w == expected, "one in twenty may lie beyond"
    assert BEYOND_SHARE == 0.05


def test_what_stands_between_the_median_and_the_rest_does_not_matter_to_the_level():
    readings = np.r_[np.full(21, 0.3), np.full(19, 5.0)]
    assert movement([readings], SPREAD, around_trials=True).w == pytest.approx(0.3)


def test_of_several_sessions_the_worst_counts_and_one_that_moved_is_enough():
    still, slow, fast = QUIET, np.full(40, 0.4), np.full(40, -0.6)
    assert movement([still, still, still], SPREAD, around_trials=True).w == 0
    assert movement([still, slow, still], SPREAD, around_trials=True).w == pytest.approx(0.4)
    assert movement([slow, fast], SPREAD, around_trials=True).w == pytest.approx(0.6)
    assert "stood at 0.55 times" in movement([slow, fast], SPREAD, around_trials=True).reason
    assert movement([slow, -slow], SPREAD, around_trials=True).w == pytest.approx(0.4), "they do not cancel out"
    burst = QUIET.copy()
    burst[::10] = 0.2
    assert movement([still] * 9 + [burst], SPREAD, around_trials=True).w == FLOOR, "nor are they averaged"


@pytest.mark.parametrize("sessions", [[], [[]], [QUIET, []], [[], np.full(40, 0.5)]])
def test_where_a_processor_is_not_known_quiet_it_moves_by_a_quarter(sessions):
    found = movement(sessions, SPREAD, around_trials=True)
    assert found.w == FLOOR
    assert found.reason == "how fast this processor is when quiet is not known"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_missing_readings_are_refused_and_never_taken_for_quiet_ones(bad):
    with pytest.raises(BenchbookError, match="canary readings are missing") as caught:
        movement([QUIET, [0.0, bad]], SPREAD, around_trials=True)
    assert caught.value.mend


def test_a_quiet_machine_is_seen_to_be_one_and_one_slower_by_a_third_is_not():
    """The whole way: readings to spread and quiet level, and those of another run against both."""
    generator = np.random.default_rng(11)
    noise = 0.002 * generator.standard_normal((30, 60))
    spread, level = canary_spread(np.exp(noise[0])), quiet_level(np.exp(noise[1]))
    still = [movement([each - math.log(level)], spread, around_trials=True).w for each in noise[2:]]
    slow = [movement([each + 0.3 - math.log(level)], spread, around_trials=True).w for each in noise[2:]]
    assert np.mean([w == 0 for w in still]) >= 0.5
    assert all(w == pytest.approx(0.3, abs=0.01) for w in slow)
