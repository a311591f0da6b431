import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from benchbook.errors import BenchbookError
from benchbook.statistics import benjamini_hochberg, difference, holm, p_value, ratio, ratio_unblocked

FAMILY = {"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.8}


def test_adjusted_p_values_keep_names_and_agree_with_the_textbook():
    assert holm(FAMILY) == pytest.approx({"a": 0.04, "b": 0.09, "c": 0.09, "d": 0.8})
    assert benjamini_hochberg(FAMILY) == pytest.approx({"a": 0.04, "b": 0.16 / 3, "c": 0.16 / 3, "d": 0.8})
    assert list(holm(FAMILY).values()) == pytest.approx(multipletests(list(FAMILY.values()), method="holm")[1])


def test_a_blocked_effects_p_value_is_that_of_the_paired_t_test():
    a, b = np.array([3.0, 4.0, 5.5, 4.4]), np.array([2.5, 4.1, 4.0, 3.0])
    assert p_value(ratio(a, b)) == pytest.approx(stats.ttest_rel(np.log(a), np.log(b)).pvalue)
    assert p_value(difference(a, b)) == pytest.approx(stats.ttest_rel(a, b).pvalue)


def test_an_effect_without_spread_is_either_nothing_or_certain():
    assert p_value(ratio([2.0, 4.0], [2.0, 4.0])) == 1
    assert p_value(ratio([4.0, 8.0], [2.0, 4.0])) == 0


def test_what_is_no_family_of_p_values_is_refused():
    with pytest.raises(BenchbookError, match="of b"):
        holm({"a": 0.5, "b": float("nan")})
    with pytest.raises(BenchbookError, match="without p-values"):
        benjamini_hochberg({})
    with pytest.raises(BenchbookError, match="Welch"):
        p_value(ratio_unblocked([1.0, 2.0], [1.0, 3.0, 4.0]))
