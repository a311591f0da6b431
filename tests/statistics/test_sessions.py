"""Intervals over sessions against scipy and statsmodels, their laws and coverage, and the w that belongs to them."""

from __future__ import annotations

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
    movement,
    one_sided_error,
    predicted,
    ratio,
    session_movement,
    share,
    shares_difference,
    widened,
)
from benchbook.statistics.intervals import OF_SESSIONS, PAIRED_LOG_T, of_blocks, over_sessions

SPREAD = 0.0045
VALUES = np.random.default_rng(11).lognormal(sigma=0.1, size=(3, 24))
SHARES = np.random.default_rng(12).uniform(0.4, 0.6, size=(2, 24))
OVER_BLOCKS: dict[str, Callable[[np.ndarray | None], Estimate]] = {
    "ratio": lambda s: ratio(*VALUES[:2], sessions=s),
    "equivalence": lambda s: equivalence(*VALUES[:2], sessions=s),
    "difference": lambda s: difference(*VALUES[:2], sessions=s),
    "shares_difference": lambda s: shares_difference(*SHARES, 1_000, sessions=s),
    "many_to_one": lambda s: many_to_one(VALUES[0], {"a": VALUES[1], "b": VALUES[2]}, sessions=s)["b"],
    "dip": lambda s: dip(*VALUES, sessions=s),
    "cliff": lambda s: cliff(VALUES.T, [1, 2, 3], resamples=99, sessions=s).drop,
    "geometric_mean": lambda s: geometric_mean(VALUES[0], sessions=s),
    "arithmetic_mean": lambda s: arithmetic_mean(VALUES[0], sessions=s),
    "share": lambda s: share(SHARES[0], 1_000, sessions=s),
}
"""Every statistic over blocks, by the sessions of these."""


def labels(blocks: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(blocks)), blocks)


def drawn(rng: np.random.Generator, blocks: list[int], session_sd: float, trial_sd: float) -> np.ndarray:
    return np.concatenate([np.exp(session_sd * rng.normal() + trial_sd * rng.normal(size=n)) for n in blocks])


def over_ones(values: np.ndarray, blocks: list[int]) -> Effect:
    return ratio(values, np.ones_like(values), sessions=labels(blocks))


def test_sessions_that_differ_give_scipys_interval_of_their_means() -> None:
    above, below = (drawn(np.random.default_rng(seed), [6] * 5, 0.1, 0.05) for seed in (1, 2))
    found = ratio(above, below, sessions=labels([6] * 5))
    means = np.log(above / below).reshape(5, 6).mean(axis=1)
    own = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert (math.log(found.low), math.log(found.high)) == pytest.approx((own.low, own.high))
    assert found.point == pytest.approx(math.exp(np.mean(means)))
    assert (found.n, found.method) == (5, PAIRED_LOG_T + OF_SESSIONS)
    assert found.sd == pytest.approx(np.std(means, ddof=1))
    assert np.array(found.by_block) == pytest.approx(np.log(above / below)[None])


def test_sessions_of_equal_size_give_the_mixed_models_estimate_and_standard_error() -> None:
    mixed = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    values = drawn(np.random.default_rng(3), [8] * 6, 0.2, 0.05)
    found = over_ones(values, [8] * 6)
    fitted = mixed.MixedLM(np.log(values), np.ones((48, 1)), groups=labels([8] * 6)).fit(reml=True)
    assert math.log(found.point) == pytest.approx(float(fitted.params[0]), abs=1e-6)
    assert found.sd / math.sqrt(found.n) == pytest.approx(float(fitted.bse[0]), rel=1e-3)


@pytest.mark.parametrize("blocks", [[6, 6, 6, 6], [3, 6, 10, 20]])
@pytest.mark.parametrize("session_sd", [0.0, 0.1])
def test_the_interval_covers_whatever_sessions_do_and_however_many_blocks_they_have(
    blocks: list[int], session_sd: float
) -> None:
    rng = np.random.default_rng(4)
    many = (over_ones(drawn(rng, blocks, session_sd, 0.05), blocks) for _ in range(1_500))
    # the wider of two 95 % intervals covers a little more where sessions do not differ
    assert 0.93 <= np.mean([found.low <= 1 <= found.high for found in many]) <= 0.99


