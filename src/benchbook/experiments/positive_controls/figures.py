"""The figures: what each counter shows without and with something that asks for it, and pages around a CHECKPOINT."""

from __future__ import annotations

from benchbook.experiments.positive_controls.answers import COUNTERS, PAGES
from benchbook.experiments.positive_controls.arms import CHECKPOINT, ENCRYPTED, PLAIN, SUMS, TPCB
from benchbook.experiments.positive_controls.summary import LOOKUPS, WORKERS, Summary
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.regular import Ask, Dots
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate

WORKING, ASKING = (*TPCB, *SUMS), (PLAIN, *ENCRYPTED)
KINDS = {"resident": "in the pool", "dirty": "dirty"}


def _count(arms: tuple[str, ...], metric: str) -> Ask:
    def ask(summary: Summary, arm: str) -> Estimate:
        if arm not in arms:
            raise NotEstimableError("this counter is another configuration's", "see the other series")
        return summary.count(arm, metric)

    return ask


def _pages(when: str) -> Ask:
    return lambda summary, kind: summary.count(CHECKPOINT, f"{kind}_pages_{when}")


counters = Dots(
    id=COUNTERS,
    title="Counters where nothing asks for a setting, and where something must",
    rows=lambda summary: [*WORKING, *ASKING],
    series={
        "parallel workers launched": _count(WORKING, WORKERS),
        "look-ups in the index cache": _count(ASKING, LOOKUPS),
    },
    heading="counter", axis="counted per transaction, sum or row looked up", quantity="per operation",
    replicates="blocks", scale="zero", words=number,
    nothing="This server and this store counted nothing", mend="use PostgreSQL 18 or later",
    caption="Parallel workers launched per transaction of TPC-B or per sum of a table, and look-ups in Badger's index "
    "cache per row looked up. At 0, nothing asked for what the setting offers. Points with {intervals}.",
    alt="Points with intervals for {n} configurations of {series} counters. {said}.",
)  # fmt: skip

checkpoint = Dots(
    id=PAGES,
    title="Pages before and after a CHECKPOINT",
    rows=KINDS, row="pages",
    series={"before": _pages("before"), "after": _pages("after")},
    heading="CHECKPOINT", axis="pages of tables and indexes", replicates="blocks", scale="zero", words=number,
    nothing="This run looked at no CHECKPOINT",
    caption="Pages of pgbench's tables and indexes in shared buffers, and the dirty ones among them, before and after "
    "a CHECKPOINT with autovacuum off and nobody else connected. Points with {intervals}.",
    alt="Points with intervals for {n} kinds of pages, before and after. {said}.",
)  # fmt: skip

FIGURES = {"counters": counters, "checkpoint": checkpoint}
