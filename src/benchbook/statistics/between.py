"""Two estimates of independent runs compared: how far apart, and whether more than chance explains."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics import laws

RATIO, DIFFERENCE = "ratio", "difference"


@dataclass(frozen=True)
class Between:
    """The second over the first, or the second less the first.

    point, low, high: with the confidence of the two. p: two-sided, that runs which do not differ lie so far apart or
    further; None where both are counted.
    """

    point: float
    low: float
    high: float
    scale: str
    p: float | None

    @property
    def same(self) -> float:
        """What it is where nothing differs."""
        return 1.0 if self.scale == RATIO else 0.0


def between(first: Estimate, second: Estimate, scale: str = RATIO) -> Between:
    """Compare two estimates whose trials have nothing in common.

    The interval recovers the variances from the ends of both intervals (MOVER), so that neither needs be symmetric and
    either may be of any method: Zou & Donner 2008. p comes from the half that looks at "no difference", by the normal
    distribution, both intervals being of Student's t or wider. Overlapping intervals are no such test: two that just
    touch differ at about p = 0.006. Raises BenchbookError for ratios of numbers that are not above 0, and where the
    two have another confidence.
    """
    if first.confidence != second.confidence:
        raise BenchbookError("the two intervals have another confidence", "estimate both at 95 %")
    if scale == RATIO and min(first.low, second.low, first.point, second.point) <= 0:
        raise BenchbookError("a ratio of numbers that may be 0 has no interval", "compare them by their difference")
    on, back = (math.log, math.exp) if scale == RATIO else (float, float)
    a, a_low, a_high = map(on, (first.point, first.low, first.high))
    b, b_low, b_high = map(on, (second.point, second.low, second.high))
    apart = b - a
    below, above = math.hypot(b - b_low, a_high - a), math.hypot(b_high - b, a - a_low)
    return Between(back(apart), back(apart - below), back(apart + above), scale, _p(apart, below, above, first))


def _p(apart: float, below: float, above: float, either: Estimate) -> float | None:
    half = below if apart > 0 else above
    if not below and not above:
        return None
    if not apart:
        return 1.0
    if not half:
        return 0.0
    reach = laws.normal_quantile((1 + either.confidence) / 2)
    return 2 * laws.normal_below(-abs(apart) / half * reach)
