"""The numbers of the chapter, each once and by name: counts per operation, and what they stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.chapters.positive_controls import arms
from benchbook.claims import Quantity
from benchbook.model import Estimate
from benchbook.numbers import summary as shape
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import average, custom, ratio
from benchbook.numbers.inert import Control, cannot_act
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.tables import means, table
from benchbook.statistics import Gate

WORKING, ASKING = (*arms.TPCB, *arms.SUMS), (arms.PLAIN, *arms.ENCRYPTED)
ROUNDS = (*arms.LOGS, arms.LOG_BULK, *arms.READS, arms.READS_BITMAP)
"""Configurations in which parallel workers are counted, look-ups in the index cache, full buffers and bitmaps."""
WORKERS, LOOKUPS = "parallel_workers_per_operation", "index_cache_lookups_per_operation"
IN_POOL = 0.99
"""Share of the data in the pool from which all of it counts as there: the protocol's certificate."""
FULL, BITMAPS = "log_buffers_full", "bitmap_rows"
AA = (arms.REPEATED, arms.BASELINE)
METRICS: Metrics = {
    "operations": Metric("number of transactions, sums or look-ups", heading="operations"),
    "tps": Metric("throughput", heading="TPS"),
    "parallel_workers_planned": Metric("number of parallel workers asked for", heading="workers asked for"),
    "parallel_workers": Metric("number of parallel workers launched", heading="workers launched"),
    "parallel_workers_per_operation": Metric("number of workers launched per transaction or sum"),
    "index_cache_lookups": Metric("number of look-ups in the index cache", heading="index-cache look-ups"),
    "index_cache_lookups_per_operation": Metric("number of look-ups in the index cache per row"),
    "index_cache_misses": Metric("number of misses in the index cache", heading="index-cache misses"),
    "index_cache_hit_ratio": Metric("hit ratio of the index cache", "%", 100),
    "log_buffers_full": Metric("number of times that the log's buffers were full", heading="log's buffers full"),
    "bitmap_rows": Metric("number of rows found by a bitmap", heading="rows by bitmaps"),
    "log_buffers_full_per_operation": Metric("number of times that the log's buffers were full per transaction"),
    "bitmap_rows_per_operation": Metric("number of rows found by a bitmap per transaction or range"),
    "kept_mean_ns": Metric("mean time of an operation", "µs", 1e-3),
    "resident_pages_before": Metric("number of pages in the pool before the CHECKPOINT"),
    "resident_pages_after": Metric("number of pages in the pool after the CHECKPOINT"),
    "dirty_pages_before": Metric("number of dirty pages before the CHECKPOINT"),
    "dirty_pages_after": Metric("number of dirty pages after the CHECKPOINT"),
    "data_pages": Metric("number of pages of tables and indexes"),
    "autovacuums": Metric("number of autovacuums"),
    "checkpoint_s": Metric("time of the CHECKPOINT", "s"),
}


