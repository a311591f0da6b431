import math

import pytest
from statsmodels.stats.power import TTestPower

from benchbook.statistics import blocks_for, blocks_for_half_width, half_width, minimum_detectable, plan_table


@pytest.mark.parametrize("blocks", [3, 6, 10, 40])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_smallest_effect_is_that_of_statsmodels_power_analysis(blocks, power):
    found = math.log(minimum_detectable(0.05, blocks, power=power)) / 0.05
    reached = TTestPower().power(found, blocks, 0.05, alternative="two-sided")
    assert reached == pytest.approx(power, abs=1e-4)


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
