"""The ratio of totals: Fieller's interval, which holds where some trials count nothing."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from benchbook.errors import BenchbookError
from benchbook.statistics import intervals, ratio_of_totals

ABOVE, BELOW = np.array([0.0, 5.4, 0.0, 1.0, 2.0, 0.8]), np.array([2.5, 3.2, 4.6, 7.0, 7.2, 3.6])


def test_its_point_is_the_ratio_of_the_sums() -> None:
    found = ratio_of_totals(ABOVE, BELOW)
    assert found.point == pytest.approx(ABOVE.sum() / BELOW.sum())
    assert (found.n, found.method) == (6, intervals.FIELLER)


def test_its_ends_are_where_a_t_test_of_the_differences_turns() -> None:
    """The interval is of those r for which the mean of above - r below cannot be told from 0."""
    found = ratio_of_totals(ABOVE * 2 + 3, BELOW)

    def beyond(r: float) -> float:
        return float(stats.ttest_1samp(ABOVE * 2 + 3 - r * BELOW, 0).pvalue) - 0.05

    assert found.low == pytest.approx(optimize.brentq(beyond, 0.0, found.point))
    assert found.high == pytest.approx(optimize.brentq(beyond, found.point, 10.0))


def test_it_does_not_reach_below_nothing() -> None:
    assert ratio_of_totals(ABOVE, BELOW).low == 0.0


def test_of_visits_and_blocks_the_wider_counts() -> None:
    visits = np.repeat(np.arange(4), 2)
    apart = np.array([1.0, 1.1, 3.0, 3.1, 2.0, 2.1, 4.0, 4.1])
    level = np.array([2.0, 2.1, 2.2, 1.9, 2.1, 2.0, 1.9, 2.2])
    found = ratio_of_totals(apart, level, visits=visits)
    assert (found.n, found.method) == (4, intervals.FIELLER + intervals.OF_VISITS)
    turned = ratio_of_totals([1.0, 4.1, 3.0, 2.1, 2.0, 3.1, 4.0, 1.1], level, visits=visits)
    assert (turned.n, turned.method) == (8, intervals.FIELLER)


@pytest.mark.parametrize(
    ("above", "below", "problem"),
    [
        ([1, 2, 3], [0, 0, 0], "are all 0"),
        ([0, 0, 0], [1, 2, 3], "are all 0"),
        ([1, -2, 3], [1, 2, 3], "hold -2"),
        ([1, 2, 3], [0, 0, 9], "has no upper end"),
        ([1], [1], "need 2"),
    ],
)
def test_it_says_what_has_no_ratio(above: list[float], below: list[float], problem: str) -> None:
    with pytest.raises(BenchbookError, match=problem):
        ratio_of_totals(above, below)


@pytest.mark.parametrize("blocks", [6, 10, 20])
@pytest.mark.parametrize("truth", [1.0, 0.3])
def test_it_covers_counts_many_of_which_are_0(blocks: int, truth: float) -> None:
    """Counts whose rate differs from block to block; an interval without an upper end holds every ratio."""
    rng = np.random.default_rng(3)
    held, zeros, repeats = 0, 0, 1_500
    for _ in range(repeats):
        above, below = (rng.poisson(rng.gamma(2.0, rate, blocks)) for rate in (2.0 * truth, 2.0))
        zeros += not above.all()
        try:
            found = ratio_of_totals(above, below)
        except BenchbookError:
            held += 1
            continue
        held += found.low <= truth <= found.high
    assert zeros > repeats / 2
    assert 0.93 < held / repeats < 0.975 + 0.01 * math.sqrt(10 / blocks)
