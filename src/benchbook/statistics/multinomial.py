"""The share of each kind among counted things, with simultaneous intervals."""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics.inputs import checked_confidence

METHOD = "Goodman, multinomial"


def multinomial_shares(counts: Mapping[str, int], *, confidence: float = 0.95) -> dict[str, Estimate]:
    """Share of each name among all that was counted, with simultaneous intervals (Goodman's).

    counts: name -> how often it was seen, whole, not negative, at least two names. What was seen one after the other
    in one trial is not a replicate: n is 1, and the intervals are to be shown as "within this trial" only.
    Raises BenchbookError for other counts, and when nothing was counted.
    Source: Goodman 1965, through `statsmodels.stats.proportion.multinomial_proportions_confint`.
    """
    from statsmodels.stats.proportion import multinomial_proportions_confint

    checked_confidence(confidence)
    total = sum(counts.values())
    if len(counts) < 2 or min(counts.values()) < 0 or any(int(count) != count for count in counts.values()):
        raise BenchbookError(f"{dict(counts)} are not counts of two or more things", "count each thing, from 0 up")
    if total == 0:
        raise BenchbookError("nothing was counted, so no share is estimable", "look for longer")
    bounds = multinomial_proportions_confint(list(counts.values()), 1 - confidence, method="goodman")
    return {
        name: Estimate(count / total, float(low), float(high), 1, METHOD, confidence)
        for (name, count), (low, high) in zip(counts.items(), bounds, strict=True)
    }
