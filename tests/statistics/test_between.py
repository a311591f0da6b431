"""Two independent estimates compared."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics.between import between

ENDS = st.tuples(st.floats(0.1, 10), st.floats(1.001, 2), st.floats(1.001, 2))


def estimate(point: float, below: float, above: float) -> Estimate:
    return Estimate(point, point / below, point * above, 6, "Student t on logs")


@given(ENDS, ENDS)
def test_p_is_below_five_percent_where_the_interval_leaves_1_out(
    one: tuple[float, float, float], other: tuple[float, float, float]
) -> None:
    found = between(estimate(*one), estimate(*other))
    assert found.p is not None
    if abs(found.p - 0.05) > 1e-6:
        assert (found.p < 0.05) == (not found.low <= 1 <= found.high)


def test_against_a_number_that_is_known_it_is_that_interval() -> None:
    found = between(statistics.exact(2.0), estimate(3.0, 1.5, 2.0))
    assert (found.point, found.low, found.high) == pytest.approx((1.5, 1.0, 3.0))


def test_two_intervals_of_normal_means_give_the_textbooks_interval() -> None:
    reach = 1.959964
    known = ((5, 1), (8, 2))
    first, second = (Estimate(mean, mean - reach * se, mean + reach * se, 50, "Student t") for mean, se in known)
    found = between(first, second, "difference")
    half = reach * math.sqrt(5)
    assert (found.point, found.low, found.high) == pytest.approx((3, 3 - half, 3 + half))
    assert found.p == pytest.approx(0.1797, abs=1e-4)


def test_counted_numbers_have_no_p() -> None:
    assert between(statistics.exact(2.0), statistics.exact(3.0)).p is None


def test_the_interval_covers_the_ratio_of_two_geometric_means() -> None:
    """Of 2,000 pairs of runs of 6 and 10 blocks with spreads of 0.1 and 0.3; four standard errors of 95 % are 2 %."""
    random = np.random.default_rng(20261127)
    truth, covered, false = math.log(1.4), 0, 0
    for _ in range(2_000):
        first = statistics.geometric_mean(np.exp(random.normal(0.0, 0.1, 6)))
        second = statistics.geometric_mean(np.exp(random.normal(truth, 0.3, 10)))
        found = between(first, second)
        covered += found.low <= math.exp(truth) <= found.high
        same = between(first, statistics.geometric_mean(np.exp(random.normal(0.0, 0.3, 10))))
        false += (same.p or 0.0) < 0.05
    assert covered / 2_000 > 0.93
    assert false / 2_000 < 0.07


def test_what_has_no_ratio_and_unequal_confidence_are_refused() -> None:
    with pytest.raises(BenchbookError, match="ratio of numbers that may be 0"):
        between(Estimate(0.1, 0.0, 0.2, 5, "x"), estimate(1.0, 1.1, 1.1))
    with pytest.raises(BenchbookError, match="another confidence"):
        between(Estimate(1.0, 0.9, 1.1, 5, "x", 0.9), estimate(1.0, 1.1, 1.1))
