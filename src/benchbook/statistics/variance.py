"""Where the spread of a whole run's per-trial values comes from."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics import intervals, laws
from benchbook.statistics.estimates import geometric_sd
from benchbook.statistics.inputs import Values, checked_confidence, checked_grid, paired


def decompose(values: ArrayLike) -> tuple[float, float]:
    """Variances of the logs of per-trial values: of what the trials of a block share, and of what each has of its own.

    values: shape (blocks, arms), > 0, at least two of each, every arm once in every block. From an additive model of
    blocks and arms: what is left after their means is a trial's own; so is any real difference of an arm's effect from
    block to block. What comes out below 0, as happens by chance where the true one is small, is 0; so are both for
    equal values. Raises BenchbookError for missing, zero or negative values and incomplete blocks.
    Source: expected mean squares of a two-way layout with one value per cell; Searle, Casella & McCulloch 1992, ch. 4.
    """
    logs = np.log(checked_grid(values))
    blocks, arms = logs.shape
    of_blocks, of_arms = logs.mean(axis=1, keepdims=True), logs.mean(axis=0, keepdims=True)
    left = logs - of_blocks - of_arms + logs.mean()
    own = _square(left, logs) / ((blocks - 1) * (arms - 1))
    shared = (arms * _square(of_blocks - logs.mean(), logs) / (blocks - 1) - own) / arms
    return max(0.0, shared), own


def trial_variance(first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Variance of a trial's log within its block, from the two arms of an A/A pair, with its chi-square interval.

    first, second: per-trial values, shape (blocks,), same block order, > 0, of one configuration under two labels.
    The differences of the logs have mean 0 by construction, so their mean square counts every block; half of it is
    one trial's. It contains the variance within trials. Equal pairs give 0 without width.
    Raises BenchbookError as ``ratio`` does.
    """
    checked_confidence(confidence)
    one, other = paired(first, second, names=("the first arm's values", "the A/A arm's values"), positive=True)
    differences = np.log(one) - np.log(other)
    n = differences.size
    if float(np.abs(differences).max()) <= intervals.NEGLIGIBLE:
        return Estimate(0.0, 0.0, 0.0, n, intervals.CONSTANT, confidence)
    point = float(np.mean(differences**2)) / 2
    tail = (1 - confidence) / 2
    low, high = (point * n / laws.chi_square_quantile(q, n) for q in (1 - tail, tail))
    return Estimate(point, low, high, n, intervals.PAIR_CHI_SQUARE, confidence)


def sd_interval(values: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Standard deviation of the logs between trials, with its chi-square interval: the coefficient of variation.

    values: one per trial, shape (trials,), > 0. As a share: 0.05 = a typical trial is off by about 5 %. The log of
    what ``geometric_sd`` gives, whose errors it raises; like there, heavy tails make the interval too narrow.
    """
    found = geometric_sd(values, confidence=confidence)
    method = intervals.SD_CHI_SQUARE if found.method == intervals.CHI_SQUARE else found.method
    return Estimate(math.log(found.point), math.log(found.low), math.log(found.high), found.n, method, confidence)


def spread_ratio(first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Pooled standard deviation of the first values over that of the second, by the delete-one jackknife over blocks.

    first, second: logs of what varies, shape (blocks, series), the same blocks in the same order, at least three. The
    variances of the series are averaged; series of a block may depend on each other, and so may first and second.
    Raises BenchbookError where values do not vary, are missing, or the shapes differ.
    Source: Miller 1968, Jackknifing variances, Ann. Math. Statist. 39, 567-582.
    """
    checked_confidence(confidence)
    one, other = (_series(each, name) for each, name in ((first, "the first values"), (second, "the second values")))
    if one.shape != other.shape or len(one) < 3:
        raise BenchbookError(
            f"values of the shapes {one.shape} and {other.shape} cannot be held against each other",
            "give the same blocks and series of both, at least 3 blocks",
        )
    whole = _log_spread(one) - _log_spread(other)
    n = len(one)
    without = [_log_spread(np.delete(one, i, axis=0)) - _log_spread(np.delete(other, i, axis=0)) for i in range(n)]
    pseudo = n * whole - (n - 1) * np.array(without)
    half = intervals.critical(n, confidence) * float(np.std(pseudo, ddof=1)) / math.sqrt(n)
    low, point, high = (math.exp(each) for each in (whole - half, whole, whole + half))
    return Estimate(point, low, high, n, intervals.JACKKNIFE_T, confidence)


def _series(values: ArrayLike, name: str) -> Values:
    array = np.asarray(values, dtype=float)
    if array.ndim != 2 or not np.isfinite(array).all():
        raise BenchbookError(f"{name} are not a number per block and series", "give logs without missing values")
    return array


def _log_spread(values: Values) -> float:
    variance = float(values.var(axis=0, ddof=1).mean())
    if variance <= intervals.NEGLIGIBLE**2:
        raise BenchbookError("values that do not vary have no spread to compare", "look at the trials themselves")
    return math.log(variance) / 2


def _square(deviations: Values, logs: Values) -> float:
    """Sum of squares of deviations from means of logs; 0 where they are rounding."""
    if float(np.abs(deviations).max()) <= intervals.NEGLIGIBLE * max(1.0, float(np.abs(logs).max())):
        return 0.0
    return float(np.sum(deviations**2))
