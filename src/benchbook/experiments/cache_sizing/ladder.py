"""How many blocks must be resident before more of them help no further, in the build that charges their length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchbook import statistics
from benchbook.experiments.cache_sizing.arms import length
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.per_block import NotEstimableError
from benchbook.model import Estimate
from benchbook.statistics import intervals

PLATEAU_SHARE = 0.95


def rungs(summary: Summary) -> list[str]:
    """The ladder's configurations, smallest cache first."""
    return [length(mib) for mib in sorted(summary.parameters.length_ladder_mib)]


def per_block(summary: Summary) -> tuple[np.ndarray, np.ndarray]:
    """Resident blocks at the last rung whose hit ratio misses 95 % of the largest rung's, and at the next one.

    Each of shape (blocks,). The rungs lie apart, so that the number asked for lies between the two; where the first
    rung is enough, between nothing and that one.
    """
    arms = rungs(summary)
    ratios = np.array([summary.values(arm, "hit_ratio") for arm in arms])
    resident = np.array([summary.values(arm, "resident_blocks") for arm in arms])
    first = np.argmax(ratios >= PLATEAU_SHARE * ratios[-1], axis=0)
    of = np.arange(resident.shape[1])
    below = np.where(first > 0, resident[np.maximum(first - 1, 0), of], 0.0)
    return below, resident[first, of]


def blocks_to_hold(summary: Summary, confidence: float) -> Estimate:
    """The blocks to hold: as point the smallest rung that is enough, as interval from the rung below it on."""
    below, enough = per_block(summary)
    if enough.min() <= 0:
        raise NotEstimableError("no block was resident at the plateau", "raise events")
    found = statistics.geometric_mean(enough, confidence=confidence)
    low = statistics.geometric_mean(below, confidence=confidence).low if below.min() > 0 else 0.0
    return replace(found, low=min(low, found.low), method=intervals.RUNGS)
