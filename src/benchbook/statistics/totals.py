"""The ratio of what two configurations did in all, where some trials did none of it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics import intervals
from benchbook.statistics.inputs import Values, checked_confidence, checked_visits, paired
from benchbook.statistics.intervals import critical

_NAMES = ("the numerator's counts", "the denominator's counts")


def ratio_of_totals(
    numerator: ArrayLike, denominator: ArrayLike, *, confidence: float = 0.95, visits: ArrayLike | None = None
) -> Estimate:
    """Sum of one configuration's counts over that of another's, with Fieller's interval, which a zero does not stop.

    numerator, denominator: counts, or counts per transaction of trials of one length, shape (blocks,), same block
    order, at least 0. visits: as in ``effects``; with four or more of them the replicates are their totals or the
    blocks, whichever give the wider interval. The interval ends at 0, below which no count is.
    Raises BenchbookError below two blocks, for counts that are negative or all 0, and where the denominator's counts
    vary so much that the interval has no upper end.
    Source: Fieller 1954: all ratios r for which the mean of numerator - r denominator may be 0.
    """
    checked_confidence(confidence)
    above, below = paired(numerator, denominator, names=_NAMES)
    for name, counts in zip(_NAMES, (above, below), strict=True):
        if counts.min() < 0:
            raise BenchbookError(f"{name} hold {counts.min():g}", "give counts, which are at least 0")
        if not counts.any():
            raise BenchbookError(f"{name} are all 0, which has no spread", "say that there were none, without a ratio")
    labels = checked_visits(visits, above.size)
    found = _fieller(above, below, confidence)
    name, n = intervals.FIELLER, above.size
    if labels is not None:
        tops, bottoms = (np.bincount(labels, weights=counts).astype(np.float64) for counts in (above, below))
        over = _fieller(tops, bottoms, confidence)
        if over[1] - over[0] > found[1] - found[0]:
            found, name, n = over, f"{name}{intervals.OF_VISITS}", int(labels.max()) + 1
    low, high = found
    if not math.isfinite(high):
        raise BenchbookError(
            "the denominator's counts vary so much that their ratio has no upper end", "measure more blocks or visits"
        )
    return Estimate(float(above.sum() / below.sum()), max(0.0, low), high, n, name, confidence)


def _fieller(above: Values, below: Values, confidence: float) -> tuple[float, float]:
    """Low and high; infinite where the denominator cannot be told from 0."""
    n = above.size
    scale = critical(n, confidence) ** 2 / n
    (var_above, both), (_, var_below) = np.cov(above, below)
    top, bottom = float(above.mean()), float(below.mean())
    a, b, c = bottom**2 - scale * var_below, top * bottom - scale * both, top**2 - scale * var_above
    if a <= 0:
        return -math.inf, math.inf
    root = math.sqrt(max(0.0, b * b - a * c))
    return float((b - root) / a), float((b + root) / a)
