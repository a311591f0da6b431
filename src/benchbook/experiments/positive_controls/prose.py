"""The chapter's sentences and tables with numbers, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.experiments.positive_controls.arms import (
    CHECKPOINT,
    ENCRYPTED,
    LARGE,
    PLAIN,
    SMALLEST,
    SUM_A,
    SUM_BASELINE,
    SUMS,
    TPCB,
)
from benchbook.experiments.positive_controls.summary import LOOKUPS, WORKERS, Summary
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.tables import means, table
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose

COUNTED = {
    **dict.fromkeys((*TPCB, *SUMS), ("operations", "parallel_workers_planned", "parallel_workers")),
    **dict.fromkeys((PLAIN, *ENCRYPTED), ("operations", "index_cache_lookups", "index_cache_misses")),
}


def design(summary: Summary) -> Prose:
    """What was measured, in numbers."""
    p, record = summary.parameters, summary.run.provenance
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations on {summary.on()}. PostgreSQL: pgbench at scale {p.scale} "
        f"({float(record['data_bytes']) / 2**20:,.0f} MiB with indexes), all of it fits into the pool; {p.clients} "
        f"clients for {p.tpcb_seconds} s, or {p.sums} sums. Badger: {p.rows:,} rows of 400 bytes, {p.lookups:,} "
        "look-ups of uniformly drawn rows by one client.",
    )


def launched(summary: Summary) -> str:
    """Parallel workers of TPC-B and of sums, under both settings."""
    every, made = summary.total(TPCB, "parallel_workers"), summary.total(TPCB, "operations")
    few, many = (number(summary.count(arm, WORKERS)) for arm in (SUM_BASELINE, SUM_A))
    return (
        f"TPC-B launched {every:,.0f} parallel workers in {made:,.0f} transactions, with 8 workers allowed and with "
        f"32; a sum of the same accounts launched {few} with 8 and {many} with 32."
    )


def asked_for(summary: Summary) -> str:
    """Look-ups in the index cache of a plain and of an encrypted store."""
    plain, made = summary.total((PLAIN,), "index_cache_lookups"), summary.total((PLAIN,), "operations")
    return (
        f"A plain store asked its index cache {plain:,.0f} times in {made:,.0f} look-ups, an encrypted one "
        f"{number(summary.count(LARGE, LOOKUPS))} times in each."
    )


def size_matters(summary: Summary) -> str:
    """That the size of the index cache tells where it is asked."""
    missed = 100 * (1 - summary.mean(SMALLEST, "index_cache_hit_ratio"))
    enough = summary.total((LARGE,), "index_cache_misses")
    return (
        f"In the encrypted store the size matters: with 1 MiB, {missed:.0f} % of the look-ups in the cache miss, with "
        f"1,024 MiB {enough:,.0f} do, and looking up a row takes {number(summary.slower())} times as long with the "
        "small one."
    )


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences."""
    return tell(*(partial(each, summary) for each in (launched, asked_for)), otherwise="This run counted neither.")


def size(summary: Summary) -> Prose:
    """What the size of the index cache does where it is asked."""
    return tell(partial(size_matters, summary), otherwise="This run does not show what the size does.")


def plan(summary: Summary) -> Prose:
    """How PostgreSQL carries out the sum under both settings."""

    def of(arm: str) -> str:
        rows = summary.in_blocks(arm)
        plans = {*rows["plan"].dropna()} if "plan" in rows else set()
        if len(plans) != 1:
            raise NotEstimableError("the plan is not one and the same in every trial", "measure again")
        return f"{summary.label(arm)}: `{plans.pop()}`"

    return tell(*(partial(of, arm) for arm in SUMS), otherwise="This run kept no plan.", joined="\n\n")


def checkpoint(summary: Summary) -> Prose:
    """What a CHECKPOINT leaves dirty, and what it leaves in the pool."""

    def left() -> str:
        resident, dirty = (
            [summary.mean(CHECKPOINT, f"{pages}_pages_{when}") for when in ("before", "after")]
            for pages in ("resident", "dirty")
        )
        return (
            f"Of {dirty[0]:,.0f} dirty pages {dirty[1]:,.0f} are still dirty after a CHECKPOINT, and of "
            f"{resident[0]:,.0f} pages in the pool {resident[1]:,.0f} are still there (means over "
            f"{summary.run.blocks} blocks)."
        )

    return tell(left, otherwise="This run did not measure a CHECKPOINT.")


def overview(summary: Summary) -> pd.DataFrame:
    """What was counted in a trial of each configuration, mean over trials."""
    names = dict.fromkeys(name for counted in COUNTED.values() for name in counted)
    rows = [({"configuration": summary.label(arm)}, arm) for arm in COUNTED]
    return table(rows, means(summary, *names))
