"""The ratio of a typical block for two configurations, from per-trial values; outliers do not move it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from benchbook.model import Effect
from benchbook.statistics.estimates import median
from benchbook.statistics.inputs import number, paired


def median_ratio(numerator: ArrayLike, denominator: ArrayLike, *, confidence: float = 0.95) -> Effect:
    """Median over blocks of the ratio, with the interval of its order statistics: for arms of which one alone stalls.

    numerator, denominator: per-trial values, shape (blocks,), same block order, > 0, at least 6. It assumes nothing
    but independent blocks, and covers at least ``confidence``. It speaks of a typical block: where one arm stalls in
    one block of ten, the geometric mean over all blocks is another number, which few blocks do not tell with any
    interval. sd: of the log ratios. Raises BenchbookError below six blocks and for what ``ratio`` refuses.
    Source: Conover 1999, through `scipy.stats.quantile_test`.
    """
    above, below = paired(
        numerator, denominator, names=("the numerator's values", "the denominator's values"), positive=True
    )
    ratios = above / below
    found = median(ratios, confidence=confidence)
    sd = number(np.std(np.log(ratios), axis=-1, ddof=1))
    return Effect(found.point, found.low, found.high, found.n, found.method, confidence, "ratio", sd)
