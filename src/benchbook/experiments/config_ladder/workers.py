"""The numbers on note 002's claims: its workers on capped storage, and what they cannot act on."""

from __future__ import annotations

from dataclasses import replace

from benchbook.experiments.config_ladder.estimands import onset, restarts, times
from benchbook.experiments.config_ladder.treatment import (
    departs_capped,
    departs_in_size,
    no_parallel_plan,
    no_workers,
)
from benchbook.experiments.families.pgbench.ladder.arms import BASELINE, PARALLEL_32, PROCESSES_32, A
from benchbook.experiments.families.pgbench.treatment import applied
from benchbook.experiments.shape.estimands import Estimand, known

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


def _onset(*, size: bool = False) -> Estimand:
    off = departs_in_size if size else departs_capped
    return onset(A, BASELINE, idle=_in_force, departs=off(A, BASELINE))


_HELPED = {
    "workers": _a("tps", size=True),
    "workers_help": _a("tps"),
    "later": _onset(),
    "processes": _workers(PROCESSES_32, BASELINE, "max_worker_processes"),
    "parallel": _workers(PARALLEL_32, PROCESSES_32, "max_parallel_workers"),
    "per_gather": _workers(A, PARALLEL_32, "max_parallel_workers_per_gather"),
    "workers_peak": _a("peak_tps", size=True),
    "workers_least": _a("min_tps", size=True),
    "workers_latency": _a("latency_mean_ns", size=True),
    "workers_early": _a("early_cv"),
    "workers_start": _a("start_tps", size=True),
    "workers_end": _a("sustained_tps"),
    "workers_over_peak": _a("mean_over_peak"),
    "workers_variation": _a("cv"),
}
"""An effect of one of the three settings of parallel workers on pgbench's transactions."""
NUMBERS = {
    **{name: replace(each, inert=no_parallel_plan) for name, each in _HELPED.items()},
    "later_in_size": _onset(size=True),
    "restarts": known(restarts, "The count is of those of the three worker settings whose context is postmaster"),
}
