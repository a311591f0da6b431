import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchbook.errors import BenchbookError
from benchbook.workloads import arrivals


def test_a_constant_rate_is_evenly_spaced_from_the_start_to_before_the_end():
    assert arrivals.constant(4, 1).tolist() == [0, 250_000_000, 500_000_000, 750_000_000]
    assert arrivals.constant(4, 1.01).size == 5
    assert arrivals.constant(0.1, 30).tolist() == [0, 10**10, 2 * 10**10]
    assert arrivals.constant(1, 1).tolist() == [0]


@settings(deadline=None)
@given(st.floats(0.1, 5_000), st.floats(0.1, 20))
def test_schedules_are_whole_sorted_nanoseconds_within_the_duration(rate, duration):
    if rate * duration < 1:
        return
    for times in (arrivals.constant(rate, duration), arrivals.poisson(rate, duration, np.random.default_rng(1))):
        assert times.dtype == np.int64
        assert (np.diff(times) >= 0).all()
        if times.size:
            assert 0 <= times[0] <= times[-1] <= duration * 1e9
    even = arrivals.constant(rate, duration)
    assert even.size == pytest.approx(rate * duration, abs=1)
    assert np.ptp(np.diff(even)) <= 1 if even.size > 1 else even[0] == 0


def test_a_poisson_schedule_has_exponential_gaps_and_a_poisson_number():
    generator = np.random.default_rng(2)
    times = arrivals.poisson(1_000, 50, generator)
    assert stats.kstest(np.diff(times) / 1e9, stats.expon(scale=1e-3).cdf).pvalue > 0.001
    counts = np.array([arrivals.poisson(20, 1, generator).size for _ in range(2_000)])
    assert counts.mean() == pytest.approx(20, abs=0.4)
    assert counts.var() == pytest.approx(20, rel=0.12)


def test_the_same_generator_gives_the_same_schedule():
    one, other = (arrivals.poisson(100, 3, np.random.default_rng(3)) for _ in range(2))
    assert (one == other).all()
    assert not np.array_equal(one, arrivals.poisson(100, 3, np.random.default_rng(4)))


def test_few_expected_requests_may_be_none():
    sizes = {arrivals.poisson(1, 1, np.random.default_rng(seed)).size for seed in range(30)}
    assert 0 in sizes


@pytest.mark.parametrize(
    ("rate", "duration"),
    [(0, 1), (-1, 1), (math.nan, 1), (math.inf, 1), (1, 0), (1, -1), (1, math.nan), (0.5, 1), (1e9, 1)],
)
def test_rates_and_durations_without_a_schedule_are_refused_with_a_mend(rate, duration):
    for schedule in (arrivals.constant, lambda r, d: arrivals.poisson(r, d, np.random.default_rng(1))):
        with pytest.raises(BenchbookError) as caught:
            schedule(rate, duration)
        assert caught.value.mend
