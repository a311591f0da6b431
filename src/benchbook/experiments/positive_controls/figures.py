"""The figures: what each counter shows without and with something that asks for it, and pages around a CHECKPOINT.

Their words stand in page.md.
"""

from __future__ import annotations

from benchbook.experiments.positive_controls.arms import CHECKPOINT
from benchbook.experiments.positive_controls.numbers import ASKING, BITMAPS, FULL, LOOKUPS, ROUNDS, WORKERS, WORKING
from benchbook.experiments.shape.regular import Ask, Dots

KINDS = {"resident": "in the pool", "dirty": "dirty"}


def _count(metric: str) -> Ask:
    return lambda summary, arm: summary.average(arm, metric)


def _pages(when: str) -> Ask:
    return lambda summary, kind: summary.average(CHECKPOINT, f"{kind}_pages_{when}")


counters = Dots(
    rows=lambda summary: [*WORKING, *ROUNDS, *ASKING],
    series={
        "parallel workers launched": _count(WORKERS),
        "log's buffers full": _count(f"{FULL}_per_operation"),
        "rows found by a bitmap": _count(f"{BITMAPS}_per_operation"),
        "look-ups in the index cache": _count(LOOKUPS),
    },
    heading="counter", axis="counted per transaction, sum, range or row looked up", quantity="per operation",
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
