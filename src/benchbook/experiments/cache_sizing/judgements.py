"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from benchbook import statistics
from benchbook.claims import Claim, Quantity
from benchbook.experiments.cache_sizing.arms import (
    AGAIN,
    BLOCK_ONLY,
    MEDIUM,
    MINIMAL,
    NO_BLOCK_CACHE,
    STATED,
    TUNED,
    length,
)
from benchbook.experiments.cache_sizing.ladder import blocks_to_hold
from benchbook.experiments.cache_sizing.summary import MIB, NAMED, Summary, summarize
from benchbook.experiments.judging import Estimand, Judging
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

COST, HITS, LATENCY = "fig-cache-sizing-cost", "fig-cache-sizing-hit-ratio", "fig-cache-sizing-latency"
MEMORY, LADDER, CLAIMED = "fig-cache-sizing-memory", "fig-cache-sizing-ladder", "fig-cache-sizing-claims"


Mine = Estimand[Summary]


def _level(arm: str, metric: str, figure_id: str, unit: float = 1.0, *, bounded: bool = False) -> Mine:
    """Geometric mean of a count or a size in one configuration, in a unit. bounded: it cannot be above 1."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        values = summary.values(arm, metric) / unit
        if not values.all():  # a number that may be 0 has no logarithm
            return statistics.arithmetic_mean(values, confidence=confidence)
        return statistics.geometric_mean(values, confidence=confidence)

    return Estimand(compute, Quantity.COUNTER, figure_id, bounded=bounded)


def _share(arm: str, metric: str, counts: str, figure_id: str, kind: Quantity = Quantity.COUNTER) -> Mine:
    """Level of a share in one configuration, resolved by what it is a share of. kind: another where time decides."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        shares, of = summary.values(arm, metric), summary.values(arm, counts)
        return statistics.share(shares, of, confidence=confidence)

    return Estimand(compute, kind, figure_id)


def _ratio(metric: str, top: str, bottom: str) -> Mine:
    """Ratio of a latency in two configurations, paired within blocks."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.ratio(summary.values(top, metric), summary.values(bottom, metric), confidence=confidence)

    return Estimand(compute, Quantity.COMPARISON, LATENCY, metric=metric)


def _rise(more: str, less: str) -> Mine:
    """Difference of the hit ratios of two configurations."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        counts = int(min(summary.values(arm, "accesses").min() for arm in (more, less)))
        first, second = summary.values(more, "hit_ratio"), summary.values(less, "hit_ratio")
        return statistics.shares_difference(first, second, counts, confidence=confidence)

    return Estimand(compute, Quantity.COUNTER, HITS)


def _option(name: str) -> Mine:
    """A default of the note's version in MiB, read from the library by the probe."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.exact(summary.run.provenance["settings"][name] / MIB)

    return Estimand(compute, Quantity.COUNTER, HITS)


def _fewest_keys(summary: Summary, confidence: float) -> Estimate:
    return statistics.exact(float(summary.values(STATED, "stored_keys").min()))


def _added_memory(summary: Summary, confidence: float) -> Estimate:
    """What the block cache adds to the peak, as a share of its size; may be negative, so no ratio of logs."""
    with_cache, without = (summary.values(arm, "peak_resident_bytes") for arm in (TUNED, NO_BLOCK_CACHE))
    return statistics.arithmetic_mean((with_cache - without) / (2048 * MIB), confidence=confidence)


def _index_answers(summary: Summary, confidence: float) -> Estimate:
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
        return statistics.difference(more, less, confidence=confidence)
    return statistics.shares_difference(more, less, min(counts), confidence=confidence)


_mean, _p95 = "burst_mean_ns", "burst_p95_ns"
ESTIMANDS: dict[str, Mine] = {
    "B002": _level(STATED, "misses_per_hit", HITS),
    "B003": _share(STATED, "hit_ratio", "accesses", HITS),
    "B004": _level(STATED, "keys_added_per_miss", HITS, bounded=True),
    "B005": _share(STATED, "evicted_share", "keys_added", COST),
    "B006": _share(STATED, "evicted_within_2s_share", "lives", COST, Quantity.LEVEL),
    "B007": _rise(BLOCK_ONLY, STATED),
    "B012": _level(STATED, "device_reads_per_miss", HITS),
    "B014": _option("default_block_cache_bytes"),
    "B015": _option("default_index_cache_bytes"),
    "B018": _level(STATED, "cost_per_key_bytes", COST),
    "B019": Estimand(blocks_to_hold, Quantity.COUNTER, LADDER),
    "B020": _level(length(64), "cost_per_key_bytes", COST, 1e3),
    "B021": Estimand(_fewest_keys, Quantity.COUNTER, MEMORY),
    "B022": _level(STATED, "index_bytes", MEMORY, 1e9),
    "B023": _ratio(_mean, BLOCK_ONLY, STATED),
    "B024": _ratio(_mean, TUNED, BLOCK_ONLY),
    "B025": _share(TUNED, "hit_ratio", "accesses", HITS),
    "B026": _ratio(_mean, TUNED, STATED),
    "B027": _ratio(_p95, TUNED, STATED),
    "B028": _ratio("query_mean_ns", TUNED, BLOCK_ONLY),
    "B030": Estimand(_added_memory, Quantity.COUNTER, MEMORY),
    "B031": _level(TUNED, "peak_index_cache_charged_bytes", MEMORY, 1024 * MIB),
    "B032": _level(TUNED, "peak_badger_heap_bytes", MEMORY, 200e6),
    "B033": _level(TUNED, "peak_go_overhead_bytes", MEMORY, 200e6),
    "B034": _level(TUNED, "peak_resident_bytes", MEMORY, 3.5e9),
    "B036": _level(MEDIUM, "peak_anonymous_bytes", MEMORY, 1.5e9),
    "B039": _level(MINIMAL, "peak_anonymous_bytes", MEMORY, 512e6),
    "B040": _ratio(_mean, MINIMAL, TUNED),
    "B042": Estimand(_index_answers, Quantity.COUNTER, HITS),
    "B045": _share(MEDIUM, "hit_ratio", "accesses", HITS),
    "B051": _rise(TUNED, MINIMAL),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger.

Sizes in MB and GB are decimal.
"""

SIZELESS = frozenset({"B014", "B015"})
"""Claims about the library alone. The estimands of all others name the size of the store, which NAMED holds."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    estimands = {
        id_: estimand if id_ in SIZELESS else replace(estimand, departs=_other_size)
        for id_, estimand in ESTIMANDS.items()
    }
    return Judging("cache_sizing", summarize, estimands, _gates, device=True).verdicts(summary)


def _other_size(summary: Summary) -> str:
    """A few events fit into any cache: what they show is no answer about a store of the size that a claim names."""
    other = {name: had for name in NAMED if (had := getattr(summary.parameters, name)) != NAMED[name]}
    return " and ".join(
        f"{name.replace('_', ' ')} of {had:,} where the claim names {NAMED[name]:,}" for name, had in other.items()
    )


def _gates(summary: Summary, claim: Claim, estimand: Mine) -> Iterable[Gate]:
    paired = [summary.aa_gate(AGAIN, STATED, estimand.metric)] if estimand.metric else []
    return [*summary.consistency_gates(), *paired]
