"""The ratio of a typical block: an order-statistic interval that a stalling arm cannot mislead."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchbook.errors import BenchbookError
from benchbook.statistics import median, median_ratio, ratio
from benchbook.statistics.intervals import ORDER


def test_it_is_the_median_of_the_blocks_ratios() -> None:
    above, below = np.random.default_rng(1).lognormal(size=(2, 11))
    found, own = median_ratio(above, below), median(above / below)
    assert (found.point, found.low, found.high) == (own.point, own.low, own.high)
    assert (found.n, found.method, found.scale) == (11, ORDER, "ratio")
    assert found.sd == pytest.approx(np.std(np.log(above / below), ddof=1))


def test_it_covers_where_one_arm_stalls_and_students_t_does_not() -> None:
    rng = np.random.default_rng(2)
    noise, rate = 0.02 * math.sqrt(2), 2.5
    # a tenth of the log ratios is normal plus exponential: their median solves this mixture
    values = np.linspace(-0.1, 0.1, 20_001)
    slow = stats.exponnorm(1 / (rate * noise), scale=noise)
    typical = values[np.argmin(np.abs(0.9 * stats.norm(scale=noise).cdf(values) + 0.1 * slow.cdf(values) - 0.5))]
    held = {"t": 0, "median": 0}
    for _ in range(1_000):
        stalls = np.where(rng.random(10) < 0.1, 1 + rng.pareto(rate, 10), 1.0)
        above, below = np.exp(0.02 * rng.normal(size=(2, 10))) * np.array([stalls, np.ones(10)])
        student, order = ratio(above, below), median_ratio(above, below)
        held["t"] += student.low <= math.exp(0.1 / rate) <= student.high
        held["median"] += order.low <= math.exp(typical) <= order.high
    assert held["t"] < 700
    assert held["median"] > 950


def test_five_blocks_and_unequal_blocks_are_refused() -> None:
    with pytest.raises(BenchbookError, match=r"need 6 .*, but there are 5"):
        median_ratio([1, 2, 3, 4, 5], [1, 1, 1, 1, 1])
    with pytest.raises(BenchbookError, match="6 blocks"):
        median_ratio([1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 1])
