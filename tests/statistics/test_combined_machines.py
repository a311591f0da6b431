"""Predictions for a further session, and machines combined."""

import numpy as np
import pytest
from scipy import stats

from benchbook.statistics.machines import combined, predicted_next


def test_a_prediction_is_the_textbooks() -> None:
    values = [1.0, 2.0, 4.0, 3.0]
    low, high = predicted_next(values)
    half = stats.t.ppf(0.975, 3) * np.std(values, ddof=1) * np.sqrt(1.25)
    assert (low, high) == pytest.approx((2.5 - half, 2.5 + half))


def test_it_covers_a_further_value_in_95_of_100() -> None:
    random = np.random.default_rng(20261127)
    drawn = random.normal(0.0, 1.0, (4_000, 6))
    inside = [low <= further <= high for *known, further in drawn for low, high in [predicted_next(known)]]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.015)


def test_equal_machines_have_no_tau_and_their_weighted_mean() -> None:
    found = combined([1.0, 1.01, 0.98], [0.1, 0.2, 0.4])
    assert found.point == pytest.approx(np.average([1.0, 1.01, 0.98], weights=[100, 25, 6.25]))
    assert (found.tau, found.i2, found.predicted) == (0.0, 0.0, None)
    assert found.low < 1.0 < found.high


def test_machines_that_agree_to_the_last_digit_have_an_interval_all_the_same() -> None:
    found = combined([1.0, 1.0], [0.3, 0.4])
    assert (found.point, found.tau, found.i2) == (1.0, 0.0, 0.0)
    assert found.high - found.point == pytest.approx(stats.t.ppf(0.975, 1) * 0.24)


def test_machines_that_differ_have_tau_and_an_interval_that_hardly_depends_on_their_own_errors() -> None:
    values = [0.0, 1.0, 2.0, 3.0, 4.0]
    found = combined(values, [0.01] * 5)
    assert found.tau == pytest.approx(np.std(values, ddof=1), rel=1e-3)
    half = stats.t.ppf(0.975, 4) * np.std(values, ddof=1) / np.sqrt(5)
    assert (found.low, found.high) == pytest.approx((2.0 - half, 2.0 + half), rel=1e-3)
    assert found.predicted is not None
    assert found.predicted[0] < found.low < found.high < found.predicted[1]
    assert found.i2 > 0.99
