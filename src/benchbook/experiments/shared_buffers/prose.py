"""The chapter's sentences with numbers, computed from the run that the page shows, and its tables."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.experiments.families.pgbench.words import UNKNOWN, repeated
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, levels, means, table
from benchbook.experiments.shape.telling import tell, told
from benchbook.experiments.shared_buffers.arms import (
    A_COLD,
    B_COLD,
    B_PREWARMED,
    BY_HAND,
    QUARTER,
    REPEATED,
    SCENARIO_A,
    SCENARIO_B,
    THREE_EIGHTHS,
    Part,
    reads_name,
    share_name,
    sweep_name,
)
from benchbook.experiments.shared_buffers.estimands import NOTE_TRANSACTIONS_PER_PAGE, same_pools
from benchbook.experiments.shared_buffers.figures import SERVED
from benchbook.experiments.shared_buffers.pools import SWEEPS
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Prose, with_interval

_SEEN = (
    (SCENARIO_B, SCENARIO_A, "tps", "Scenario B over Scenario A, the note's +31 %, is {} in TPS."),
    (
        sweep_name(100), sweep_name(10), "tps",
        "After a restart, with the OS cache warm, a pool of 100 % of the data gives {} times the TPS of 10 %.",
    ),
    (
        reads_name(100), reads_name(10), "tps",
        "In read-only trials, where each miss goes to the device, the same comparison gives {}.",
    ),
    (A_COLD, SCENARIO_A, "tps", "With the OS cache cold, Scenario A has {} times its TPS."),
    (B_COLD, SCENARIO_B, "tps", "Scenario B then at {} times."),
    (
        THREE_EIGHTHS, QUARTER, "tps",
        "After a warm start, 37.5 % of memory gives {} times the TPS of 25 %; note 003 blames it for −23 %.",
    ),
    (
        SCENARIO_B, B_PREWARMED, "growth",
        "TPS grows {} times as much along a trial from an empty pool as from a full one.",
    ),
)  # fmt: skip
"""Two configurations, a metric, and the sentence on their ratio."""


def note_claims() -> pd.DataFrame:
    """The notes' own numbers: one run each, without intervals."""
    three = note("c8gb_runs")[["scenario", "shared_buffers_gb", "tps_avg", "tps_peak", "tps_min", "latency_ms"]]
    rounds = note("r8g_runs")[["label", "shared_buffers_gb", "tps", "latency_ms"]]
    columns = ["run", "shared_buffers (GB)", "TPS", "highest 5 s", "lowest 5 s", "mean latency (ms)"]
    first = three.set_axis(columns, axis=1).assign(note="002")
    second = rounds.set_axis([columns[0], columns[1], columns[2], columns[5]], axis=1).assign(note="003")
    both = pd.concat([first, second]).set_index(["note", "run"])
    return both.map(lambda value: "" if pd.isna(value) else f"{value:g}" if value < 100 else f"{value:,.0f}")


def one_and_the_same(summary: Summary) -> Prose:
    """That the pools of note 002 evicted nothing, where so; what the page can then say and what it cannot."""
    why = "".join(told(partial(same_pools, summary)))
    if not why:
        return Prose("")
    return Prose(
        f"**At this scale the pools of note 002 did the same work.** {why[:1].upper()}{why[1:]}. What this page shows "
        "of its three runs is therefore how much equal configurations differ here, not what a larger pool does. That "
        "would take more data than a pool can hold and slower storage; such a design will follow. The results on "
        "`CHECKPOINT`, on sizes and on what the caches held do not depend on it."
    )


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    metric = "transactions_per_account_page"
    pages = [summary.values(arm, metric).mean() for arm in summary.having((SCENARIO_A, SCENARIO_B), metric)]
    held = ""
    if pages:
        held = (
            f"A trial of Scenarios A and B holds {float(np.mean(pages)):.2f} transactions per page of "
            f"`pgbench_accounts`; note 002's best run held {NOTE_TRANSACTIONS_PER_PAGE:g}."
        )
    bounded = summary.run.provenance.get("memory_bound", "not known")
    failed = summary.failures(summary.arms)
    lost = f"Trials that failed: {len(failed)} ({'; '.join(failed[:3])})." if failed else ""
    memory = f"Memory of server and page cache: {bounded} for the trials of note 002."
    return telling.design(summary, " ".join(told(summary.apparatus(), held, memory, lost)))


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""

    def seen(top: str, bottom: str, metric: str, text: str) -> str:
        return text.format(with_interval(summary.gain(top, bottom, metric)))

    otherwise = "This run has too few configurations for an answer."
    return tell(*(partial(seen, *each) for each in _SEEN), otherwise=otherwise)


def by_hand(summary: Summary) -> Prose:
    """Plain pgbench, started as one would by hand, against ours; and Scenario A against itself."""

    def compared() -> str:
        hand, again = (summary.gain(arm, SCENARIO_A) for arm in (BY_HAND, REPEATED))
        inside = again.low <= hand.point <= again.high
        overlap = hand.low <= again.high and again.low <= hand.high
        verdict = (
            "differs no more than the configuration from itself"
            if inside
            else "lies outside the interval of the configuration against itself, "
            + (
                "though the intervals overlap"
                if overlap
                else "and the intervals do not overlap: our own tooling costs throughput"
            )
        )
        return (
            "A plain `pgbench` command, without a log and without sampling, interleaved with ours in every block on "
            f"the same restored data, gives {with_interval(hand)} times our TPS of Scenario A. Scenario A against "
            f"itself (A/A) gives {with_interval(again)}. The plain command {verdict}."
        )

    return tell(compared, otherwise="This run did not measure plain pgbench beside ours.")


def noise(summary: Summary) -> Prose:
    """How far Scenario A differs from itself, and how many blocks a ratio of a given precision would take."""
    metrics = ("tps", "latency_mean_ns", "interval_sd_ns", "min_tps", "growth")
    again = repeated(summary, REPEATED, SCENARIO_A, *metrics)
    if not again:
        return Prose("This run does not have Scenario A twice.")

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

    return tell(f"Scenario A against itself (A/A), as ratios: {again}.", needed, waiting)


def dips(summary: Summary) -> Prose:
    """Whether middling pools sag below the line between small and large ones, as double buffering would have it."""
    restart, reads = SWEEPS
    triples = {
        restart: (sweep_name(10), sweep_name(60), sweep_name(120)),
        reads: (reads_name(10), reads_name(60), reads_name(120)),
        "TPC-B after a warm start, shares of memory": (share_name(12.5), share_name(37.5), share_name(62.5)),
    }

    def dip(name: str, arms: tuple[str, str, str]) -> str:
        found = statistics.dip(*(summary.values(arm, "tps") for arm in arms), sessions=summary.sessions)
        word = "a dip" if found.high < 1 else "a bulge" if found.low > 1 else "no certain dip or bulge"
        left, mid, right = (f"“{summary.label(arm)}”" for arm in arms)
        return f"{name}: TPS of {mid} over the geometric mean of {left} and {right} is {with_interval(found)}, {word}"

    said = told(*(partial(dip, name, arms) for name, arms in triples.items()))
    if not said:
        return Prose("This run lacks the configurations that would show a mid-range dip.")
    return Prose("; ".join(said) + ".")


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