def lucky(scatter: float, blocks: list[int]) -> np.ndarray:
    """Values whose sessions have the same mean on logs, or nearly so."""
    noise = 0.05 * np.random.default_rng(13).normal(size=(len(blocks), blocks[0]))
    means = scatter * np.linspace(-1, 1, len(blocks))
    return np.exp(noise - noise.mean(axis=1, keepdims=True) + means[:, None]).ravel()


@pytest.mark.parametrize("scatter", [1e-4, 0.0])
def test_sessions_that_agree_by_luck_leave_the_interval_over_blocks(scatter: float) -> None:
    values, blocks = lucky(scatter, [6] * 4), [6] * 4
    found, own = over_ones(values, blocks), ratio(values, np.ones_like(values))
    assert (found.low, found.point, found.high) == pytest.approx((own.low, own.point, own.high))
    assert (found.n, found.method) == (24, PAIRED_LOG_T), "blocks are the replicates"
    assert len(found.by_block[0]) == 24, "the blocks are known all the same"
    means = stats.ttest_1samp(np.log(values).reshape(4, 6).mean(axis=1), 0).confidence_interval(0.95)
    assert means.high - means.low < 0.05 * math.log(found.high / found.low)


@given(session_sd=st.sampled_from([0.0, 0.02, 0.1]), seed=st.integers(0, 1_000), confidence=st.floats(0.8, 0.99))
def test_the_wider_of_both_intervals_counts(session_sd: float, seed: int, confidence: float) -> None:
    logs = np.log(drawn(np.random.default_rng(seed), [3] * 5, session_sd, 0.05))
    found = intervals.student(logs, confidence, sessions=labels([3] * 5))
    both = [stats.ttest_1samp(each, 0).confidence_interval(confidence) for each in (logs.reshape(5, 3).mean(1), logs)]
    assert found.high - found.low == pytest.approx(max(each.high - each.low for each in both))
    assert found.sessions is bool(both[0].high - both[0].low > both[1].high - both[1].low)
    assert found.n == (5 if found.sessions else 15)


def test_means_that_agree_by_luck_would_cover_too_seldom() -> None:
    rng, blocks = np.random.default_rng(14), [4] * 4
    chosen: dict[str, list[bool]] = {"means": [], "wider": []}
    for _ in range(3_000):
        logs = np.log(drawn(rng, blocks, 0.0, 0.05))
        means = intervals.student(logs.reshape(4, 4).mean(axis=1), 0.95)
        found = intervals.student(logs, 0.95, sessions=labels(blocks))
        if means.high - means.low < 0.5 * (found.high - found.low):
            chosen["means"].append(means.low <= 0 <= means.high)
            chosen["wider"].append(found.low <= 0 <= found.high)
    assert len(chosen["means"]) > 60
    assert np.mean(chosen["means"]) < 0.75
    assert np.mean(chosen["wider"]) > 0.9


def test_blocks_as_replicates_would_cover_too_seldom_where_sessions_differ() -> None:
    rng = np.random.default_rng(5)
    pooled = [drawn(rng, [6] * 4, 0.1, 0.05) for _ in range(500)]
    held = [found.low <= 1 <= found.high for found in (ratio(each, np.ones_like(each)) for each in pooled)]
    assert np.mean(held) < 0.75


@pytest.mark.parametrize("name", OVER_BLOCKS)
@given(blocks=st.lists(st.integers(1, 20), min_size=1, max_size=3))
def test_fewer_than_four_sessions_leave_every_number_as_it_is(name: str, blocks: list[int]) -> None:
    sessions = np.resize(labels(blocks), 24)
    found, own = OVER_BLOCKS[name](sessions), OVER_BLOCKS[name](None)
    assert (found, found.by_block) == (own, ())
    assert not over_sessions(found.method)


@pytest.mark.parametrize("name", OVER_BLOCKS)
@given(names=st.permutations([7, -2, 0, 100]), order=st.permutations(range(24)))
def test_the_names_of_sessions_say_nothing_and_their_blocks_stand_in_any_order(
    name: str, names: list[int], order: list[int]
) -> None:
    sessions = labels([6] * 4)
    found, renamed = OVER_BLOCKS[name](sessions), OVER_BLOCKS[name](np.array(names)[sessions])
    assert (renamed.point, renamed.low, renamed.high) == pytest.approx((found.point, found.low, found.high))
    assert (found.n, found.method) == (renamed.n, renamed.method)
    assert found.n == (4 if over_sessions(found.method) else 24)
    above, below = VALUES[:2]
    mixed = ratio(above[order], below[order], sessions=sessions[order])
    own = ratio(above, below, sessions=sessions)
    assert (mixed.low, mixed.high) == pytest.approx((own.low, own.high))


