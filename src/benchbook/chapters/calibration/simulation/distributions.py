"""The distributions that are drawn from: levels of trials, requests within a trial, seconds of a trial.

A trial's level is 1 on average and multiplies everything in it. All draws come from the generator that is given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from benchbook.chapters.calibration.arms import Parameters

Array = NDArray[np.float64]
Shape = tuple[int, ...]

P99 = 0.99
STALLED = 0.1
"""Share of the trials that a stall disturbs in the family of that name."""
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
        """Mean throughput of trials in blocks of effect 1: what the level allows, averaged over correlated seconds.

        The level lengthens what is done, so the throughput falls with it. The seconds themselves are not drawn: their
        mean is normal with a known variance.
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
    rho = parameters.autocorrelation
    lags = np.arange(1, length)
    factor = 1 + 2 * float(((1 - lags / length) * rho**lags).sum())
    return parameters.second_sd * math.sqrt(factor / length)
