"""Whether values, in the order in which they were measured, are correlated or drift."""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics import intervals, laws
from benchbook.statistics.inputs import checked, checked_confidence
from benchbook.statistics.intervals import critical

_FEWEST = 3
"""Two trials always lie on a line."""


def autocorrelation(values: ArrayLike, lags: int) -> np.ndarray:
    """Correlation of the values with those 1, 2, ... ``lags`` later, shape (lags,), in order of time.

    values: one per trial or second, shape (n,). Of independent values each lies within ``autocorrelation_bound(n)``
    around 0 in 95 % of runs. Raises BenchbookError for missing or equal values, and unless 1 <= lags < n.
    Source: `statsmodels.tsa.stattools.acf`, which divides by n at every lag.
    """
    from statsmodels.tsa.stattools import acf

    array = checked(values, minimum=_FEWEST)
    if not 1 <= lags < array.size:
        raise BenchbookError(
            f"{lags} lags cannot be computed from {array.size} values",
            f"ask for 1 to {array.size - 1}, better a quarter",
        )
    if float(np.ptp(array)) <= intervals.NEGLIGIBLE * float(np.abs(array).max()):
        raise BenchbookError("all values are equal, so their autocorrelation is not estimable", "leave it out")
    return np.asarray(acf(array / np.abs(array).max(), nlags=lags, fft=False)[1:], dtype=np.float64)


def autocorrelation_bound(n: int, *, confidence: float = 0.95) -> float:
    """How far from 0 the autocorrelation of n independent values strays: z / sqrt(n), 1.96 / sqrt(n) for 95 %.

    For each lag by itself. Source: Bartlett 1946.
    """
    checked_confidence(confidence)
    if n < 2:
        raise BenchbookError(f"{n} values have no autocorrelation", "give at least 2")
    return laws.normal_quantile((1 + confidence) / 2) / math.sqrt(n)


def drift(values: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Slope of the logs per trial over the order of the trials, with its t interval; 0 means no drift.

    values: one per trial in order of time, shape (trials,), > 0, at least 3; 0.001 = each trial is 0.1 % above the
    one before. Equal values give 0 without width. Raises BenchbookError below three trials and for missing, zero or
    negative values. Source: least squares, `scipy.stats.linregress`.
    """
    checked_confidence(confidence)
    logs = np.log(checked(values, minimum=_FEWEST, positive=True))
    n = logs.size
    if float(np.ptp(logs)) <= intervals.NEGLIGIBLE:
        return Estimate(0.0, 0.0, 0.0, n, intervals.CONSTANT, confidence)
    line = scipy.stats.linregress(np.arange(n), logs)
    half = critical(n - 1, confidence) * float(line.stderr)
    slope = float(line.slope)
    return Estimate(slope, slope - half, slope + half, n, intervals.SLOPE_T, confidence)
