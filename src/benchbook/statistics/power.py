"""The smallest effect that a number of blocks would show, given the spread between blocks."""

from __future__ import annotations

import math

import scipy

from benchbook.errors import BenchbookError
from benchbook.statistics.inputs import checked_blocks, checked_confidence, checked_sd
from benchbook.statistics.intervals import critical

_LARGEST_LOG = 700.0
"""exp() of more leaves the range of floating point."""


def minimum_detectable(sd: float, blocks: int, power: float = 0.8, confidence: float = 0.95) -> float:
    """Smallest true ratio above 1 that a run shows to be above 1 with probability ``power``.

    sd: of the per-block log ratios, >= 0 (``Effect.sd``; for an A/A pair the root of twice ``trial_variance``).
    blocks: at least 2. Shows: the whole paired t interval of that confidence lies above 1. Ratios below the
    reciprocal are shown to be below 1 as often.
    Raises BenchbookError for other input, and where the ratio would leave the range of floating point.
    Source: noncentral t, `scipy.stats.nct`; `statsmodels.stats.power.TTestPower` gives the same numbers.
    """
    checked_confidence(confidence)
    checked_sd(sd)
    checked_blocks(blocks)
    if not (1 - confidence) / 2 < power < 1:
        raise BenchbookError(f"power {power:g} is not between chance and 1", "give a share such as 0.8")
    if sd == 0:
        return 1.0
    reach = critical(blocks, confidence)

    def missing(distance: float) -> float:
        return float(scipy.stats.nct.cdf(reach, blocks - 1, distance)) - (1 - power)

    far = 2.0
    while missing(far) > 0:
        far *= 2
    distance = float(scipy.optimize.brentq(missing, 0.0, far, xtol=1e-10)) * sd / math.sqrt(blocks)
    if distance > _LARGEST_LOG:
        raise BenchbookError(f"ratios up to e^{distance:.0f} stay unseen", "measure more blocks")
    return math.exp(distance)
