"""The numbers of the chapter, each once and by name, and what its claims stand on. Sizes in MB and GB are decimal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd

from benchbook.chapters.cache_sizing import arms, computed
from benchbook.chapters.cache_sizing.arms import BLOCK_ONLY, MEDIUM, MINIMAL, NO_BLOCK_CACHE, STATED, TUNED
from benchbook.chapters.cache_sizing.computed import COST, INDEX_LOOKUPS, LOOKUP, MIB, PEAK
from benchbook.claims import Quantity
from benchbook.figures import with_interval
from benchbook.measuring.badger import notes, reports, summary
from benchbook.measuring.badger.lookups import NOTE_STORE_MIB, size_bytes
from benchbook.model import Estimate
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, Words, counts, custom, known, level, ratio, rise, share
from benchbook.numbers.quantities import Number, departing, percent
from benchbook.pages.prose import listed
from benchbook.pages.tables import Columns, levels, means, table
from benchbook.statistics import Gate

AA, SLOW_AA = (arms.AGAIN, STATED), (arms.SLOW_AGAIN, arms.SLOW)
MEAN, P95, QUERY = "burst_mean_ns", "burst_p95_ns", "query_mean_ns"
SIZES = "block / index cache (MiB)"
STORE = ("events", "mem_table_mib", "base_table_mib", "block_bytes")
"""Parameters that say how large the store is which the claims of the note are about."""
LOOKED_UP = (
    "lookup_rows", "lookup_memory_mib", "storage_iops", "storage_mb_per_s", "workers", "block_bytes", "base_table_mib",
)  # fmt: skip
"""The same of the claims about look-ups."""

REPORTS = {
    "B003": reports.counters("hit ratios", "hit", "asked"),
    "B004": reports.counters("keys added per miss", "keys_added", "miss"),
    "B018": reports.counters("costs per key, in MB,", "cost_added_bytes", "keys_added", 1e-6),
}
"""What the logs of the note's own benchmark show of the counters that it printed."""


class Summary(summary.Summary[arms.Parameters]):
    """One run, ready for figures and verdicts."""

    def departures(self) -> list[str]:
        """The family's, and configurations that the machine or the parameters left out."""
        p, found = self.parameters, super().departures()
        if not p.allow_slow_storage:
            found.append("no look-ups on a capped disk (allow_slow_storage=false)")
        elif (p.storage_iops, p.storage_mb_per_s) != (3_000, 125):
            found.append(
                f"a disk capped at {p.storage_iops:,} operations and {p.storage_mb_per_s:,} MB a second where 3,000 "
                "and 125 are asked"
            )
        return found

    @property
    def suite_arms(self) -> list[str]:
        """The configurations that run the relay's benchmark, in the order of the figures."""
        return [arm.name for arm in arms.of_the_suite([*self.configurations.values()])]

    @property
    def lookup_arms(self) -> list[str]:
        """Those that look up rows of a store that is there."""
        return [arm for arm in self.arms if arm not in self.suite_arms]

    @property
    def rungs(self) -> list[str]:
        """The configurations of the build that charges a block its own length, smallest cache first."""
        return [arms.length(mib) for mib in sorted(self.parameters.length_ladder_mib)]

    def lookup_hits(self, arm: str) -> Estimate:
        """The block cache's hit ratio in the measured look-ups."""
        return self.share(arm, "lookup_hit_ratio", "lookup_accesses")

    def waits(self, arm: str) -> Estimate:
        """Share of the measured look-ups that waited for the device."""
        return self.share(arm, "lookup_waits", "lookups_asked")


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """The probe timed what the store saved."""
    return summary.counts_agree()


