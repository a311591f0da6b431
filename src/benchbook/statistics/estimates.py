"""An Estimate with its interval from one configuration's per-trial values.

visits: the measuring visit of each trial, as in ``effects``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics import intervals, laws
from benchbook.statistics.inputs import Values, checked, checked_confidence, number
from benchbook.statistics.intervals import exponentiated, student

MEDIAN_TRIALS = 6
"""Below six trials the smallest and the largest value do not enclose the median with 95 %."""


def geometric_mean(values: ArrayLike, *, confidence: float = 0.95, visits: ArrayLike | None = None) -> Estimate:
    """Geometric mean over trials with a Student t interval on logs: the estimate of a latency, TPS or ratio.

    values: one per trial, shape (trials,), > 0, any unit. Equal values give a zero-width interval.
    Raises BenchbookError below two trials, and for missing, zero or negative values.
    Source: Kalibera & Jones 2013; `scipy.stats.ttest_1samp(log(values), 0)`.
    """
    checked_values = checked(values, positive=True)
    interval = student(np.log(checked_values), confidence, visits=visits)
    if interval.constant:
        return _constant(float(checked_values[0]), interval.n, confidence)
    method = interval.named(intervals.LOG_T)
    return Estimate(*exponentiated(interval), interval.n, method, confidence)


def arithmetic_mean(values: ArrayLike, *, confidence: float = 0.95, visits: ArrayLike | None = None) -> Estimate:
    """Arithmetic mean over trials with a Student t interval, for metrics that may be negative or 0.

    values: one per trial, shape (trials,), any unit. Raises BenchbookError below two trials or for missing values.
    """
    array = checked(values)
    interval = student(array, confidence, magnitude=float(np.abs(array).max()), visits=visits)
    if interval.constant:
        return _constant(interval.point, array.size, confidence)
    # what may be 0 or negative has no scale on which a movement of the machine multiplies it
    method = interval.named(intervals.T)
    return Estimate(interval.point, interval.low, interval.high, interval.n, method, confidence)


def share(
    values: ArrayLike, counts: ArrayLike, *, confidence: float = 0.95, visits: ArrayLike | None = None
) -> Estimate:
    """Mean share over trials (hit ratio, resident pages) with a Student t interval on the logit.

    values: one per trial, shape (trials,), in [0, 1]. counts: what each share is a share of (block requests,
    pages), one number or one per trial, >= 1. Half a count is added to the hits and half to the misses before the
    logit is taken, so that it exists for 0 and 1 and is nearly unbiased where either is counted in ones (clipping
    at half a count is not: with 3 misses a trial its interval covered 63 % at 40 trials, this one 94 %). The interval
    is never narrower than half a count to each side: ten trials with every page hit say 1 - 1 / counts to 1, not
    exactly 1. Raises BenchbookError below two trials. Source: Anscombe 1956 (empirical logit).
    """
    array = checked(values)
    requests = np.asarray(counts, dtype=np.float64) if np.ndim(counts) == 0 else checked(counts, name="counts")
    if requests.ndim and requests.shape != array.shape:
        raise BenchbookError(
            f"{array.size} shares come with {requests.size} counts", "give one count per trial, or one"
        )
    check_shares(array, requests)
    interval = student(scipy.special.logit((array * requests + 0.5) / (requests + 1)), confidence, visits=visits)
    point, low, high = (number(scipy.special.expit(bound)) for bound in (interval.point, interval.low, interval.high))
    finest = float((0.5 / requests).max())
    widened = (
        number(np.maximum(0.0, np.minimum(low, point - finest))),
        number(np.minimum(1.0, np.maximum(high, point + finest))),
    )
    method = intervals.LOGIT_T if np.array_equal(widened, (low, high)) else intervals.RESOLUTION
    if interval.visits:
        method += intervals.OF_VISITS
    return Estimate(point, *widened, interval.n, method, confidence)


def wilson(successes: int, total: int, *, confidence: float = 0.95) -> Estimate:
    """Share of one single trial with its Wilson interval, to be shown only as "within this trial".

    successes of total operations, 0 <= successes <= total, total >= 1. n of the Estimate is 1: operations of one
    trial are not replicates. Source: Wilson 1927, through `scipy.stats.binomtest`.
    """
    checked_confidence(confidence)
    if total < 1 or not 0 <= successes <= total:
        raise BenchbookError(f"{successes} of {total} is not a share", "count both, with 0 <= successes <= total")
    bounds = scipy.stats.binomtest(int(successes), int(total)).proportion_ci(confidence, method="wilson")
    point = successes / total
    # at 0 and at total, rounding would put the point outside by 1e-17
    low, high = min(float(bounds.low), point), max(float(bounds.high), point)
    return Estimate(point, low, high, 1, intervals.WILSON, confidence)


def share_of_trials(successes: int, trials: int, *, confidence: float = 0.95) -> Estimate:
    """Share of the trials that showed it, with its Wilson interval; here each trial is one replicate.

    0 <= successes <= trials, trials >= 1. Six of six give 61 to 100 %: few trials never say "always".
    Raises BenchbookError for other counts. Source: Wilson 1927, as ``wilson``.
    """
    return replace(wilson(successes, trials, confidence=confidence), n=trials, method=intervals.WILSON_TRIALS)


def median(values: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Median over trials with the interval of its order statistics: no assumption but independence.

    values: one per trial, shape (trials,), any unit, at least 6. Covers at least ``confidence``, mostly more.
    Raises BenchbookError below six trials, or when so few trials cannot reach the confidence.
    Source: Conover 1999, through `scipy.stats.quantile_test`.
    """
    array = checked(values, minimum=MEDIAN_TRIALS)
    n = array.shape[-1]
    ranks = _median_ranks(n, checked_confidence(confidence))
    if ranks is None:
        raise BenchbookError(
            f"{n} trials cannot enclose a median with {confidence:.0%}", "measure more blocks or ask for less"
        )
    low, high = (number(np.sort(array, axis=-1)[..., rank]) for rank in ranks)
    return Estimate(number(np.median(array, axis=-1)), low, high, n, intervals.ORDER, confidence)


