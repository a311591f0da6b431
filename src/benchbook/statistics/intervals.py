"""The Student interval that estimates and effects share, and the names of all intervals as captions show them.

Where a run has four measuring visits or more, the visit is a random effect: of the interval over the means of
visits and the one over blocks the wider counts (protocol, item 20d). Sessions that differ make the first the wider
one; means of visits that agree better than the noise of their blocks allows do so by luck, and then it is the second.
Source: Kalibera & Jones 2013, sec. 6 (the highest level of repetition is the replicate).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate
from benchbook.statistics import laws
from benchbook.statistics.inputs import Labels, Values, checked_confidence, checked_visits, number

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
JACKKNIFE_T = "Student t on the jackknife of a log ratio of standard deviations"
SLOPE_T = "Student t on the slope of logs"
ORDER = "order statistics"
FIELLER = "Fieller's interval of a ratio of totals"
STATIONARY = "stationary bootstrap of seconds, within this trial"
WILSON = "Wilson score, within this trial"
WILSON_TRIALS = "Wilson score over trials"
CONSTANT = "all values equal"
RESOLUTION = "resolution of the counts"
RUNGS = "between the two rungs that enclose it"
EXACT = "counted"
OF_VISITS = ", of visit means"
"""What the name of an interval ends with where visits are its replicates."""
ON_LOGITS = frozenset({LOGIT_T, RESOLUTION, WILSON, WILSON_TRIALS})
"""Intervals of shares: their own scale is the logit."""
ON_COMPLEMENTS = frozenset({COMPLEMENT_T})
"""Intervals of a share that disappears: their own scale is the logarithm of what is left."""

NEGLIGIBLE = 1e-12
"""Values that agree to this relative size are equal: no clock and no counter resolves less."""


@dataclass(frozen=True)
class Interval:
    """A mean with its interval and the standard deviation behind it, all on the scale of the values given.

    n: replicates. visits: whether the means of these are the replicates, because their interval is the wider one.
    """

    point: float
    low: float
    high: float
    sd: float
    n: int = 0
    visits: bool = False

    @property
    def constant(self) -> bool:
        """Whether the values did not differ at all."""
        return not np.ndim(self.sd) and self.sd == 0.0

    def named(self, method: str) -> str:
        """The name of an interval that was made so, by that of the method."""
        return CONSTANT if self.constant else f"{method}{OF_VISITS}" if self.visits else method


def of_blocks(method: str) -> str:
    """The name of an interval without what says that visits are its replicates."""
    return method.removesuffix(OF_VISITS)


def over_visits(method: str) -> bool:
    """Whether visits are the replicates of an interval of this name."""
    return method.endswith(OF_VISITS)


def simultaneous(method: str) -> str:
    """The name of a ratio's interval that is wide enough to hold together with others."""
    return method.replace(PAIRED_LOG_T, SIMULTANEOUS_T)


def visit_means(values: Values, visits: Labels) -> Values:
    """Mean of the values of each visit, shape (..., visits); visits: numbers from 0, shape (n,)."""
    if values.ndim > 1:
        return np.stack([values[..., visits == visit].mean(axis=-1) for visit in range(visits.max() + 1)], axis=-1)
    means: Values = np.bincount(visits, weights=values) / np.bincount(visits)
    return means


