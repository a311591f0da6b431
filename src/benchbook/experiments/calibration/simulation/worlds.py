"""A family in; the per-trial values of many simulated runs out, and what their intervals ought to hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

import numpy as np
import scipy

from benchbook.experiments.calibration.arms import FamilyName, Parameters
from benchbook.experiments.calibration.simulation import distributions
from benchbook.experiments.calibration.simulation.distributions import Array, Shape

P99 = 0.99
LESS_HIT = 0.9
"""The second configuration hits so often, as a share of the first one's hit ratio."""
UNEQUAL = 3.0
"""The logarithms of a sweep's last setting spread so many times as much within blocks as those of the others."""
FEW_MISSES = 3
"""Misses that a trial of the configuration with hardly any has on average."""
DRAWS = 200_000
"""Trials behind each truth. Its standard error is sqrt(n / DRAWS) of that of an estimate from n blocks: 1.4 % at 40."""
_SCALES = 20_000
"""Trials over which the distribution of all requests pooled is mixed."""
_AT_ONCE = 2_000_000
"""Seconds that are held in memory at a time."""


@dataclass(frozen=True)
class World:
    """So many runs of one cell, in arrays of the shape (runs, blocks) or, for the sweeps, (runs, settings, blocks).

    base, again: P99 of the baseline and of its A/A arm in the same blocks. elsewhere: P99 of the same configuration
    in blocks of its own. hits, fewer_hits, most_hits: page requests found in cache, in three configurations of the
    same blocks, the last with hardly any misses.
    throughput, second_variance: mean and variance (n in the denominator) of a trial's seconds. scale: by what all
    requests of a trial are multiplied. flat: throughput per setting, all alike. sweep: the last one noisier.
    """

    base: Array
    again: Array
    elsewhere: Array
    hits: Array
    fewer_hits: Array
    most_hits: Array
    throughput: Array
    second_variance: Array
    scale: Array
    flat: Array
    sweep: Array


def draw(parameters: Parameters, family: str, size: int, runs: int, generator: np.random.Generator) -> World:
    """Simulate ``runs`` runs of ``size`` blocks each."""
    shape = (runs, size)
    blocks = distributions.block_effects(parameters, shape, generator)
    scale = blocks * distributions.levels(parameters, family, shape, generator)
    mean, variance = _seconds(parameters, shape, generator)
    flat = mean_throughput(parameters, family, (runs, parameters.settings, size), generator)
    sweep = np.concatenate([flat[:, :-1], flat[:, -1:] ** UNEQUAL], axis=1)
    return World(
        base=blocks * p99(parameters, family, shape, generator),
        again=blocks * p99(parameters, family, shape, generator),
        elsewhere=distributions.block_effects(parameters, shape, generator) * p99(parameters, family, shape, generator),
        hits=page_hits(parameters, family, parameters.hit_ratio, blocks, generator),
        fewer_hits=page_hits(parameters, family, LESS_HIT * parameters.hit_ratio, blocks, generator),
        most_hits=page_hits(parameters, family, nearly_one(parameters), blocks, generator),
        throughput=mean / scale,
        second_variance=variance / scale**2,
        scale=scale,
        flat=blocks[:, None, :] * flat,
        sweep=blocks[:, None, :] * sweep,
    )


def p99(parameters: Parameters, family: str, shape: Shape, generator: np.random.Generator) -> Array:
    """P99 of trials in blocks of effect 1: the trial's level times the P99 of its requests."""
    latency = distributions.requests(parameters, family)
    level = distributions.levels(parameters, family, shape, generator)
    return level * distributions.trial_quantiles(latency, parameters.operations, P99, shape, generator)


def mean_throughput(parameters: Parameters, family: str, shape: Shape, generator: np.random.Generator) -> Array:
    """Mean throughput of trials in blocks of effect 1: what the level allows, averaged over correlated seconds.

    The level lengthens what is done, so the throughput falls with it. The seconds themselves are not drawn: their
    mean is normal with a known variance.
    """
    sd = distributions.mean_of_seconds_sd(parameters, parameters.timelines_s[0])
    level = distributions.levels(parameters, family, shape, generator)
    return (1 + sd * generator.standard_normal(shape)) / level


