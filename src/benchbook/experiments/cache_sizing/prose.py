"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

import math

import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.cache_sizing import notes
from benchbook.experiments.cache_sizing.arms import (
    AGAIN,
    BLOCK_ONLY,
    CURRENT,
    MEDIUM,
    MINIMAL,
    NO_BLOCK_CACHE,
    SNAPPY,
    STATED,
    TUNED,
    length,
)
from benchbook.experiments.cache_sizing.judgements import ESTIMANDS
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.sentences import departing, opening
from benchbook.figures import Prose, with_interval

PLAIN = (STATED, "badger_default", MINIMAL, "relay_before", MEDIUM, TUNED)
"""The note's version without compression, by growing block cache."""
UNDER_WAY_SHARE = 0.05
"""Blocks read but not yet offered to the cache when the counters are taken look as if they were turned away."""
TIMES = {"burst_mean_ns": "burst mean", "burst_p95_ns": "burst P95", "query_mean_ns": "query mean"}


def note_claims() -> pd.DataFrame:
    """The note's numbers before the change, and what it expected after."""
    return notes.note_tables()


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, where = summary.parameters, summary.run.provenance
    builds = where["builds"]
    text = (
        f"{opening(summary.run)} {len(summary.arms)} configurations. "
        f"Badger {builds['badger-note']} in all but two kinds: one holds "
        f"{builds['badger-current']}, and the *own length* ones hold {builds['badger-length']}. {p.workers} workers, "
        f"{p.events:,} events in the peak test and as many in {p.bursts} bursts; memtables of {p.mem_table_mib} MiB, "
        f"blocks of {p.block_bytes:,} bytes."
    )
    if summary.has(STATED, "tables_bytes"):
        size = summary.values(STATED, "tables_bytes").mean() / 1e6
        keys = summary.values(STATED, "stored_keys").mean()
        text += f" At the end of the burst the store holds {keys:,.0f} keys, {size:,.1f} MB of them in tables."
    return Prose(text + departing(summary.departures()))


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    sentences = []
    if summary.has(STATED, "cost_per_key_bytes") and summary.has(BLOCK_ONLY, "cost_per_key_bytes"):
        large, small = summary.cost(BLOCK_ONLY), summary.cost(STATED)
        sentences.append(
            f"A block of some 4 kB is charged {with_interval(large, 1e-6)} MB with 2048 MiB of cache and "
            f"{with_interval(small, 1e-6)} MB with 64 MiB; the note's own two numbers give "
            f"{notes.note_cost_per_key_bytes() / 1e6:.1f} MB."
        )
    if summary.has(SNAPPY, "cost_per_key_bytes") and summary.has(SNAPPY, "hit_ratio"):
        sentences.append(
            f"Compressed with Snappy, so that a block lies in memory of its own, it is charged "
            f"{with_interval(summary.cost(SNAPPY), 1e-3)} kB, and the stated 64 MiB give a hit ratio of "
            f"{with_interval(summary.hit_ratio(SNAPPY), 100)} %."
        )
    own = length(64)
    if summary.has(own, "hit_ratio"):
        sentences.append(
            "Without compression, but charged with its own length, the same 64 MiB give "
            f"{with_interval(summary.hit_ratio(own), 100)} %."
        )
    if summary.has(TUNED, "hit_ratio"):
        sentences.append(
            f"The note's tuned setting gives {with_interval(summary.hit_ratio(TUNED), 100)} %, where the note saw "
            f"{100 * notes.note_hit_ratio():.0f} % before its change and aimed at 85 to 95 %."
        )
    if summary.has(CURRENT, "cost_per_key_bytes") and summary.has(TUNED, "cost_per_key_bytes"):
        ratio = statistics.ratio(
            summary.values(CURRENT, "cost_per_key_bytes"), summary.values(TUNED, "cost_per_key_bytes")
        )
        version = summary.run.provenance["builds"]["badger-current"]
        sentences.append(f"Badger {version} charges {with_interval(ratio)} times what the note's version charges.")
    return Prose(" ".join(sentences) or "In this run the store never left memory, and no cache was asked.")


def evictions(summary: Summary) -> Prose:
    """What the charge does to what the cache can keep."""
    rows = []
    for arm in (STATED, MEDIUM, TUNED, SNAPPY, length(64)):
        if summary.has(arm, "evicted_share") and summary.has(arm, "resident_blocks"):
            lives = ""
            if summary.has(arm, "evicted_within_2s_share"):
                lives = f", {summary.values(arm, 'evicted_within_2s_share').mean():.1%} of them within 2 s"
            if (
                summary.has(arm, "turned_away_share")
                and summary.values(arm, "turned_away_share").mean() > UNDER_WAY_SHARE
            ):
                lives += f", {summary.values(arm, 'turned_away_share').mean():.0%} of the misses turned away"
            rows.append(
                f"{summary.labels[arm]}: {summary.values(arm, 'resident_blocks').mean():,.0f} blocks kept, "
                f"{summary.values(arm, 'evicted_share').mean():.2%} of the keys evicted{lives}"
            )
    if not rows:
        return Prose("No cache took in a block in this run.")
    return Prose(
        f"At the end of the burst: {'; '.join(rows)}. *Turned away* is a block that is charged more than the whole "
        "cache: it never gets in, at any number of tries, and Badger's counters of added and rejected keys do not "
        "mention it."
    )


