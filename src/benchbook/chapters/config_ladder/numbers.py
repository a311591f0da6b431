"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.chapters.config_ladder import tables, trials
from benchbook.chapters.config_ladder.trials import Summary, Words
from benchbook.claims import Quantity
from benchbook.measuring.pgbench.estimands import restarts
from benchbook.measuring.pgbench.ladder import arms, singles, states
from benchbook.measuring.pgbench.ladder.arms import BASELINE, ROUND_1_COLD, ROUND_2, ROUND_2_COLD, A, Start
from benchbook.measuring.pgbench.ladder.states import cold, other_codec
from benchbook.measuring.pgbench.treatment import applied, every, images
from benchbook.measuring.pgbench.words import repeated
from benchbook.model import Estimate
from benchbook.notes.r8g_claims import evidence
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Arm, Estimand, counts, custom, ratio, totals
from benchbook.numbers.inert import Found
from benchbook.numbers.littles_law import littles_gate
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics import Gate

PAIRS = {
    "workers": (arms.A_AGAIN, A), "scenario B": (arms.B_AGAIN, arms.B),
    "cold": (arms.ROUND_1_COLD_AGAIN, ROUND_1_COLD),
}  # fmt: skip
"""The baseline's second and first configuration of each group that has its own; ROUND_2's of all others."""
PAIR = (arms.ROUND_2_AGAIN, ROUND_2)
REPORTS = {claim: evidence(claim) for claim in ("R017", "R022", "R036", "R055", "R056")}
"""What note 003's own reports show of the claims that they decide."""


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The baseline of the claim's own group against itself."""
    known = summary.configurations
    groups = {known[arm].group for arm in answer.estimand.names(summary) if arm in known}
    again, first = next((PAIRS[group] for group in PAIRS if group in groups and PAIRS[group][0] in known), PAIR)
    return [summary.aa_gate(again, first, answer.estimand.metric or "")]


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts, bounded memory; full pools of warm trials, equal starts after a restart; Little's law."""
    names = answer.estimand.names(summary)
    if not names:
        return []
    gates = [*summary.counts_gate(names), summary.bound_gate(names)]
    if warm := names & {*summary.where("start", Start.WARM)}:
        gates.append(summary.full_gate(warm))
    if restarted := names & {*summary.where("start", Start.RESTART)}:
        gates.append(summary.dirty_gate(names))
    if answer.estimand.metric in ("latency_mean_ns", "latency_sd_ns"):
        p = summary.parameters
        gates.append(littles_gate(summary.of(names), float(p.restart_seconds if restarted else p.warm_seconds)))
    return gates


def _times(top: Arm, bottom: Arm, metric: str = "tps", *, also: Iterable[Words] = (), **ground: Any) -> Estimand:
    """Ratio of a metric of two configurations that takes time. also: further departures. ground: as in Estimand."""
    return ratio(top, bottom, metric, departs=trials.departs(top, bottom, also=also), **ground)


def _within(arm: str, above: str, below: str, *, aa: str = "", **ground: Any) -> Estimand:
    """Ratio of two metrics of each trial of one configuration. aa: metric of the A/A pair, by default the first's."""
    return ratio((arm, above), (arm, below), aa=aa or above, departs=trials.departs(arm), **ground)


def _onset(*also: Words) -> Estimand:
    """Scenario A's time until throughput falls over the baseline's, over the blocks in which it falls in both."""

    def slots(summary: Summary, arm: str) -> np.ndarray:
        summary.values(arm, "cliff")  # or why there is none
        return summary.in_blocks(arm)["cliff_slot"].to_numpy(dtype=float)

    def compute(summary: Summary) -> Estimate:
        above, below = (slots(summary, arm) for arm in (A, BASELINE))
        both = ~(np.isnan(above) | np.isnan(below))
        if both.sum() < 2:
            raise NotEstimableError(
                f"{int(both.sum())} of {both.size} blocks show a cliff in both configurations; two are needed",
                "give a lower storage_iops, or longer trials",
            )
        pair = (each[both] + 1 for each in (above, below))  # the first slot is 0, and a fall in it has taken time
        return summary.estimated(statistics.ratio, *pair, of=both)

    idle, off = applied("max_worker_processes", A, BASELINE), trials.departs(A, BASELINE, also=also)
    return custom(compute, Quantity.COMPARISON, A, BASELINE, aa="tps", idle=idle, departs=off)


def _on_second(second: str, first: str) -> Callable[[Summary], str]:
    """The configuration on the second server, or where lz4 was not measured, that on the first."""
    return lambda summary: second if arms.CODECS["lz4"] in summary.configurations else first


def _no_lz4(summary: Summary) -> str:
    """That another codec stands for lz4; "" where lz4 was measured."""
    return "" if arms.CODECS["lz4"] in summary.configurations else other_codec(summary)


_CAPPED, _SIZE = (trials.no_cap,), (trials.no_cap, trials.not_in_proportion)
"""What claims on the workers depart in besides: those that name no size, and those that do."""


def _workers(
    metric: str, top: str = A, bottom: str = BASELINE, setting: str = "max_worker_processes", *,
    also: Iterable[Words] = _CAPPED, inert: Found = trials.no_parallel_plan,
) -> Estimand:  # fmt: skip
    """What settings of parallel workers do on capped storage."""
    return _times(
        top, bottom, metric, also=also, idle=applied(setting, top, bottom),
        working=trials.no_workers(top, bottom), inert=inert,
    )  # fmt: skip


