"""The numbers of the chapter, each once and by name, and what its claims stand on. Sizes in MB and GB are decimal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from benchbook.claims import Quantity
from benchbook.experiments.cache_sizing import tables
from benchbook.experiments.cache_sizing.arms import (
    AGAIN,
    BLOCK_ONLY,
    CURRENT,
    DROPPED,
    FREE,
    FREE_TUNED,
    MEDIUM,
    MINIMAL,
    NO_BLOCK_CACHE,
    PLAIN,
    SLOW,
    SLOW_AGAIN,
    SLOW_BLOCK_ONLY,
    SLOW_LENGTH,
    SLOW_MINIMAL,
    SLOW_SNAPPY,
    SLOW_TUNED,
    SMALL_TABLES,
    SNAPPY,
    STATED,
    TUNED,
    length,
)
from benchbook.experiments.cache_sizing.estimands import (
    INDEX_LOOKUPS,
    LOOKUP,
    LOOKUP_SIZES,
    MIB,
    PEAK,
    SIZES,
    added_memory,
    default,
    hits,
    index_answers,
    looked_up,
    needed,
    other_sizes,
)
from benchbook.experiments.cache_sizing.summary import (
    Summary,
    index_never_asked,
    moves,
    no_misses,
    noted_blocks,
    nothing_admitted,
    to_hold,
    workload_unknown,
)
from benchbook.experiments.families.badger import notes
from benchbook.experiments.families.badger.lookups import size_bytes
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, counts, custom, known, level, ratio, rise, share
from benchbook.experiments.shape.named import Number, departing, percent
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.telling import listed
from benchbook.figures.numbers import with_interval
from benchbook.statistics import Gate

__all__ = ["NUMBERS", "TABLES", "WORDS", "Summary", "aa_gates", "checks"]
AA, SLOW_AA = (AGAIN, STATED), (SLOW_AGAIN, SLOW)
MEAN, P95, QUERY = "burst_mean_ns", "burst_p95_ns", "query_mean_ns"
COST = "cost_per_key_bytes"
UNDER_WAY_SHARE = 0.05
"""Blocks read but not yet offered to the cache when the counters are taken look as if they were turned away."""


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """The probe timed what the store saved."""
    return summary.counts_agree()


def aa_gates(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """The baseline held against itself, in the trials that the claim is about."""
    metric = answer.estimand.metric
    assert metric is not None
    yield summary.aa_gate(*(SLOW_AA if metric.startswith("lookup_") else AA), metric)


_never_asked = index_never_asked(INDEX_LOOKUPS, TUNED, BLOCK_ONLY)
_never_asked_slow = index_never_asked("lookup_index_lookups", SLOW_TUNED, SLOW_BLOCK_ONLY)
_OF_A_STORE: dict[str, Estimand | Number] = {
    "hits_block_only": hits(BLOCK_ONLY, nothing_admitted(BLOCK_ONLY)),
    "hits_stated": hits(STATED, workload_unknown),
    "hits_tuned": hits(TUNED),
    "save": ratio(TUNED, STATED, MEAN, idle=nothing_admitted(TUNED, STATED)),
    "save_p95": ratio(TUNED, STATED, P95, idle=nothing_admitted(TUNED, STATED)),
    "reads_per_miss": level(STATED, "device_reads_per_miss", idle=no_misses(STATED)),
    "block_kb": level(length(64), COST, 1e3),
    "blocks_to_hold": custom(Summary.blocks_to_hold, Quantity.COUNTER),
    "index_answers": percent(custom(index_answers, Quantity.COUNTER, TUNED, BLOCK_ONLY, inert=_never_asked)),
    "misses_per_hit": level(STATED, "misses_per_hit"),
    "added_per_miss": level(STATED, "keys_added_per_miss", bounded=True, idle=workload_unknown),
    "evicted": share(STATED, "evicted_share", "keys_added"),
    "evicted_soon": share(STATED, "evicted_within_2s_share", "lives", quantity=Quantity.LEVEL),
    "charge_stated": Number(level(STATED, COST, idle=workload_unknown), 1e-6),
    "stored_keys": known(lambda summary: summary.values(STATED, "stored_keys").min(), "", STATED),
    "index_gb": level(STATED, "index_bytes", 1e9),
    "query_by_index": ratio(TUNED, BLOCK_ONLY, QUERY, inert=_never_asked),
    "added_memory": percent(custom(added_memory, Quantity.COUNTER, TUNED, NO_BLOCK_CACHE)),
    "index_memory": level(TUNED, "peak_index_cache_charged_bytes", 1024 * MIB),
    "badger_memory": level(TUNED, "peak_badger_heap_bytes", 200e6),
    "go_memory": level(TUNED, "peak_go_overhead_bytes", 200e6),
    "peak": level(TUNED, PEAK, 3.5e9),
    "peak_medium": level(MEDIUM, "peak_anonymous_bytes", 1.5e9),
    "peak_minimal": level(MINIMAL, "peak_anonymous_bytes", 512e6),
    "needed": needed(TUNED, MEDIUM),
    "more_hits": rise(TUNED, MINIMAL, "hit_ratio", "accesses", idle=nothing_admitted(TUNED, MINIMAL)),
}
_OF_LOOKUPS: dict[str, Estimand | Number] = {
    "slow_by_block": looked_up(SLOW_BLOCK_ONLY, SLOW),
    "slow_by_index": ratio(SLOW_TUNED, SLOW_BLOCK_ONLY, LOOKUP, inert=_never_asked_slow),
    "slow_by_size": looked_up(SLOW_MINIMAL, SLOW_TUNED),
}
"""On the capped disk."""
_SLOW = {"slow": SLOW, "tuned": SLOW_TUNED, "length": SLOW_LENGTH, "snappy": SLOW_SNAPPY}
NUMBERS = {
    **departing(other_sizes(SIZES), _OF_A_STORE),
    **departing(other_sizes(LOOKUP_SIZES), _OF_LOOKUPS),
    "block_default": default("default_block_cache_bytes"),
    "index_default": default("default_index_cache_bytes"),
    "charge_block_only": Number(level(BLOCK_ONLY, COST), 1e-6),
    "charge_small_tables": Number(level(SMALL_TABLES, COST), 1e-6),
    "charge_snappy": Number(level(SNAPPY, COST), 1e-3),
    "hits_snappy": hits(SNAPPY),
    "hits_length": hits(length(64)),
    "charge_by_version": counts(CURRENT, TUNED, COST),
    "query": ratio(TUNED, STATED, QUERY),
    **{f"again_{name}": ratio(AGAIN, STATED, each) for name, each in (("mean", MEAN), ("p95", P95), ("query", QUERY))},
    "without_cache": ratio(NO_BLOCK_CACHE, TUNED, MEAN),
    **{f"found_{name}": percent(share(arm, "lookup_hit_ratio", "lookup_accesses")) for name, arm in _SLOW.items()},
    **{f"waits_{name}": percent(share(arm, "lookup_waits", "lookups_asked")) for name, arm in _SLOW.items()},
    "waits_dropped": percent(share(DROPPED, "lookup_waits", "lookups_asked")),
    "slow_lookup": ratio(SLOW_TUNED, SLOW, LOOKUP),
    "free_lookup": ratio(FREE_TUNED, FREE, LOOKUP),
}  # fmt: skip


def _evicted(summary: Summary, arm: str) -> dict[str, Any]:
    """What the charge does to what the cache can keep."""
    blocks, evicted = (summary.mean(arm, metric) for metric in ("resident_blocks", "evicted_share"))
    soon = summary.mean(arm, "evicted_within_2s_share") if summary.has(arm, "evicted_within_2s_share") else None
    away = summary.mean(arm, "turned_away_share") if summary.has(arm, "turned_away_share") else 0.0
    found = {"label": summary.label(arm), "blocks": blocks, "evicted": evicted, "soon": soon}
    return found | {"turned_away": away if away > UNDER_WAY_SHARE else None}


def _charged(summary: Summary) -> list[dict[str, Any]]:
    """The uncompressed settings whose charge was counted."""
    arms = [arm for arm in summary.having(summary.suite_arms, COST, "hit_ratio") if arm in PLAIN]
    return [
        {"label": summary.label(arm), "cost": summary.cost(arm).point, "hits": summary.hit_ratio(arm).point}
        for arm in arms
    ]


def _nearest(summary: Summary) -> str:
    """Of these the one whose charge comes closest to the note's."""
    note = notes.cost_per_key_bytes()
    return str(min(_charged(summary), key=lambda each: abs(math.log(each["cost"] / note)))["label"])