@pytest.mark.parametrize("name", OVER_BLOCKS)
def test_sessions_of_one_block_each_are_the_blocks_themselves(name: str) -> None:
    found, own = OVER_BLOCKS[name](np.arange(24)), OVER_BLOCKS[name](None)
    assert (found.point, found.low, found.high) == pytest.approx((own.point, own.low, own.high))
    assert (found.n, of_blocks(found.method)) == (24, own.method)


@given(
    values=st.lists(st.floats(0.01, 100), min_size=8, max_size=8),
    factor=st.floats(0.1, 10),
)
def test_a_ratio_over_sessions_turns_round_and_scales_as_one_over_blocks_does(
    values: list[float], factor: float
) -> None:
    above, below, sessions = np.array(values), np.linspace(1, 2, 8), labels([2] * 4)
    found = ratio(above, below, sessions=sessions)
    turned = ratio(below, above * factor, sessions=sessions)
    assert turned.point * factor == pytest.approx(1 / found.point)
    assert (turned.low * factor, turned.high * factor) == pytest.approx((1 / found.high, 1 / found.low), rel=1e-6)


def test_what_widens_plans_and_errs_knows_an_interval_over_sessions() -> None:
    for name, compute in OVER_BLOCKS.items():
        found, own = compute(np.arange(24)), compute(None)
        for with_, without in zip((predicted(found, 30), widened(found, 0.1)), (predicted(own, 30), widened(own, 0.1)),
                                  strict=True):  # fmt: skip
            pair = [(e.low, e.high) if isinstance(e, Estimate) else e for e in (with_, without)]
            assert pair[0] == pytest.approx(pair[1]), name
        assert one_sided_error(found, [found.low]) == pytest.approx(one_sided_error(own, [own.low])), name


def test_equal_values_have_no_width_and_equal_means_of_unequal_values_the_width_of_blocks() -> None:
    same = ratio([2, 4] * 4, [1, 2] * 4, sessions=labels([2] * 4))
    assert (same.low, same.point, same.high, same.n) == (2, 2, 2, 8)
    assert same.method == intervals.CONSTANT
    seesaw = np.array([1.0, 4.0] * 4)
    found = ratio(seesaw, np.ones(8), sessions=labels([2] * 4))
    own = ratio(seesaw, np.ones(8))
    assert (found.low, found.high, found.n, found.method) == (own.low, own.high, 8, PAIRED_LOG_T)
    assert np.array(found.by_block) == pytest.approx(np.log(seesaw)[None])


def test_labels_of_other_blocks_are_refused() -> None:
    with pytest.raises(BenchbookError, match="7 labels of sessions come with 8 blocks"):
        ratio(np.arange(1, 9), np.ones(8), sessions=np.arange(7))
    with pytest.raises(BenchbookError, match="not of the same blocks"):
        session_movement([1, 2] * 4, [0.1] * 7, labels([2] * 4), SPREAD)
    with pytest.raises(BenchbookError, match="fewer than 4 sessions"):
        session_movement([1, 2] * 3, [0.1] * 6, labels([2] * 3), SPREAD)
    with pytest.raises(BenchbookError, match="missing"):
        session_movement([1, 2] * 4, [0.1, float("nan")] * 4, labels([2] * 4), SPREAD)


def test_what_each_block_gave_stands_on_the_scale_of_the_widening() -> None:
    sessions = labels([6] * 4)
    found = share(SHARES[0], 1_000, sessions=sessions)
    assert np.array(found.by_block) == pytest.approx(np.log((SHARES * 1e3 + 0.5) / (1e3 - SHARES * 1e3 + 0.5))[:1])
    positive, either = arithmetic_mean(VALUES[0], sessions=sessions), arithmetic_mean(VALUES[0] - 1, sessions=sessions)
    assert np.array(positive.by_block) == pytest.approx(np.log(VALUES[:1]))
    assert either.by_block == ()


SESSIONS = labels([10] * 4)


def moved(
    rng: np.random.Generator, sensitivity: float, *, sd: float, noise: float = 0.02, level: float = 0.2
) -> tuple[np.ndarray, np.ndarray]:
    """Log ratios and canary of four sessions of ten blocks; the lower arm feels nothing."""
    canary = level + sd * rng.normal(size=40)
    return sensitivity * canary + noise * rng.normal(size=40), canary