def page_hits(
    parameters: Parameters, family: str, share: float, blocks: Array, generator: np.random.Generator
) -> Array:
    """Page requests that hit, per trial: binomial, with odds that blocks and trials multiply."""
    level = distributions.levels(parameters, family, blocks.shape, generator)
    odds = scipy.special.logit(share) + np.log(blocks * level)
    return generator.binomial(parameters.page_requests, scipy.special.expit(odds)).astype(np.float64)


def nearly_one(parameters: Parameters) -> float:
    """Hit ratio of a configuration with hardly any misses."""
    return 1 - FEW_MISSES / parameters.page_requests


def _seconds(parameters: Parameters, shape: tuple[int, int], generator: np.random.Generator) -> tuple[Array, Array]:
    """Mean and variance of the seconds of each trial, at level 1."""
    runs, size = shape
    length = parameters.timelines_s[0]
    mean, variance = np.empty(shape), np.empty(shape)
    step = max(1, _AT_ONCE // (size * length))
    for start in range(0, runs, step):
        part = slice(start, min(start + step, runs))
        drawn = distributions.seconds(parameters, (part.stop - part.start, size, length), generator)
        mean[part], variance[part] = drawn.mean(axis=-1), drawn.var(axis=-1)
    return mean, variance


@dataclass(frozen=True)
class Truths:
    """True values of a family, blocks included, from one very large simulation of single trials.

    Ratios within blocks need none: their truth is the planted one, because both sides have the same distribution.

    log_mean, log_sd, mean, median: of a trial's P99, the first two on logs. throughput_log_mean: of a trial's mean
    throughput, on logs. second_mean: of the throughput of any second. share: of page requests, back from the mean
    logit. shares_difference: mean difference of the two hit ratios. mean_share_few_misses: mean hit ratio where there
    are hardly any misses. pooled_p99: P99 of all requests of all trials.
    """

    log_mean: float
    log_sd: float
    mean: float
    median: float
    throughput_log_mean: float
    second_mean: float
    share: float
    shares_difference: float
    mean_share_few_misses: float
    pooled_p99: float


@lru_cache(maxsize=16)
def truths(parameters: Parameters, family: str) -> Truths:
    """The truths of one family; the same for the same parameters, whatever else was drawn before."""
    place = get_args(FamilyName).index(family)
    generator = np.random.default_rng(np.random.SeedSequence(parameters.seed, spawn_key=(2, place)))
    shape = (DRAWS,)
    blocks = distributions.block_effects(parameters, shape, generator)
    block_mean = math.exp(parameters.between_block_sd**2 / 2)
    tail = p99(parameters, family, shape, generator)
    throughput = mean_throughput(parameters, family, shape, generator)
    counts, hit_ratio = parameters.page_requests, parameters.hit_ratio
    hits = page_hits(parameters, family, hit_ratio, blocks, generator)
    fewer = page_hits(parameters, family, LESS_HIT * hit_ratio, blocks, generator)
    most = page_hits(parameters, family, nearly_one(parameters), blocks, generator)
    between = (hits + 0.5) / (counts + 1)
    logs = np.log(tail)
    return Truths(
        log_mean=float(logs.mean()),
        log_sd=math.hypot(parameters.between_block_sd, float(logs.std())),
        mean=block_mean * float(tail.mean()),
        median=float(np.median(blocks * tail)),
        throughput_log_mean=float(np.log(throughput).mean()),
        second_mean=block_mean * float(throughput.mean()),
        share=float(scipy.special.expit(scipy.special.logit(between).mean())),
        shares_difference=float((hits - fewer).mean()) / counts,
        mean_share_few_misses=float(most.mean()) / counts,
        pooled_p99=_pooled_p99(parameters, family, generator),
    )


def _pooled_p99(parameters: Parameters, family: str, generator: np.random.Generator) -> float:
    latency = distributions.requests(parameters, family)
    shape = (_SCALES,)
    blocks = distributions.block_effects(parameters, shape, generator)
    scales = blocks * distributions.levels(parameters, family, shape, generator)

    def beyond(value: float) -> float:
        return float(latency.cdf(value / scales).mean()) - P99

    single = float(latency.ppf(P99))
    return float(scipy.optimize.brentq(beyond, single * float(scales.min()), single * float(scales.max()), xtol=1e-9))
