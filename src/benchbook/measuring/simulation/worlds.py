"""What the simulation draws: trials, their requests and seconds, whole runs of them, and their true values.

A trial's level is 1 on average and multiplies everything in it. All draws come from the generator that is given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args

import numpy as np
import scipy
from numpy.typing import NDArray

from benchbook.measuring.simulation.parameters import FamilyName, Parameters
from benchbook.statistics.inputs import Rows

Array = NDArray[np.float64]
Shape = tuple[int, ...]
Metrics = dict[str, float | None]
P99 = 0.99
STALLED = 0.1
"""Share of the trials that a stall disturbs in the family of that name."""
UNEQUAL = 3.0
"""The logarithms of a sweep's last setting spread so many times as much within blocks as those of the others."""
DRAWS = 200_000
"""Trials behind each truth. Its standard error is sqrt(n / DRAWS) of that of an estimate from n blocks: 1.4 % at 40."""
_SCALES, _AT_ONCE = 20_000, 2_000_000
"""Trials over which the distribution of all requests pooled is mixed; seconds held in memory at a time."""
_CUT = 4.0
"""The normal family ends at so many standard deviations, so that no level is negative."""


@dataclass(frozen=True)
class Family:
    """A family's distributions with their parameters, and the generator that draws from them."""

    parameters: Parameters
    name: str
    generator: np.random.Generator

    def levels(self, shape: Shape) -> Array:
        """Levels of trials, without what their block adds: > 0, mean near 1, spread between_trial_sd.

        normal: cut at 4 standard deviations. gamma: mean 1. lognormal and pareto: lognormal with median 1. stalls:
        lognormal, and one trial in ten is longer by a Pareto factor from 1 up, as a stall of the machine makes it.
        """
        sd, generator = self.parameters.between_trial_sd, self.generator
        match self.name:
            case "normal":
                low, high = float(scipy.special.ndtr(-_CUT)), float(scipy.special.ndtr(_CUT))
                return 1 + sd * np.asarray(scipy.special.ndtri(generator.uniform(low, high, size=shape)))
            case "gamma":
                return generator.gamma(1 / sd**2, sd**2, size=shape)
            case "stalls":
                stall = 1 + generator.pareto(self.parameters.tail_index, size=shape)
                disturbed = generator.random(size=shape) < STALLED
                return np.exp(sd * generator.standard_normal(shape)) * np.where(disturbed, stall, 1.0)
        return np.exp(sd * generator.standard_normal(shape))

    def blocks(self, shape: Shape) -> Array:
        """Factors that all trials of a block share: lognormal with median 1."""
        return np.exp(self.parameters.between_block_sd * self.generator.standard_normal(shape))

    @property
    def requests(self) -> Any:
        """The distribution of a request's latency in a trial of level 1; one of scipy's, frozen."""
        match self.name:
            case "normal":
                return scipy.stats.norm(1.0, 0.15)
            case "gamma":
                return scipy.stats.gamma(4.0, scale=0.25)
            case "pareto":
                return scipy.stats.pareto(self.parameters.tail_index)
        return scipy.stats.lognorm(0.5)

    def p99(self, shape: Shape) -> Array:
        """P99 of trials in blocks of effect 1: the trial's level times the P99 of its requests."""
        level = self.levels(shape)
        return level * trial_quantiles(self.requests, self.parameters.operations, P99, shape, self.generator)

    def throughput(self, shape: Shape) -> Array:
        """Mean throughput of trials in blocks of effect 1: the mean of correlated seconds, divided by the level.

        The seconds themselves are not drawn: their mean is normal with a known variance.
        """
        sd = mean_of_seconds_sd(self.parameters, self.parameters.timelines_s[0])
        level = self.levels(shape)
        return (1 + sd * self.generator.standard_normal(shape)) / level

    def hits(self, share: float, blocks: Array) -> Array:
        """Page requests that hit, per trial: binomial, with odds that blocks and trials multiply."""
        odds = scipy.special.logit(share) + np.log(blocks * self.levels(blocks.shape))
        return self.generator.binomial(self.parameters.page_requests, scipy.special.expit(odds)).astype(np.float64)


def trial_quantiles(drawn_from: Any, operations: int, p: float, shape: Shape, generator: np.random.Generator) -> Array:
    """Quantile p of so many independent requests, per trial, as ``statistics.quantile`` would compute it.

    No request is drawn: the order statistics of uniform numbers have beta distributions, and the quantile is
    interpolated between two neighbours of them. Exact in distribution. Source: David & Nagaraja 2003, sec. 2.
    """
    position = (operations - 1) * p
    rank = math.floor(position)
    lower = generator.beta(rank + 1, operations - rank, size=shape)
    upper = lower + (1 - lower) * generator.beta(1, operations - rank - 1, size=shape)
    weight = position - rank
    return np.asarray((1 - weight) * drawn_from.ppf(lower) + weight * drawn_from.ppf(upper))


def seconds(parameters: Parameters, shape: Shape, generator: np.random.Generator) -> Array:
    """Throughput of each second of a trial of level 1, last axis in time: 1 + a stationary AR(1) process."""
    rho = parameters.autocorrelation
    noise = generator.standard_normal(shape)
    noise[..., 1:] *= math.sqrt(1 - rho**2)
    return 1 + parameters.second_sd * np.asarray(scipy.signal.lfilter([1.0], [1.0, -rho], noise, axis=-1))


