"""What the chapter teaches beside its answers: pages, not columns, are what a cache holds."""

from __future__ import annotations

from benchbook.experiments.row_access.answers import KEPT, RESIDENT
from benchbook.experiments.row_access.arms import (
    CLAIMED_PERCENT,
    SMALL_BATCH_ROWS,
    UPSERTS,
    UPSERTS_AT_ONCE,
    UPSERTS_SMALL,
)
from benchbook.experiments.row_access.summary import Summary
from benchbook.experiments.shape.judging import estimated
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.model import Effect, Estimate

SAME = 1.05
"""Ratios whose interval lies between this and its inverse are told as no change."""


def title(summary: Summary) -> str:
    """What fewer columns keep in the cache, and what CLUSTER does to related rows."""
    kept = _columns(estimated(summary, "L030"), _toasted(summary).low > SAME)
    return f"{kept}, and {_order(estimated(summary, 'L035'))}"


def _columns(kept: Estimate, out_of_line: bool) -> str:
    if kept.low > 1 / SAME and kept.high < SAME:
        unless = " unless the others are stored out of line" if out_of_line else ""
        return f"Asking for fewer columns keeps no more rows in the cache{unless}"
    if kept.low > 1:
        return f"Asking for fewer columns keeps {number(kept)} times as many rows in the cache"
    if kept.high < 1:
        return "Asking for fewer columns keeps fewer rows in the cache"
    return "Whether fewer columns keep more rows in the cache remains undecided here"


def _order(pages: Estimate) -> str:
    if pages.low > SAME:
        return "clustering on the hash key scatters related rows that were loaded in order"
    if pages.high < 1 / SAME:
        return "clustering on the hash key brings related rows together"
    if pages.low > 1 / SAME and pages.high < SAME:
        return "clustering on the hash key leaves related rows where they are"
    return "what clustering on the hash key does to related rows is open"


def toasted(summary: Summary) -> str:
    """What three columns save where the others are TOASTed."""
    saved = _toasted(summary)
    return f"Where the other columns are TOASTed, all columns fill {number(saved)} times as many pages as three."


def _toasted(summary: Summary) -> Effect:
    return summary.ratio(("all_toasted", "resident_pages"), ("three_toasted", "resident_pages"))


def covering(summary: Summary) -> str:
    """What an index that holds the three columns saves."""
    saved = summary.ratio(("all_1024", "resident_pages"), ("covering_1024", "resident_pages"))
    return f"All columns fill {number(saved)} times as many pages as three columns that an index holds."


def arrival(summary: Summary) -> str:
    """What CLUSTER on the business key does for related rows that had arrived by chance."""
    pages = summary.ratio(("arrival_related", "heap_pages_per_key"), ("business_related", "heap_pages_per_key"))
    return (
        f"Rows that had arrived by chance: before CLUSTER on the business key, 25 related keys lie on {number(pages)} "
        "times as many pages as after it."
    )


def kept(summary: Summary) -> str:
    """What upserts leave of the order, by the size of transactions."""
    sizes = {
        UPSERTS_SMALL: f"transactions of {SMALL_BATCH_ROWS} rows",
        UPSERTS: f"transactions of {summary.parameters.upsert_batch_rows:,}",
        UPSERTS_AT_ONCE: "one transaction",
    }
    found = [
        f"{number(summary.average(arm, KEPT), 100)} % with {words}"
        for arm, words in sizes.items()
        if arm in summary.configurations
    ]
    return (
        f"After upserts of {CLAIMED_PERCENT} % of the rows, this much of CLUSTER's order remains: {', '.join(found)}."
    )


LESSON = Teaching(
    title,
    figure=RESIDENT,
    claimed="Note 000: asking for fewer columns keeps ten times as many rows in the cache, and clustering the tables "
    "reads fewer pages.",
    advice="Ask for fewer columns to send fewer bytes, and put the columns that are asked for into an index, or the "
    "others out of line, to keep more rows in the cache; cluster on the key by which rows are read together. Count "
    "pages before and after.",
    numbers=("L030", "L035", kept),
    besides=(toasted, covering, arrival),
)
