"""A family, a number of blocks and a generator go in; the per-trial values of many simulated runs come out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from benchbook.experiments.calibration import families
from benchbook.experiments.calibration.families import Array
from benchbook.experiments.calibration.parameters import Parameters

P99 = 0.99
LESS_HIT = 0.9
"""The second configuration hits so often, as a share of the first one's hit ratio."""
UNEQUAL = 3.0
"""The logarithms of a sweep's last setting spread so many times as much within blocks as those of the others."""
FEW_MISSES = 3
"""Misses that a trial of the configuration with hardly any has on average."""
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
    blocks = families.block_effects(parameters, shape, generator)
    scale = blocks * families.levels(parameters, family, shape, generator)
    mean, variance = _seconds(parameters, shape, generator)
    flat = mean_throughput(parameters, family, (runs, parameters.settings, size), generator)
    sweep = np.concatenate([flat[:, :-1], flat[:, -1:] ** UNEQUAL], axis=1)
    return World(
        base=blocks * p99(parameters, family, shape, generator),
        again=blocks * p99(parameters, family, shape, generator),
        elsewhere=families.block_effects(parameters, shape, generator) * p99(parameters, family, shape, generator),
        hits=page_hits(parameters, family, parameters.hit_ratio, blocks, generator),
        fewer_hits=page_hits(parameters, family, LESS_HIT * parameters.hit_ratio, blocks, generator),
        most_hits=page_hits(parameters, family, nearly_one(parameters), blocks, generator),
        throughput=mean / scale,
        second_variance=variance / scale**2,
        scale=scale,
        flat=blocks[:, None, :] * flat,
        sweep=blocks[:, None, :] * sweep,
    )


def p99(parameters: Parameters, family: str, shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    """P99 of trials in blocks of effect 1: the trial's level times the P99 of its requests."""
    law = families.requests(parameters, family)
    level = families.levels(parameters, family, shape, generator)
    return level * families.trial_quantiles(law, parameters.operations, P99, shape, generator)


def mean_throughput(
    parameters: Parameters, family: str, shape: tuple[int, ...], generator: np.random.Generator
) -> Array:
    """Mean throughput of trials in blocks of effect 1: what the level allows, averaged over correlated seconds.

    The level lengthens what is done, so the throughput falls with it. The seconds themselves are not drawn: their
    mean is normal with a known variance.
    """
    sd = families.mean_of_seconds_sd(parameters, parameters.timelines_s[0])
    level = families.levels(parameters, family, shape, generator)
    return (1 + sd * generator.standard_normal(shape)) / level


def page_hits(
    parameters: Parameters, family: str, share: float, blocks: Array, generator: np.random.Generator
) -> Array:
    """Page requests that hit, per trial: binomial, with odds that blocks and trials multiply."""
    odds = scipy.special.logit(share) + np.log(blocks * families.levels(parameters, family, blocks.shape, generator))
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
        drawn = families.seconds(parameters, (part.stop - part.start, size, length), generator)
        mean[part], variance[part] = drawn.mean(axis=-1), drawn.var(axis=-1)
    return mean, variance
