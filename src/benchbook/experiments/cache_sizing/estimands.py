"""How the numbers of the chapter are made: hits, look-ups, memory, and a size that is needed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.cache_sizing.arms import BLOCK_ONLY, NO_BLOCK_CACHE, TUNED, Parameters
from benchbook.experiments.cache_sizing.summary import Summary, same_work
from benchbook.experiments.shape.estimands import Estimand, Words, custom, known, ratio, share
from benchbook.experiments.shape.named import Number, percent
from benchbook.model import Estimate

LOOKUP, PEAK = "lookup_mean_ns", "peak_resident_bytes"
INDEX_LOOKUPS = "query_index_cache_lookups"
MIB = 2.0**20
TARGET = 0.85
"""The least share of hits that the note expects of its larger caches."""
SIZES = ("events", "mem_table_mib", "base_table_mib", "block_bytes")
"""Parameters that say how large the store is which the claims of the note are about."""
LOOKUP_SIZES = (
    "lookup_rows", "lookup_memory_mib", "storage_iops", "storage_mb_per_s", "workers", "block_bytes", "base_table_mib",
)  # fmt: skip
"""The same of the claims about look-ups."""


def other_sizes(names: Iterable[str]) -> Words:
    """That another store, memory or disk than a claim names shows nothing of it: a few events fit into any cache."""
    wanted = {name: Parameters.model_fields[name].default for name in names}

    def why(summary: Summary) -> str:
        other = {name: had for name in wanted if (had := getattr(summary.parameters, name)) != wanted[name]}
        return " and ".join(
            f"{name.replace('_', ' ')} of {had:,} where the claim names {wanted[name]:,}" for name, had in other.items()
        )

    return why


def hits(arm: str, idle: Words | None = None) -> Number:
    """Share of the block cache's look-ups that hit, from opening to the end of the burst."""
    return percent(share(arm, "hit_ratio", "accesses", idle=idle))


def looked_up(top: str, bottom: str) -> Estimand:
    """Ratio of the mean look-up on the capped disk, where hits differ and misses wait."""
    return ratio(top, bottom, LOOKUP, idle=same_work(top, bottom))


def default(name: str) -> Estimand:
    """A default of the note's version in MiB, read from the library by the probe."""
    return known(lambda summary: summary.run.provenance["settings"][name] / MIB)


def added_memory(summary: Summary, confidence: float) -> Estimate:
    """What the block cache adds to the peak, as a share of its size; may be negative, so no ratio of logs."""
    with_cache, without = (summary.values(arm, PEAK) for arm in (TUNED, NO_BLOCK_CACHE))
    added = (with_cache - without) / (2048 * MIB)
    return statistics.arithmetic_mean(added, confidence=confidence, sessions=summary.sessions)


def index_answers(summary: Summary, confidence: float) -> Estimate:
    """Difference of the shares of index look-ups that the index cache served; 0 by definition where it is not asked."""
    shares, asked = [], []
    for arm in (TUNED, BLOCK_ONLY):
        lookups = summary.values(arm, INDEX_LOOKUPS)
        if not lookups.any():
            shares.append(np.zeros(len(lookups)))
            continue
        shares.append(summary.values(arm, "query_index_cache_hit_ratio"))
        asked.append(int(lookups.min()))
    more, less = shares
    if not asked:
        return statistics.difference(more, less, confidence=confidence, sessions=summary.sessions)
    return statistics.shares_difference(more, less, min(asked), confidence=confidence, sessions=summary.sessions)


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
