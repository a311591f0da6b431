"""Shares of trials, and shares of what was seen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from benchbook import statistics


@pytest.mark.parametrize(("successes", "trials"), [(0, 6), (6, 6), (2, 3), (1, 1)])
def test_a_share_of_trials_has_the_wilson_interval_and_counts_its_trials(successes: int, trials: int) -> None:
    found = statistics.share_of_trials(successes, trials)
    low, high = proportion_confint(successes, trials, 0.05, method="wilson")
    assert found.low == pytest.approx(low, abs=1e-12)
    assert found.high == pytest.approx(high, abs=1e-12)
    assert found.n == trials


def test_more_trials_narrow_a_share_of_trials() -> None:
    few = statistics.share_of_trials(2, 3)
    predicted = statistics.predicted(few, 300)
    assert predicted is not None
    assert few.low < predicted[0] < few.point < predicted[1] < few.high


def test_multinomial_intervals_are_goodmans() -> None:
    counts = {"a": 91, "b": 49, "c": 37, "d": 43}  # Goodman 1965 quotes this sample of 220
    found = statistics.multinomial_shares(counts)
    crit = stats.chi2.ppf(1 - 0.05 / 4, 1)
    for name, count in counts.items():
        n = 220
        root = np.sqrt(crit * (crit + 4 * count * (n - count) / n))
        assert found[name].low == pytest.approx((crit + 2 * count - root) / (2 * (n + crit)))
        assert found[name].high == pytest.approx((crit + 2 * count + root) / (2 * (n + crit)))
        assert found[name].n == 1


def test_multinomial_intervals_hold_together() -> None:
    generator, true = np.random.default_rng(3), np.array([0.6, 0.3, 0.1])
    draws = generator.multinomial(200, true, size=400)
    held = 0
    for draw in draws:
        found = statistics.multinomial_shares(dict(zip("abc", map(int, draw), strict=True)))
        held += all(found[name].low <= p <= found[name].high for name, p in zip("abc", true, strict=True))
    assert held / len(draws) > 0.93
