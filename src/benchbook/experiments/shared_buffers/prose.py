"""The chapter's sentences with numbers, computed from the run that the page shows, and its tables."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.experiments.families.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION
from benchbook.experiments.families.pgbench.treatment import cap_share
from benchbook.experiments.families.pgbench.words import UNKNOWN, repeated
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, levels, means, table
from benchbook.experiments.shape.telling import tell, told
from benchbook.experiments.shared_buffers.arms import (
    A_LOCAL,
    QUARTER,
    REPEATED,
    SCENARIO_A,
    SCENARIO_B,
    Part,
    sweep_name,
)
from benchbook.experiments.shared_buffers.differences import differences
from benchbook.experiments.shared_buffers.estimands import NOTE_TRANSACTIONS_PER_PAGE
from benchbook.experiments.shared_buffers.figures import SERVED
from benchbook.experiments.shared_buffers.memory_figures import checkpoint_cost
from benchbook.experiments.shared_buffers.parameters import SMALL
from benchbook.experiments.shared_buffers.seen import answer, rounds
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.experiments.shared_buffers.treatment import EVICTIONS
from benchbook.figures import Prose

__all__ = [
    "acted",
    "answer",
    "caches",
    "design",
    "differences",
    "noise",
    "note_claims",
    "overview",
    "rounds",
    "storage",
]


def note_claims() -> pd.DataFrame:
    """The notes' own numbers: one run each, without intervals."""
    three = note("c8gb_runs")[["scenario", "shared_buffers_gb", "tps_avg", "tps_peak", "tps_min", "latency_ms"]]
    rounds = note("r8g_runs")[["label", "shared_buffers_gb", "tps", "latency_ms"]]
    columns = ["run", "shared_buffers (GB)", "TPS", "highest 5 s", "lowest 5 s", "mean latency (ms)"]
    first = three.set_axis(columns, axis=1).assign(note="002")
    second = rounds.set_axis([columns[0], columns[1], columns[2], columns[5]], axis=1).assign(note="003")
    both = pd.concat([first, second]).set_index(["note", "run"])
    return both.map(lambda value: "" if pd.isna(value) else f"{value:g}" if value < 100 else f"{value:,.0f}")


def acted(summary: Summary) -> Prose:
    """What the pools evicted, and how much of it waited to be written: whether the claimed cause was there at all."""

    def evicted() -> str:
        small, stated, full = (summary.values(arm, EVICTIONS) for arm in (SCENARIO_A, sweep_name(80), SCENARIO_B))
        most = f"at most {full.max():,.0f}" if full.any() else "none"
        return (
            f"**What the pools did.** The pool of {SMALL} % of the data evicted {small.min():,.0f} to "
            f"{small.max():,.0f} pages in a trial, that of 80 % at most {stated.max():,.0f}, that of 100 % {most}."
        )

    def waited() -> str:
        most, limit = (summary.values(SCENARIO_A, f"dirty_{name}_bytes") for name in ("most", "limit"))
        reached = int((most >= limit).sum())
        return (
            f"With the pool of {SMALL} %, dirty data reached the kernel's limit of {limit.mean() / 2**20:.0f} MiB in "
            f"{reached} of {len(most)} trials. There the kernel can stall the processes that evict; but the pool is "
            "full by then too, and which of the two makes throughput fall cannot be told from these trials."
        )

    return tell(evicted, waited)


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    metric = "transactions_per_account_page"
    pages = [summary.values(arm, metric).mean() for arm in summary.having((SCENARIO_A, SCENARIO_B), metric)]
    held = ""
    if pages:
        held = (
            f"A trial of A or B holds {float(np.mean(pages)):.2f} transactions per page of "
            f"`pgbench_accounts`; note 002's best run held {NOTE_TRANSACTIONS_PER_PAGE:g}."
        )
    bounded = summary.run.provenance.get("memory_bound", "not known")
    failed = summary.failures(summary.arms)
    lost = f"Trials that failed: {len(failed)} ({'; '.join(failed[:3])})." if failed else ""
    memory = f"Memory of server and page cache: {bounded} for the trials of note 002."
    return telling.design(summary, " ".join(told(summary.apparatus(), held, memory, lost)))


