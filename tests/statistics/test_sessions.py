"""Ratios over sessions against scipy and statsmodels, their coverage by simulation, and the w that belongs to them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchbook.errors import BenchbookError
from benchbook.statistics import ratio, session_movement, session_ratio
from benchbook.statistics.sessions import SESSION_T

SPREAD = 0.0045


def drawn(rng: np.random.Generator, blocks: list[int], session_sd: float, trial_sd: float) -> list[np.ndarray]:
    return [np.exp(session_sd * rng.normal() + trial_sd * rng.normal(size=n)) for n in blocks]


def ones(values: list[np.ndarray]) -> list[np.ndarray]:
    return [np.ones_like(each) for each in values]


def test_sessions_of_equal_size_give_scipys_interval_of_their_means() -> None:
    above = drawn(np.random.default_rng(1), [6] * 5, 0.1, 0.05)
    below = drawn(np.random.default_rng(2), [6] * 5, 0.1, 0.05)
    found = session_ratio(above, below)
    means = [float(np.mean(np.log(a / b))) for a, b in zip(above, below, strict=True)]
    own = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert (math.log(found.low), math.log(found.high)) == pytest.approx((own.low, own.high))
    assert found.point == pytest.approx(math.exp(np.mean(means)))
    assert (found.n, found.method) == (5, SESSION_T)
    assert found.sd == pytest.approx(np.std(means, ddof=1))


def test_sessions_of_equal_size_give_the_mixed_models_estimate_and_standard_error() -> None:
    mixed = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    values = drawn(np.random.default_rng(3), [8] * 6, 0.2, 0.05)
    found = session_ratio(values, ones(values))
    logs = np.log(np.concatenate(values))
    fitted = mixed.MixedLM(logs, np.ones((logs.size, 1)), groups=np.repeat(np.arange(6), 8)).fit(reml=True)
    assert math.log(found.point) == pytest.approx(float(fitted.params[0]), abs=1e-6)
    assert found.sd / math.sqrt(found.n) == pytest.approx(float(fitted.bse[0]), rel=1e-3)


@pytest.mark.parametrize("blocks", [[6, 6, 6, 6], [3, 6, 10, 20]])
@pytest.mark.parametrize("session_sd", [0.0, 0.1])
def test_the_interval_covers_whatever_sessions_do_and_however_many_blocks_they_have(
    blocks: list[int], session_sd: float
) -> None:
    rng = np.random.default_rng(4)
    held = [(found.low <= 1 <= found.high) for found in (
        session_ratio(values, ones(values)) for values in (drawn(rng, blocks, session_sd, 0.05) for _ in range(1_500))
    )]  # fmt: skip
    assert 0.93 <= np.mean(held) <= 0.985


def test_blocks_as_replicates_would_cover_too_seldom_where_sessions_differ() -> None:
    rng = np.random.default_rng(5)
    pooled = [np.concatenate(drawn(rng, [6] * 4, 0.1, 0.05)) for _ in range(500)]
    held = [found.low <= 1 <= found.high for found in (ratio(each, np.ones_like(each)) for each in pooled)]
    assert np.mean(held) < 0.75


def test_fewer_than_four_sessions_and_unequal_ones_are_refused() -> None:
    with pytest.raises(BenchbookError, match="3 of the 4 sessions"):
        session_ratio([[1, 2]] * 3, [[1, 2]] * 3)
    with pytest.raises(BenchbookError, match="stand over"):
        session_ratio([[1, 2]] * 5, [[1, 2]] * 4)
    with pytest.raises(BenchbookError, match="2 blocks"):
        session_ratio([[1, 2]] * 4, [[1, 2]] * 3 + [[1]])
    with pytest.raises(BenchbookError, match="same blocks"):
        session_movement([[1, 2]] * 4, [[1, 2]] * 4, [[0.1, 0.2]] * 3 + [[0.1]], SPREAD)
    with pytest.raises(BenchbookError, match="missing"):
        session_movement([[1, 2]] * 4, [[1, 2]] * 4, [[0.1, float("nan")]] * 4, SPREAD)


def test_equal_ratios_give_an_interval_without_width() -> None:
    found = session_ratio([[2, 4]] * 4, [[1, 2]] * 4)
    assert (found.low, found.point, found.high) == pytest.approx((2, 2, 2))


def moved(
    rng: np.random.Generator, sensitivity: float, *, sd: float, noise: float = 0.02, level: float = 0.2
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Values of the upper arm and the canary of four sessions of ten blocks; the lower arm feels nothing."""
    canary = [level + sd * rng.normal(size=10) for _ in range(4)]
    return [np.exp(sensitivity * each + noise * rng.normal(size=10)) for each in canary], canary


def test_w_is_the_level_times_the_upper_bound_of_the_slope_that_statsmodels_gives() -> None:
    models = pytest.importorskip("statsmodels.api")
    above, canary = moved(np.random.default_rng(6), 0.3, sd=0.05)
    x = np.column_stack([np.concatenate(canary), np.repeat(np.eye(4), 10, axis=0)])
    low, high = models.OLS(np.log(np.concatenate(above)), x).fit().conf_int(alpha=0.1)[0]
    level = np.mean([each.mean() for each in canary])
    found = session_movement(above, ones(above), canary, SPREAD)
    assert found.w == pytest.approx(level * max(abs(low), abs(high)))
    assert "4 sessions" in found.reason


def test_the_bound_holds_the_difference_of_sensitivities_at_least_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(1_000):
        above, canary = moved(rng, -0.3, sd=0.05, noise=0.05)
        level = float(np.mean([each.mean() for each in canary]))
        held += session_movement(above, ones(above), canary, SPREAD).w >= 0.3 * level
    assert 0.94 <= held / 1_000 < 1


@pytest.mark.parametrize(("sd", "spread"), [(0.001, SPREAD), (0.05, None), (0.0, SPREAD)])
def test_a_canary_that_hardly_moved_within_sessions_tells_no_slope(sd: float, spread: float | None) -> None:
    above, canary = moved(np.random.default_rng(8), 0.0, sd=sd, noise=0.001)
    assert session_movement(above, ones(above), canary, spread).w == pytest.approx(
        float(np.mean([each.mean() for each in canary]))
    )


def test_w_has_no_floor_and_is_at_most_the_level() -> None:
    quiet, canary = moved(np.random.default_rng(9), 0.0, sd=0.05, level=0.0)
    assert session_movement(quiet, ones(quiet), canary, SPREAD).w < 0.01
    wild, shifted = moved(np.random.default_rng(9), 3.0, sd=0.05)
    assert session_movement(wild, ones(wild), shifted, SPREAD).w == pytest.approx(
        float(np.mean([each.mean() for each in shifted]))
    )