class Summary(shape.Summary[arms.Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS: ClassVar[Metrics] = METRICS
    MEND: ClassVar[str] = "use PostgreSQL 18 or later, which counts parallel workers, and see `benchbook verify`"

    def gates(self) -> list[Gate]:
        """Client and tables counted as many transactions; at the CHECKPOINT all data in the pool, no autovacuum."""
        running = [*arms.TPCB, *arms.LOGS, *arms.READS, arms.CHECKPOINT]
        trials, own = self.of(running), self.in_blocks(arms.CHECKPOINT)
        differ = int((trials["server_transactions"] != trials["transactions"]).sum())
        missing = int((own["resident_pages_before"] < IN_POOL * own["data_pages"]).sum())
        cleaned = int((own["autovacuums"] != 0).sum())
        return [
            Gate("counts agree", differ == 0, float(differ), f"client and tables count otherwise in {differ} trials"),
            Gate("full pool", missing == 0, float(missing), f"the pool lacked some of the data in {missing} trials"),
            Gate("no autovacuum", cleaned == 0, float(cleaned), f"autovacuum was at work in {cleaned} trials"),
        ]


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts, all data in the pool, and no autovacuum, which would dirty pages meanwhile."""
    return summary.gates()


def _still_dirty(summary: Summary) -> Estimate:
    """Dirty pages after the CHECKPOINT over those before; none comes from nowhere."""
    before = summary.values(arms.CHECKPOINT, "dirty_pages_before")
    if before.min() < 1:
        raise NotEstimableError("there were no dirty pages before the CHECKPOINT", "raise tpcb_seconds")
    shares = np.minimum(summary.values(arms.CHECKPOINT, "dirty_pages_after") / before, 1.0)
    return summary.estimated(statistics.share, shares, before)


def _nothing_to_write(summary: Summary) -> str:
    """Why the CHECKPOINT had nothing to write; "" where dirty pages were there in every trial."""
    least = float(summary.values(arms.CHECKPOINT, "dirty_pages_before").min())
    return "" if least >= 1 else "in some trial no page was dirty before the CHECKPOINT, so it wrote nothing"


_never_full = cannot_act(
    FULL,
    arms.LOGS,
    counted="the log's buffers were full 0 times in {} trials",
    why="a client waits until its commit is on the disk, so no more than one transaction of each client is in them",
    control=Control(
        arms.LOG_BULK,
        FULL,
        "one large transaction found 64 kB full {} times or more",
    ),
)
_no_bitmap = cannot_act(
    BITMAPS,
    arms.READS,
    counted="bitmaps found 0 rows in {} trials",
    why="PostgreSQL 16 reads ahead by this setting in bitmap scans alone, and TPC-B's statements have none",
    control=Control(arms.READS_BITMAP, BITMAPS, "ranges that are looked up by one found {} rows or more in a trial"),
)
NUMBERS = {
    "buffers": ratio(arms.LOG_128, arms.LOG_16, "tps", inert=_never_full),
    "fewer_io": ratio(arms.READS_100, arms.READS_200, "tps", inert=_no_bitmap),
    "still_dirty": percent(
        custom(_still_dirty, Quantity.COUNTER, arms.CHECKPOINT, bounded=True, idle=_nothing_to_write)
    ),
    "workers_8": average(arms.SUM_BASELINE, WORKERS),
    "workers_32": average(arms.SUM_A, WORKERS),
    "asked_encrypted": average(arms.LARGE, LOOKUPS),
    "slower": ratio(arms.SMALLEST, arms.LARGE, "kept_mean_ns"),
}


def _total(names: Iterable[str], metric: str, summary: Summary) -> float:
    """What all trials of these configurations counted together."""
    return float(sum(summary.values(arm, metric).sum() for arm in names))


def _acts(summary: Summary) -> bool:
    """Whether every counter moves in every trial where something asks for the setting."""
    moved = {
        "parallel_workers": arms.SUMS, "index_cache_lookups": arms.ENCRYPTED,
        FULL: (arms.LOG_BULK,), BITMAPS: (arms.READS_BITMAP,),
    }  # fmt: skip
    return all(summary.values(arm, metric).min() > 0 for metric, names in moved.items() for arm in names)


def _plan(arm: str, summary: Summary) -> tuple[str, str]:
    """A sum's label, and how PostgreSQL carries it out."""
    rows = summary.in_blocks(arm)
    plans = {*rows["plan"].dropna()} if "plan" in rows else set()
    if len(plans) != 1:
        raise NotEstimableError("the plan is not one and the same in every trial", "measure again")
    return summary.label(arm), str(plans.pop())


PAGES = [f"{pages}_pages_{when}" for pages in ("dirty", "resident") for when in ("before", "after")]
WORDS: dict[str, Callable[[Summary], Any]] = {
    "data_bytes": lambda summary: summary.run.provenance["data_bytes"],
    "workers_tpcb": partial(_total, arms.TPCB, "parallel_workers"),
    "transactions": partial(_total, arms.TPCB, "operations"),
    "full_log": partial(_total, arms.LOGS, FULL),
    "full_bulk": partial(_total, (arms.LOG_BULK,), FULL),
    "by_bitmaps": partial(_total, arms.READS, BITMAPS),
    "by_bitmap": partial(_total, (arms.READS_BITMAP,), BITMAPS),
    "asked_plain": partial(_total, (arms.PLAIN,), "index_cache_lookups"),
    "lookups_plain": partial(_total, (arms.PLAIN,), "operations"),
    "acts": _acts,
    "hit_ratio": lambda summary: summary.mean(arms.SMALLEST, "index_cache_hit_ratio"),
    "missed_large": partial(_total, (arms.LARGE,), "index_cache_misses"),
    "plan_8": partial(_plan, arms.SUM_BASELINE),
    "plan_32": partial(_plan, arms.SUM_A),
    "pages": lambda summary: {each: summary.mean(arms.CHECKPOINT, each) for each in PAGES},
}


def _overview(summary: Summary) -> pd.DataFrame:
    """What was counted in a trial of each configuration, mean over trials."""
    workers, lookups = ("parallel_workers_planned", "parallel_workers"), ("index_cache_lookups", "index_cache_misses")
    rows = [({"configuration": summary.label(arm)}, arm) for arm in (*WORKING, *ROUNDS, *ASKING)]
    return table(rows, means(summary, "operations", *workers, FULL, BITMAPS, *lookups))


TABLES = {"overview": _overview}
