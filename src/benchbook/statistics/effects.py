"""Ratios and differences of two or more configurations, with intervals, from per-trial values.

Blocked functions take arrays in the same block order, one value per block. For a ratio of ratios, such as a
gain compared with another gain, pass the two per-block ratios: ``ratio(a / b, c / d)``. visits, wherever it is asked:
the measuring visit of each block, any labels; with four or more of them the wider of the intervals over their means
and over blocks counts, and n and sd are of its replicates (``intervals``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.errors import BenchbookError
from benchbook.model import Effect
from benchbook.statistics import intervals, laws
from benchbook.statistics.estimates import MEDIAN_TRIALS, check_shares, median
from benchbook.statistics.inputs import Values, checked, checked_confidence, number, paired
from benchbook.statistics.intervals import Interval, exponentiated, student

STALL = 6.0
"""Median absolute deviations, as standard deviations, beyond which a block is taken for one in which an arm stalled."""
TOST_CONFIDENCE = 0.90
"""Two one-sided tests at 5 % each reject together exactly when the 90 % interval lies inside the margin."""
_RATIO_NAMES = ("the numerator's values", "the denominator's values")


def ratio(
    numerator: ArrayLike, denominator: ArrayLike, *, confidence: float = 0.95, visits: ArrayLike | None = None
) -> Effect:
    """Ratio of geometric means over blocks, with its t interval on the log scale: the headline effect.

    numerator, denominator: per-trial values, shape (blocks,), same block order, > 0. sd: of the log differences.
    A ratio that is the same in every block gives a zero-width interval. Where one arm stalls in some blocks and the
    other does not, this interval covers too seldom (51 to 81 % at 6 to 40 blocks; calibration chapter): such blocks are
    looked for, and ``typical`` then holds the interval of the median block, by order statistics, whatever the visit.
    Raises BenchbookError below two blocks, for unequal blocks and for missing, zero or negative values.
    Source: Kalibera & Jones 2013, sec. 5; Student t on paired log differences.
    """
    above, below = paired(numerator, denominator, names=_RATIO_NAMES, positive=True)
    logs = np.log(above) - np.log(below)
    found = _from_logs(student(logs, confidence, visits=visits), intervals.PAIRED_LOG_T, confidence)
    if logs.ndim > 1 or not stalled(logs):
        return found
    return replace(found, typical=_typical(above, below, confidence))


def stalled(logs: ArrayLike) -> bool | NDArray[np.bool_]:
    """Whether a block's log ratio lies so far from the median that one of its arms must have stalled.

    logs: of at least six blocks, shape (blocks,), or of many runs (..., blocks); fewer say nothing. Far is more than 6
    times the median absolute deviation, taken as a standard deviation.
    """
    values = np.asarray(logs, dtype=np.float64)
    if values.shape[-1] < MEDIAN_TRIALS:
        return np.zeros(values.shape[:-1], dtype=bool) if values.ndim > 1 else False
    away = np.abs(values - np.median(values, axis=-1, keepdims=True))
    usual = np.median(away, axis=-1) / laws.normal_quantile(0.75)
    far = (away.max(axis=-1) > STALL * usual) & (usual > 0)
    return far if values.ndim > 1 else bool(far)


def _typical(above: Values, below: Values, confidence: float) -> tuple[float, float] | None:
    try:
        found = median_ratio(above, below, confidence=confidence)
    except BenchbookError:  # so few blocks do not enclose a median with so much confidence
        return None
    return found.low, found.high


def median_ratio(numerator: ArrayLike, denominator: ArrayLike, *, confidence: float = 0.95) -> Effect:
    """Median over blocks of the ratio, with the interval of its order statistics: for arms of which one alone stalls.

    numerator, denominator: per-trial values, shape (blocks,), same block order, > 0, at least 6. It assumes nothing
    but independent blocks, and covers at least ``confidence``. It speaks of a typical block: where one arm stalls in
    one block of ten, the geometric mean over all blocks is another number, which few blocks do not tell with any
    interval. sd: of the log ratios. Raises BenchbookError below six blocks and for what ``ratio`` refuses.
    Source: Conover 1999, through `scipy.stats.quantile_test`.
    """
    above, below = paired(numerator, denominator, names=_RATIO_NAMES, positive=True)
    ratios = above / below
    found = median(ratios, confidence=confidence)
    sd = number(np.std(np.log(ratios), axis=-1, ddof=1))
    return Effect(found.point, found.low, found.high, found.n, found.method, confidence, "ratio", sd)


def equivalence(numerator: ArrayLike, denominator: ArrayLike, *, visits: ArrayLike | None = None) -> Effect:
    """Ratio over blocks with the 90 % interval that an equivalence test reads.

    numerator, denominator, visits: as for ``ratio``. Source: Schuirmann 1987 (two one-sided tests, TOST).
    """
    return ratio(numerator, denominator, confidence=TOST_CONFIDENCE, visits=visits)


def difference(
    first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95, visits: ArrayLike | None = None
) -> Effect:
    """Mean of first minus second over blocks, with its paired t interval, in the unit of the values.

    first, second: per-trial values, shape (blocks,), same block order, any sign. 0 means the same.
    Raises BenchbookError below two blocks, for unequal blocks and for missing values.
    """
    left, right = paired(first, second, names=("the first values", "the second values"))
    magnitude = float(max(np.abs(left).max(), np.abs(right).max()))
    with np.errstate(over="ignore"):
        apart = left - right
    found = student(apart, confidence, magnitude=magnitude, visits=visits)
    method = found.named(intervals.PAIRED_T)
    return Effect(found.point, found.low, found.high, found.n, method, confidence, "difference", found.sd)


def shares_difference(
    first: ArrayLike, second: ArrayLike, counts: int, *, confidence: float = 0.95, visits: ArrayLike | None = None
) -> Effect:
    """Difference of two shares (hit ratios) over blocks, with its paired t interval within [-1, 1].

    first, second: shares in [0, 1], shape (blocks,), same block order. counts: what each is a share of, at the
    least, >= 1; the interval is never narrower than one count to each side. 0 means the same.
    Raises BenchbookError as ``difference`` does, and for values outside [0, 1].
    """
    left, right = paired(first, second, names=("the first shares", "the second shares"))
    for each in (left, right):
        check_shares(each, counts)
    interval = student(left - right, confidence, visits=visits)
    finest = 1 / counts
    low, high = np.minimum(interval.low, interval.point - finest), np.maximum(interval.high, interval.point + finest)
    alone = np.array_equal(low, interval.low) and np.array_equal(high, interval.high)
    method = intervals.PAIRED_SHARES_T if alone else intervals.RESOLUTION
    if interval.visits:
        method += intervals.OF_VISITS
    low, high = number(np.maximum(-1.0, low)), number(np.minimum(1.0, high))
    return Effect(interval.point, low, high, interval.n, method, confidence, "difference", interval.sd)


def ratio_unblocked(numerator: ArrayLike, denominator: ArrayLike, *, confidence: float = 0.95) -> Effect:
    """Ratio of geometric means of trials that share no blocks, with Welch's interval on logs.

    numerator, denominator: per-trial values, shapes (trials,) that may differ, > 0. n is the smaller number of
    trials; sd is scaled so that sd / sqrt(n) is the standard error. For runs of different machines or days only:
    within a run, blocks are there to be used. Source: Welch 1947, through `scipy.stats.ttest_ind` on logs.
    """
    checked_confidence(confidence)
    above = np.log(checked(numerator, name=_RATIO_NAMES[0], positive=True))
    below = np.log(checked(denominator, name=_RATIO_NAMES[1], positive=True))
    first, second = student(above, confidence), student(below, confidence)
    if first.constant or second.constant:  # SciPy warns of them; what is left of Welch's is the other arm's own t
        low, high = first.low - second.high, first.high - second.low
    else:
        low, high = scipy.stats.ttest_ind(above, below, axis=-1, equal_var=False).confidence_interval(confidence)
    sizes = above.shape[-1], below.shape[-1]
    hypot: Any = np.hypot if above.ndim > 1 else math.hypot
    error = hypot(first.sd / math.sqrt(sizes[0]), second.sd / math.sqrt(sizes[1]))
    n = min(sizes)
    interval = Interval(first.point - second.point, number(low), number(high), number(error * math.sqrt(n)), n)
    return _from_logs(interval, intervals.WELCH_LOG_T, confidence)


def many_to_one(
    baseline: ArrayLike, others: Mapping[str, ArrayLike], *, confidence: float = 0.95,
    visits: ArrayLike | None = None,
) -> dict[str, Effect]:  # fmt: skip
    """Ratio of each configuration to one baseline over blocks; all intervals hold together with ``confidence``.

    baseline: shape (blocks,), > 0; others: name -> values of the same shape and block order, at least one.
    Each interval is the paired one of ``ratio`` at confidence 1 - (1 - confidence) / k for k comparisons
    (Bonferroni). The usual Dunnett interval is not used, for two reasons: on raw logs it leaves the blocks in the
    error, and with the blocks taken out it still pools one variance over all arms. Cold and hot arms differ in
    spread by up to an order of magnitude, and then all pooled intervals hold together in 73 % of runs, where these
    do in 95 % (simulated: 6 blocks, 12 arms, one of them 8 times as noisy). The price is width: 1.7 times Dunnett's
    there if all spreads are equal.
    Raises BenchbookError as ``ratio`` does, naming the configuration.
    """
    checked_confidence(confidence)
    if not others:
        raise BenchbookError("there is no configuration to compare with the baseline", "give at least one")
    each = 1 - (1 - confidence) / len(others)
    effects = {}
    for name, values in others.items():
        above, below = paired(values, baseline, names=(f"the values of {name}", "the baseline's values"), positive=True)
        interval = student(np.log(above) - np.log(below), each, visits=visits)
        effects[name] = _from_logs(interval, intervals.SIMULTANEOUS_T, confidence)
    return effects


def _from_logs(interval: Interval, method: str, confidence: float) -> Effect:
    return Effect(
        *exponentiated(interval), interval.n, interval.named(method), confidence, "ratio", interval.sd,
    )  # fmt: skip
