"""A family in; the per-trial values of many simulated runs out, and what their intervals ought to hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

import numpy as np
import scipy

from benchbook.chapters.calibration.arms import FamilyName, Parameters
from benchbook.chapters.calibration.simulation.distributions import P99, Array, Family, seconds

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


def draw(family: Family, size: int, runs: int) -> World:
    """Simulate ``runs`` runs of ``size`` blocks each."""
    parameters, shape = family.parameters, (runs, size)
    blocks = family.blocks(shape)
    scale = blocks * family.levels(shape)
    mean, variance = _seconds(family, shape)
    flat = family.throughput((runs, parameters.settings, size))
    sweep = np.concatenate([flat[:, :-1], flat[:, -1:] ** UNEQUAL], axis=1)
    return World(
        base=blocks * family.p99(shape),
        again=blocks * family.p99(shape),
        elsewhere=family.blocks(shape) * family.p99(shape),
        hits=family.hits(parameters.hit_ratio, blocks),
        fewer_hits=family.hits(LESS_HIT * parameters.hit_ratio, blocks),
        most_hits=family.hits(nearly_one(parameters), blocks),
        throughput=mean / scale,
        second_variance=variance / scale**2,
        scale=scale,
        flat=blocks[:, None, :] * flat,
        sweep=blocks[:, None, :] * sweep,
    )


def nearly_one(parameters: Parameters) -> float:
    """Hit ratio of a configuration with hardly any misses."""
    return 1 - FEW_MISSES / parameters.page_requests


def _seconds(family: Family, shape: tuple[int, int]) -> tuple[Array, Array]:
    """Mean and variance of the seconds of each trial, at level 1."""
    runs, size = shape
    length = family.parameters.timelines_s[0]
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
def truths(parameters: Parameters, name: str) -> Truths:
    """The truths of one family; the same for the same parameters, whatever else was drawn before."""
    place = get_args(FamilyName).index(name)
    generator = np.random.default_rng(np.random.SeedSequence(parameters.seed, spawn_key=(2, place)))
    family, shape = Family(parameters, name, generator), (DRAWS,)
    blocks = family.blocks(shape)
    block_mean = math.exp(parameters.between_block_sd**2 / 2)
    tail, throughput = family.p99(shape), family.throughput(shape)
    counts, hit_ratio = parameters.page_requests, parameters.hit_ratio
    hits, fewer, most = (
        family.hits(each, blocks) for each in (hit_ratio, LESS_HIT * hit_ratio, nearly_one(parameters))
    )
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
        pooled_p99=_pooled_p99(family),
    )


def _pooled_p99(family: Family) -> float:
    scales, latency = family.blocks((_SCALES,)) * family.levels((_SCALES,)), family.requests

    def beyond(value: float) -> float:
        return float(latency.cdf(value / scales).mean()) - P99

    single = float(latency.ppf(P99))
    return float(scipy.optimize.brentq(beyond, single * float(scales.min()), single * float(scales.max()), xtol=1e-9))
