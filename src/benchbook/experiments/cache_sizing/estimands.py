"""The estimands of the chapter: hits, times of saves and look-ups, memory, and a size that is needed."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.cache_sizing import treatment
from benchbook.experiments.cache_sizing.arms import BLOCK_ONLY, NO_BLOCK_CACHE, TUNED
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.shape.estimands import Estimand, Ground, custom, known, ratio, rise, share
from benchbook.model import Estimate

MIB = 2.0**20
TARGET = 0.85
"""The least share of hits that the note expects of its larger caches."""


def hits(arm: str, **ground: Unpack[Ground]) -> Estimand:
    """Share of the block cache's look-ups that hit, from opening to the end of the burst."""
    return share(arm, "hit_ratio", "accesses", **ground)


def more_hits(more: str, less: str) -> Estimand:
    """Difference of these shares."""
    return rise(more, less, "hit_ratio", "accesses", idle=treatment.nothing_admitted(more, less))


def looked_up(top: str, bottom: str, metric: str) -> Estimand:
    """Ratio of a latency of look-ups on the capped disk, where hits differ and misses wait."""
    return ratio(top, bottom, metric, idle=treatment.same_work(top, bottom))


def default(name: str) -> Estimand:
    """A default of the note's version in MiB, read from the library by the probe."""
    return known(lambda summary: summary.run.provenance["settings"][name] / MIB)


def added_memory(summary: Summary, confidence: float) -> Estimate:
    """What the block cache adds to the peak, as a share of its size; may be negative, so no ratio of logs."""
    with_cache, without = (summary.values(arm, "peak_resident_bytes") for arm in (TUNED, NO_BLOCK_CACHE))
    added = (with_cache - without) / (2048 * MIB)
    return statistics.arithmetic_mean(added, confidence=confidence, sessions=summary.sessions)


def index_answers(summary: Summary, confidence: float) -> Estimate:
    """Difference of the shares of index look-ups that the index cache served; 0 by definition where it is not asked."""
    shares, counts = [], []
    for arm in (TUNED, BLOCK_ONLY):
        lookups = summary.values(arm, "query_index_cache_lookups")
        if not lookups.any():
            shares.append(np.zeros(len(lookups)))
            continue
        shares.append(summary.values(arm, "query_index_cache_hit_ratio"))
        counts.append(int(lookups.min()))
    more, less = shares
    if not counts:
        return statistics.difference(more, less, confidence=confidence, sessions=summary.sessions)
    return statistics.shares_difference(more, less, min(counts), confidence=confidence, sessions=summary.sessions)


def shorter_burst(top: str, bottom: str, metric: str) -> Estimand:
    """Ratio of a latency of the saves of a burst."""
    return ratio(top, bottom, metric, idle=treatment.nothing_admitted(top, bottom))


def needed(size: str, smaller: str) -> Estimand:
    """By how much a size hits more often than the note's target, or the next smaller one less often: the lesser.

    Above 0 only if the size reaches the target and the smaller one does not.
    """

    def compute(summary: Summary, confidence: float) -> Estimate:
        enough, less = (summary.values(arm, "hit_ratio") for arm in (size, smaller))
        fewest = int(min(summary.values(arm, "accesses").min() for arm in (size, smaller)))
        lesser = np.minimum(enough, 2 * TARGET - less)
        target = np.full(len(lesser), TARGET)
        return statistics.shares_difference(lesser, target, fewest, confidence=confidence, sessions=summary.sessions)

    def shown(summary: Summary) -> str:
        found = " and ".join(f"{100 * summary.mean(arm, 'hit_ratio'):.1f} %" for arm in (size, smaller))
        sizes = " and ".join(summary.label(arm) for arm in (size, smaller))
        return f"Caches of {sizes} MiB hit on {found} of the look-ups, and the target is {100 * TARGET:.0f} %"

    return custom(compute, Quantity.COUNTER, size, smaller, working=shown)
