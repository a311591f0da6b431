"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.notes import table
from benchbook.experiments.sentences import departing, opening
from benchbook.experiments.shared_buffers import treatment
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
from benchbook.experiments.shared_buffers.judgements import NOTE_TRANSACTIONS_PER_PAGE
from benchbook.experiments.shared_buffers.pool_figures import SWEEPS
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Prose, with_interval

_AGAIN = {
    "tps": "TPS",
    "latency_mean_ns": "mean latency",
    "interval_sd_ns": "sd of latency",
    "min_tps": "lowest twelfth",
    "growth": "growth along the trial",
}


def note_claims() -> pd.DataFrame:
    """The notes' own numbers: one run each, without intervals."""
    three = table("c8gb_runs")[["scenario", "shared_buffers_gb", "tps_avg", "tps_peak", "tps_min", "latency_ms"]]
    rounds = table("r8g_runs")[["label", "shared_buffers_gb", "tps", "latency_ms"]]
    columns = ["run", "shared_buffers (GB)", "TPS", "highest 5 s", "lowest 5 s", "mean latency (ms)"]
    first = three.set_axis(columns, axis=1).assign(note="002")
    second = rounds.set_axis([columns[0], columns[1], columns[2], columns[5]], axis=1).assign(note="003")
    both = pd.concat([first, second]).set_index(["note", "run"])
    return both.map(lambda value: "" if pd.isna(value) else f"{value:g}" if value < 100 else f"{value:,.0f}")


def one_and_the_same(summary: Summary) -> Prose:
    """That the pools of note 002 evicted nothing, where so; what the page can then say and what it cannot."""
    try:
        why = treatment.nothing_evicted(SCENARIO_A, SCENARIO_B)(summary)
    except BenchbookError:
        why = ""
    if not why:
        return Prose("")
    return Prose(
        f"**At this scale the pools of note 002 were one and the same.** {why[:1].upper()}{why[1:]}. So what this page "
        "shows of its three runs is how equal configurations differ here, and nothing of what a larger pool does. That "
        "takes data that a pool cannot hold and storage that can be slow; such a design follows. What it says of "
        "`CHECKPOINT`, of sizes and of what the caches held does not depend on it."
    )


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, run = summary.parameters, summary.run
    data = run.provenance.get("data_bytes", p.data_bytes) / 2**30
    text = (
        f"{opening(run)} {len(summary.arms)} configurations on "
        f"PostgreSQL {run.provenance.get('engine_version', 'unknown')}, pgbench at scale {p.scale} "
        f"({data:.2f} GiB with indexes), {p.clients} clients. "
    )
    pages = [
        summary.values(arm, "transactions_per_account_page").mean()
        for arm in (SCENARIO_A, SCENARIO_B)
        if summary.has(arm, "transactions_per_account_page")
    ]
    if pages:
        text += (
            f"A trial of Scenarios A and B holds {float(np.mean(pages)):.2f} transactions per page of "
            f"`pgbench_accounts`; note 002's best run held {NOTE_TRANSACTIONS_PER_PAGE:g}. "
        )
    bounded = run.provenance.get("memory_bound", "not known")
    text += f"Memory of server and page cache: {bounded} for the trials of note 002."
    failed = summary.failures()
    if failed:
        text += f" Trials that failed: {len(failed)} ({'; '.join(failed[:3])})."
    return Prose(text + departing(summary.departures()))


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    pairs = [
        (SCENARIO_B, SCENARIO_A, "tps", "Scenario B over Scenario A, the note's +31 %, is {} in TPS."),
        (
            sweep_name(100),
            sweep_name(10),
            "tps",
            "From a restart, with the OS cache warm, a pool of 100 % of the data gives {} times the TPS of 10 %.",
        ),
        (
            reads_name(100),
            reads_name(10),
            "tps",
            "Where each miss goes to the device, reads only, the same comparison gives {}.",
        ),
        (A_COLD, SCENARIO_A, "tps", "With the OS cache cold, Scenario A runs at {} times its TPS."),
        (B_COLD, SCENARIO_B, "tps", "Scenario B then at {} times."),
        (
            THREE_EIGHTHS,
            QUARTER,
            "tps",
            "After a warm start, 37.5 % of memory gives {} times the TPS of 25 %; note 003 blames it for −23 %.",
        ),
        (
            SCENARIO_B,
            B_PREWARMED,
            "growth",
            "TPS grows along a trial {} times as much from an empty pool as from a full one.",
        ),
    ]
    sentences = [text.format(with_interval(effect)) for *given, text in pairs if (effect := summary.ratio(*given))]
    return Prose(" ".join(sentences) or "This run holds too few configurations for an answer.")


