"""The chapter's sentences and its table, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.experiments.cache_sizing.answers import MEAN, P95
from benchbook.experiments.cache_sizing.arms import (
    AGAIN,
    BLOCK_ONLY,
    CURRENT,
    MEDIUM,
    NO_BLOCK_CACHE,
    SMALL_TABLES,
    SNAPPY,
    STATED,
    TUNED,
    length,
)
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.families.badger import notes
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.judging import estimated
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, with_interval

UNDER_WAY_SHARE = 0.05
"""Blocks read but not yet offered to the cache when the counters are taken look as if they were turned away."""


def note_claims() -> pd.DataFrame:
    """The note's numbers before the change, and what it expected after."""
    found, burst = notes.counted(), partial(notes.burst_ms, notes.SLOW)
    rows = [
        ("burst mean (ms)", f"{burst('avg'):g}", f"below {burst('avg target'):g}"),
        ("burst P95 (ms)", f"{burst('p95'):g}", f"below {burst('p95 target'):g}"),
        ("block cache hit ratio", f"{100 * found['hit_ratio']:.0f} %", "85 to 95 %"),
        ("keys evicted / added", f"{found['eviction_rate']:g} %", ""),
        ("life of a key, 90th percentile", f"{found['cache_life_expectancy_p90']:g} s", ""),
        ("cost added", f"{found['total_cost_added']:g} TB", ""),
        ("cost per key, from the two", f"{notes.cost_per_key_bytes() / 1e6:.1f} MB", ""),
    ]
    return pd.DataFrame(rows, columns=["metric", "before (measured)", "after (expected)"]).set_index("metric")


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, builds = summary.parameters, summary.run.provenance["builds"]

    def store() -> str:
        size, keys = summary.mean(STATED, "tables_bytes") / 1e6, summary.mean(STATED, "stored_keys")
        return f" At the end of the burst, the store holds {keys:,.0f} keys, with {size:,.1f} MB in tables."

    return telling.design(
        summary,
        f"{len(summary.arms)} configurations, {len(summary.lookup_arms)} of which look up rows. Badger "
        f"{builds['badger-note']} in all but two kinds: one has "
        f"{builds['badger-current']}, and the *own length* ones have {builds['badger-length']}. {p.workers} workers, "
        f"{p.events:,} events in the peak test and as many in {p.bursts} bursts; memtables of {p.mem_table_mib} MiB, "
        f"blocks of {p.block_bytes:,} bytes.{''.join(told(store))}",
    )


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""

    def charges(arm: str, factor: float = 1e-6) -> str:
        return with_interval(summary.cost(arm), factor)

    def hits(arm: str) -> str:
        return f"{with_interval(summary.hit_ratio(arm), 100)} %"

    def largest(arm: str) -> str:
        return f"{summary.mean(arm, 'largest_table_bytes') / 1e6:.3g}"

    def current() -> str:
        times = with_interval(summary.ratio((CURRENT, "cost_per_key_bytes"), (TUNED, "cost_per_key_bytes")))
        version = summary.run.provenance["builds"]["badger-current"]
        return f"Badger {version} charges {times} times what the note's version charges."

    return tell(
        lambda: (
            f"Without compression and in one table of {largest(BLOCK_ONLY)} MB, a block of some 4 kB is charged "
            f"{charges(BLOCK_ONLY)} MB with 2048 MiB of cache and {charges(STATED)} MB with 64 MiB; the note's own two "
            f"numbers give {notes.cost_per_key_bytes() / 1e6:.1f} MB."
        ),
        lambda: (
            f"The charge is the table's size and no constant: in tables of at most {largest(SMALL_TABLES)} MB it is "
            f"{charges(SMALL_TABLES)} MB with 64 MiB."
        ),
        lambda: (
            "Badger's default compresses with Snappy, which puts a block in memory of its own: it is then charged "
            f"{charges(SNAPPY, 1e-3)} kB, and the stated 64 MiB gives a hit ratio of {hits(SNAPPY)}."
        ),
        lambda: f"Without compression, but charged its own length, the same 64 MiB gives {hits(length(64))}.",
        lambda: (
            f"The note's tuned setting gives {hits(TUNED)}, where the note saw {100 * notes.hit_ratio():.0f} % before "
            "its change and aimed at 85 to 95 %."
        ),
        current,
        otherwise="In this run the store never left memory, so no cache was used.",
    )


