"""A family goes in; what its intervals ought to cover comes out, from one very large simulation of single trials.

Ratios within blocks need none of this: their truth is the planted one, exactly, because both sides have the same law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

import numpy as np
import scipy

from benchbook.experiments.calibration import families, worlds
from benchbook.experiments.calibration.parameters import FamilyName, Parameters

DRAWS = 200_000
"""Trials behind each truth. Its standard error is sqrt(n / DRAWS) of that of an estimate from n blocks: 1.4 % at 40."""
_SCALES = 20_000
"""Trials over which the law of all requests pooled is mixed."""


@dataclass(frozen=True)
class Truths:
    """True values of a family, blocks included.

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
    blocks = families.block_effects(parameters, shape, generator)
    block_mean = math.exp(parameters.between_block_sd**2 / 2)
    p99 = worlds.p99(parameters, family, shape, generator)
    throughput = worlds.mean_throughput(parameters, family, shape, generator)
    counts, hit_ratio = parameters.page_requests, parameters.hit_ratio
    hits = worlds.page_hits(parameters, family, hit_ratio, blocks, generator)
    fewer = worlds.page_hits(parameters, family, worlds.LESS_HIT * hit_ratio, blocks, generator)
    most = worlds.page_hits(parameters, family, worlds.nearly_one(parameters), blocks, generator)
    between = (hits + 0.5) / (counts + 1)
    logs = np.log(p99)
    return Truths(
        log_mean=float(logs.mean()),
        log_sd=math.hypot(parameters.between_block_sd, float(logs.std())),
        mean=block_mean * float(p99.mean()),
        median=float(np.median(blocks * p99)),
        throughput_log_mean=float(np.log(throughput).mean()),
        second_mean=block_mean * float(throughput.mean()),
        share=float(scipy.special.expit(scipy.special.logit(between).mean())),
        shares_difference=float((hits - fewer).mean()) / counts,
        mean_share_few_misses=float(most.mean()) / counts,
        pooled_p99=_pooled_p99(parameters, family, generator),
    )


def _pooled_p99(parameters: Parameters, family: str, generator: np.random.Generator) -> float:
    law = families.requests(parameters, family)
    shape = (_SCALES,)
    scales = families.block_effects(parameters, shape, generator) * families.levels(
        parameters, family, shape, generator
    )

    def beyond(latency: float) -> float:
        return float(law.cdf(latency / scales).mean()) - worlds.P99

    single = float(law.ppf(worlds.P99))
    return float(scipy.optimize.brentq(beyond, single * float(scales.min()), single * float(scales.max()), xtol=1e-9))