def aa_gates(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """The baseline held against itself, in the trials that the claim is about."""
    metric = answer.estimand.metric
    assert metric is not None
    yield summary.aa_gate(*(SLOW_AA if metric.startswith("lookup_") else AA), metric)


def _hits(arm: str, idle: Words | None = None) -> Number:
    """Share of the block cache's look-ups that hit, from opening to the end of the burst."""
    return percent(share(arm, "hit_ratio", "accesses", idle=idle))


def _looked_up(top: str, bottom: str) -> Estimand:
    """Ratio of the mean look-up on the capped disk, where hits differ and misses wait."""
    return ratio(top, bottom, LOOKUP, idle=computed.same_work(top, bottom))


def _default(name: str) -> Estimand:
    """A default of the note's version in MiB, read from the library by the probe."""
    return known(lambda summary: summary.run.provenance["settings"][name] / MIB)


_never_asked = computed.index_never_asked(INDEX_LOOKUPS, TUNED, BLOCK_ONLY)
_never_asked_slow = computed.index_never_asked(
    "lookup_index_lookups", arms.SLOW_TUNED, arms.SLOW_BLOCK_ONLY, refutes=False,
    scope="the note sets it without a number: it neither helps nor harms",
)  # fmt: skip
_OF_A_STORE: dict[str, Estimand | Number] = {
    "hits_block_only": _hits(BLOCK_ONLY, computed.nothing_admitted(BLOCK_ONLY)),
    "hits_stated": _hits(STATED),
    "hits_tuned": _hits(TUNED),
    "save": ratio(TUNED, STATED, MEAN, idle=computed.nothing_admitted(TUNED, STATED)),
    "save_p95": ratio(TUNED, STATED, P95, idle=computed.nothing_admitted(TUNED, STATED)),
    "reads_per_miss": level(STATED, "device_reads_per_miss", idle=computed.no_misses(STATED)),
    "block_kb": level(arms.length(64), COST, 1e3),
    "blocks_to_hold": custom(computed.blocks_to_hold, Quantity.COUNTER),
    "index_answers": percent(custom(computed.index_answers, Quantity.COUNTER, TUNED, BLOCK_ONLY, inert=_never_asked)),
    "misses_per_hit": level(STATED, "misses_per_hit"),
    "added_per_miss": level(STATED, "keys_added_per_miss", bounded=True),
    "evicted": share(STATED, "evicted_share", "keys_added"),
    "evicted_soon": share(STATED, "evicted_within_2s_share", "lives", quantity=Quantity.LEVEL),
    "charge_stated": Number(level(STATED, COST), 1e-6),
    "stored_keys": known(lambda summary: summary.values(STATED, "stored_keys").min(), "", STATED),
    "index_gb": level(STATED, "index_bytes", 1e9),
    "query_by_index": ratio(TUNED, BLOCK_ONLY, QUERY, inert=_never_asked),
    "added_memory": percent(custom(computed.added_memory, Quantity.COUNTER, TUNED, NO_BLOCK_CACHE)),
    "index_memory": level(TUNED, "peak_index_cache_charged_bytes", 1024 * MIB),
    "badger_memory": level(TUNED, "peak_badger_heap_bytes", 200e6),
    "go_memory": level(TUNED, "peak_go_overhead_bytes", 200e6),
    "peak": level(TUNED, PEAK, 3.5e9),
    "peak_medium": level(MEDIUM, "peak_anonymous_bytes", 1.5e9),
    "peak_minimal": level(MINIMAL, "peak_anonymous_bytes", 512e6),
    "needed": custom(computed.needed, Quantity.COUNTER, TUNED, MEDIUM, working=computed.shown_of_needed),
    "more_hits": rise(TUNED, MINIMAL, "hit_ratio", "accesses", idle=computed.nothing_admitted(TUNED, MINIMAL)),
}
_OF_LOOKUPS: dict[str, Estimand | Number] = {
    "slow_by_block": _looked_up(arms.SLOW_BLOCK_ONLY, arms.SLOW),
    "slow_by_index": ratio(arms.SLOW_TUNED, arms.SLOW_BLOCK_ONLY, LOOKUP, inert=_never_asked_slow),
    "slow_by_size": _looked_up(arms.SLOW_MINIMAL, arms.SLOW_TUNED),
}
"""On the capped disk."""
_LOOKING = {
    "slow": arms.SLOW, "tuned": arms.SLOW_TUNED, "length": arms.SLOW_LENGTH, "snappy": arms.SLOW_SNAPPY,
    "dropped": arms.DROPPED, "free": arms.FREE_TUNED,
}  # fmt: skip
NUMBERS = {
    **departing(computed.other_sizes(STORE), _OF_A_STORE),
    **departing(computed.other_sizes(LOOKED_UP), _OF_LOOKUPS),
    "block_default": _default("default_block_cache_bytes"),
    "index_default": _default("default_index_cache_bytes"),
    "charge_block_only": Number(level(BLOCK_ONLY, COST), 1e-6),
    "charge_small_tables": Number(level(arms.SMALL_TABLES, COST), 1e-6),
    "charge_snappy": Number(level(arms.SNAPPY, COST), 1e-3),
    "hits_snappy": _hits(arms.SNAPPY),
    "hits_length": _hits(arms.length(64)),
    "charge_by_version": counts(arms.CURRENT, TUNED, COST),
    "peak_mb": level(TUNED, PEAK, 1e6),
    "query": ratio(TUNED, STATED, QUERY),
    **{f"again_{name}": ratio(*AA, each) for name, each in (("mean", MEAN), ("p95", P95), ("query", QUERY))},
    "without_cache": ratio(NO_BLOCK_CACHE, TUNED, MEAN),
    "save_snappy": ratio(arms.SNAPPY, STATED, MEAN),
    **{
        f"found_{name}": percent(share(arm, "lookup_hit_ratio", "lookup_accesses"))
        for name, arm in _LOOKING.items() if name != "dropped"
    },
    **{f"waits_{name}": percent(share(arm, "lookup_waits", "lookups_asked")) for name, arm in _LOOKING.items()},
    "slow_lookup": ratio(arms.SLOW_TUNED, arms.SLOW, LOOKUP),
    "slow_none": ratio(arms.SLOW_NONE, arms.SLOW, LOOKUP),
    "free_lookup": ratio(arms.FREE_TUNED, arms.FREE, LOOKUP),
}  # fmt: skip


def _mean(arm: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric) / unit


WORDS: dict[str, Callable[[Summary], Any]] = {
    "builds": lambda summary: summary.run.provenance["builds"],
    "lookup_arms": lambda summary: len(summary.lookup_arms),
    "keys": _mean(STATED, "stored_keys"),
    "stored_mb": _mean(STATED, "tables_bytes", 1e6),
    "tables_mb": _mean(TUNED, "tables_bytes", 1e6),
    "table_mb": _mean(BLOCK_ONLY, "largest_table_bytes", 1e6),
    "small_table_mb": _mean(arms.SMALL_TABLES, "largest_table_bytes", 1e6),
    "stated_table_mb": _mean(STATED, "largest_table_bytes", 1e6),
    "index_mb": _mean(STATED, "index_bytes", 1e6),
    "burst_misses": _mean(STATED, "burst_misses"),
    "burst_reads": _mean(STATED, "burst_device_reads"),
    "burst_faults": _mean(STATED, "burst_major_faults"),
    "index_asked": lambda summary: [
        summary.values(arm, INDEX_LOOKUPS).sum() for arm in summary.having(summary.suite_arms, INDEX_LOOKUPS)
    ],
    "evictions": lambda summary: listed(
        *(partial(computed.evicted, summary, arm) for arm in (STATED, MEDIUM, TUNED, arms.SNAPPY, arms.length(64)))
    ),
    "charged": computed.charged,
    "note_mb": lambda summary: notes.cost_per_key_bytes() / 1e6,
    "note_hits": lambda summary: 100 * notes.hit_ratio(),
    "note_left": lambda summary: notes.keys_left(),
    "note_budget_mb": lambda summary: notes.budget_mb(),
    "note_store_mib": lambda summary: NOTE_STORE_MIB,
    "note_burst_ms": lambda summary: {
        name: notes.burst_ms(notes.SLOW, name) for name in ("avg", "avg target", "p95", "p95 target")
    },
    "noted": lambda summary: notes.counted().to_dict(),
    "logged_early": lambda summary: 100 * reports.ratio("hit", "asked")[0],
    "logged_late": lambda summary: 100 * reports.ratio("hit", "asked", last=True)[0],
    "along": computed.along,
    "data_bytes": lambda summary: size_bytes(summary.parameters.lookup_rows),
    "held_back_ms": computed.held_back_ms,
}


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration of the suite: cost per key, hit ratio, latencies with intervals, memory."""
    columns: Columns = {
        "cost per key (MB)": lambda arm: with_interval(summary.cost(arm), 1e-6),
        "hit ratio": lambda arm: with_interval(summary.hit_ratio(arm)),
        **means(summary, "keys_added", "evicted_share"),
        **levels(summary, MEAN, P95, "burst_p99_ns", "response_mean_ns"),
        **means(summary, "burst_events_per_s"),
        **levels(summary, QUERY),
        **means(summary, PEAK),
    }
    return table([({SIZES: summary.label(arm)}, arm) for arm in summary.suite_arms], columns)


def _of_lookups(summary: Summary) -> pd.DataFrame:
    """Per configuration that looks up rows: hits, waits, bytes read, charge, latency."""
    columns: Columns = {
        "hit ratio": lambda arm: with_interval(summary.lookup_hits(arm)),
        "look-ups that wait": lambda arm: with_interval(summary.waits(arm)),
        **means(summary, "lookup_read_bytes", "lookup_charged_bytes", "lookup_anonymous_bytes"),
        **levels(summary, LOOKUP, "lookup_p95_ns"),
        **means(summary, "storage_read_iops", "storage_read_bytes_per_s"),
    }
    return table([({SIZES: summary.label(arm)}, arm) for arm in summary.lookup_arms], columns)


TABLES = {"overview": _overview, "of_lookups": _of_lookups}
