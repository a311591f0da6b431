"""The Student interval that estimates and effects share, and the names of all intervals as captions show them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from benchbook.errors import BenchbookError
from benchbook.statistics.inputs import Values, checked_confidence

T = "Student t"
LOG_T = "Student t on logs"
LOGIT_T = "Student t on logits"
PAIRED_T = "Student t on paired differences"
PAIRED_LOG_T = "Student t on paired log differences"
PAIRED_SHARES_T = "Student t on paired differences of shares"
COMPLEMENT_T = "1 minus the ratio of Student t on paired log differences"
SIMULTANEOUS_T = "Student t on paired log differences, simultaneous (Bonferroni)"
WELCH_LOG_T = "Welch t on logs"
CHI_SQUARE = "chi-square on the variance of logs"
SD_CHI_SQUARE = "chi-square on the standard deviation of logs"
PAIR_CHI_SQUARE = "chi-square on the log ratios of an A/A pair"
SLOPE_T = "Student t on the slope of logs"
ORDER = "order statistics"
STATIONARY = "stationary bootstrap of seconds, within this trial"
WILSON = "Wilson score, within this trial"
WILSON_TRIALS = "Wilson score over trials"
CONSTANT = "all values equal"
RESOLUTION = "resolution of the counts"
RUNGS = "between the two rungs that enclose it"
EXACT = "counted"
ON_LOGITS = frozenset({LOGIT_T, RESOLUTION, WILSON, WILSON_TRIALS})
"""Intervals of shares: their own scale is the logit."""
ON_COMPLEMENTS = frozenset({COMPLEMENT_T})
"""Intervals of a share that disappears: their own scale is the logarithm of what is left."""

NEGLIGIBLE = 1e-12
"""Values that agree to this relative size are equal: no clock and no counter resolves less."""


@dataclass(frozen=True)
class Interval:
    """A mean with its interval and the standard deviation behind it, all on the scale of the values given."""

    point: float
    low: float
    high: float
    sd: float

    @property
    def constant(self) -> bool:
        """Whether the values did not differ at all."""
        return self.sd == 0.0


def student(values: Values, confidence: float, *, magnitude: float = 1.0) -> Interval:
    """Mean and Student t interval of checked values, shape (n,), n >= 2.

    magnitude: size of the numbers from which the values were computed; differences below 1e-12 of it are
    rounding and count as none (1 for logs). Equal values give low = high = point: right for counts of pages
    or bytes, which really repeat; a latency in ns never does. Raises BenchbookError beyond floating point.
    Source: `scipy.stats.ttest_1samp(values, 0).confidence_interval()`, which gives the same numbers.
    """
    checked_confidence(confidence)
    with np.errstate(over="ignore", invalid="ignore"):
        constant = float(np.ptp(values)) <= NEGLIGIBLE * magnitude
    if constant:
        value = float(values[0])
        return Interval(value, value, value, 0.0)
    n = values.size
    with np.errstate(over="ignore", invalid="ignore"):
        mean, sd = float(np.mean(values)), float(np.std(values, ddof=1))
        half = critical(n, confidence) * sd / math.sqrt(n)
    if not (math.isfinite(mean) and math.isfinite(half)):
        raise BenchbookError(
            "the values lie too far apart for floating point", "look at the trials one by one, or use a larger unit"
        )
    return Interval(mean, mean - half, mean + half, sd)


def critical(n: int, confidence: float) -> float:
    """Two-sided Student t quantile for n trials (n - 1 degrees of freedom)."""
    return float(scipy.stats.t.ppf((1 + confidence) / 2, n - 1))


def exponentiated(interval: Interval) -> tuple[float, float, float]:
    """Point, low and high of an interval on logs, back on the scale of the values.

    Raises BenchbookError when the spread is so wild that the interval leaves the range of floating point.
    """
    with np.errstate(over="ignore", under="ignore"):
        point, low, high = (float(np.exp(bound)) for bound in (interval.point, interval.low, interval.high))
    if not (low > 0 and math.isfinite(high)):
        raise BenchbookError(
            f"the values spread over e^{interval.sd:.0f}, too far for an interval",
            "look at the trials one by one, or measure more blocks",
        )
    return point, low, high
