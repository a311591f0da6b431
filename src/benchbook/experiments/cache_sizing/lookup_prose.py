"""What the look-ups say in sentences, and how the settings differ from the note's."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.cache_sizing.answers import MEAN as BURST_MEAN
from benchbook.experiments.cache_sizing.arms import (
    DROPPED,
    FREE,
    FREE_TUNED,
    SLOW,
    SLOW_LENGTH,
    SLOW_SNAPPY,
    SLOW_TUNED,
    STATED,
    TUNED,
)
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.families.badger.lookups import NOTE_STORE_MIB, size_bytes
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval

MEAN = "lookup_mean_ns"


def lookups(summary: Summary) -> Prose:
    """Whether a hit saves a read, on a disk on which a read costs."""
    p = summary.parameters

    def both(arm: str) -> str:
        hits, waits = summary.lookup_hits(arm), summary.waits(arm)
        return f"{with_interval(hits, 100)} % of the reads hit and {with_interval(waits, 100)} % of the look-ups wait"

    def slow() -> str:
        times = with_interval(summary.ratio((SLOW_TUNED, MEAN), (SLOW, MEAN)))
        return (
            f"On a disk capped at {p.storage_iops:,} operations and {p.storage_mb_per_s:,} MB a second, with the "
            f"stated sizes, {both(SLOW)} for the device. With the tuned sizes, {both(SLOW_TUNED)}. The mean "
            f"look-up takes {times} times as long."
        )

    def controls() -> str:
        own, packed = ((summary.lookup_hits(arm).point, summary.waits(arm).point) for arm in (SLOW_LENGTH, SLOW_SNAPPY))
        return (
            f"The controls hit more often, {own[0]:.0%} charged their own length and {packed[0]:.0%} with Snappy, "
            f"which unpacks blocks into memory of the cache's own. Still {own[1]:.0%} and {packed[1]:.0%} of the "
            "look-ups wait: the page cache holds the same popular blocks."
        )

    def saves() -> str:
        times = with_interval(summary.ratio((TUNED, BURST_MEAN), (STATED, BURST_MEAN)))
        return (
            f"The note promises a faster save, which is judged on the burst: there a save takes {times} times as long "
            "with the tuned sizes, since its data are in memory and no miss waits for the device. The look-ups here "
            "are what a block cache could shorten of a save, on a disk on which a miss costs."
        )

    def why() -> str:
        return (
            "Without compression, Badger's block cache holds no blocks. It holds slices of the mapped table file, so a "
            "hit may still have to wait for the page behind it."
        )

    def free() -> str:
        times = with_interval(summary.ratio((FREE_TUNED, MEAN), (FREE, MEAN)))
        return f"With all data in memory, the tuned sizes take {times} times the mean of the stated ones."

    return tell(slow, saves, controls, why, free)


def dropped(summary: Summary) -> Prose:
    """When misses would cause disk reads: memory bounded, page cache dropped."""

    p = summary.parameters

    def counted() -> str:
        waits, size = with_interval(summary.waits(DROPPED), 100), size_bytes(p.lookup_rows)
        return (
            f"It is different where memory is bounded to {p.lookup_memory_mib} MiB and the page cache was dropped: "
            f"{waits} % of the look-ups in a store of {size / 1e6:,.0f} MB then wait for the device."
        )

    return tell(counted)


def of_lookups(summary: Summary) -> pd.DataFrame:
    """Per configuration: hits, waits, bytes read, charge, latency."""
    columns: Columns = {
        "hit ratio": lambda arm: with_interval(summary.lookup_hits(arm)),
        "look-ups that wait": lambda arm: with_interval(summary.waits(arm)),
        **means(summary, "lookup_read_bytes", "lookup_charged_bytes", "lookup_anonymous_bytes"),
        **levels(summary, MEAN, "lookup_p95_ns"),
        **means(summary, "storage_read_iops", "storage_read_bytes_per_s"),
    }
    return table([({"block / index cache (MiB)": summary.label(arm)}, arm) for arm in summary.lookup_arms], columns)


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
