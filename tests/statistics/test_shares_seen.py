"""Shares of trials, and shares of what was seen."""

from __future__ import annotations

import pytest
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
