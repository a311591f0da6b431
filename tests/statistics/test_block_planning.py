import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics import (
    arithmetic_mean,
    blocks_for,
    blocks_for_half_width,
    exact,
    geometric_mean,
    geometric_sd,
    half_width,
    median,
    minimum_detectable,
    predicted,
    ratio,
    share,
    share_of_trials,
    shares_difference,
    wilson,
)

A, B = np.array([3.0, 4.0, 5.5, 4.4]), np.array([2.5, 4.1, 4.0, 3.0])


@given(st.floats(0.001, 2), st.floats(0.01, 2), st.sampled_from([0.9, 0.95, 0.99]))
def test_the_planned_number_of_blocks_is_enough_and_one_less_is_not(sd, target, confidence):
    blocks = blocks_for_half_width(sd, target, confidence=confidence)
    if blocks is None:
        assert half_width(sd, 10_000, confidence=confidence) > target
        return
    assert half_width(sd, blocks, confidence=confidence) <= target
    assert blocks == 2 or half_width(sd, blocks - 1, confidence=confidence) > target


ESTIMATES = [
    ratio(A, B),
    geometric_mean(A),
    arithmetic_mean(A - B),
    share([0.5, 0.6, 0.55, 0.4], 10_000),
    shares_difference([0.5, 0.6], [0.4, 0.1], 10_000),
    geometric_sd(A),
    share_of_trials(2, 3),
]


@pytest.mark.parametrize("estimate", ESTIMATES, ids=lambda estimate: estimate.method)
def test_the_forecast_for_the_same_number_is_the_interval_itself_and_then_narrows(estimate):
    low, high = predicted(estimate, estimate.n)
    assert low == pytest.approx(estimate.low, rel=1e-9)
    assert high == pytest.approx(estimate.high, rel=1e-9) or estimate.high == 1
    before = (low, high)
    for blocks in (estimate.n + 1, 50, 10_000):
        after = predicted(estimate, blocks)
        assert before[0] < after[0] < estimate.point < after[1] < before[1]
        before = after


def test_the_forecast_is_what_the_same_spread_would_give():
    one, twice = geometric_mean(A), geometric_mean(np.tile(A, 2))
    # eight trials of the same logs: only the n - 1 in the sd differs
    expected = math.log(twice.high / twice.point) * math.sqrt(7 / 6)
    assert math.log(predicted(one, 8)[1] / one.point) == pytest.approx(expected)


@pytest.mark.parametrize(
    "estimate", [exact(3), wilson(1, 9), share([1, 1], 10), median(np.arange(6)), geometric_mean([2.0, 2.0])]
)
def test_intervals_that_more_blocks_do_not_narrow_have_no_forecast(estimate: Estimate):
    assert predicted(estimate, 100) is None


@pytest.mark.parametrize(("low", "point", "high"), [(0.0, 1.0, 2.0), (-0.1, 1.0, 2.0), (-2.0, -1.0, -0.5)])
def test_a_ratio_that_is_not_above_0_is_no_interval_to_plan_with(low, point, high):
    for estimate in (ratio(A, B), geometric_mean(A)):
        with pytest.raises(BenchbookError, match="is not an interval to plan with"):
            predicted(replace(estimate, low=low, point=point, high=high), 12)
    assert predicted(Estimate(point, low, high, 6, arithmetic_mean(A - B).method), 12) is not None, "a mean may be"


@pytest.mark.parametrize("blocks", [3, 6, 10, 40])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_smallest_effect_is_that_of_statsmodels_power_analysis(blocks, power):
    found = math.log(minimum_detectable(0.05, blocks, power=power)) / 0.05
    reached = TTestPower().power(found, blocks, 0.05, alternative="two-sided")
    assert reached == pytest.approx(power, abs=1e-4)


def test_two_blocks_and_no_spread_have_an_answer_too():
    assert minimum_detectable(0.0, 5) == 1
    assert minimum_detectable(0.01, 2) > minimum_detectable(0.01, 3)


@pytest.mark.parametrize("half", [0.01, 0.02, 0.05, 0.10])
def test_a_half_width_may_be_a_share(half):
    blocks = blocks_for(0.05, half)
    assert blocks == blocks_for_half_width(0.05, math.log(1 + half))
    assert (blocks_for(0.0, half), blocks_for(5.0, 0.001)) == (2, None)
    assert blocks_for(0.05, 0.05) == 7  # t(6) 2.447 * 0.05 / sqrt(7) = 0.0462 <= 0.0488 = log(1.05)