def _plain(summary: Summary) -> dict[str, Any]:
    """The hit ratios without compression: how many, the most that any interval holds in %, and the best."""
    every = [summary.hit_ratio(arm) for arm in (*PLAIN, BLOCK_ONLY)]
    best = max(every, key=lambda each: each.point)
    return {"count": len(every), "most": 100 * max(each.high for each in every), "best": with_interval(best, 100)}


def _held_back_ms(summary: Summary) -> float:
    """The longest look-up where a mean is twice the P95: there the slowest twentieth takes more than half."""

    def few(arm: str) -> bool:
        mean, p95 = (summary.values(arm, each) for each in (LOOKUP, "lookup_p95_ns"))
        return bool((mean > 2 * p95).all())

    above = [arm for arm in summary.having(summary.lookup_arms, "lookup_p95_ns") if few(arm)]
    if not above:
        raise NotEstimableError("no look-up was held back", "see the chapter")
    return max(float(summary.values(arm, "lookup_max_ns").max()) for arm in above) / 1e6


def _mean(arm: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric) / unit


WORDS: dict[str, Callable[[Summary], Any]] = {
    "builds": lambda summary: summary.run.provenance["builds"],
    "lookup_arms": lambda summary: len(summary.lookup_arms),
    "keys": _mean(STATED, "stored_keys"),
    "stored_mb": _mean(STATED, "tables_bytes", 1e6),
    "tables_mb": _mean(TUNED, "tables_bytes", 1e6),
    "table_mb": _mean(BLOCK_ONLY, "largest_table_bytes", 1e6),
    "small_table_mb": _mean(SMALL_TABLES, "largest_table_bytes", 1e6),
    "stated_table_mb": _mean(STATED, "largest_table_bytes", 1e6),
    "index_mb": _mean(STATED, "index_bytes", 1e6),
    "burst_misses": _mean(STATED, "burst_misses"),
    "burst_reads": _mean(STATED, "burst_device_reads"),
    "burst_faults": _mean(STATED, "burst_major_faults"),
    "index_asked": lambda summary: [
        summary.values(arm, INDEX_LOOKUPS).sum() for arm in summary.having(summary.suite_arms, INDEX_LOOKUPS)
    ],
    "evictions": lambda summary: listed(
        *(partial(_evicted, summary, arm) for arm in (STATED, MEDIUM, TUNED, SNAPPY, length(64)))
    ),
    "charged": _charged,
    "nearest": _nearest,
    "plain": _plain,
    "note_mb": lambda summary: notes.cost_per_key_bytes() / 1e6,
    "note_hits": lambda summary: 100 * notes.hit_ratio(),
    "note_left": lambda summary: notes.keys_left(),
    "note_blocks": lambda summary: noted_blocks(),
    "to_hold": to_hold,
    "moves": moves,
    "data_mb": lambda summary: size_bytes(summary.parameters.lookup_rows) / 1e6,
    "held_back_ms": _held_back_ms,
}
TABLES = {
    "note_claims": tables.note_claims,
    "settings": tables.settings,
    "overview": tables.overview,
    "of_lookups": tables.of_lookups,
}