def evictions(summary: Summary) -> Prose:
    """What the charge does to what the cache can keep."""

    def of(arm: str) -> str:
        def lives() -> str:
            return f", {summary.mean(arm, 'evicted_within_2s_share'):.1%} of them within 2 s"

        def turned_away() -> str:
            share = summary.mean(arm, "turned_away_share")
            return f", {share:.0%} of the misses turned away" if share > UNDER_WAY_SHARE else ""

        blocks, evicted = (summary.mean(arm, metric) for metric in ("resident_blocks", "evicted_share"))
        return (
            f"{summary.label(arm)}: {blocks:,.0f} blocks kept, {evicted:.2%} of the keys evicted"
            f"{''.join(told(lives, turned_away))}"
        )

    rows = told(*(partial(of, arm) for arm in (STATED, MEDIUM, TUNED, SNAPPY, length(64))))
    if not rows:
        return Prose("No cache admitted a block in this run.")
    return Prose(
        f"At the end of the burst: {'; '.join(rows)}. *Turned away* means a block that is charged more than the whole "
        "cache: it never gets in, however often it is tried, and Badger's counters of added and rejected keys do not "
        "include it."
    )


def reads(summary: Summary) -> Prose:
    """Whether a miss of the block cache reaches the device."""

    def counted() -> str:
        names = ("burst_misses", "burst_device_reads", "burst_major_faults")
        misses, device, faults = (summary.mean(STATED, name) for name in names)
        return (
            f"During the burst of the stated setting, the block cache missed {misses:,.0f} times per trial, and "
            f"{device:,.1f} blocks of 4 KiB were read from the device ({faults:.1f} major page faults): a miss reads a "
            "file that the kernel has mapped and cached, and causes no disk I/O. The store is written moments before "
            "it is read and is far smaller than memory."
        )

    return tell(counted, otherwise="This run did not count both device reads and misses.")


def index_cache(summary: Summary) -> Prose:
    """Whether the index cache is asked at all."""
    metric = "query_index_cache_lookups"
    asked = [summary.values(arm, metric).sum() for arm in summary.having(summary.suite_arms, metric)]
    return tell(
        f"Look-ups in the index cache over the query tests of all {len(asked)} configurations that have one: "
        f"{sum(asked):,.0f}. Badger uses its index cache only for encrypted tables; without encryption, every index "
        "stays with its open table, whatever the size of that cache.",
        lambda: (
            f"All indexes together come to {summary.mean(STATED, 'index_bytes') / 1e6:,.2f} MB at the end of the burst."
        ),
    )


def latency(summary: Summary) -> Prose:
    """Whether more hits made anything faster, with the A/A arm beside it."""

    def against(metric: str) -> str:
        tuned, again = (with_interval(summary.ratio((arm, metric), (STATED, metric))) for arm in (TUNED, AGAIN))
        return f"{summary.in_words(metric)} {tuned} (A/A {again})"

    def without() -> str:
        times = with_interval(summary.ratio((NO_BLOCK_CACHE, MEAN), (TUNED, MEAN)))
        return (
            f"Without any block cache the burst mean is {times} times that of the tuned setting. No claim is about "
            "this comparison, which is one of many possible pairs, and we did not measure its cause."
        )

    lines = "; ".join(told(*(partial(against, metric) for metric in (MEAN, P95, "query_mean_ns"))))
    seen = f"Tuned over stated setting, as ratios: {lines}." if lines else "No time was measured in all trials."
    return tell(seen, without)


def advice(summary: Summary) -> Prose:
    """What the note's plan to compare gives when it is carried out, and whether its budget is reasonable."""

    def budget() -> str:
        peak, added = (estimated(summary, claim) for claim in ("B034", "B030"))
        return (
            f"The tuned setting uses {with_interval(peak)} times the note's 3.5 GB, and the 2 GiB of block cache add "
            f"{with_interval(added, 100)} % of their size to the peak. Memory that is reserved but never used does no "
            "harm, but it does not help either: at the end of the first burst, the tables that a cache could hold come "
            f"to {summary.mean(TUNED, 'tables_bytes') / 1e6:,.0f} MB."
        )

    return tell(budget, otherwise="This run does not show memory use.")


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: cost per key, hit ratio, latencies with intervals, memory."""

    columns: Columns = {
        "cost per key (MB)": lambda arm: with_interval(summary.cost(arm), 1e-6),
        "hit ratio": lambda arm: with_interval(summary.hit_ratio(arm)),
        **means(summary, "keys_added", "evicted_share"),
        **levels(summary, MEAN, P95, "burst_p99_ns", "response_mean_ns"),
        **means(summary, "burst_events_per_s"),
        **levels(summary, "query_mean_ns"),
        **means(summary, "peak_resident_bytes"),
    }
    return table([({"block / index cache (MiB)": summary.label(arm)}, arm) for arm in summary.suite_arms], columns)