def test_w_is_the_level_times_the_upper_bound_of_the_slope_that_statsmodels_gives() -> None:
    models = pytest.importorskip("statsmodels.api")
    logs, canary = moved(np.random.default_rng(6), 0.3, sd=0.05)
    x = np.column_stack([canary, np.repeat(np.eye(4), 10, axis=0)])
    low, high = models.OLS(logs, x).fit().conf_int(alpha=0.1)[0]
    found = session_movement(logs, canary, SESSIONS, SPREAD)
    within = canary - np.repeat(canary.reshape(4, 10).mean(axis=1), 10)
    noise = math.log1p(SPREAD) / (1.959964 * math.sqrt(2))
    real = 1 - noise**2 / (float(within @ within) / 36)
    assert found.w == pytest.approx(float(np.mean(canary)) * max(abs(low), abs(high)) / real)
    assert "over 4 sessions" in found.reason


def test_the_bound_holds_the_difference_of_sensitivities_at_least_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(1_000):
        logs, canary = moved(rng, -0.3, sd=0.05, noise=0.05)
        held += session_movement(logs, canary, SESSIONS, SPREAD).w >= 0.3 * float(np.mean(canary))
    assert 0.94 <= held / 1_000 < 1


READING_SD, LOOKS = 0.15, 16
"""Of the logarithm of one direct read's time, as the published runs have it, and the looks of a block there."""
NOISY = math.expm1(1.96 * math.sqrt(2) * READING_SD)


@pytest.mark.parametrize("sd", [0.1, 0.15, 0.3])
def test_the_bound_holds_as_often_where_the_canarys_readings_are_noisy(sd: float) -> None:
    rng = np.random.default_rng(17)
    held, told = 0, 0
    for _ in range(1_000):
        logs, canary = moved(rng, -0.3, sd=sd, noise=0.02)
        seen = canary + READING_SD * rng.normal(size=(LOOKS, 40)).mean(axis=0)
        found = session_movement(logs, seen, SESSIONS, NOISY, LOOKS)
        held += found.w >= 0.3 * float(np.mean(seen))
        told += found.w < 0.99 * float(np.mean(seen))
    assert held / 1_000 >= 0.94
    assert told / 1_000 > (0.9 if sd > 0.1 else 0.1), (
        "blocks' means are less noisy than single readings: a slope is told"
    )


def test_means_of_more_readings_tell_a_slope_that_single_ones_would_not() -> None:
    logs, canary = moved(np.random.default_rng(18), 0.0, sd=0.2, noise=0.01)
    single, means = (session_movement(logs, canary, SESSIONS, NOISY, looks).w for looks in (1, np.full(40, 16)))
    assert means < 0.2 * single == pytest.approx(0.2 * float(np.mean(canary)))
    with pytest.raises(BenchbookError, match="no canary reading in it"):
        session_movement(logs, canary, SESSIONS, NOISY, [0, *[1] * 39])


@pytest.mark.parametrize(("sd", "spread"), [(0.001, SPREAD), (0.05, None), (0.0, SPREAD)])
def test_a_canary_that_hardly_moved_within_sessions_tells_no_slope(sd: float, spread: float | None) -> None:
    logs, canary = moved(np.random.default_rng(8), 0.0, sd=sd, noise=0.001)
    assert session_movement(logs, canary, SESSIONS, spread).w == pytest.approx(float(np.mean(canary)))


def test_w_has_no_floor_and_is_at_most_the_level() -> None:
    quiet, canary = moved(np.random.default_rng(9), 0.0, sd=0.05, level=0.0)
    assert session_movement(quiet, canary, SESSIONS, SPREAD).w < 0.01
    wild, shifted = moved(np.random.default_rng(9), 3.0, sd=0.05)
    assert session_movement(wild, shifted, SESSIONS, SPREAD).w == pytest.approx(float(np.mean(shifted)))
    assert movement([shifted], SPREAD, around_trials=True).w >= session_movement(quiet, shifted, SESSIONS, SPREAD).w


def test_sessions_of_unequal_size_count_alike_in_the_level() -> None:
    few, many = np.full(2, 0.1), np.full(30, 0.5)
    canary = np.concatenate([few, many, few, few])
    found = session_movement(np.zeros(36), canary, labels([2, 30, 2, 2]), SPREAD)
    assert found.w == pytest.approx((0.1 + 0.5 + 0.1 + 0.1) / 4)
