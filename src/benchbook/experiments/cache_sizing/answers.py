"""The claims of the chapter: how each number comes from the stored trials, which figure shows it, what is said of it.

Sizes in MB and GB are decimal.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.cache_sizing import treatment
from benchbook.experiments.cache_sizing.arms import (
    AGAIN,
    BLOCK_ONLY,
    MEDIUM,
    MINIMAL,
    NO_BLOCK_CACHE,
    SLOW,
    SLOW_AGAIN,
    SLOW_BLOCK_ONLY,
    SLOW_MINIMAL,
    SLOW_TUNED,
    STATED,
    TUNED,
    Parameters,
    length,
)
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, custom, departing, known, level, ratio, rise, share
from benchbook.model import Estimate
from benchbook.statistics import Gate

COST, HITS, LATENCY = "fig-cache-sizing-cost", "fig-cache-sizing-hit-ratio", "fig-cache-sizing-latency"
LOOKUPS, LOOKUP_TIMES = "fig-cache-sizing-lookups", "fig-cache-sizing-lookup-times"
MEMORY, LADDER = "fig-cache-sizing-memory", "fig-cache-sizing-ladder"
AA = (AGAIN, STATED)
SLOW_AA = (SLOW_AGAIN, SLOW)
LOOKUP_MEAN, LOOKUP_P95 = "lookup_mean_ns", "lookup_p95_ns"
MEAN, P95 = "burst_mean_ns", "burst_p95_ns"
MIB = 2.0**20
SIZES = ("events", "mem_table_mib", "base_table_mib", "block_bytes")
"""Parameters that say how large the store is which the claims of the note are about."""

LOOKUP_SIZES = (
    "lookup_rows", "lookup_memory_mib", "storage_iops", "storage_mb_per_s", "workers", "block_bytes", "base_table_mib",
)  # fmt: skip
"""The same of the claims about look-ups."""


def _hits(arm: str) -> Estimand:
    return share(arm, "hit_ratio", "accesses")


def _more_hits(more: str, less: str) -> Estimand:
    return rise(more, less, "hit_ratio", "accesses", idle=treatment.nothing_admitted(more, less))


def _looked_up(top: str, bottom: str, metric: str) -> Estimand:
    """Ratio of a latency of look-ups on the capped disk, where hits differ and misses wait."""
    return ratio(top, bottom, metric, idle=treatment.same_work(top, bottom))


def _default(name: str) -> Estimand:
    """A default of the note's version in MiB, read from the library by the probe."""
    return known(lambda summary: summary.run.provenance["settings"][name] / MIB)


def _added_memory(summary: Summary, confidence: float) -> Estimate:
    """What the block cache adds to the peak, as a share of its size; may be negative, so no ratio of logs."""
    with_cache, without = (summary.values(arm, "peak_resident_bytes") for arm in (TUNED, NO_BLOCK_CACHE))
    added = (with_cache - without) / (2048 * MIB)
    return statistics.arithmetic_mean(added, confidence=confidence, sessions=summary.sessions)


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
        return statistics.difference(more, less, confidence=confidence, sessions=summary.sessions)
    return statistics.shares_difference(more, less, min(counts), confidence=confidence, sessions=summary.sessions)


def _other_size(summary: Summary) -> str:
    """A few events fit into any cache: what they show is no answer about a store of the size that a claim names."""
    return _other(summary, SIZES)


def _other_lookups(summary: Summary) -> str:
    """Nor is another store, memory or disk the one that a claim about look-ups names."""
    return _other(summary, LOOKUP_SIZES)


def _other(summary: Summary, names: Iterable[str]) -> str:
    named = {name: Parameters.model_fields[name].default for name in names}
    other = {name: had for name in named if (had := getattr(summary.parameters, name)) != named[name]}
    return " and ".join(
        f"{name.replace('_', ' ')} of {had:,} where the claim names {named[name]:,}" for name, had in other.items()
    )