def checkpoint(summary: Summary) -> Prose:
    """What a CHECKPOINT leaves in the pool, and what it costs afterwards."""

    def left() -> str:
        held, dirty = (
            [float(summary.values(QUARTER, f"{pages}_{when}_checkpoint").mean()) for when in ("before", "after")]
            for pages in ("resident", "dirty")
        )
        return (
            f"Of {held[0]:,.0f} pages in the pool {held[1]:,.0f} are still there after a CHECKPOINT, and of "
            f"{dirty[0]:,.0f} dirty ones {dirty[1]:,.0f} are still dirty."
        )

    return tell(left, partial(checkpoint_cost, summary), otherwise="This run did not measure a CHECKPOINT.")


def storage(summary: Summary) -> Prose:
    """What the capped storage really did, by the certificates of the trials."""

    def certified() -> str:
        free = summary.values(A_LOCAL, "storage_write_iops")
        capped = [arm for arm in summary.arms if summary.configurations[arm].settings.get("capped")]
        done = np.concatenate([summary.values(arm, "storage_write_iops") for arm in capped])
        return (
            f"Before each of {len(done)} trials on capped storage the device itself did {done.min():,.0f} to "
            f"{done.max():,.0f} writes of 8 KiB a second; without the cap it does {free.min():,.0f} or more. The cap "
            f"lets pass {cap_share(summary, SCENARIO_A, A_LOCAL):.2f} writes for each transaction that the pool of "
            f"{SMALL} % makes without it; note 002's disks did {NOTE_WRITES_PER_TRANSACTION}."
        )

    return tell(certified, otherwise="This run had no slow storage: all of it was measured on this machine's own disk.")


def noise(summary: Summary) -> Prose:
    """How far Scenario A differs from itself, and how many blocks a ratio of a given precision would take."""
    metrics = ("tps", "latency_mean_ns", "interval_sd_ns", "min_tps", "growth")
    again = repeated(summary, REPEATED, SCENARIO_A, *metrics)
    if not again:
        return Prose("This run does not have A twice.")

    def needed() -> str:
        sd = summary.gain(REPEATED, SCENARIO_A).sd
        blocks = {each: statistics.blocks_for_half_width(sd, math.log1p(each / 100)) for each in (5, 2, 1)}
        said = ", ".join(f"{number:,} for ±{percent} %" for percent, number in blocks.items() if number is not None)
        return f"At this spread, the number of blocks that a ratio of TPS needs is {said}." if said else ""

    def waiting() -> str:
        reads = summary.having(summary.of_part(Part.READS), "littles_ratio")
        if not reads:
            return ""
        least = min(float(summary.values(arm, "littles_ratio").min()) for arm in reads)
        return (
            f"In the read-only trials, clients wait for the server at least {least:.0%} of their time; for the rest, "
            "pgbench itself is working, which limits how much a faster server could show."
        )

    return tell(f"A against itself (A/A), as ratios: {again}.", needed, waiting)


def caches(summary: Summary) -> Prose:
    """What the certificates found at the start of the trials from a restart, and the dirty volume."""
    arms = summary.of_part(Part.RESTART)
    warm = summary.of(arm for arm in arms if summary.configurations[arm].settings.get("os_cache", True))
    # nobody looked before a trial that failed
    part = warm.reindex(columns=["data_in_os_cache_start", "dirty_start_bytes"]).dropna()
    if part.empty:
        return Prose("This run did not inspect the caches.")
    dirty = part["dirty_start_bytes"] / 2**20
    least, most = (f"{share:.1%}" for share in part["data_in_os_cache_start"].agg(["min", "max"]))
    range_ = least if least == most else f"between {least} and {most}"
    return Prose(
        f"The caches were inspected before {len(part)} trials after a restart with a warm OS cache: it held {range_} "
        f"of the data, and {dirty.min():.1f} to {dirty.max():.1f} MiB were waiting in memory to be written."
    )


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS, mean, P95, P99 and sd of latency with intervals, where each block request was served."""
    times = (f"latency_{name}_ns" for name in ("mean", "p95", "p99", "sd"))
    columns = levels(summary, "tps", *times, otherwise=NOT_ESTIMABLE)
    columns |= means(summary, *SERVED, otherwise=UNKNOWN)
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)