def residents(summary: Summary) -> Prose:
    """What the note's counters say about the cache size that it really measured."""
    held = notes.note_resident_charge_bytes() / 2**20
    left = int(notes.note_metrics()["keys_added"] - notes.note_metrics()["keys_evicted"])
    note = notes.note_cost_per_key_bytes()
    text = (
        f"The note's counters leave {left} keys in the cache; at its mean charge they come to {held:,.0f} MiB. That is "
        "a hint and no proof, since what stays may be cheaper than the mean. A better one is the charge itself: "
        "Badger's cache admits no key that is charged more than the whole cache, so a small cache takes in only the "
        "blocks near the end of a table, and its charge per key is small."
    )
    arms = [arm for arm in summary.having("cost_per_key_bytes", "hit_ratio") if arm in PLAIN]
    if not arms:
        return Prose(text)
    seen = "; ".join(
        f"{summary.labels[arm]}: {summary.cost(arm).point / 1e6:.1f} MB a key, "
        f"{100 * summary.hit_ratio(arm).point:.0f} % hits"
        for arm in arms
    )
    text = f"{text} Measured here: {seen}. The note has {note / 1e6:.1f} MB and {100 * notes.note_hit_ratio():.0f} %"
    table = float(summary.values(STATED, "largest_table_bytes").mean()) if summary.has(STATED, "tables") else 0.0
    if 2 * table < note:
        return Prose(f"{text}, which tables of {table / 1e6:.1f} MB, as in this run, cannot be charged.")
    near = min(arms, key=lambda arm: abs(math.log(summary.cost(arm).point / note)))
    return Prose(f"{text}; of these settings {summary.labels[near]} comes nearest to its charge.")


def reads(summary: Summary) -> Prose:
    """Whether a miss of the block cache reaches the device."""
    if not summary.has(STATED, "burst_misses") or not summary.has(STATED, "burst_device_reads"):
        return Prose("This run did not count device reads beside misses.")
    misses, device = (summary.values(STATED, f"burst_{name}").mean() for name in ("misses", "device_reads"))
    faults = summary.values(STATED, "burst_major_faults").mean()
    return Prose(
        f"During the burst of the stated setting the block cache missed {misses:,.0f} times a trial, and "
        f"{device:,.1f} blocks of 4 KiB were read from the device ({faults:.1f} major page faults): a miss is a look "
        "into a file that is mapped and cached by the kernel, not disk I/O. The store is written moments before it is "
        "read and far smaller than memory; on a machine whose page cache cannot hold it this would be otherwise."
    )


def index_cache(summary: Summary) -> Prose:
    """Whether the index cache is asked at all."""
    asked = [
        summary.values(arm, "query_index_cache_lookups").sum() for arm in summary.having("query_index_cache_lookups")
    ]
    size = f"{summary.values(STATED, 'index_bytes').mean() / 1e6:,.2f} MB" if summary.has(STATED, "index_bytes") else ""
    return Prose(
        f"Look-ups in the index cache over the query tests of all {len(asked)} configurations that have one: "
        f"{sum(asked):,.0f}. Badger asks its index cache only for encrypted tables; without encryption every index "
        "stays where the table was opened, whatever the size of that cache. "
        + (f"All indexes together come to {size} at the end of the burst." if size else "")
    )


def latency(summary: Summary) -> Prose:
    """Whether more hits made anything faster, with the A/A arm beside it."""
    lines = []
    for metric, name in TIMES.items():
        try:
            tuned = statistics.ratio(summary.values(TUNED, metric), summary.values(STATED, metric))
            again = statistics.ratio(summary.values(AGAIN, metric), summary.values(STATED, metric))
        except NotEstimableError:
            continue
        lines.append(f"{name} {with_interval(tuned)} (A/A {with_interval(again)})")
    text = (
        f"Tuned over stated setting, as ratios: {'; '.join(lines)}." if lines else "No time was measured in all trials."
    )
    try:
        none = statistics.ratio(summary.values(NO_BLOCK_CACHE, "burst_mean_ns"), summary.values(TUNED, "burst_mean_ns"))
    except NotEstimableError:
        return Prose(text)
    return Prose(
        f"{text} Without any block cache the burst mean is {with_interval(none)} times that of the tuned setting. No "
        "claim asks for that, it is one of many pairs that could be picked here, and why is not measured."
    )


def advice(summary: Summary) -> Prose:
    """What the note's plan to compare gives when it is carried out, and whether its budget is reasonable."""
    try:
        peak = ESTIMANDS["B034"].compute(summary, 0.95)
        added = ESTIMANDS["B030"].compute(summary, 0.95)
    except BenchbookError as error:
        return Prose(f"Memory cannot be told from this run: {error.problem}.")
    return Prose(
        f"The tuned setting uses {with_interval(peak)} times the note's 3.5 GB, and the 2 GiB of block cache add "
        f"{with_interval(added, 100)} % of their size to the peak. Memory that is reserved and never used is no "
        "burden, but it is no remedy either: at the end of the first burst the tables that a cache could hold come to "
        f"{summary.values(TUNED, 'tables_bytes').mean() / 1e6:,.0f} MB."
    )
