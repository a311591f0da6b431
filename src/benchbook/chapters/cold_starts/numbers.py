"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from benchbook import store
from benchbook.chapters.cold_starts.arms import FREE, NOTE_READS_PER_TRANSACTION
from benchbook.chapters.cold_starts.trials import READING, Summary, bound_at_first, bound_by_reads, departing, warm
from benchbook.claims import Quantity
from benchbook.measuring.pgbench.ladder.arms import ROUND_1, ROUND_1_COLD, ROUND_1_FITS, ROUND_2_COLD, Start
from benchbook.measuring.pgbench.ladder.states import IN_OS_CACHE, IN_POOL, cold
from benchbook.measuring.pgbench.treatment import applied, every
from benchbook.measuring.pgbench.words import repeated
from benchbook.notes import r8g_reports
from benchbook.notes.r8g_claims import evidence
from benchbook.numbers import hosts, looks
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, ratio, share
from benchbook.numbers.inert import published
from benchbook.numbers.littles_law import littles_gate
from benchbook.numbers.quantities import percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics import Gate

AA = (Summary.again, Summary.first)
REPORTS = {claim: evidence(claim) for claim in ("R024", "R029")}
"""What note 003's own reports show of the claims that they decide."""
LADDER = "config_ladder"
"""The chapter that measures the same start on the local disk."""
SHARES = {"reading_first": "clients_looked_at_first", "extending_most": "clients_looked_at"}
"""Shares of clients that claims are about, to what each is a share of."""


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts, bounded memory, a full pool where it is warm; Little's law for latencies."""
    names = answer.estimand.names(summary)
    gates = [*summary.counts_gate(names), summary.bound_gate(names)]
    if filled := warm(summary, names):
        gates.append(summary.full_gate(filled))
    if answer.estimand.metric in ("latency_mean_ns", "latency_sd_ns"):
        gates.append(littles_gate(summary.of(names), float(summary.parameters.trial_seconds)))
    return gates


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """Round 1 from cold caches against itself: a ratio, or a difference of shares."""
    metric = answer.estimand.metric or ""
    again, first = summary.again(), summary.first()
    if metric in SHARES:
        return [summary.aa_share_gate(again, first, metric, SHARES[metric])]
    return [summary.aa_gate(again, first, metric)]


def _times(top: str, bottom: str, metric: str = "tps", **ground: Any) -> Estimand:
    """Ratio of a metric of two configurations that takes time."""
    return ratio(top, bottom, metric, departs=departing(top, bottom), **ground)


def _first(above: str, below: str, **ground: Any) -> Estimand:
    """Ratio of two metrics of each trial of round 1 from cold caches."""
    idle = every(cold(ROUND_1_COLD), bound_by_reads)
    return ratio((ROUND_1_COLD, above), (ROUND_1_COLD, below), idle=idle, departs=departing(ROUND_1_COLD), **ground)


def _clients(metric: str) -> Estimand:
    """A share of the clients in round 1 from cold caches."""
    return share(
        ROUND_1_COLD, metric, SHARES[metric], quantity=Quantity.LEVEL, aa=metric,
        idle=every(cold(ROUND_1_COLD), bound_at_first), departs=departing(ROUND_1_COLD),
    )  # fmt: skip


_five = every(
    applied("wal_writer_flush_after", ROUND_2_COLD, ROUND_1_COLD), cold(ROUND_2_COLD, ROUND_1_COLD), bound_by_reads
)
NUMBERS = {
    "spread": _first("latency_sd_ns", "latency_mean_ns", quantity=Quantity.DISPERSION),
    "first": _first("interval_01_tps", "interval_12_tps"),
    "second": _first("interval_02_tps", "interval_12_tps"),
    "third": _first("interval_03_tps", "interval_12_tps"),
    "peak": _first("peak_tps", "tps", bounded=True),
    "five_spread": _times(ROUND_2_COLD, ROUND_1_COLD, "latency_sd_ns", idle=_five),
    "five_start": _times(ROUND_2_COLD, ROUND_1_COLD, "first_over_mean", idle=_five),
    "size": _times(
        ROUND_1_COLD, ROUND_1_FITS, READING, idle=every(cold(ROUND_1_COLD, ROUND_1_FITS), bound_by_reads)
    ),
    "reading_first": percent(_clients("reading_first")),
    "extending": percent(_clients("extending_most")),
    "five": ratio(ROUND_2_COLD, ROUND_1_COLD, "tps"),
    "warmth": ratio(ROUND_1, ROUND_1_COLD, "tps"),
    "cap": ratio(FREE, ROUND_1_COLD, "tps"),
    "free_first": ratio((FREE, "interval_01_tps"), (FREE, "interval_12_tps")),
}  # fmt: skip


def _mean(arm: str, metric: str) -> Callable[[Summary], float]:
    return partial(Summary.mean, arm=arm, metric=metric)


def _local(summary: Summary) -> float:
    """Share of the clients that wait for a read where the same start has the local disk: of the published runs."""
    found = published(summary.chapter, LADDER, ROUND_1_COLD, "wait_read_share")
    if not found:
        raise NotEstimableError("nobody has published this start on a local disk", f"publish a run of {LADDER}")
    return float(np.mean(found))


def _noted(summary: Summary) -> r8g_reports.Report:
    """The note's own report of its first round."""
    return r8g_reports.reports()[r8g_reports.ROUND_1]


def _unbound(summary: Summary) -> dict[str, str]:
    """Sessions whose starts were not bound by reads, by their day and processor, and what they lacked."""
    found = {}
    for place, part in hosts.parts(summary).items():
        about = summary.run.parts[place]
        if isinstance(part, Summary) and (why := bound_by_reads(part) or bound_at_first(part)):
            found[f"{looks.begun(about)[:10]} on {store.model_of(about.provenance)}"] = why
    return found


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": lambda summary: summary.apparatus(),
    "failed": lambda summary: summary.failures(summary.arms),
    "unbound": _unbound,
    "repeated": lambda summary: repeated(
        summary, summary.again(), summary.first(), "tps", "latency_mean_ns", "latency_sd_ns", "first_over_mean"
    ),
    "noted": _noted,
    "noted_share": lambda summary: NOTE_READS_PER_TRANSACTION,
    "share": lambda summary: summary.per_transaction,
    "capped_reads": _mean(ROUND_1_COLD, "read_cap_iops"),
    "free_reads": _mean(FREE, "storage_read_iops"),
    "per_transaction": _mean(ROUND_1_COLD, "device_reads_per_transaction"),
    "reading": _mean(ROUND_1_COLD, READING),
    "reading_local": _local,
    "reading_free": _mean(FREE, READING),
    "reading_warm": _mean(ROUND_1, READING),
    "cold_trials": lambda summary: summary.inspected(summary.where("start", Start.COLD), IN_POOL, IN_OS_CACHE),
    "warm_trials": lambda summary: summary.inspected(summary.where("start", Start.WARM), IN_POOL, IN_OS_CACHE),
}
