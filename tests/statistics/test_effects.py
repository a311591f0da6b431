import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from benchbook.errors import BenchbookError
from benchbook.statistics import (
    difference,
    equivalence,
    many_to_one,
    median,
    median_ratio,
    ratio,
    ratio_unblocked,
    shares_difference,
)
from benchbook.statistics.intervals import ORDER

HOT = np.array([21.0, 24.5, 22.2, 30.1, 25.0, 23.3])
COLD = np.array([70.0, 81.5, 75.2, 99.1, 77.0, 80.3])
blocks = st.integers(2, 10).flatmap(
    lambda n: st.tuples(*[arrays(float, n, elements=st.floats(1, 1e5)) for _ in range(2)])
)


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_a_blocked_ratio_agrees_with_scipys_paired_t_test_on_logs(confidence):
    effect = ratio(HOT, COLD, confidence=confidence)
    reference = stats.ttest_rel(np.log(HOT), np.log(COLD)).confidence_interval(confidence)
    assert effect.point == pytest.approx(stats.gmean(HOT) / stats.gmean(COLD))
    assert (effect.low, effect.high) == pytest.approx(np.exp(list(reference)))
    assert effect.sd == pytest.approx(np.log(HOT / COLD).std(ddof=1))
    assert (effect.scale, effect.n, effect.confidence) == ("ratio", 6, confidence)


@given(blocks, st.floats(1e-3, 1e3))
def test_a_ratio_knows_no_unit_and_no_block_effect(pair, factor):
    a, b = pair
    shared = np.linspace(1, 50, a.size)
    one, other = ratio(a, b), ratio(a * factor * shared, b * factor * shared)
    assert (other.point, other.low, other.high) == pytest.approx((one.point, one.low, one.high), rel=1e-6)


def test_a_ratio_that_never_varies_has_no_width():
    effect = ratio([2.0, 6.0, 10.0], [1.0, 3.0, 5.0])
    assert effect.low == effect.high == pytest.approx(2)
    assert effect.sd == 0
    assert effect.method == "all values equal"


def test_a_difference_agrees_with_scipys_paired_t_test():
    effect = difference(HOT, COLD)
    reference = stats.ttest_rel(HOT, COLD).confidence_interval(0.95)
    assert (effect.point, effect.low, effect.high) == pytest.approx(((HOT - COLD).mean(), *reference))
    assert effect.scale == "difference"
    assert difference([0.1 + 0.2, 1.0], [0.3, 1.0]).method == "all values equal"


def test_a_difference_of_shares_is_never_finer_than_its_counts():
    effect = shares_difference([1.0, 1.0, 1.0], [0.4, 0.4, 0.4], 1_000)
    assert (effect.low, effect.point, effect.high) == pytest.approx((0.599, 0.6, 0.601))
    wide = shares_difference([0.9, 0.95], [0.1, 0.02], 1_000)
    assert wide.low < wide.point < wide.high <= 1
    reference = difference([0.9, 0.95, 0.97], [0.1, 0.02, 0.05])
    assert shares_difference([0.9, 0.95, 0.97], [0.1, 0.02, 0.05], 10**6).low == pytest.approx(reference.low)


@given(*[arrays(float, st.integers(2, 10), elements=st.floats(1e-3, 1e6)) for _ in range(2)], st.floats(0.5, 0.999))
@example(np.full(3, 3.0), np.array([1.0, 1.1, 0.9]), 0.95)
@example(np.array([1.0, 1.0]), np.array([10.0, 1.0]), 0.999)
@example(np.array([1.0, 1.1, 0.9]), np.full(4, 3.0), 0.95)
@example(np.full(2, 2.0), np.ones(3), 0.95)
def test_trials_without_blocks_have_welchs_interval_on_logs(above, below, confidence):
    logs = [np.log(above), np.log(below)]
    centre = logs[0].mean() - logs[1].mean()
    spreads = [np.ptp(each) > 1e-12 and each.std(ddof=1) for each in logs]
    parts = [sd**2 / each.size for sd, each in zip(spreads, logs, strict=True)]
    half = 0.0
    if any(spreads):
        freedom = sum(parts) ** 2 / sum(part**2 / (each.size - 1) for part, each in zip(parts, logs, strict=True))
        half = stats.t.ppf((1 + confidence) / 2, freedom) * math.sqrt(sum(parts))
    assume(not 700 < abs(centre) + half < 760)  # where one end of the ratio is still a float
    if abs(centre) + half > 700:
        with pytest.raises(BenchbookError, match="too far for an interval"):
            ratio_unblocked(above, below, confidence=confidence)
        return
    effect = ratio_unblocked(above, below, confidence=confidence)
    ends = np.log([effect.low, effect.point, effect.high])
    assert ends == pytest.approx([centre - half, centre, centre + half], rel=1e-9, abs=1e-9)
    assert any(spreads) or effect.method == "all values equal"
    assert effect.n == min(above.size, below.size)
    assert effect.sd / math.sqrt(effect.n) == pytest.approx(math.sqrt(sum(parts)))


