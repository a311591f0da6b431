"""How often tempting wrong intervals cover in the same simulated runs, and right ones where one arm alone stalls.

Within blocks, a ratio is safe as long as both arms have one distribution, for then its logarithm is spread evenly to
both sides. It is not where one trial in ten of the first arm is longer by a Pareto factor, as in the family of stalls.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import scipy

from benchbook import statistics
from benchbook.measuring.simulation.coverage import Ends, counted
from benchbook.measuring.simulation.parameters import Parameters
from benchbook.measuring.simulation.worlds import P99, STALLED, UNEQUAL, Array, Family, Metrics, Truths, World
from benchbook.statistics.effects import stalled
from benchbook.statistics.estimates import MEDIAN_TRIALS
from benchbook.statistics.inputs import Rows

BOOTSTRAPPED = 5
"""One run in so many goes through the bootstraps, which take a thousand times as long as the others."""
_AT_ONCE, _NODES = 1_000_000, 120
"""Resampled values that are held in memory at a time; of each quadrature."""
_EXACT = 10
"""Up to so many blocks all subsets are taken, 1,023 of them; beyond, as many drawn ones as resamples are asked for."""


def measured(family: Family, world: World, true: Truths) -> Metrics:
    """Metrics of one batch of a cell, as ``coverage.tried`` gives them for the book's intervals."""
    parameters, runs = family.parameters, max(2, len(world.base) // BOOTSTRAPPED)
    seconds = pooled_seconds(world.throughput, world.variance, parameters.timelines_s[0])
    logs, sweep = np.log(np.asarray(world.again[:runs] / world.base[:runs])), np.log(np.asarray(world.sweep))
    bca, percentile = bootstraps(logs, parameters.resamples, family.generator)
    unequal = np.zeros(parameters.settings - 1)
    unequal[-1] = (UNEQUAL - 1) * true.throughput_log_mean
    return {
        **_pooled_requests(family, world, true),
        **counted("pooled_seconds", seconds, true.second_mean, logs=False),
        **counted("bca", bca, 0.0, logs=False),
        **counted("percentile", percentile, 0.0, logs=False),
        **counted("dunnett", dunnett(sweep), unequal, logs=False),
        **counted("dunnett_centred", dunnett(sweep - sweep.mean(axis=1, keepdims=True)), unequal, logs=False),
    }


def _pooled_requests(family: Family, world: World, true: Truths) -> Metrics:
    """Coverage of the order-statistic interval of all requests' P99; it has no width here, as no request is drawn.

    Between the ranks l and u it covers exactly when at least l and fewer than u requests lie below the truth, and of
    each trial's requests that is a binomial number.
    """
    count, scale = family.parameters.operations, np.asarray(world.scale)
    below = family.generator.binomial(count, family.requests.cdf(true.pooled_p99 / scale)).sum(axis=1)
    low, high = pooled_ranks(scale.shape[1] * count, P99)
    covered = float(((low <= below) & (below < high)).sum())
    found: Metrics = {"pooled_requests_runs": float(len(below)), "pooled_requests_covered": covered}
    return found | {"pooled_requests_width": None}


def pooled_ranks(count: int, p: float, confidence: float = 0.95) -> tuple[int, int]:
    """Ranks, from 1, of the two order statistics that enclose quantile p of so many independent values."""
    tail = (1 - confidence) / 2
    return int(scipy.stats.binom.ppf(tail, count, p)), int(scipy.stats.binom.ppf(1 - tail, count, p)) + 1


def pooled_seconds(mean: Array, variance: Array, length: int, confidence: float = 0.95) -> Ends:
    """t interval of the mean of all seconds of all trials; mean, variance: per trial, shape (runs, blocks)."""
    count, centre = mean.shape[1] * length, mean.mean(axis=1)
    squares = (variance + (mean - centre[:, None]) ** 2).sum(axis=1) * length
    half = scipy.special.stdtrit(count - 1, (1 + confidence) / 2) * np.sqrt(squares / (count - 1) / count)
    return Ends(centre - half, centre + half)


def bootstraps(values: Array, resamples: int, generator: np.random.Generator) -> tuple[Ends, Ends]:
    """BCa and percentile bootstrap intervals of the mean of each row, from the same resamples; NaN where none is."""
    step = max(1, _AT_ONCE // (resamples * values.shape[1]))
    given: dict[str, Any] = {"axis": -1, "vectorized": True}
    found: list[tuple[Any, Any]] = []
    for start in range(0, len(values), step):
        some = (values[start : start + step],)
        with np.errstate(divide="ignore", invalid="ignore"):
            bca: Any = scipy.stats.bootstrap(some, np.mean, n_resamples=resamples, method="BCa", rng=generator, **given)
        again: Any = scipy.stats.bootstrap(
            some, np.mean, n_resamples=0, method="percentile", bootstrap_result=bca, **given
        )
        found.append((bca.confidence_interval, again.confidence_interval))
    first, second = (
        Ends(np.concatenate([part.low for part in parts]), np.concatenate([part.high for part in parts]))
        for parts in zip(*found, strict=True)
    )
    return first, second


def dunnett(logs: Array) -> Ends:
    """Dunnett's simultaneous intervals of mean logarithms against the first setting's; (runs, settings - 1).

    logs: shape (runs, settings, blocks). As `scipy.stats.dunnett(...).confidence_interval()`.
    """
    n = logs.shape[2]
    pooled = np.sqrt(logs.var(axis=2, ddof=1).mean(axis=1))
    half = (dunnett_critical(logs.shape[1] - 1, n) * pooled * math.sqrt(2 / n))[:, None]
    means = logs.mean(axis=2)
    centre = means[:, 1:] - means[:, :1]
    return Ends(centre - half, centre + half)


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


def alone(parameters: Parameters, sd: float, size: int, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch of runs of so many blocks, trials spread by sd, in which one arm alone stalls."""
    given = parameters.model_copy(update={"between_trial_sd": sd})
    shape = (parameters.repetitions, size)
    stalling, steady = (Family(given, name, generator).levels(shape).view(Rows) for name in ("stalls", "lognormal"))
    mean = math.exp(STALLED / parameters.tail_index)
    ratio = Ends.of(statistics.ratio(stalling, steady))
    found = counted("alone_ratio", ratio, mean)
    if size < MEDIAN_TRIALS:
        return found
    logs = np.log(np.asarray(stalling / steady))
    flips = sign_flips(logs, parameters.resamples, generator)
    missed, seen = ~ratio.cover(mean), np.asarray(stalled(logs))
    median = Ends.of(statistics.median_ratio(stalling, steady))
    return {
        **found,
        **counted("alone_median", median, typical_ratio(sd, parameters.tail_index)),
        "alone_found": float(seen.sum()),
        "alone_missed_unseen": float((missed & ~seen).sum()),
        **counted("alone_flips", flips, STALLED / parameters.tail_index, logs=False),
    }


@lru_cache(maxsize=64)
def typical_ratio(sd: float, tail_index: float) -> float:
    """Median of the ratio of two trials, in closed form but for its root: noise alone, or noise plus a stall's log.

    The logarithm of a Pareto factor from 1 up is exponential.
    """
    noise = sd * math.sqrt(2)
    calm, slow = scipy.stats.norm(scale=noise), scipy.stats.exponnorm(1 / (tail_index * noise), scale=noise)
    root = scipy.optimize.brentq(
        lambda x: (1 - STALLED) * float(calm.cdf(x)) + STALLED * float(slow.cdf(x)) - 0.5, -1.0, 1.0, xtol=1e-12
    )
    return math.exp(root)


def sign_flips(values: Array, resamples: int, generator: np.random.Generator, confidence: float = 0.95) -> Ends:
    """The interval of all centres that a sign-flip (permutation) test of the mean does not reject, per row.

    Its ends are order statistics of the means of subsets of the values: all subsets, or drawn ones. It is exact for
    values that are spread evenly around their centre. Source: Hartigan 1969.
    """
    size = values.shape[1]
    if size <= _EXACT:
        chosen = (np.arange(1, 2**size)[:, None] >> np.arange(size)) & 1
    else:
        chosen = generator.integers(0, 2, size=(resamples, size))
        chosen = chosen[chosen.any(axis=1)]
    means = np.sort(values @ (chosen / chosen.sum(axis=1, keepdims=True)).T, axis=1)
    rank = max(1, math.floor((1 - confidence) / 2 * (len(chosen) + 1)))
    return Ends(means[:, rank - 1], means[:, -rank])
