"""The numbers of the chapter, each once and by name, and what its claims stand on; those of note 002 in ``workers``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from benchbook.claims import Quantity
from benchbook.experiments.config_ladder import combinations, tables, treatment, trials, workers
from benchbook.experiments.config_ladder.estimands import of_codecs, times, uncompressed, within
from benchbook.experiments.config_ladder.summary import Summary
from benchbook.experiments.config_ladder.treatment import (
    Words,
    any_vacuumed,
    apart,
    bound_by_reads,
    cold,
    departs_in_codec,
    no_parallel_plan,
    no_workers,
    warmer,
    wrote_in_each_session,
)
from benchbook.experiments.families.pgbench.estimands import largest
from benchbook.experiments.families.pgbench.ladder import singles
from benchbook.experiments.families.pgbench.ladder.arms import (
    A_AGAIN,
    B_AGAIN,
    BUFFERS_16,
    CODECS,
    FITS_WARM,
    FLUSH_2MB,
    FLUSHES,
    MULTIPLIER_4,
    NAPTIME_10,
    ONE_IO,
    ROUND_1,
    ROUND_1_BASE,
    ROUND_1_COLD,
    ROUND_1_COLD_AGAIN,
    ROUND_1_FITS,
    ROUND_2,
    ROUND_2_AGAIN,
    ROUND_2_COLD,
    ROUND_2_FITS,
    ROUND_3,
    SIBLINGS_3,
    WORKERS_8,
    A,
    B,
    Start,
)
from benchbook.experiments.families.pgbench.treatment import applied, every, images
from benchbook.experiments.families.pgbench.words import repeated
from benchbook.experiments.r8g_reported import evidence
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, counts, ratio, totals
from benchbook.statistics import Gate

__all__ = ["NUMBERS", "REPORTS", "TABLES", "WORDS", "Summary", "aa_gates", "checks"]
LATENCIES = {"latency_mean_ns", "latency_sd_ns"}
PAIRS = {"workers": (A_AGAIN, A), "scenario B": (B_AGAIN, B), "cold": (ROUND_1_COLD_AGAIN, ROUND_1_COLD)}
"""The baseline's second and first configuration of each group that has its own; ROUND_2's of all others."""
PAIR = (ROUND_2_AGAIN, ROUND_2)
REPORTS = {claim: evidence(claim) for claim in ("R022", "R036", "R055", "R056")}
"""What note 003's own reports show of the claims that they decide."""


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The baseline of the claim's own group against itself."""
    known = summary.configurations
    groups = {known[arm].group for arm in answer.estimand.names(summary) if arm in known}
    again, first = next((PAIRS[group] for group in PAIRS if group in groups and PAIRS[group][0] in known), PAIR)
    return [summary.aa_gate(again, first, answer.estimand.metric or "")]


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts, bounded memory; full pools of warm trials, equal starts after a restart; Little's law."""
    arms = answer.estimand.names(summary)
    if not arms:
        return []
    gates = [*summary.counts_gate(arms), summary.bound_gate(arms)]
    if arms & {*summary.starting(Start.WARM)}:
        gates.append(summary.full_gate(arms))
    if arms & {*summary.starting(Start.RESTART)}:
        gates.append(summary.dirty_gate(arms))
    if answer.estimand.metric in LATENCIES:
        gates.append(summary.littles_gate(arms))
    return gates


_five = every(applied("wal_writer_flush_after", ROUND_2_COLD, ROUND_1_COLD), cold(ROUND_2_COLD, ROUND_1_COLD))
_read_bound = bound_by_reads(ROUND_1_COLD)
_second_run, _third_run = (warmer(ROUND_2_COLD, f"{which}_") for which in ("second", "third"))


def _started(metric: str) -> Estimand:
    """Round 2 over round 1, of what the first seconds decide, in which the note's clients wait for reads."""
    return times(ROUND_2_COLD, ROUND_1_COLD, metric, idle=every(_five, _read_bound))


def _first(above: str, below: str, *, bounded: bool = False) -> Estimand:
    """How far the start of round 1 lies below the rest of it."""
    return within(ROUND_1_COLD, above, below, bounded=bounded, idle=_read_bound)


def _third(metric: str = "tps") -> Estimand:
    return times(
        ROUND_3, ROUND_2, metric, idle=applied("shared_buffers", ROUND_3, ROUND_2),
        departs=departs_in_codec(ROUND_3, ROUND_2),
    )  # fmt: skip


def _counted(top: str, bottom: str, metric: str, idle: Words) -> Estimand:
    return counts(top, bottom, metric, idle=idle, departs=treatment.departs(top, bottom))


def _along(name: str, arm: str) -> dict[str, Estimand]:
    """Parts of a warm trial over its mean."""
    return {
        f"{name}_second": within(arm, "interval_02_tps", "tps"),
        f"{name}_third": within(arm, "interval_03_tps", "tps"),
        f"{name}_peak": within(arm, "peak_tps", "tps", bounded=True),
        f"{name}_last": within(arm, "interval_12_tps", "tps"),
    }


