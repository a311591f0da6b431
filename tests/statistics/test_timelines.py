import numpy as np
import pytest
from arch.bootstrap import StationaryBootstrap, optimal_block_length
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from benchbook.errors import BenchbookError
from benchbook.statistics import arithmetic_mean, stationary_mean
from benchbook.statistics.timelines import block_length


def seconds(length: int, correlation: float, seed: int = 1) -> np.ndarray:
    """Throughput around 1,000 that repeats itself from second to second."""
    noise = np.random.default_rng(seed).standard_normal(length)
    return 1_000 + 50 * signal.lfilter([1.0], [1.0, -correlation], noise)


@pytest.mark.parametrize(("length", "correlation"), [(60, 0.0), (120, 0.6), (300, 0.9)])
def test_the_interval_agrees_with_archs_percentile_interval(length, correlation):
    series = seconds(length, correlation)
    estimate = stationary_mean(series, resamples=4_000)
    block = optimal_block_length(series)["stationary"].iloc[0]
    other = StationaryBootstrap(max(1.0, block), series, seed=99)
    low, high = other.conf_int(np.mean, reps=4_000, method="percentile").ravel()
    assert estimate.point == series.mean()
    # two draws of 4,000 resamples put the ends of a 95 % interval within about a tenth of its half-width
    slack = 0.1 * (high - low) / 2
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=slack)
    assert (estimate.n, estimate.method) == (length, "stationary bootstrap of seconds, within this trial")


def test_the_interval_covers_where_the_independent_one_does_not():
    truth, repeats = 1_000, 300
    series = [seconds(300, 0.6, seed) for seed in range(repeats)]
    own = np.mean([e.low <= truth <= e.high for e in (stationary_mean(each, resamples=500) for each in series)])
    naive = np.mean([e.low <= truth <= e.high for e in (arithmetic_mean(each) for each in series)])
    assert own > 0.87
    assert naive < 0.75


def test_the_same_seed_gives_the_same_interval():
    series = seconds(60, 0.5)
    assert stationary_mean(series, seed=4) == stationary_mean(series, seed=4)
    assert stationary_mean(series, seed=4) != stationary_mean(series, seed=5)


@settings(max_examples=20)
@given(st.floats(1e-3, 1e3), st.floats(-1e4, 1e4))
def test_the_interval_follows_unit_and_origin(factor, shift):
    series = seconds(60, 0.5)
    one, other = stationary_mean(series, resamples=200), stationary_mean(series * factor + shift, resamples=200)
    assert (other.low, other.point, other.high) == pytest.approx(
        [bound * factor + shift for bound in (one.low, one.point, one.high)], rel=1e-6, abs=1e-6
    )


def test_stretches_are_at_least_a_second_and_grow_with_the_correlation():
    assert block_length(np.tile([1.0, 2.0], 30)) >= 1
    assert block_length(seconds(300, 0.0)) < block_length(seconds(300, 0.6)) < block_length(seconds(300, 0.95))
    assert block_length(seconds(300, 0.6) * 1e-9) == pytest.approx(block_length(seconds(300, 0.6)))


def test_one_stall_in_a_steady_series_gives_an_interval():
    series = np.full(60, 1_000.0)
    series[-1] = 0
    estimate = stationary_mean(series)
    assert estimate.low < estimate.point <= estimate.high


def test_a_series_without_any_spread_is_not_estimable():
    for series in (np.full(60, 5.0), np.zeros(60), np.full(60, 0.1) + np.tile([0, 1e-17], 30)):
        with pytest.raises(BenchbookError, match="not estimable"):
            stationary_mean(series)


def test_a_confidence_or_a_number_of_resamples_out_of_range_is_refused():
    with pytest.raises(BenchbookError, match="confidence"):
        stationary_mean(seconds(60, 0.5), confidence=95)
    with pytest.raises(BenchbookError, match="resamples"):
        stationary_mean(seconds(60, 0.5), resamples=10)
