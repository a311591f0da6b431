"""The answers to note 002's claims: its workers on capped storage, and Scenario B one setting at a time."""

from __future__ import annotations

from benchbook.experiments.config_ladder.arms import BASELINE, PARALLEL_32, PROCESSES_32, A, B
from benchbook.experiments.config_ladder.estimands import onset, restarts, times
from benchbook.experiments.config_ladder.figure_ids import OF_B, WORKERS
from benchbook.experiments.config_ladder.treatment import (
    Words,
    applied,
    departs_capped,
    departs_in_size,
    no_parallel_plan,
    no_workers,
)
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, inert, known

_in_force = applied("max_worker_processes", A, BASELINE)


def _workers(top: str, bottom: str, setting: str) -> Estimand:
    return times(
        top, bottom, idle=applied(setting, top, bottom), departs=departs_capped(top, bottom),
        working=no_workers(top, bottom),
    )  # fmt: skip


def _a(metric: str, *, size: bool = False) -> Estimand:
    """Scenario A over the baseline. size: whether the claim names one, which the cap decides."""
    off = (departs_in_size if size else departs_capped)(A, BASELINE)
    return times(A, BASELINE, metric, idle=_in_force, departs=off, working=no_workers(A, BASELINE))


def _kept(without: str, working: Words) -> Estimand:
    """A setting of Scenario B that is to cost nothing, over its value before."""
    return times(B, without, working=working)


_WORKERS = (
    "C005",
    "C006",
    "C007",
    "C015",
    "C016",
    "C017",
    "C018",
    "C019",
    "C023",
    "C024",
    "C025",
    "C027",
    "C028",
    "C073",
)
"""Claims that one of the three settings of parallel workers has an effect on pgbench's transactions."""
_ANSWERS = (
    Answer(
        "C016", _a("tps", size=True), WORKERS,
        said="settings of parallel workers give 14 % more transactions",
        seen="they give {} times as many", lead=True, row="A ÷ baseline: TPS",
    ),
    Answer(
        "C025", onset(A, BASELINE, idle=_in_force, departs=departs_capped(A, BASELINE)), WORKERS,
        said="parallel workers delay the fall of throughput", seen="it comes after {} times the time",
        row="A ÷ baseline: time of the fall",
    ),
    Answer("C005", _workers(PROCESSES_32, BASELINE, "max_worker_processes"), OF_B),
    Answer("C006", _workers(PARALLEL_32, PROCESSES_32, "max_parallel_workers"), OF_B),
    Answer(
        "C007", _workers(A, PARALLEL_32, "max_parallel_workers_per_gather"), OF_B
    ),
    Answer("C015", _a("tps"), WORKERS),
    Answer("C017", _a("peak_tps", size=True), WORKERS, row="A ÷ baseline: highest TPS"),
    Answer("C018", _a("min_tps", size=True), WORKERS, row="A ÷ baseline: lowest TPS"),
    Answer("C019", _a("latency_mean_ns", size=True), WORKERS, row="A ÷ baseline: mean latency"),
    Answer("C023", _a("early_cv"), WORKERS, row="A ÷ baseline: early variation"),
    Answer("C024", _a("start_tps", size=True), WORKERS, row="A ÷ baseline: TPS of the start"),
    Answer(
        "C026", onset(A, BASELINE, idle=_in_force, departs=departs_in_size(A, BASELINE)), WORKERS,
    ),
    Answer("C027", _a("sustained_tps"), WORKERS, row="A ÷ baseline: TPS of the last third"),
    Answer("C028", _a("mean_over_peak"), WORKERS, row="A ÷ baseline: mean ÷ highest TPS"),
    Answer("C071", known(restarts, "The count is of those of the three worker settings whose context is postmaster")),
    Answer("C073", _a("cv"), WORKERS, row="A ÷ baseline: variation"),
)  # fmt: skip
ANSWERS = inert(_ANSWERS, no_parallel_plan, *_WORKERS)
