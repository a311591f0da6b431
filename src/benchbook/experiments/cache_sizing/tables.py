"""The chapter's tables: the note's numbers, settings of the look-ups, and every configuration."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.families.badger import notes
from benchbook.experiments.families.badger.lookups import NOTE_STORE_MIB, size_bytes
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.figures import with_interval

SIZES = "block / index cache (MiB)"


def note_claims(summary: Summary) -> pd.DataFrame:
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


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: cost per key, hit ratio, latencies with intervals, memory."""

    columns: Columns = {
        "cost per key (MB)": lambda arm: with_interval(summary.cost(arm), 1e-6),
        "hit ratio": lambda arm: with_interval(summary.hit_ratio(arm)),
        **means(summary, "keys_added", "evicted_share"),
        **levels(summary, "burst_mean_ns", "burst_p95_ns", "burst_p99_ns", "response_mean_ns"),
        **means(summary, "burst_events_per_s"),
        **levels(summary, "query_mean_ns"),
        **means(summary, "peak_resident_bytes"),
    }
    return table([({SIZES: summary.label(arm)}, arm) for arm in summary.suite_arms], columns)


def of_lookups(summary: Summary) -> pd.DataFrame:
    """Per configuration: hits, waits, bytes read, charge, latency."""
    columns: Columns = {
        "hit ratio": lambda arm: with_interval(summary.lookup_hits(arm)),
        "look-ups that wait": lambda arm: with_interval(summary.waits(arm)),
        **means(summary, "lookup_read_bytes", "lookup_charged_bytes", "lookup_anonymous_bytes"),
        **levels(summary, "lookup_mean_ns", "lookup_p95_ns"),
        **means(summary, "storage_read_iops", "storage_read_bytes_per_s"),
    }
    return table([({SIZES: summary.label(arm)}, arm) for arm in summary.lookup_arms], columns)


def settings(summary: Summary) -> pd.DataFrame:
    """Settings of the look-ups that differ from the note's, and which way that should move the result."""
    p = summary.parameters
    times = size_bytes(p.lookup_rows) / (NOTE_STORE_MIB * 2**20)
    rows = [
        ("what is timed", "a save: two look-ups and a write", "look-ups alone", "for the larger cache"),
        ("data", f"{NOTE_STORE_MIB} MiB", f"{size_bytes(p.lookup_rows) / 2**20:,.0f} MiB", "none: caches grow alike"),
        ("size of the caches", "as named", f"{times:.2f} times as large", "none: in proportion to the data"),
        ("memory over data", "well above 1", f"{p.lookup_memory_mib * 2**20 / size_bytes(p.lookup_rows):.2f}",
         "for the larger cache"),
        ("disk", "not named", f"{p.storage_iops:,} operations, {p.storage_mb_per_s:,} MB a second",
         "for the larger cache"),
        ("popularity of keys", "new ids, newest events", "Zipf, exponent 0.99", "for the larger cache"),
        ("delays of a capped disk", "even", "in steps of a tenth of a second", "not in the mean; P95 is low"),
        ("read-ahead of the disk", "not named", "128 KiB", "none: the same for all sizes"),
        ("16384 / 4096, in the note's repository", "tried", "left out: its bookkeeping alone exceeds the memory",
         "against the larger cache"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["setting", "the note", "here", "should speak"]).set_index("setting")
