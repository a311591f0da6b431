"""How often intervals of a ratio cover if one arm stalls and the other does not.

Within blocks, a ratio is safe as long as both arms have one distribution, for then its logarithm is spread evenly to
both sides. Here it is not: one trial in ten of the first arm is longer by a Pareto factor, as in the family of stalls.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import scipy

from benchbook.chapters.calibration.arms import Parameters
from benchbook.chapters.calibration.simulation import rows
from benchbook.chapters.calibration.simulation.coverage import Metrics, counted, tried, twin
from benchbook.chapters.calibration.simulation.distributions import STALLED, Array, Family
from benchbook.chapters.calibration.simulation.rows import Bounds
from benchbook.statistics.estimates import MEDIAN_TRIALS

_EXACT = 10
"""Up to so many blocks all subsets are taken, 1,023 of them; beyond, as many drawn ones as resamples are asked for."""


def measured(parameters: Parameters, sd: float, size: int, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch: runs of so many blocks whose trials spread by sd."""
    given = parameters.model_copy(update={"between_trial_sd": sd})
    shape = (parameters.repetitions, size)
    stalling, steady = (Family(given, name, generator).levels(shape) for name in ("stalls", "lognormal"))
    mean = math.exp(STALLED / parameters.tail_index)
    attempts = {"alone_ratio": twin("ratio", mean, stalling, steady)}
    if size < MEDIAN_TRIALS:
        return tried(attempts)
    median = typical_ratio(sd, parameters.tail_index)
    attempts["alone_median"] = twin("median_ratio", median, stalling, steady)
    logs = np.log(stalling / steady)
    flips = sign_flips(logs, parameters.resamples, generator)
    missed, seen = ~attempts["alone_ratio"].bounds.cover(mean), rows.stalled(logs)
    return {
        **tried(attempts),
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
    calm = scipy.stats.norm(scale=noise)
    slow = scipy.stats.exponnorm(1 / (tail_index * noise), scale=noise)
    root = scipy.optimize.brentq(
        lambda x: (1 - STALLED) * float(calm.cdf(x)) + STALLED * float(slow.cdf(x)) - 0.5, -1.0, 1.0, xtol=1e-12
    )
    return math.exp(root)


def sign_flips(values: Array, resamples: int, generator: np.random.Generator, confidence: float = 0.95) -> Bounds:
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
    return Bounds(means[:, rank - 1], means[:, -rank])
