"""How often the tempting wrong intervals cover in the same simulated runs."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import scipy

from benchbook.chapters.calibration.simulation import worlds
from benchbook.chapters.calibration.simulation.coverage import Metrics, counted
from benchbook.chapters.calibration.simulation.distributions import P99, Array, Family
from benchbook.chapters.calibration.simulation.rows import Bounds
from benchbook.chapters.calibration.simulation.worlds import Truths, World

BOOTSTRAPPED = 5
"""One run in so many goes through the bootstraps, which take a thousand times as long as the others."""
_AT_ONCE = 1_000_000
"""Resampled values that are held in memory at a time."""
_NODES = 120


def measured(family: Family, world: World, true: Truths) -> Metrics:
    """Metrics of one batch of a cell, as ``coverage.tried`` gives them for the book's intervals."""
    parameters = family.parameters
    seconds = pooled_seconds(world.throughput, world.second_variance, parameters.timelines_s[0])
    runs = max(2, len(world.base) // BOOTSTRAPPED)
    logs = np.log(world.again[:runs] / world.base[:runs])
    bca, percentile = bootstraps(logs, parameters.resamples, family.generator)
    unequal = np.zeros(parameters.settings - 1)
    unequal[-1] = (worlds.UNEQUAL - 1) * true.throughput_log_mean
    return {
        **_pooled_requests(family, world, true),
        **counted("pooled_seconds", seconds, true.second_mean, logs=False),
        **counted("bca", bca, 0.0, logs=False),
        **counted("percentile", percentile, 0.0, logs=False),
        **counted("dunnett", dunnett(np.log(world.sweep)), unequal, logs=False),
        **counted("dunnett_centred", dunnett(_without_blocks(np.log(world.sweep))), unequal, logs=False),
    }


def _pooled_requests(family: Family, world: World, true: Truths) -> Metrics:
    """Coverage of the order-statistic interval of all requests' P99; it has no width here, as no request is drawn.

    Between the ranks l and u it covers exactly when at least l and fewer than u requests lie below the truth, and of
    each trial's requests that is a binomial number.
    """
    count = family.parameters.operations
    below = family.generator.binomial(count, family.requests.cdf(true.pooled_p99 / world.scale)).sum(axis=1)
    low, high = pooled_ranks(world.scale.shape[1] * count, P99)
    covered = (low <= below) & (below < high)
    return {
        "pooled_requests_runs": float(len(covered)),
        "pooled_requests_covered": float(covered.sum()),
        "pooled_requests_width": None,
    }


def pooled_ranks(count: int, p: float, confidence: float = 0.95) -> tuple[int, int]:
    """Ranks, from 1, of the two order statistics that enclose quantile p of so many independent values."""
    tail = (1 - confidence) / 2
    return int(scipy.stats.binom.ppf(tail, count, p)), int(scipy.stats.binom.ppf(1 - tail, count, p)) + 1


def pooled_seconds(mean: Array, variance: Array, length: int, confidence: float = 0.95) -> Bounds:
    """t interval of the mean of all seconds of all trials; mean, variance: per trial, shape (runs, blocks)."""
    count = mean.shape[1] * length
    centre = mean.mean(axis=1)
    squares = (variance + (mean - centre[:, None]) ** 2).sum(axis=1) * length
    half = scipy.special.stdtrit(count - 1, (1 + confidence) / 2) * np.sqrt(squares / (count - 1) / count)
    return Bounds(centre - half, centre + half)


def bootstraps(values: Array, resamples: int, generator: np.random.Generator) -> tuple[Bounds, Bounds]:
    """BCa and percentile bootstrap intervals of the mean of each row, from the same resamples; NaN where none is."""
    step = max(1, _AT_ONCE // (resamples * values.shape[1]))
    found: dict[str, list[Any]] = {"BCa": [], "percentile": []}
    for start in range(0, len(values), step):
        some = (values[start : start + step],)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn: Any = scipy.stats.bootstrap(
                some, _mean, n_resamples=resamples, axis=-1, vectorized=True, method="BCa", rng=generator
            )
        found["BCa"].append(drawn.confidence_interval)
        drawn = scipy.stats.bootstrap(
            some, _mean, n_resamples=0, axis=-1, vectorized=True, method="percentile", bootstrap_result=drawn
        )
        found["percentile"].append(drawn.confidence_interval)
    bca, percentile = (
        Bounds(np.concatenate([part.low for part in parts]), np.concatenate([part.high for part in parts]))
        for parts in found.values()
    )
    return bca, percentile


def _without_blocks(logs: Array) -> Array:
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))


def _mean(values: Array, axis: int = -1) -> Array:
    return np.asarray(values.mean(axis=axis))


def dunnett(logs: Array) -> Bounds:
    """Dunnett's simultaneous intervals of mean logarithms against the first setting's; (runs, settings - 1).

    logs: shape (runs, settings, blocks). As `scipy.stats.dunnett(...).confidence_interval()`.
    """
    n = logs.shape[2]
    pooled = np.sqrt(logs.var(axis=2, ddof=1).mean(axis=1))
    half = (dunnett_critical(logs.shape[1] - 1, n) * pooled * math.sqrt(2 / n))[:, None]
    means = logs.mean(axis=2)
    centre = means[:, 1:] - means[:, :1]
    return Bounds(centre - half, centre + half)


@lru_cache(maxsize=256)
def dunnett_critical(comparisons: int, n: int, confidence: float = 0.95) -> float:
    """By how many standard errors Dunnett's intervals reach out, for equal numbers of trials.

    The largest of the studentised differences to one shared mean, by quadrature over that mean and over the pooled
    spread; `scipy.stats.dunnett` finds the same number by simulation. Source: Dunnett 1955.
    """
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    shares, weights = (nodes + 1) / 2, weights / 2
    freedom = (comparisons + 1) * (n - 1)
    shared = scipy.special.ndtri(shares)
    spread = np.sqrt(scipy.stats.chi2.ppf(shares, freedom) / freedom)

    def missing(reach: float) -> float:
        far = math.sqrt(2) * reach * spread[:, None]
        inside = (scipy.special.ndtr(shared + far) - scipy.special.ndtr(shared - far)) ** comparisons
        return float(weights @ inside @ weights) - confidence

    return float(scipy.optimize.brentq(missing, 0.5, 50.0))
