import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special, stats
from statsmodels.stats.proportion import proportion_confint

from benchbook.errors import BenchbookError
from benchbook.statistics import (
    arithmetic_mean,
    exact,
    geometric_mean,
    geometric_sd,
    laws,
    median,
    share,
    share_of_trials,
    wilson,
)

shares = arrays(float, st.integers(2, 12), elements=st.floats(0, 1))
VALUES = np.array([77.8, 81.2, 75.1, 90.3, 79.9, 83.4])


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_the_geometric_mean_agrees_with_scipys_t_test_on_logs(confidence):
    estimate = geometric_mean(VALUES, confidence=confidence)
    reference = stats.ttest_1samp(np.log(VALUES), 0).confidence_interval(confidence)
    assert estimate.point == pytest.approx(stats.gmean(VALUES), rel=1e-12)
    assert (estimate.low, estimate.high) == pytest.approx(np.exp(list(reference)), rel=1e-12)
    assert (estimate.n, estimate.confidence) == (6, confidence)


def test_the_arithmetic_mean_agrees_with_scipy_and_takes_negative_values():
    values = np.array([-3.0, 0.0, 4.5, 1.0])
    estimate = arithmetic_mean(values)
    reference = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (estimate.point, estimate.low, estimate.high) == pytest.approx((values.mean(), *reference))


def test_equal_values_give_an_interval_without_width_that_says_so():
    for function in (geometric_mean, arithmetic_mean):
        estimate = function([1.25, 1.25, 1.25])
        assert (estimate.point, estimate.low, estimate.high) == (1.25, 1.25, 1.25)
        assert estimate.method == "all values equal"
    assert geometric_sd([7, 7]).low == geometric_sd([7, 7]).point == geometric_sd([7, 7]).high == 1
    assert median([4] * 6).low == median([4] * 6).high == 4


def test_rounding_is_no_spread_but_a_small_spread_is():
    assert arithmetic_mean([0.1 + 0.2, 0.3]).method == "all values equal"
    tiny = arithmetic_mean([1e-9, 2e-9])
    assert tiny.low < 1e-9 < 2e-9 < tiny.high


def test_a_share_is_estimated_on_the_logit():
    values = np.array([0.91, 0.95, 0.93])
    estimate = share(values, 1_000_000)
    logits = np.log((1e6 * values + 0.5) / (1e6 * (1 - values) + 0.5))
    reference = stats.ttest_1samp(logits, 0).confidence_interval(0.95)
    assert (estimate.low, estimate.high) == pytest.approx(special.expit(list(reference)), rel=1e-12)
    assert estimate.point == pytest.approx(special.expit(logits.mean()), rel=1e-12)
    assert estimate.point == pytest.approx(special.expit(special.logit(values).mean()), abs=1e-6)


def test_a_share_of_everything_is_known_only_to_the_resolution_of_its_counts():
    estimate = share([1, 1, 1, 1], 1_000)
    assert estimate.point == pytest.approx(1 - 0.5 / 1_001, rel=1e-12)
    assert estimate.low == pytest.approx(1 - 0.5 / 1_001 - 0.5 / 1_000, rel=1e-12)
    assert estimate.high == 1
    assert estimate.method == "resolution of the counts"
    mirrored = share([0, 0, 0, 0], 1_000)
    assert (mirrored.low, mirrored.point, mirrored.high) == pytest.approx((0, 0.5 / 1_001, 0.5 / 1_001 + 0.5 / 1_000))


def test_each_trial_may_have_its_own_count():
    assert share([1, 1], [100, 1_000_000]).point < share([1, 1], 1_000_000).point
    assert share([1, 1], [100, 100]) == share([1, 1], 100)


@given(shares, st.integers(1, 10**6))
def test_a_shares_interval_stays_within_0_and_1_and_mirrors(values, counts):
    estimate, mirrored = share(values, counts), share(1 - values, counts)
    assert 0 <= estimate.low <= estimate.point <= estimate.high <= 1
    assert (1 - mirrored.high, 1 - mirrored.point, 1 - mirrored.low) == pytest.approx(
        (estimate.low, estimate.point, estimate.high), abs=1e-6
    )


@pytest.mark.parametrize("function", [wilson, share_of_trials])
@pytest.mark.parametrize(("successes", "total"), [(0, 10), (10, 10), (5, 10), (4_458, 10_000), (1, 1)])
def test_a_share_of_one_trial_or_of_trials_agrees_with_statsmodels(function, successes, total):
    estimate = function(successes, total)
    low, high = proportion_confint(successes, total, method="wilson")
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=1e-12)
    assert estimate.low <= estimate.point == successes / total <= estimate.high
    assert estimate.n == (1 if function is wilson else total)
    assert ("within this trial" in estimate.method) is (function is wilson)


def test_the_median_of_six_trials_lies_between_the_smallest_and_the_largest():
    estimate = median(VALUES)
    assert (estimate.point, estimate.low, estimate.high) == (np.median(VALUES), VALUES.min(), VALUES.max())
    many = np.arange(1.0, 21.0)
    assert (median(many).low, median(many).high) == (6, 15)  # Conover's table for n = 20, 95 %


def test_a_median_without_enough_trials_is_refused():
    with pytest.raises(BenchbookError, match="need 6 trials, but there are 5"):
        median(VALUES[:5])
    with pytest.raises(BenchbookError, match="99%"):
        median(VALUES, confidence=0.99)


def test_a_counted_number_has_no_width():
    estimate = exact(125)
    assert (estimate.point, estimate.low, estimate.high, estimate.n) == (125, 125, 125, 1)


@pytest.mark.parametrize("confidence", [0, 1, 95, math.nan])
def test_confidence_must_be_a_share(confidence):
    for call in (lambda: geometric_mean(VALUES, confidence=confidence), lambda: wilson(1, 2, confidence=confidence)):
        with pytest.raises(BenchbookError, match="confidence"):
            call()


@given(st.floats(0.001, 0.999), st.floats(1, 500), st.floats(-20, 20))
def test_quantiles_and_tails_are_those_of_scipys_laws(share: float, freedom: float, value: float) -> None:
    assert laws.student_quantile(share, freedom) == stats.t.ppf(share, freedom)
    assert laws.student_above(value, freedom) == stats.t.sf(value, freedom)
    assert laws.normal_quantile(share) == pytest.approx(stats.norm.ppf(share), rel=1e-14, abs=1e-15)
    assert laws.normal_below(value) == pytest.approx(stats.norm.cdf(value), rel=1e-14)
    assert laws.chi_square_quantile(share, freedom) == stats.chi2.ppf(share, freedom)


@given(st.lists(arrays(float, st.integers(2, 6), elements=st.floats(-5, 5)), min_size=2, max_size=4))
def test_the_f_test_is_scipys(groups: list[np.ndarray]) -> None:
    if min(float(np.ptp(each)) for each in groups) > 1e-3:
        expected = float(stats.f_oneway(*groups).pvalue)
        if np.isnan(expected):  # equal means, whose F scipy rounds to a number below 0
            expected = 1.0
        assert laws.means_alike(groups) == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_a_masked_value_is_missing():
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    with pytest.raises(BenchbookError, match="1 of 3"):
        geometric_mean(masked)
    assert geometric_mean(np.ma.array([1.0, 2.0])) == geometric_mean([1.0, 2.0])
