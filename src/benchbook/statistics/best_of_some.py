"""The best of some settings over the best of all, where each best is one that the same blocks have chosen."""

from __future__ import annotations

import math

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics import intervals, laws
from benchbook.statistics.inputs import checked_grid, checked_visits

RESAMPLES, SEED = 10_000, 0


def best_over_best(values: np.ndarray, picked: np.ndarray, *, confidence: float, visits: np.ndarray) -> Estimate:
    """Lowest geometric mean among the picked settings over the lowest of all, with an interval from resampled blocks.

    values: one per trial, shape (blocks, settings), > 0. picked: bool, shape (settings,). visits: of each block; from
    four on their means are resampled. The percentiles are moved out as far as a Student interval of as many blocks is
    wider than a normal one without the correction of the variance (Hesterberg 2015, expanded percentile interval).
    """
    rows = np.log(checked_grid(values, names=("blocks", "settings")))
    labels = checked_visits(visits, len(rows))
    if labels is not None:
        rows = np.stack([intervals.visit_means(column, labels) for column in rows.T], axis=1)
    n = len(rows)
    if n < 2:
        raise BenchbookError("one block cannot be resampled", "measure more blocks")

    def reached(means: np.ndarray) -> np.ndarray:
        return np.asarray(means[..., picked].min(axis=-1) - means.min(axis=-1))

    drawn = np.random.default_rng(SEED).integers(0, n, (RESAMPLES, n))
    tail = laws.normal_below(-intervals.critical(n, confidence) * math.sqrt(n / (n - 1)))
    ends = np.quantile(reached(rows[drawn].mean(axis=1)), [tail, 1 - tail])
    point, low, high = (float(np.exp(each)) for each in (reached(rows.mean(axis=0)), *ends))
    method = "bootstrap of blocks, with a minimum in each resample"
    return Estimate(point, min(point, low), max(point, high), n, method, confidence)