NUMBERS = {
    **workers.NUMBERS,
    "five": times(ROUND_2_COLD, ROUND_1_COLD, idle=_five),
    "five_latency": times(ROUND_2_COLD, ROUND_1_COLD, "latency_mean_ns", idle=_five),
    "five_spread": _started("latency_sd_ns"),
    "five_start": _started("first_over_mean"),
    "second_run": within(ROUND_2_COLD, "second_tps", "tps", aa="tps", idle=_second_run),
    "third_run": within(ROUND_2_COLD, "third_tps", "tps", aa="tps", idle=_third_run),
    "third_run_last": within(ROUND_2_COLD, "third_interval_12_tps", "third_tps", aa="interval_12_tps"),
    "round_3": _third(),
    "round_3_latency": _third("latency_mean_ns"),
    "round_3_spread": _third("latency_sd_ns"),
    "round_3_start": _third("interval_01_tps"),
    "best_round": largest(ROUND_2, (ROUND_1, ROUND_3), departs=departs_in_codec(ROUND_2, ROUND_1, ROUND_3)),
    "log_off": of_codecs("wal_bytes_per_transaction", idle=images(uncompressed)),
    "round_1_spread": ratio(
        (ROUND_1_COLD, "latency_sd_ns"), (ROUND_1_COLD, "latency_mean_ns"), quantity=Quantity.DISPERSION,
        idle=_read_bound, departs=treatment.departs(ROUND_1_COLD),
    ),
    **{f"round_1_{nth}": _first(f"interval_{of:02}_tps", "interval_12_tps")
       for nth, of in (("first", 1), ("second", 2), ("third", 3))},
    "round_1_peak": _first("peak_tps", "tps", bounded=True),
    "round_1_falls": within(ROUND_1_COLD, "fourth_quarter_tps", "third_quarter_tps"),
    "round_2_first": within(ROUND_2, "interval_01_tps", "rest_tps"),
    "round_2_least": within(ROUND_2, "min_tps", "peak_tps", bounded=True),
    **_along("round_2", ROUND_2),
    **_along("round_3", ROUND_3),
    "reads": times(
        ROUND_1_COLD, ROUND_1_FITS, "wait_read_share", idle=every(cold(ROUND_1_COLD, ROUND_1_FITS), _read_bound)
    ),
    "less_written": totals(
        MULTIPLIER_4, ROUND_1_BASE, "backend_writes_per_transaction", idle=wrote_in_each_session(ROUND_1_BASE),
        departs=treatment.departs(MULTIPLIER_4, ROUND_1_BASE),
    ),
    "fewer_io": times(
        ONE_IO, ROUND_1_COLD,
        idle=every(applied("effective_io_concurrency", ONE_IO, ROUND_1_COLD), cold(ONE_IO, ROUND_1_COLD)),
    ),
    "siblings": _counted(
        SIBLINGS_3, ROUND_1_BASE, "commits_per_flush", applied("commit_siblings", SIBLINGS_3, ROUND_1_BASE)
    ),
    "flush_after": _counted(
        FLUSH_2MB, ROUND_1_BASE, "log_bytes_per_write", applied("wal_writer_flush_after", FLUSH_2MB, ROUND_1_BASE)
    ),
    "naptime": times(NAPTIME_10, ROUND_2, idle=any_vacuumed(ROUND_2)),
    "buffers": times(ROUND_2, BUFFERS_16),
    "workers_003": replace(
        times(ROUND_2, WORKERS_8, working=no_workers(ROUND_2, WORKERS_8)), inert=no_parallel_plan
    ),
    "emptied": times(ROUND_2_COLD, ROUND_2, idle=apart(ROUND_2, ROUND_2_COLD)),
    "warmth": times(ROUND_2, ROUND_2_COLD, idle=apart(ROUND_2, ROUND_2_COLD)),
    "smaller_data": ratio(ROUND_2_FITS, ROUND_1_COLD, "tps"),
    "smaller_and_warm": ratio(FITS_WARM, ROUND_1_COLD, "tps"),
    "slow_flush": ratio(FLUSHES[200], FLUSHES[0], "tps"),
    "again": ratio(ROUND_2_AGAIN, ROUND_2, "tps"),
    "lz4": ratio(CODECS["lz4"], CODECS["off"], "tps"),
}  # fmt: skip


def _mean(metric: str) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(ROUND_2, metric)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus,
    "per_page": partial(trials.means, "transactions_per_account_page", {"round 2": ROUND_2, "B": B}),
    "failed": lambda summary: summary.failures(summary.arms),
    "launched": trials.launched,
    "backend_writes": _mean("backend_writes_per_transaction"),
    "cleaned": _mean("cleaned_per_transaction"),
    "commits": _mean("commits_per_flush"),
    "repeated": lambda summary: repeated(summary, *PAIR, "tps", "latency_mean_ns", "peak_tps", "min_tps"),
    "single": singles.sort,
    "detectable": lambda summary: singles.detectable(summary) - 1,
    "combined": combinations.moved,
    "largest": combinations.largest,
    **{f"{start}_trials": partial(trials.started, start) for start in Start},
    "carried": partial(trials.means, "commits_per_flush", FLUSHES),
    "plans": trials.plans,
}
TABLES = {
    "note_claims": tables.note_claims,
    "differences": tables.differences,
    "codecs": tables.codecs,
    "counters": tables.counters,
    "aliases": tables.aliases,
    "overview": tables.overview,
}
