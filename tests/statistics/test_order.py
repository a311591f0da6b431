import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal, stats

from benchbook.errors import BenchbookError
from benchbook.statistics import autocorrelation, autocorrelation_bound, drift

VALUES = np.array([77.8, 81.2, 75.1, 90.3, 79.9, 83.4, 80.0, 78.2])


def test_the_autocorrelation_is_the_textbook_one():
    away = VALUES - VALUES.mean()
    expected = [away[lag:] @ away[:-lag] / (away @ away) for lag in (1, 2, 3)]
    assert autocorrelation(VALUES, 3) == pytest.approx(np.array(expected))


def test_a_repeating_series_is_told_from_independent_values():
    noise = np.random.default_rng(1).standard_normal((20, 400))
    bound = autocorrelation_bound(400)
    assert bound == pytest.approx(1.96 / 20, rel=1e-3)
    repeating = signal.lfilter([1], [1, -0.7], noise)
    assert np.mean([autocorrelation(row, 1)[0] for row in repeating]) == pytest.approx(0.7, abs=0.05)
    assert all((autocorrelation(row, 2) > bound).all() for row in repeating)
    assert np.mean([np.abs(autocorrelation(row, 40)) <= bound for row in noise]) >= 0.9


@given(st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
def test_the_autocorrelation_does_not_depend_on_unit_or_origin(factor, shift):
    moved = autocorrelation((VALUES + shift) * factor, 4)
    assert moved == pytest.approx(autocorrelation(VALUES, 4), abs=1e-6)


def test_equal_values_have_no_autocorrelation():
    with pytest.raises(BenchbookError, match="not estimable"):
        autocorrelation(np.full(20, 3.0), 2)


def test_a_drift_is_the_slope_of_the_logs():
    found = drift(VALUES)
    reference = stats.linregress(np.arange(8), np.log(VALUES))
    half = stats.t.ppf(0.975, 6) * reference.stderr
    assert (found.low, found.point, found.high) == pytest.approx(
        (reference.slope - half, reference.slope, reference.slope + half)
    )
    assert found.n == 8


def test_equal_values_do_not_drift():
    found = drift([4.0, 4.0, 4.0])
    assert (found.low, found.point, found.high, found.method) == (0, 0, 0, "all values equal")
