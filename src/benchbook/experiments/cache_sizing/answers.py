"""The claims of the chapter: how each number comes from the stored trials, which figure shows it, what is said of it.

Sizes in MB and GB are decimal.
"""

from __future__ import annotations

from collections.abc import Iterable

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
from benchbook.experiments.cache_sizing.estimands import (
    MIB,
    added_memory,
    default,
    hits,
    index_answers,
    looked_up,
    more_hits,
    needed,
    shorter_burst,
)
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import custom, departing, known, level, ratio, share
from benchbook.statistics import Gate

COST, HITS, LATENCY = "fig-cache-sizing-cost", "fig-cache-sizing-hit-ratio", "fig-cache-sizing-latency"
LOOKUPS, LOOKUP_TIMES = "fig-cache-sizing-lookups", "fig-cache-sizing-lookup-times"
MEMORY, LADDER = "fig-cache-sizing-memory", "fig-cache-sizing-ladder"
AA = (AGAIN, STATED)
SLOW_AA = (SLOW_AGAIN, SLOW)
LOOKUP_MEAN, LOOKUP_P95 = "lookup_mean_ns", "lookup_p95_ns"
MEAN, P95 = "burst_mean_ns", "burst_p95_ns"
SIZES = ("events", "mem_table_mib", "base_table_mib", "block_bytes")
"""Parameters that say how large the store is which the claims of the note are about."""

LOOKUP_SIZES = (
    "lookup_rows", "lookup_memory_mib", "storage_iops", "storage_mb_per_s", "workers", "block_bytes", "base_table_mib",
)  # fmt: skip
"""The same of the claims about look-ups."""


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
    Answer("B014", default("default_block_cache_bytes"), HITS),
    Answer("B015", default("default_index_cache_bytes"), HITS),
)
"""About the library alone. The estimands of all others name the size of the store."""
OF_A_STORE = (
    Answer(
        "B007", hits(BLOCK_ONLY, idle=treatment.nothing_admitted(BLOCK_ONLY)), HITS,
        said="the block cache is too small",
        seen="one of 2048 instead of 64 MiB hits on {} % of the look-ups, where the note expects 85 to 95 %",
        factor=100,
    ),
    Answer("B003", hits(STATED, idle=treatment.workload_unknown), HITS),
    Answer(
        "B025", hits(TUNED), HITS,
        said="the tuned caches reach 85–95 % hits", seen="they reach {} %", factor=100, lead=True, brief="",
    ),
    Answer(
        "B026", shorter_burst(TUNED, STATED, MEAN), LATENCY,
        said="larger caches shorten a save in a burst from 9.35 to below 5 ms",
        seen="with the tuned caches the mean save of a burst takes {} times as long",
        lead=True, brief="a save takes {} times as long",
        row="mean save of a burst: caches 2048/1024 ÷ 64/32 MiB",
    ),
    Answer(
        "B027", shorter_burst(TUNED, STATED, P95), LATENCY,
        row="P95 of a save in a burst: caches 2048/1024 ÷ 64/32 MiB",
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
            index_answers, Quantity.COUNTER, TUNED, BLOCK_ONLY,
            inert=treatment.index_never_asked("query_index_cache_lookups", TUNED, BLOCK_ONLY),
        ),
        HITS,
        said="a larger index cache answers more of the queries' index look-ups",
        seen="their share rises by {} percentage points", factor=100,
    ),
    Answer("B002", level(STATED, "misses_per_hit"), HITS, row="misses ÷ hits"),
    Answer(
        "B004", level(STATED, "keys_added_per_miss", bounded=True, idle=treatment.workload_unknown), HITS,
        row="keys added ÷ misses",
    ),
    Answer("B005", share(STATED, "evicted_share", "keys_added"), COST),
    Answer("B006", share(STATED, "evicted_within_2s_share", "lives", quantity=Quantity.LEVEL), COST),
    Answer("B018", level(STATED, "cost_per_key_bytes", idle=treatment.workload_unknown), COST),
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
        "B030", custom(added_memory, Quantity.COUNTER, TUNED, NO_BLOCK_CACHE), MEMORY,
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
    Answer("B045", needed(TUNED, MEDIUM), HITS),
    Answer("B051", more_hits(TUNED, MINIMAL), HITS),
)  # fmt: skip
OF_LOOKUPS = (
    Answer(
        "B023", looked_up(SLOW_BLOCK_ONLY, SLOW, LOOKUP_MEAN), LOOKUP_TIMES,
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
        "B040", looked_up(SLOW_MINIMAL, SLOW_TUNED, LOOKUP_MEAN), LOOKUP_TIMES,
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
