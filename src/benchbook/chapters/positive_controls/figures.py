"""The figures: what each counter shows without and with something that asks for it, and pages around a CHECKPOINT.

Their words stand in the page.
"""

from __future__ import annotations

from dataclasses import replace

from benchbook.chapters.positive_controls.arms import CHECKPOINT, LOG_BULK
from benchbook.chapters.positive_controls.numbers import (
    ASKING,
    BITMAPS,
    FULL,
    LOOKUPS,
    ROUNDS,
    WORKERS,
    WORKING,
    Summary,
)
from benchbook.drawing.regular import Ask, Dots
from benchbook.model import Estimate

KINDS = {"resident": "in the pool", "dirty": "dirty"}


def _count(metric: str) -> Ask:
    return lambda summary, arm: summary.average(arm, metric)


def _full(summary: Summary, arm: str) -> Estimate:
    """How often per transaction; of the one large change, per 1,000 of its accounts."""
    found = summary.average(arm, f"{FULL}_per_operation")
    thousands = 25 * summary.parameters.scale if arm == LOG_BULK else 1
    return replace(found, point=found.point / thousands, low=found.low / thousands, high=found.high / thousands)


def _pages(when: str) -> Ask:
    return lambda summary, kind: summary.average(CHECKPOINT, f"{kind}_pages_{when}")


counters = Dots(
    rows=lambda summary: [*WORKING, *ROUNDS, *ASKING],
    series={
        "parallel workers launched": _count(WORKERS),
        "log's buffers full": _full,
        "rows found by a bitmap": _count(f"{BITMAPS}_per_operation"),
        "look-ups in the index cache": _count(LOOKUPS),
    },
    heading="counter", axis="counted per transaction, sum, range or row looked up, or 1,000 changed",
    quantity="per operation",
    replicates="blocks", scale="zero",
    nothing="This server and this store counted nothing", mend="use PostgreSQL 18 or later",
)  # fmt: skip

checkpoint = Dots(
    rows=KINDS, row="pages",
    series={"before": _pages("before"), "after": _pages("after")},
    heading="CHECKPOINT", axis="pages of tables and indexes", replicates="blocks", scale="zero",
    nothing="This run looked at no CHECKPOINT",
)  # fmt: skip

FIGURES = {"counters": counters, "checkpoint": checkpoint}