@lru_cache(maxsize=256)
def _median_ranks(n: int, confidence: float) -> tuple[int, int] | None:
    """Places, from 0, of the order statistics that enclose the median of n values; None where none do."""
    bounds: Any = scipy.stats.quantile_test(np.arange(n), q=(n - 1) / 2, p=0.5).confidence_interval(confidence)
    return None if math.isnan(bounds.low) or math.isnan(bounds.high) else (int(bounds.low), int(bounds.high))


def geometric_sd(values: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Geometric standard deviation between trials, exp(sd of the logs), with the chi-square interval of that sd.

    values: one per trial, shape (trials,), > 0. 1 = no spread; 1.25 = a typical trial is off by a factor 1.25.
    The interval takes the logs to be normal and is too narrow where they have heavy tails.
    Equal values give 1 with a zero-width interval. Raises BenchbookError below two trials.
    """
    array = checked(values, positive=True)
    interval = student(np.log(array), confidence)
    if interval.constant:
        return _constant(1.0, array.size, confidence)
    low, high = chi_square_bounds(interval.sd, interval.n, confidence)
    back = exponentiated(intervals.Interval(interval.sd, low, high, interval.sd))
    return Estimate(*back, interval.n, intervals.CHI_SQUARE, confidence)


def chi_square_bounds(sd: float, n: int, confidence: float) -> tuple[float, float]:
    """Interval of a normal standard deviation that was estimated as ``sd`` from n values."""
    tail = (1 - confidence) / 2
    low, high = (sd * math.sqrt((n - 1) / laws.chi_square_quantile(q, n - 1)) for q in (1 - tail, tail))
    return low, high


def exact(value: float) -> Estimate:
    """A counted or recomputed number as an Estimate without width: pages of a file, lines of code, a quotient.

    Raises BenchbookError for NaN and infinity.
    """
    return Estimate(*(float(checked([value], minimum=1)[0]),) * 3, 1, intervals.EXACT)


def _constant(value: float, n: int, confidence: float) -> Estimate:
    return Estimate(value, value, value, n, intervals.CONSTANT, confidence)


def check_shares(shares: Values, counts: ArrayLike) -> None:
    """Raise BenchbookError for shares outside of 0 and 1, and for shares of less than one count."""
    if shares.min() < 0 or shares.max() > 1:
        raise BenchbookError(
            f"shares run from {shares.min():g} to {shares.max():g}", "give shares between 0 and 1, not percentages"
        )
    if not (np.isfinite(counts).all() and np.min(counts) >= 1):
        raise BenchbookError("a share of fewer than one count was given", "leave out trials that counted nothing")
