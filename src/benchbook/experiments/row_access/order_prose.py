"""The sentences and the table about physical order: what CLUSTER changes, what upserts leave of it, what it costs."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.row_access.answers import KEPT
from benchbook.experiments.row_access.arms import (
    BUSINESS,
    CLAIMED_PERCENT,
    HASH,
    LOAD,
    RELATED,
    REWRITE,
    SMALL_BATCH_ROWS,
    UPSERTS,
    UPSERTS_AT_ONCE,
    UPSERTS_NEW,
    UPSERTS_ROOM,
    UPSERTS_SMALL,
    ZIPF,
    cluster_of,
    order_of,
)
from benchbook.experiments.row_access.summary import Summary
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval

NOTE_TABLE_GB = 160


def order(summary: Summary) -> Prose:
    """What the physical order changes, and for which requests."""

    def correlation() -> str:
        load, hashed = (summary.mean(order_of(each, RELATED), "hash_correlation") for each in (LOAD, HASH))
        return f"The hash key's correlation with the physical order is {load:.2f} as loaded and {hashed:.2f} clustered."

    def related() -> str:
        load, hashed = (
            with_interval(summary.average(order_of(each, RELATED), "heap_pages_per_key")) for each in (LOAD, HASH)
        )
        return f"Related batches touch {load} heap pages a key in load order and {hashed} clustered on the hash key."

    def business() -> str:
        found = with_interval(summary.average(order_of(BUSINESS, RELATED), "heap_pages_per_key"))
        return f"Clustered on the business key they touch {found}."

    def single() -> str:
        ratio = with_interval(
            summary.ratio((order_of(HASH, "uniform"), "distinct_heap_pages"), (order_of(LOAD, "uniform"),
                          "distinct_heap_pages"))
        )  # fmt: skip
        return f"Single keys drawn at random touch {ratio} times the pages once clustered on the hash key."

    def zipf() -> str:
        arms = order_of(HASH, ZIPF), order_of(LOAD, ZIPF)
        reads = with_interval(summary.ratio(*((arm, "reads_per_request") for arm in arms)))
        return f"Zipf look-ups from a small pool read {reads} times the blocks."

    return tell(correlation, related, business, single, zipf)


def upserts(summary: Summary) -> Prose:
    """What upserts leave of the order, and why."""

    def kept() -> str:
        found = with_interval(summary.average(UPSERTS, KEPT), 100)
        within = summary.mean(UPSERTS, "hot_update_share")
        return (
            f"When {CLAIMED_PERCENT} % of the rows have been refreshed, {summary.parameters.upsert_batch_rows:,} in a "
            f"transaction, {found} % of the order is left; {within:.0%} "
            "of the new row versions found room on the page of the old one."
        )

    def sizes() -> str:
        each = [
            f"{with_interval(summary.average(arm, KEPT), 100)} % where a transaction takes {words}, and "
            f"{summary.mean(arm, 'hot_update_share'):.0%} stayed on their page"
            for arm, words in ((UPSERTS_SMALL, f"{SMALL_BATCH_ROWS} rows"), (UPSERTS_AT_ONCE, "thousands"))
        ]
        return f"It is {'; '.join(each)}."

    def others() -> str:
        room, new = (with_interval(summary.average(arm, KEPT), 100) for arm in (UPSERTS_ROOM, UPSERTS_NEW))
        return f"With room on the pages {room} % is left, and {new} % after as many new keys."

    return tell(kept, sizes, others)


def cluster_cost(summary: Summary) -> pd.DataFrame:
    """Per size of table: CLUSTER's time with its interval, and per GiB."""
    arms = [arm for arm, each in summary.configurations.items() if each.settings["kind"] == REWRITE]
    columns: Columns = {
        **means(summary, "rewritten_rows", "clustered_heap_bytes", "clustered_index_bytes"),
        **levels(summary, "cluster_s", "cluster_s_per_gib"),
    }
    return table([({"table": summary.label(arm)}, arm) for arm in arms], columns)


def extrapolated(summary: Summary) -> Prose:
    """What the note's large table would take at this machine's pace, which is no measurement of it."""
    if not summary.parameters.cluster_rows:
        return Prose("CLUSTER alone was not timed in this run.")
    small, large = min(summary.parameters.cluster_rows), max(summary.parameters.cluster_rows)

    def minutes() -> str:
        pace = summary.level(cluster_of(large), "cluster_s_per_gib", 60)
        size = NOTE_TABLE_GB * 1e9 / 2**30
        return (
            f"At the pace of the largest table, {with_interval(pace)} minutes per GiB, a table of {NOTE_TABLE_GB} GB "
            f"would take {pace.point * size:,.0f} minutes on this machine. That is no measurement: the table here fits "
            "into memory, and sorting and reading by index grow faster than the table."
        )

    def growth() -> str:
        if small == large:
            return ""
        found = summary.ratio(*((cluster_of(rows), "cluster_s_per_gib") for rows in (large, small)))
        return f"From {small:,} to {large:,} rows the time per GiB changes by a factor of {with_interval(found)}."

    return tell(growth, minutes)
