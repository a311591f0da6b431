"""What the claims need beyond a ratio: base and doubled pool, the best of several sizes, a setting on a cluster."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy

from benchbook.experiments.feature_buffers.arms import BAND_PERCENT, MIX, pool_name
from benchbook.experiments.feature_buffers.summary import Summary
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate
from benchbook.statistics import intervals
from benchbook.statistics.inputs import checked_grid, checked_sessions

RESAMPLES, SEED = 10_000, 0
RESAMPLED = "bootstrap of blocks, with a minimum in each resample"
GIB = 2**30
Arm = Callable[[Summary], str]
P99 = "p99_ns"


def base(keys: str) -> Arm:
    """The configuration of a mix of keys whose pool is the base of the doubling."""
    return lambda summary: pool_name(keys, summary.base)


def doubled(keys: str) -> Arm:
    """The same with twice that pool."""
    return lambda summary: pool_name(keys, 2 * summary.base)


def band(summary: Summary) -> list[str]:
    """The 80/20 configurations whose pool lies in the note's band."""
    low, high = BAND_PERCENT
    found = [pool_name(MIX, each) for each in summary.sweep(MIX) if low <= each <= high]
    if not found:
        raise NotEstimableError(f"no pool of {low} to {high} % of the memory was measured", "give mix_pools_percent")
    return found


def smallest_mix(summary: Summary) -> str:
    """The 80/20 configuration with the smallest pool."""
    return pool_name(MIX, summary.sweep(MIX)[0])


def largest_mix(summary: Summary) -> str:
    """The 80/20 configuration with the largest pool."""
    return pool_name(MIX, summary.sweep(MIX)[-1])


def best_of_band(summary: Summary, confidence: float) -> Estimate:
    """Lowest P99 of the note's band over the lowest of the sweep, each minimum found anew in every resample."""
    inside = band(summary)
    every = [pool_name(MIX, each) for each in summary.sweep(MIX)]
    grid = np.stack([summary.values(arm, P99) for arm in every], axis=1)
    picked = np.array([arm in inside for arm in every])
    return best_over_best(grid, picked, confidence=confidence, sessions=summary.sessions)


def best_over_best(values: np.ndarray, picked: np.ndarray, *, confidence: float, sessions: np.ndarray) -> Estimate:
    """Lowest geometric mean among the picked settings over the lowest of all, with an interval from resampled blocks.

    values: one per trial, shape (blocks, settings), > 0. picked: bool, shape (settings,). sessions: of each block; from
    four on their means are resampled. The percentiles are moved out as far as a Student interval of as many blocks is
    wider than a normal one without the correction of the variance (Hesterberg 2015, expanded percentile interval).
    """
    rows = np.log(checked_grid(values, names=("blocks", "settings")))
    labels = checked_sessions(sessions, len(rows))
    if labels is not None:
        rows = np.stack([intervals.session_means(column, labels) for column in rows.T], axis=1)
    n = len(rows)
    if n < 2:
        raise NotEstimableError("one block cannot be resampled", "measure more blocks")

    def reached(means: np.ndarray) -> np.ndarray:
        return np.asarray(means[..., picked].min(axis=-1) - means.min(axis=-1))

    drawn = np.random.default_rng(SEED).integers(0, n, (RESAMPLES, n))
    tail = float(scipy.stats.norm.cdf(-intervals.critical(n, confidence) * math.sqrt(n / (n - 1))))
    ends = np.quantile(reached(rows[drawn].mean(axis=1)), [tail, 1 - tail])
    point, low, high = (float(np.exp(each)) for each in (reached(rows.mean(axis=0)), *ends))
    return Estimate(point, min(point, low), max(point, high), n, RESAMPLED, confidence)


def default_gib(summary: Summary) -> float:
    """What a fresh cluster sets when nobody configures it, in GiB."""
    return _said(summary)["default_bytes"] / GIB


def set_by_alter_system(summary: Summary) -> float:
    """How many fresh clusters, of one, report the value after a restart."""
    said = _said(summary)
    return float(said["after_restart_bytes"] == said["asked_bytes"])


def needs_restart(summary: Summary) -> float:
    """How many fresh clusters, of one, leave the value pending after a reload and have it after a restart."""
    said = _said(summary)
    waited = said["pending"] and said["after_reload_bytes"] == said["default_bytes"] != said["asked_bytes"]
    return float(bool(waited) and said["after_restart_bytes"] == said["asked_bytes"])


def _said(summary: Summary) -> dict[str, int]:
    said = summary.run.provenance.get("setting")
    if not said:
        raise NotEstimableError("this run did not try the setting on a fresh cluster", "measure again")
    return dict(said)
