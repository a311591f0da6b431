import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from benchbook.statistics import blocks_for, blocks_for_half_width, half_width, minimum_detectable, plan_table, ratio


@pytest.mark.parametrize("blocks", [3, 6, 10, 40])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_smallest_effect_is_that_of_statsmodels_power_analysis(blocks, power):
    found = math.log(minimum_detectable(0.05, blocks, power=power)) / 0.05
    reached = TTestPower().power(found, blocks, 0.05, alternative="two-sided")
    assert reached == pytest.approx(power, abs=1e-4)


def test_the_smallest_effect_is_seen_as_often_as_asked():
    generator = np.random.default_rng(4)
    true = minimum_detectable(0.1, 6)
    runs = true * np.exp(0.1 * generator.standard_normal((1_500, 6)))
    seen = np.mean([ratio(run, np.ones(6)).low > 1 for run in runs])
    assert seen == pytest.approx(0.8, abs=0.035)


@given(st.floats(0.001, 0.5), st.integers(3, 50))
def test_more_blocks_and_less_spread_show_smaller_effects(sd, blocks):
    found = minimum_detectable(sd, blocks)
    assert 1 < minimum_detectable(sd, blocks + 1) < found < minimum_detectable(sd * 1.5, blocks)
    assert found < minimum_detectable(sd, blocks, power=0.9)


def test_two_blocks_and_no_spread_have_an_answer_too():
    assert minimum_detectable(0.0, 5) == 1
    assert minimum_detectable(0.01, 2) > minimum_detectable(0.01, 3)


def test_the_plan_names_the_blocks_for_each_half_width():
    table = plan_table(0.05)
    assert [share for share, _ in table] == [0.01, 0.02, 0.05, 0.10]
    for share, blocks in table:
        assert blocks == blocks_for_half_width(0.05, math.log(1 + share)) == blocks_for(0.05, share)
        assert half_width(0.05, blocks) <= math.log(1 + share) < half_width(0.05, blocks - 1)
    assert [blocks for _, blocks in table] == sorted((blocks for _, blocks in table), reverse=True)


def test_a_plan_that_nobody_would_run_says_none():
    assert plan_table(5.0, [0.001]) == [(0.001, None)]
    assert plan_table(0.0) == [(share, 2) for share in (0.01, 0.02, 0.05, 0.10)]