_compressed, _uncompressed = _on_second(arms.CODECS["lz4"], ROUND_2), _on_second(arms.CODECS["off"], arms.OFF)
_five = every(applied("wal_writer_flush_after", ROUND_2_COLD, ROUND_1_COLD), cold(ROUND_2_COLD, ROUND_1_COLD))


def _counted(top: str, metric: str, setting: str) -> Estimand:
    """What a setting of round 1 changes of a count."""
    idle = applied(setting, top, arms.ROUND_1_BASE)
    return counts(top, arms.ROUND_1_BASE, metric, idle=idle, departs=trials.departs(top, arms.ROUND_1_BASE))


NUMBERS = {
    "workers": _workers("tps", also=_SIZE),
    "workers_help": _workers("tps"),
    "later": replace(_onset(*_CAPPED), inert=trials.no_parallel_plan),
    "later_in_size": _onset(*_SIZE),
    "processes": _workers("tps", arms.PROCESSES_32, BASELINE),
    "parallel": _workers("tps", arms.PARALLEL_32, arms.PROCESSES_32, "max_parallel_workers"),
    "per_gather": _workers("tps", A, arms.PARALLEL_32, "max_parallel_workers_per_gather"),
    "workers_peak": _workers("peak_tps", also=_SIZE, inert=trials.own_line),
    "workers_least": _workers("min_tps", also=_SIZE, inert=trials.own_line),
    "workers_latency": _workers("latency_mean_ns", also=_SIZE),
    "workers_early": _workers("early_cv"),
    "workers_start": _workers("start_tps", also=_SIZE, inert=trials.own_line),
    "workers_end": _workers("sustained_tps"),
    "workers_over_peak": _workers("mean_over_peak"),
    "workers_variation": _workers("cv"),
    "restarts": restarts(
        "max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather",
        words="the three worker settings",
    ),
    "five": _times(ROUND_2_COLD, ROUND_1_COLD, idle=_five),
    "second_run": _within(ROUND_2_COLD, "second_tps", "tps", aa="tps", idle=states.warmer("second_")),
    "third_run": _within(ROUND_2_COLD, "third_tps", "tps", aa="tps", idle=states.warmer("third_")),
    "round_3": _times(
        arms.ROUND_3, ROUND_2, also=[other_codec], idle=applied("shared_buffers", arms.ROUND_3, ROUND_2)
    ),
    "log_off": counts(
        _uncompressed, _compressed, "wal_bytes_per_transaction", idle=images(_uncompressed),
        departs=trials.departs(_uncompressed, _compressed, also=[_no_lz4]),
    ),
    "less_written": totals(
        arms.MULTIPLIER_4, arms.ROUND_1_BASE, "backend_writes_per_transaction", idle=trials.wrote_in_each_session,
        departs=trials.departs(arms.MULTIPLIER_4, arms.ROUND_1_BASE),
    ),
    "siblings": _counted(arms.SIBLINGS_3, "commits_per_flush", "commit_siblings"),
    "flush_after": _counted(arms.FLUSH_2MB, "log_bytes_per_write", "wal_writer_flush_after"),
    "naptime": _times(arms.NAPTIME_10, ROUND_2, idle=trials.any_vacuumed),
    "workers_003": _times(
        ROUND_2, arms.WORKERS_8, working=trials.no_workers(ROUND_2, arms.WORKERS_8), inert=trials.no_parallel_plan
    ),
    "warmth": _times(ROUND_2, ROUND_2_COLD, idle=states.apart),
    "smaller_data": ratio(arms.ROUND_2_FITS, ROUND_1_COLD, "tps"),
    "smaller_and_warm": ratio(arms.FITS_WARM, ROUND_1_COLD, "tps"),
    "slow_flush": ratio(arms.FLUSHES[200], arms.FLUSHES[0], "tps"),
    "again": ratio(*PAIR, "tps"),
    "lz4": ratio(arms.CODECS["lz4"], arms.CODECS["off"], "tps"),
}  # fmt: skip


def _means(metric: str, names: Mapping[Any, str], summary: Summary) -> dict[Any, float]:
    """A metric of those of the configurations that have it, by what they are called here."""
    return {called: summary.mean(arm, metric) for called, arm in names.items() if summary.has(arm, metric)}


def _inspected(start: Start, summary: Summary) -> pd.DataFrame:
    """What the pool and the operating system's cache held before the trials that start so."""
    return summary.inspected(summary.where("start", start), states.IN_POOL, states.IN_OS_CACHE)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "per_page": partial(_means, "transactions_per_account_page", {"round 2": ROUND_2, "B": arms.B}),
    "carried": partial(_means, "commits_per_flush", arms.FLUSHES),
    "failed": lambda summary: summary.failures(summary.arms),
    "launched": trials.launched,
    "backend_writes": partial(Summary.mean, arm=ROUND_2, metric="backend_writes_per_transaction"),
    "cleaned": partial(Summary.mean, arm=ROUND_2, metric="cleaned_per_transaction"),
    "commits": partial(Summary.mean, arm=ROUND_2, metric="commits_per_flush"),
    "repeated": lambda summary: repeated(summary, *PAIR, "tps", "latency_mean_ns", "peak_tps", "min_tps"),
    "single": singles.sort,
    "detectable": lambda summary: singles.detectable(summary) - 1,
    "combined": partial(tables.combined, together=True),
    "combined_still": lambda summary: tables.combined(summary).within(singles.SOLD),
    "combined_open": tables.undecided,
    "largest": tables.largest,
    "plans": tables.plans,
    **{f"{start}_trials": partial(_inspected, start) for start in Start},
}
TABLES = {"note_claims": tables.note_claims, "codecs": tables.codecs, "aliases": tables.aliases}