def test_simultaneous_intervals_are_the_paired_ones_at_a_shared_level():
    effects = many_to_one(COLD, {"hot": HOT, "warm": HOT * 1.7, "aa": COLD[::-1]})
    assert list(effects) == ["hot", "warm", "aa"]
    single = ratio(HOT, COLD, confidence=1 - 0.05 / 3)
    assert (effects["hot"].low, effects["hot"].high) == pytest.approx((single.low, single.high))
    assert effects["hot"].confidence == 0.95
    assert effects["warm"].point == pytest.approx(1.7 * effects["hot"].point)


def test_equivalence_reads_the_ninety_percent_interval():
    effect = equivalence(COLD * [1.01, 0.99, 1.0, 1.02, 1.0, 0.99], COLD)
    assert effect.confidence == 0.90
    assert 0.95 < effect.low < 1 < effect.high < 1.05


def test_a_bad_arm_is_named():
    with pytest.raises(BenchbookError, match="the values of zipf"):
        many_to_one(COLD, {"hot": HOT, "zipf": HOT[:5]})
    with pytest.raises(BenchbookError, match="at least one"):
        many_to_one(COLD, {})


def test_a_block_in_which_one_arm_stalled_gives_the_interval_of_the_median_block_too() -> None:
    usual = np.exp(0.02 * np.random.default_rng(1).normal(size=9))
    stalled = usual.copy()
    stalled[4] *= 3
    assert ratio(usual, np.ones(9)).typical is None
    found = ratio(stalled, np.ones(9))
    assert found.typical is not None
    low, high = found.typical
    others = np.sort(np.delete(usual, 4))
    assert low >= others[0]
    assert high <= others[-1] < 1.2 < found.high, "one block moves the mean's interval and not the median's"


def test_too_few_blocks_for_a_median_have_none() -> None:
    values = np.array([1.0, 1.01, 0.99, 1.0, 3.0])
    assert ratio(values, np.ones(5)).typical is None
    six = np.array([1.0, 1.01, 0.99, 1.002, 0.998, 3.0])
    assert ratio(six, np.ones(6)).typical is not None
    assert ratio(six, np.ones(6), confidence=0.99).typical is None


# the ratio of a typical block, which a stalling arm cannot mislead


def test_a_median_ratio_is_the_median_of_the_blocks_ratios() -> None:
    above, below = np.random.default_rng(1).lognormal(size=(2, 11))
    found, own = median_ratio(above, below), median(above / below)
    assert (found.point, found.low, found.high) == (own.point, own.low, own.high)
    assert (found.n, found.method, found.scale) == (11, ORDER, "ratio")
    assert found.sd == pytest.approx(np.std(np.log(above / below), ddof=1))


def test_a_median_ratio_covers_where_one_arm_stalls_and_students_t_does_not() -> None:
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


def test_five_blocks_and_unequal_blocks_have_no_median_ratio() -> None:
    with pytest.raises(BenchbookError, match=r"need 6 .*, but there are 5"):
        median_ratio([1, 2, 3, 4, 5], [1, 1, 1, 1, 1])
    with pytest.raises(BenchbookError, match="6 blocks"):
        median_ratio([1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 1])


@pytest.mark.parametrize("function", [ratio, ratio_unblocked])
@pytest.mark.parametrize("values", [([1.0, 0.0], [1.0, 2.0]), ([1.0, 2.0], [1.0, -1.0])])
def test_a_ratio_of_values_without_a_logarithm_is_refused(function, values):
    with pytest.raises(BenchbookError, match="no logarithm"):
        function(*values)
