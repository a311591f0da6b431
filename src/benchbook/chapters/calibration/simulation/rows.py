"""The book's intervals for many simulated runs at once, in arrays with one run per row.

Each function is the twin of the one of ``benchbook.statistics`` that has its name, on the last axis of an array. Every
batch compares some of its rows with the book's own function and stops at a difference (``coverage.tried``).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from benchbook import statistics
from benchbook.chapters.calibration.simulation.distributions import Array
from benchbook.statistics import intervals
from benchbook.statistics.effects import STALL
from benchbook.statistics.equivalence import TOST_CONFIDENCE
from benchbook.statistics.estimates import MEDIAN_TRIALS, chi_square_bounds


class Bounds(NamedTuple):
    """Low and high ends of intervals, one per row."""

    low: Array
    high: Array

    def cover(self, truth: float | Array) -> NDArray[np.bool_]:
        """Whether each interval holds the truth; one that is missing (NaN) does not."""
        return np.asarray((self.low <= truth) & (truth <= self.high))


def student(values: Array, confidence: float = 0.95) -> Bounds:
    """t intervals of the mean, on the scale of the values."""
    n = values.shape[-1]
    mean = values.mean(axis=-1)
    half = intervals.critical(n, confidence) * values.std(axis=-1, ddof=1) / math.sqrt(n)
    return Bounds(mean - half, mean + half)


def over_visits(values: Array, confidence: float = 0.95) -> Bounds:
    """As ``intervals.student`` with four visits or more: the wider of t on their means and t on their blocks.

    values: shape (..., visits, blocks).
    """
    means = student(values.mean(axis=-1), confidence)
    blocks = student(values.reshape(*values.shape[:-2], -1), confidence)
    wider = means.high - means.low > blocks.high - blocks.low
    return Bounds(np.where(wider, means.low, blocks.low), np.where(wider, means.high, blocks.high))


arithmetic_mean = student
"""As ``statistics.arithmetic_mean``."""


def difference(first: Array, second: Array, confidence: float = 0.95) -> Bounds:
    """As ``statistics.difference``."""
    return student(first - second, confidence)


def geometric_mean(values: Array, confidence: float = 0.95) -> Bounds:
    """As ``statistics.geometric_mean``."""
    return _exponentiated(student(np.log(values), confidence))


def ratio(numerator: Array, denominator: Array, confidence: float = 0.95) -> Bounds:
    """As ``statistics.ratio``."""
    return geometric_mean(numerator / denominator, confidence)


def equivalence(numerator: Array, denominator: Array) -> Bounds:
    """As ``statistics.equivalence``."""
    return ratio(numerator, denominator, TOST_CONFIDENCE)


def ratio_unblocked(numerator: Array, denominator: Array, confidence: float = 0.95) -> Bounds:
    """As ``statistics.ratio_unblocked``."""
    logs = np.log(numerator), np.log(denominator)
    sizes = [values.shape[-1] for values in logs]
    parts = [values.var(axis=-1, ddof=1) / size for values, size in zip(logs, sizes, strict=True)]
    error = parts[0] + parts[1]
    freedom = error**2 / (parts[0] ** 2 / (sizes[0] - 1) + parts[1] ** 2 / (sizes[1] - 1))
    half = scipy.special.stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(error)
    centre = logs[0].mean(axis=-1) - logs[1].mean(axis=-1)
    return _exponentiated(Bounds(centre - half, centre + half))


def shares_difference(first: Array, second: Array, counts: int, confidence: float = 0.95) -> Bounds:
    """As ``statistics.shares_difference``."""
    difference = first - second
    bounds, point = student(difference, confidence), difference.mean(axis=-1)
    low, high = np.minimum(bounds.low, point - 1 / counts), np.maximum(bounds.high, point + 1 / counts)
    return Bounds(np.maximum(-1.0, low), np.minimum(1.0, high))


def share(values: Array, counts: int, confidence: float = 0.95) -> Bounds:
    """As ``statistics.share``."""
    finest = 0.5 / counts
    logits = scipy.special.logit((values * counts + 0.5) / (counts + 1))
    bounds, point = student(logits, confidence), scipy.special.expit(logits.mean(axis=-1))
    low, high = (
        np.minimum(scipy.special.expit(bounds.low), point - finest),
        np.maximum(scipy.special.expit(bounds.high), point + finest),
    )
    return Bounds(np.maximum(0.0, low), np.minimum(1.0, high))


def median(values: Array, confidence: float = 0.95) -> Bounds:
    """As ``statistics.median``, which chooses the two order statistics; they depend on the number of trials alone."""
    low, high = _ranks(values.shape[-1], confidence)
    ordered = np.sort(values, axis=-1)
    return Bounds(ordered[..., low], ordered[..., high])


@lru_cache(maxsize=256)
def _ranks(n: int, confidence: float) -> tuple[int, int]:
    chosen = statistics.median(np.arange(n), confidence=confidence)
    return int(chosen.low), int(chosen.high)


def median_ratio(numerator: Array, denominator: Array, confidence: float = 0.95) -> Bounds:
    """As ``statistics.median_ratio``."""
    return median(numerator / denominator, confidence)


def stalled(logs: Array) -> NDArray[np.bool_]:
    """As ``statistics.effects.stalled``: whether a block of each run lies far out; logs: of ratios."""
    if logs.shape[-1] < MEDIAN_TRIALS:
        return np.zeros(logs.shape[:-1], dtype=bool)
    away = np.abs(logs - np.median(logs, axis=-1, keepdims=True))
    usual = scipy.stats.median_abs_deviation(logs, axis=-1, scale="normal")
    return np.asarray((away.max(axis=-1) > STALL * usual) & (usual > 0))


def geometric_sd(values: Array, confidence: float = 0.95) -> Bounds:
    """As ``statistics.geometric_sd``."""
    sd = np.log(values).std(axis=-1, ddof=1)
    low, high = chi_square_bounds(1.0, values.shape[-1], confidence)
    return _exponentiated(Bounds(sd * low, sd * high))


def many_to_one(baseline: Array, others: Array, confidence: float = 0.95) -> Bounds:
    """As ``statistics.many_to_one``; baseline (runs, blocks), others and bounds (runs, comparisons[, blocks])."""
    return ratio(others, baseline[:, None, :], 1 - (1 - confidence) / others.shape[1])


def dip(left: Array, middle: Array, right: Array, confidence: float = 0.95) -> Bounds:
    """As ``statistics.dip``."""
    return ratio(middle, np.sqrt(left * right), confidence)


def wilson(successes: Array, total: int, confidence: float = 0.95) -> Bounds:
    """As ``statistics.wilson``."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, total, alpha=1 - confidence, method="wilson")
    return Bounds(np.asarray(low), np.asarray(high))


def _exponentiated(bounds: Bounds) -> Bounds:
    return Bounds(np.exp(bounds.low), np.exp(bounds.high))