def by_hand(summary: Summary) -> Prose:
    """Plain pgbench, started as one would by hand, against ours; and Scenario A against itself."""
    hand, again = summary.ratio(BY_HAND, SCENARIO_A, "tps"), summary.ratio(REPEATED, SCENARIO_A, "tps")
    if hand is None or again is None:
        return Prose("Plain pgbench was not measured beside ours in this run.")
    inside = again.low <= hand.point <= again.high
    overlap = hand.low <= again.high and again.low <= hand.high
    verdict = (
        "lies inside what the configuration differs from itself"
        if inside
        else "lies outside the interval of the configuration against itself, "
        + ("though the intervals overlap" if overlap else "and the intervals do not overlap: our own apparatus costs")
    )
    return Prose(
        f"A `pgbench` command as one would type it, without log and with nobody looking, interleaved with ours in "
        f"every block on the same restored data, gives {with_interval(hand)} times our TPS of Scenario A. Scenario A "
        f"against itself (A/A) gives {with_interval(again)}. The plain command {verdict}."
    )


def noise(summary: Summary) -> Prose:
    """How far Scenario A differs from itself, and how many blocks a ratio of a given precision would take."""
    found = {name: summary.ratio(REPEATED, SCENARIO_A, metric) for metric, name in _AGAIN.items()}
    again = [f"{name} {with_interval(effect)}" for name, effect in found.items() if effect is not None]
    if not again:
        return Prose("This run does not hold Scenario A twice.")
    text = f"Scenario A against itself (A/A), as ratios: {', '.join(again)}."
    tps = found["TPS"]
    if tps is not None:
        needed = [
            f"{blocks:,} for ±{percent} %"
            for percent in (5, 2, 1)
            if (blocks := statistics.blocks_for_half_width(tps.sd, math.log1p(percent / 100))) is not None
        ]
        text += f" At this spread a ratio of TPS takes so many blocks: {', '.join(needed)}." if needed else ""
    reads = [arm for arm in summary.of_part(Part.READS) if summary.has(arm, "littles_ratio")]
    if reads:
        least = min(float(summary.values(arm, "littles_ratio").min()) for arm in reads)
        text += (
            f" In the read-only trials, clients wait for the server at least {least:.0%} of their time; in the "
            "rest pgbench itself is at work, which bounds what a faster server could show."
        )
    return Prose(text)


def dips(summary: Summary) -> Prose:
    """Whether middling pools sag below the line between small and large ones, as double buffering would have it."""
    restart, reads = SWEEPS
    triples = {
        restart: (sweep_name(10), sweep_name(60), sweep_name(120)),
        reads: (reads_name(10), reads_name(60), reads_name(120)),
        "TPC-B after a warm start, shares of memory": (share_name(12.5), share_name(37.5), share_name(62.5)),
    }
    said = []
    for name, (left, mid, right) in triples.items():
        try:
            found = statistics.dip(*(summary.values(arm, "tps") for arm in (left, mid, right)))
        except BenchbookError:
            continue
        word = "a dip" if found.high < 1 else "a bulge" if found.low > 1 else "neither dip nor bulge for certain"
        said.append(
            f"{name}: TPS of “{summary.label(mid)}” over the geometric mean of “{summary.label(left)}” and "
            f"“{summary.label(right)}” is {with_interval(found)}, {word}"
        )
    if not said:
        return Prose("This run does not hold the configurations that would show a mid-range dip.")
    return Prose("; ".join(said) + ".")


def caches(summary: Summary) -> Prose:
    """What the certificates found at the start of the trials from a restart, and the dirty volume."""
    rows = summary.run.trials
    warm = [arm for arm in summary.of_part(Part.RESTART) if summary.arms[arm].settings.get("os_cache", True)]
    part = rows[rows["configuration"].isin(warm)].reindex(columns=["data_in_os_cache_start", "dirty_start_bytes"])
    part = part.dropna()  # nobody looked before a trial that failed
    if part.empty:
        return Prose("The caches were not looked at in this run.")
    dirty = part["dirty_start_bytes"] / 2**20
    least, most = (f"{share:.1%}" for share in part["data_in_os_cache_start"].agg(["min", "max"]))
    range_ = least if least == most else f"between {least} and {most}"
    return Prose(
        f"The caches were looked at before {len(part)} trials from a restart with a warm OS cache: it held {range_} of "
        f"the data, and {dirty.min():.1f} to {dirty.max():.1f} MiB waited in the machine's memory to be written."
    )