def mean_of_seconds_sd(parameters: Parameters, length: int) -> float:
    """Standard deviation of the mean of so many seconds of a trial of level 1, in closed form."""
    rho, lags = parameters.autocorrelation, np.arange(1, length)
    factor = 1 + 2 * float(((1 - lags / length) * rho**lags).sum())
    return parameters.second_sd * math.sqrt(factor / length)


@dataclass(frozen=True)
class World:
    """So many runs of one cell: shape (runs, blocks) or, for the sweeps, (runs, settings, blocks).

    base, again: P99 of the baseline and of its A/A arm in the same blocks. elsewhere: of the same configuration in
    blocks of its own. hits: shares of page requests found in cache, of three configurations. throughput, variance: of a
    trial's seconds, n in the denominator. scale: by what all requests of a trial are multiplied. flat: throughput per
    setting, all alike. sweep: the last one noisier.
    """

    base: Rows
    again: Rows
    elsewhere: Rows
    hits: tuple[Rows, ...]
    throughput: Rows
    variance: Rows
    scale: Rows
    flat: Rows
    sweep: Rows


def draw(family: Family, size: int, runs: int) -> World:
    """Simulate ``runs`` runs of ``size`` blocks each."""
    p, shape = family.parameters, (runs, size)
    blocks = family.blocks(shape)
    scale = blocks * family.levels(shape)
    mean, variance = _seconds(family, shape)
    flat = family.throughput((runs, p.settings, size))
    sweep = np.concatenate([flat[:, :-1], flat[:, -1:] ** UNEQUAL], axis=1)
    p99s = [blocks * family.p99(shape), blocks * family.p99(shape), family.blocks(shape) * family.p99(shape)]
    hits = [family.hits(share, blocks) / p.page_requests for share in p.hit_ratios]
    rest = mean / scale, variance / scale**2, scale, blocks[:, None, :] * flat, blocks[:, None, :] * sweep
    base, again, elsewhere, *others = (each.view(Rows) for each in (*p99s, *rest))
    return World(base, again, elsewhere, tuple(each.view(Rows) for each in hits), *others)


def _seconds(family: Family, shape: tuple[int, int]) -> tuple[Array, Array]:
    """Mean and variance of the seconds of each trial, at level 1."""
    (runs, size), length = shape, family.parameters.timelines_s[0]
    mean, variance = np.empty(shape), np.empty(shape)
    step = max(1, _AT_ONCE // (size * length))
    for start in range(0, runs, step):
        part = slice(start, min(start + step, runs))
        drawn = seconds(family.parameters, (part.stop - part.start, size, length), family.generator)
        mean[part], variance[part] = drawn.mean(axis=-1), drawn.var(axis=-1)
    return mean, variance


@dataclass(frozen=True)
class Truths:
    """True values of a family, blocks included, from one very large simulation of single trials.

    Ratios within blocks need none: their truth is the planted one, because both sides have the same distribution.
    log_mean, log_sd, mean, median: of a trial's P99, the first two on logs. throughput_log_mean: of a trial's mean
    throughput, on logs. second_mean: of the throughput of any second. share: of page requests, back from the mean
    logit. shares_difference: of the two hit ratios. share_few_misses: mean hit ratio where there are hardly any.
    pooled_p99: P99 of all requests of all trials.
    """

    log_mean: float
    log_sd: float
    mean: float
    median: float
    throughput_log_mean: float
    second_mean: float
    share: float
    shares_difference: float
    share_few_misses: float
    pooled_p99: float


@lru_cache(maxsize=16)
def truths(parameters: Parameters, name: str) -> Truths:
    """The truths of one family; the same for the same parameters, whatever else was drawn before."""
    place = get_args(FamilyName).index(name)
    generator = np.random.default_rng(np.random.SeedSequence(parameters.seed, spawn_key=(2, place)))
    family, shape = Family(parameters, name, generator), (DRAWS,)
    blocks = family.blocks(shape)
    block_mean = math.exp(parameters.between_block_sd**2 / 2)
    tail, throughput, counts = family.p99(shape), family.throughput(shape), parameters.page_requests
    hits, fewer, most = (family.hits(each, blocks) for each in parameters.hit_ratios)
    logs = np.log(tail)
    return Truths(
        log_mean=float(logs.mean()),
        log_sd=math.hypot(parameters.between_block_sd, float(logs.std())),
        mean=block_mean * float(tail.mean()),
        median=float(np.median(blocks * tail)),
        throughput_log_mean=float(np.log(throughput).mean()),
        second_mean=block_mean * float(throughput.mean()),
        share=float(scipy.special.expit(scipy.special.logit((hits + 0.5) / (counts + 1)).mean())),
        shares_difference=float((hits - fewer).mean()) / counts,
        share_few_misses=float(most.mean()) / counts,
        pooled_p99=_pooled_p99(family),
    )


def _pooled_p99(family: Family) -> float:
    scales, latency = family.blocks((_SCALES,)) * family.levels((_SCALES,)), family.requests
    single = float(latency.ppf(P99))
    ends = single * float(scales.min()), single * float(scales.max())
    return float(scipy.optimize.brentq(lambda x: float(latency.cdf(x / scales).mean()) - P99, *ends, xtol=1e-9))