def student(values: Values, confidence: float, *, magnitude: float = 1.0, visits: ArrayLike | None = None) -> Interval:
    """Mean and Student t interval of checked values, shape (n,) or of ``Rows`` (..., n), n >= 2.

    magnitude: size of the numbers from which the values were computed; differences below 1e-12 of it are
    rounding and count as none (1 for logs). Equal values give low = high = point: right for counts of pages
    or bytes, which really repeat; a latency in ns never does. visits: the visit of each value; with four or more of
    them the wider of two intervals counts, that of their means and that of the values. Raises BenchbookError beyond
    floating point.
    Source: `scipy.stats.ttest_1samp(values, 0).confidence_interval()`, which gives the same numbers.
    """
    checked_confidence(confidence)
    labels = checked_visits(visits, values.shape[-1])
    with np.errstate(over="ignore", invalid="ignore"):
        constant = values.ndim == 1 and float(np.ptp(values)) <= NEGLIGIBLE * magnitude
    if constant:
        value = float(values[0])
        return Interval(value, value, value, 0.0, values.size)
    blocks = _interval(values, confidence)
    if labels is None:
        return blocks
    over = _interval(visit_means(values, labels), confidence)
    if values.ndim > 1:
        return _wider(over, blocks)
    wider = over if over.high - over.low > blocks.high - blocks.low else blocks
    return replace(wider, visits=wider is over)


def _wider(over: Interval, blocks: Interval) -> Interval:
    """Of each row; their methods have one name, whichever is the wider."""
    chosen = over.high - over.low > np.asarray(blocks.high - blocks.low)
    names = ("point", "low", "high", "sd")
    every: Any = {name: np.where(chosen, getattr(over, name), getattr(blocks, name)) for name in names}
    return Interval(**every, n=blocks.n)


def _interval(values: Values, confidence: float) -> Interval:
    n = values.shape[-1]
    with np.errstate(over="ignore", invalid="ignore"):
        mean, sd = number(np.mean(values, axis=-1)), number(np.std(values, axis=-1, ddof=1))
        half = critical(n, confidence) * sd / math.sqrt(n)
    if not (np.isfinite(mean).all() and np.isfinite(half).all()):
        raise BenchbookError(
            "the values lie too far apart for floating point", "look at the individual trials, or use a larger unit"
        )
    return Interval(mean, mean - half, mean + half, sd, n)


@lru_cache(maxsize=1_024)
def critical(n: int, confidence: float) -> float:
    """Two-sided Student t quantile for n trials (n - 1 degrees of freedom)."""
    return laws.student_quantile((1 + confidence) / 2, n - 1)


def exponentiated(interval: Interval) -> tuple[float, float, float]:
    """Point, low and high of an interval on logs, back on the scale of the values.

    Raises BenchbookError when the spread is so wild that the interval leaves the range of floating point.
    """
    with np.errstate(over="ignore", under="ignore"):
        point, low, high = (number(np.exp(bound)) for bound in (interval.point, interval.low, interval.high))
    if not (np.all(low > 0) and np.isfinite(high).all()):
        raise BenchbookError(
            f"the values spread over e^{np.max(interval.sd):.0f}, too far for an interval",
            "look at the individual trials, or measure more blocks",
        )
    return point, low, high


def linear(estimate: Estimate) -> bool:
    """Whether it is a difference, whose own scale is that of the values."""
    return isinstance(estimate, Effect) and estimate.scale == "difference"


def to_scale(estimate: Estimate, value: float) -> float:
    """A number on the scale on which the estimate's interval was made, where it is not a difference.

    Logits of shares, the logarithm of what is left of a share that disappears, logarithms of all else. Infinite where
    the scale of shares ends. Raises BenchbookError for an interval that reaches below 0 and has no logarithm.
    """
    method = of_blocks(estimate.method)
    if method in ON_LOGITS:
        return float(scipy.special.logit(value))
    if method in ON_COMPLEMENTS:
        return math.log(1 - value) if value < 1 else -math.inf
    if estimate.low <= 0:
        raise BenchbookError(
            f"an interval from {estimate.low:g} has no logarithm to be widened on",
            "declare it as counted, or its scale",
        )
    return math.log(value)


def from_scale(estimate: Estimate, value: float) -> float:
    """The number that ``to_scale`` puts there."""
    method = of_blocks(estimate.method)
    if method in ON_LOGITS:
        return float(scipy.special.expit(value))
    return 1 - math.exp(value) if method in ON_COMPLEMENTS else math.exp(value)
