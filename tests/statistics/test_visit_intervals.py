"""Intervals over visits against scipy and statsmodels: the wider of blocks and visits, its laws and its coverage."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate
from benchbook.statistics import (
    arithmetic_mean,
    cliff,
    difference,
    dip,
    equivalence,
    geometric_mean,
    intervals,
    many_to_one,
    one_sided_error,
    predicted,
    ratio,
    share,
    shares_difference,
)
from benchbook.statistics.intervals import OF_VISITS, PAIRED_LOG_T, of_blocks, over_visits
from benchbook.statistics.visits import widened

VALUES = np.random.default_rng(11).lognormal(sigma=0.1, size=(3, 24))
SHARES = np.random.default_rng(12).uniform(0.4, 0.6, size=(2, 24))
OVER_BLOCKS: dict[str, Callable[[np.ndarray | None], Estimate]] = {
    "ratio": lambda s: ratio(*VALUES[:2], visits=s),
    "equivalence": lambda s: equivalence(*VALUES[:2], visits=s),
    "difference": lambda s: difference(*VALUES[:2], visits=s),
    "shares_difference": lambda s: shares_difference(*SHARES, 1_000, visits=s),
    "many_to_one": lambda s: many_to_one(VALUES[0], {"a": VALUES[1], "b": VALUES[2]}, visits=s)["b"],
    "dip": lambda s: dip(*VALUES, visits=s),
    "cliff": lambda s: cliff(VALUES.T, [1, 2, 3], resamples=99, visits=s).drop,
    "geometric_mean": lambda s: geometric_mean(VALUES[0], visits=s),
    "arithmetic_mean": lambda s: arithmetic_mean(VALUES[0], visits=s),
    "share": lambda s: share(SHARES[0], 1_000, visits=s),
}
"""Every statistic over blocks, by the visits of these."""


def labels(blocks: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(blocks)), blocks)


def drawn(rng: np.random.Generator, blocks: list[int], visit_sd: float, trial_sd: float) -> np.ndarray:
    return np.concatenate([np.exp(visit_sd * rng.normal() + trial_sd * rng.normal(size=n)) for n in blocks])


def over_ones(values: np.ndarray, blocks: list[int]) -> Effect:
    return ratio(values, np.ones_like(values), visits=labels(blocks))


def test_visits_that_differ_give_scipys_interval_of_their_means() -> None:
    above, below = (drawn(np.random.default_rng(seed), [6] * 5, 0.1, 0.05) for seed in (1, 2))
    found = ratio(above, below, visits=labels([6] * 5))
    means = np.log(above / below).reshape(5, 6).mean(axis=1)
    own = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert (math.log(found.low), math.log(found.high)) == pytest.approx((own.low, own.high))
    assert found.point == pytest.approx(math.exp(np.mean(means)))
    assert (found.n, found.method) == (5, PAIRED_LOG_T + OF_VISITS)
    assert found.sd == pytest.approx(np.std(means, ddof=1))


@pytest.mark.parametrize("blocks", [[6, 6, 6, 6], [3, 6, 10, 20]])
@pytest.mark.parametrize("visit_sd", [0.0, 0.1])
def test_the_interval_covers_whatever_visits_do_and_however_many_blocks_they_have(
    blocks: list[int], visit_sd: float
) -> None:
    rng = np.random.default_rng(4)
    many = (over_ones(drawn(rng, blocks, visit_sd, 0.05), blocks) for _ in range(1_500))
    # the wider of two 95 % intervals covers a little more where visits do not differ
    assert 0.93 <= np.mean([found.low <= 1 <= found.high for found in many]) <= 0.99


def lucky(scatter: float, blocks: list[int]) -> np.ndarray:
    """Values whose visits have the same mean on logs, or nearly so."""
    noise = 0.05 * np.random.default_rng(13).normal(size=(len(blocks), blocks[0]))
    means = scatter * np.linspace(-1, 1, len(blocks))
    return np.exp(noise - noise.mean(axis=1, keepdims=True) + means[:, None]).ravel()


@pytest.mark.parametrize("scatter", [1e-4, 0.0])
def test_visits_that_agree_by_luck_leave_the_interval_over_blocks(scatter: float) -> None:
    values, blocks = lucky(scatter, [6] * 4), [6] * 4
    found, own = over_ones(values, blocks), ratio(values, np.ones_like(values))
    assert (found.low, found.point, found.high) == pytest.approx((own.low, own.point, own.high))
    assert (found.n, found.method) == (24, PAIRED_LOG_T), "blocks are the replicates"
    means = stats.ttest_1samp(np.log(values).reshape(4, 6).mean(axis=1), 0).confidence_interval(0.95)
    assert means.high - means.low < 0.05 * math.log(found.high / found.low)


@given(visit_sd=st.sampled_from([0.0, 0.02, 0.1]), seed=st.integers(0, 1_000), confidence=st.floats(0.8, 0.99))
def test_the_wider_of_both_intervals_counts(visit_sd: float, seed: int, confidence: float) -> None:
    logs = np.log(drawn(np.random.default_rng(seed), [3] * 5, visit_sd, 0.05))
    found = intervals.student(logs, confidence, visits=labels([3] * 5))
    both = [stats.ttest_1samp(each, 0).confidence_interval(confidence) for each in (logs.reshape(5, 3).mean(1), logs)]
    assert found.high - found.low == pytest.approx(max(each.high - each.low for each in both))
    assert found.visits is bool(both[0].high - both[0].low > both[1].high - both[1].low)
    assert found.n == (5 if found.visits else 15)


@pytest.mark.parametrize("name", OVER_BLOCKS)
@given(blocks=st.lists(st.integers(1, 20), min_size=1, max_size=3))
def test_fewer_than_four_visits_leave_every_number_as_it_is(name: str, blocks: list[int]) -> None:
    visits = np.resize(labels(blocks), 24)
    found, own = OVER_BLOCKS[name](visits), OVER_BLOCKS[name](None)
    assert found == own
    assert not over_visits(found.method)


@pytest.mark.parametrize("name", OVER_BLOCKS)
@given(names=st.permutations([7, -2, 0, 100]), order=st.permutations(range(24)))
def test_the_names_of_visits_say_nothing_and_their_blocks_stand_in_any_order(
    name: str, names: list[int], order: list[int]
) -> None:
    visits = labels([6] * 4)
    found, renamed = OVER_BLOCKS[name](visits), OVER_BLOCKS[name](np.array(names)[visits])
    assert (renamed.point, renamed.low, renamed.high) == pytest.approx((found.point, found.low, found.high))
    assert (found.n, found.method) == (renamed.n, renamed.method)
    assert found.n == (4 if over_visits(found.method) else 24)
    above, below = VALUES[:2]
    mixed = ratio(above[order], below[order], visits=visits[order])
    own = ratio(above, below, visits=visits)
    assert (mixed.low, mixed.high) == pytest.approx((own.low, own.high))


@pytest.mark.parametrize("name", OVER_BLOCKS)
def test_visits_of_one_block_each_are_the_blocks_themselves(name: str) -> None:
    found, own = OVER_BLOCKS[name](np.arange(24)), OVER_BLOCKS[name](None)
    assert (found.point, found.low, found.high) == pytest.approx((own.point, own.low, own.high))
    assert (found.n, of_blocks(found.method)) == (24, own.method)


def test_what_widens_plans_and_errs_knows_an_interval_over_visits() -> None:
    for name, compute in OVER_BLOCKS.items():
        found, own = compute(np.arange(24)), compute(None)
        for with_, without in zip((predicted(found, 30), widened(found, 0.1)), (predicted(own, 30), widened(own, 0.1)),
                                  strict=True):  # fmt: skip
            pair = [(e.low, e.high) if isinstance(e, Estimate) else e for e in (with_, without)]
            assert pair[0] == pytest.approx(pair[1]), name
        assert one_sided_error(found, [found.low]) == pytest.approx(one_sided_error(own, [own.low])), name


def test_equal_values_have_no_width() -> None:
    same = ratio([2, 4] * 4, [1, 2] * 4, visits=labels([2] * 4))
    assert (same.low, same.point, same.high, same.n) == (2, 2, 2, 8)
    assert same.method == intervals.CONSTANT


def test_labels_of_other_blocks_are_refused() -> None:
    with pytest.raises(BenchbookError, match="7 labels of visits come with 8 blocks"):
        ratio(np.arange(1, 9), np.ones(8), visits=np.arange(7))
