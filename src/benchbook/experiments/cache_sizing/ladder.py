"""How many blocks must be resident before more of them help no further, in the build that charges their length."""

from __future__ import annotations

import numpy as np

from benchbook import statistics
from benchbook.experiments.cache_sizing.arms import length
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.per_block import NotEstimableError
from benchbook.model import Estimate

PLATEAU_SHARE = 0.95


def rungs(summary: Summary) -> list[str]:
    """The ladder's configurations, smallest cache first."""
    return [length(mib) for mib in sorted(summary.parameters.length_ladder_mib)]


def per_block(summary: Summary) -> np.ndarray:
    """Resident blocks at the smallest rung whose hit ratio reaches 95 % of the largest rung's; shape (blocks,).

    The rungs lie apart, so the number is the smallest of those tried: the true one is not above it.
    """
    arms = rungs(summary)
    ratios = np.array([summary.values(arm, "hit_ratio") for arm in arms])
    resident = np.array([summary.values(arm, "resident_blocks") for arm in arms])
    first = np.argmax(ratios >= PLATEAU_SHARE * ratios[-1], axis=0)
    found: np.ndarray = resident[first, np.arange(resident.shape[1])]
    return found


def blocks_to_hold(summary: Summary, confidence: float) -> Estimate:
    """The blocks to hold, as geometric mean over blocks of the run."""
    found = per_block(summary)
    if found.min() <= 0:
        raise NotEstimableError("no block was resident at the plateau", "raise events")
    return statistics.geometric_mean(found, confidence=confidence)