SIZELESS = (
    Answer("B014", _default("default_block_cache_bytes"), HITS),
    Answer("B015", _default("default_index_cache_bytes"), HITS),
)
"""About the library alone. The estimands of all others name the size of the store."""
OF_A_STORE = (
    Answer(
        "B007", _more_hits(BLOCK_ONLY, STATED), HITS,
        said="a larger block cache hits more often",
        seen="with 2048 instead of 64 MiB the hit ratio rises by {} percentage points", factor=100,
        lead=True, brief="from 64 to 2048 MiB its hit ratio rises by {} points",
    ),
    Answer(
        "B003", _hits(STATED), HITS,
        said="a third of the look-ups hit with the stated 64 MiB", seen="{} % do", factor=100,
    ),
    Answer(
        "B025", _hits(TUNED), HITS,
        said="the tuned caches reach 85–95 % hits", seen="they reach {} %", factor=100, lead=True, brief="",
    ),
    Answer(
        "B012", level(STATED, "device_reads_per_miss", idle=treatment.no_misses(STATED)), HITS,
        said="misses of the block cache cause constant disk reads",
        seen="{} blocks are read from the device for each miss",
        row="blocks read from the device ÷ misses",
    ),
    Answer(
        "B020", level(length(64), "cost_per_key_bytes", 1e3), COST,
        said="a block takes 10–20 KB", seen="it has {} kB",
    ),
    Answer(
        "B019", custom(Summary.blocks_to_hold, Quantity.COUNTER), LADDER,
        said="the cache must hold 100,000 to 200,000 blocks",
        seen="of the sizes tried, the smallest one that hits nearly as often as any holds {}",
    ),
    Answer(
        "B042",
        custom(
            _index_answers, Quantity.COUNTER, TUNED, BLOCK_ONLY,
            inert=treatment.index_never_asked("query_index_cache_lookups", TUNED, BLOCK_ONLY),
        ),
        HITS,
        said="a larger index cache answers more of the queries' index look-ups",
        seen="their share rises by {} percentage points", factor=100,
    ),
    Answer("B002", level(STATED, "misses_per_hit"), HITS, row="misses ÷ hits"),
    Answer(
        "B004", level(STATED, "keys_added_per_miss", bounded=True), HITS,  # at most one key is added for a miss
        row="keys added ÷ misses",
    ),
    Answer("B005", share(STATED, "evicted_share", "keys_added"), COST),
    Answer("B006", share(STATED, "evicted_within_2s_share", "lives", quantity=Quantity.LEVEL), COST),
    Answer("B018", level(STATED, "cost_per_key_bytes"), COST),
    Answer("B021", known(lambda summary: summary.values(STATED, "stored_keys").min(), "", STATED), MEMORY),
    Answer("B022", level(STATED, "index_bytes", 1e9), MEMORY),
    Answer(
        "B028",
        ratio(
            TUNED, BLOCK_ONLY, "query_mean_ns",
            inert=treatment.index_never_asked("query_index_cache_lookups", TUNED, BLOCK_ONLY),
        ),
        LATENCY,
        row="mean query of the suite: index cache 1024 ÷ 32 MiB",
    ),
    Answer(
        "B030", custom(_added_memory, Quantity.COUNTER, TUNED, NO_BLOCK_CACHE), MEMORY,
        row="memory added by the block cache ÷ its 2048 MiB",
    ),
    Answer(
        "B031", level(TUNED, "peak_index_cache_charged_bytes", 1024 * MIB), MEMORY,
        row="most that the index cache held ÷ its 1024 MiB",
    ),
    Answer(
        "B032", level(TUNED, "peak_badger_heap_bytes", 200e6), MEMORY,
        row="Badger's memory outside its caches ÷ 200 MB",
    ),
    Answer("B033", level(TUNED, "peak_go_overhead_bytes", 200e6), MEMORY, row="the Go runtime's memory ÷ 200 MB"),
    Answer("B034", level(TUNED, "peak_resident_bytes", 3.5e9), MEMORY, row="peak resident memory, 2048/1024 ÷ 3.5 GB"),
    Answer("B036", level(MEDIUM, "peak_anonymous_bytes", 1.5e9), MEMORY, row="peak memory, 1024/512 ÷ 1.5 GB"),
    Answer("B039", level(MINIMAL, "peak_anonymous_bytes", 512e6), MEMORY, row="peak memory, 384/128 ÷ 512 MB"),
    Answer("B045", _hits(MEDIUM), HITS),
    Answer("B051", _more_hits(TUNED, MINIMAL), HITS),
)  # fmt: skip
OF_LOOKUPS = (
    Answer(
        "B026", _looked_up(SLOW_TUNED, SLOW, LOOKUP_MEAN), LOOKUPS,
        said="a save in a burst falls from 9.35 to below 5 ms",
        seen="a cache can shorten only the look-ups of a save; in bounded memory and on a capped disk, the tuned "
        "caches make the mean look-up {} times what it was",
        lead=True, brief="a look-up takes {} times as long",
        row="mean look-up: caches 2048/1024 ÷ 64/32 MiB",
    ),
    Answer(
        "B023", _looked_up(SLOW_BLOCK_ONLY, SLOW, LOOKUP_MEAN), LOOKUP_TIMES,
        row="mean look-up: block cache 2048 ÷ 64 MiB",
    ),
    Answer(
        "B024",
        ratio(
            SLOW_TUNED, SLOW_BLOCK_ONLY, LOOKUP_MEAN,
            inert=treatment.index_never_asked("lookup_index_lookups", SLOW_TUNED, SLOW_BLOCK_ONLY),
        ),
        LOOKUP_TIMES,
        row="mean look-up: index cache 1024 ÷ 32 MiB",
    ),
    Answer(
        "B027", _looked_up(SLOW_TUNED, SLOW, LOOKUP_P95), LOOKUP_TIMES,
        row="P95 of look-ups: caches 2048/1024 ÷ 64/32 MiB",
    ),
    Answer(
        "B040", _looked_up(SLOW_MINIMAL, SLOW_TUNED, LOOKUP_MEAN), LOOKUP_TIMES,
        row="mean look-up: caches 384/128 ÷ 2048/1024 MiB",
    ),
)  # fmt: skip
"""On the capped disk."""
ANSWERS = (*departing(OF_A_STORE, _other_size), *departing(OF_LOOKUPS, _other_lookups), *SIZELESS)


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """The probe timed what the store saved."""
    return summary.counts_agree()


def aa_gates(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """The baseline held against itself, in the trials that the claim is about."""
    metric = answer.estimand.metric
    assert metric is not None
    yield summary.aa_gate(*(SLOW_AA if metric.startswith("lookup_") else AA), metric)
