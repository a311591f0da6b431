import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.stats.anova import anova_lm

from benchbook.statistics import decompose, geometric_sd, predicted, sd_interval, spread_ratio, trial_variance

grids = arrays(float, st.tuples(st.integers(2, 8), st.integers(2, 5)), elements=st.floats(1, 1e4))


def trials(blocks: int, arms: int, block_sd: float, trial_sd: float, seed: int = 2) -> np.ndarray:
    generator = np.random.default_rng(seed)
    effects = np.linspace(0, 1, arms) + block_sd * generator.standard_normal((blocks, 1))
    return np.exp(effects + trial_sd * generator.standard_normal((blocks, arms)))


def test_the_components_are_those_of_statsmodels_analysis_of_variance():
    values = trials(7, 4, 0.2, 0.05)
    rows = [(str(b), str(a), math.log(values[b, a])) for b in range(7) for a in range(4)]
    table = anova_lm(smf.ols("y ~ block + arm", pd.DataFrame(rows, columns=["block", "arm", "y"])).fit())
    squares = table["sum_sq"] / table["df"]
    of_blocks, of_trials = decompose(values)
    assert of_trials == pytest.approx(squares["Residual"])
    assert of_blocks == pytest.approx((squares["block"] - squares["Residual"]) / 4)


def test_a_component_below_zero_is_zero_and_equal_values_have_none():
    assert decompose(np.exp([[0.0, 1.0], [1.0, 0.0]]))[0] == 0, "arms change places, blocks agree"
    assert decompose(np.full((3, 2), 7.3)) == decompose(np.tile([3.1, 4.7, 0.2], (4, 1))) == (0, 0)
    of_blocks, of_trials = decompose(np.tile([[3.0], [4.5]], (1, 3)))
    assert (of_blocks, of_trials) == (pytest.approx(np.log([3.0, 4.5]).var(ddof=1)), 0)


@given(grids, st.floats(1e-2, 1e2), st.integers(0, 100))
def test_neither_the_unit_nor_the_order_of_the_blocks_changes_the_components(values, factor, seed):
    order = np.random.default_rng(seed).permutation(len(values))
    one, other = decompose(values), decompose(values[order] * factor)
    assert other == pytest.approx(one, rel=1e-6, abs=1e-9)


def test_an_aa_pair_gives_the_variance_of_one_trial_with_its_chi_square_interval():
    first, second = np.array([1.0, 1.2, 0.9, 1.1]), np.array([1.1, 1.0, 1.0, 1.05])
    found = trial_variance(first, second)
    squares = np.log(first / second) ** 2
    low, high = squares.sum() / 2 / stats.chi2.ppf([0.975, 0.025], 4)
    assert (found.low, found.point, found.high) == pytest.approx((low, squares.mean() / 2, high))
    assert found.n == 4
    assert trial_variance(second, first) == found


def test_an_equal_aa_pair_has_no_variance():
    found = trial_variance([5.0, 6.0], [5.0, 6.0])
    assert (found.low, found.point, found.high, found.method) == (0, 0, 0, "all values equal")


def test_the_sd_of_logs_is_the_log_of_the_geometric_sd():
    values = np.array([77.8, 81.2, 75.1, 90.3, 79.9, 83.4])
    found, other = sd_interval(values), geometric_sd(values)
    low, high = np.sqrt(5 * np.log(values).var(ddof=1) / stats.chi2.ppf([0.975, 0.025], 5))
    assert (found.low, found.point, found.high) == pytest.approx((low, np.log(values).std(ddof=1), high))
    assert np.exp([found.low, found.point, found.high]) == pytest.approx([other.low, other.point, other.high])
    assert other.point == pytest.approx(stats.gstd(values))
    assert sd_interval([3.0, 3.0]).point == 0


def test_more_blocks_narrow_the_sd_of_logs_as_foreseen():
    found = sd_interval([77.8, 81.2, 75.1, 90.3, 79.9, 83.4])
    low, high = predicted(found, 60)
    assert found.low < low < found.point < high < found.high
    assert predicted(found, 6) == pytest.approx((found.low, found.high))


def pooled(values: np.ndarray) -> float:
    return float(np.sqrt(values.var(axis=0, ddof=1).mean()))


@given(st.integers(0, 2**32 - 1), st.integers(3, 12), st.integers(1, 4), st.floats(0.01, 100))
def test_a_ratio_of_spreads_follows_scale_and_not_level_and_turns_over(seed: int, blocks: int, series: int, by: float):
    one, other = np.random.default_rng(seed).standard_normal((2, blocks, series))
    found = spread_ratio(one, other)
    assert found.point == pytest.approx(pooled(one) / pooled(other))
    assert found.low <= found.point <= found.high
    scaled, turned = spread_ratio(by * one + 7, other), spread_ratio(other, one)
    assert [scaled.low / by, scaled.high / by] == pytest.approx([found.low, found.high], rel=1e-6)
    assert [1 / turned.high, 1 / turned.low] == pytest.approx([found.low, found.high])


@pytest.mark.parametrize("blocks", [6, 12])
def test_the_interval_of_a_ratio_of_spreads_covers_where_series_share_their_blocks(blocks: int):
    generator = np.random.default_rng(4)

    def drawn(sd: float) -> np.ndarray:
        shared = generator.standard_normal((blocks, 1))
        return sd * (generator.standard_normal((blocks, 3)) + 0.7 * shared)

    found = [spread_ratio(drawn(0.3), drawn(0.1)) for _ in range(1_000)]
    assert 0.93 < np.mean([each.low <= 3 <= each.high for each in found]) < 0.97
