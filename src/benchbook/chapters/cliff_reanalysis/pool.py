"""The buffer pool that was in force in a run, from what the run's own counters allow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchbook.chapters.cliff_reanalysis.arms import Parameters
from benchbook.chapters.cliff_reanalysis.clock_sweep import Load, allocated
from benchbook.chapters.cliff_reanalysis.reports import PAGES_PER_GIB, Report
from benchbook.errors import BenchbookError

SIZES_GIB = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20)
"""Pools that are simulated; between them the fit is interpolated."""
USES = ((2, 2), (1, 3), (3, 1))
"""By how much a transaction raises the usage counts of a row's page and of a leaf: as expected, and two extremes."""
STEP_S = 5
BUSY = 5_000
"""Device writes in a second: above what the log alone needs, far below what evictions cause."""

BOOKKEEPING_BYTES = 160
"""Shared memory that a server writes at its start for each page of its pool, before it holds any: descriptor, condition
variable, hash entry, place in the checkpointer's queue. PostgreSQL 15, started with 1 and with 4 GiB, differs by 61,464
KiB, which is this number; these structures are the same in 16."""


@dataclass(frozen=True)
class Fit:
    """Pool whose simulated allocations are those counted. low, high: the same under the extreme usage counts. GiB."""

    gib: float
    low: float
    high: float


def curve(
    report: Report, parameters: Parameters, *, warm: bool, others: float, uses: tuple[int, int] = USES[0]
) -> list[int]:
    """Simulated allocations of a run with each of the pools."""
    load = Load(report.scale, report.transactions, *uses, others)
    return [_simulated(load, size, parameters, warm=warm) for size in SIZES_GIB]


def others(filling: Report, parameters: Parameters) -> float:
    """Pages per transaction that the model leaves out, from a run whose pool was never full.

    Nothing was evicted then, so what was allocated beyond the touched pages of table and index is what else there is.
    """
    load = Load(filling.scale, filling.transactions)
    touched = _simulated(load, max(SIZES_GIB), parameters, warm=False)
    return (filling.allocated - touched) / filling.transactions


def fit(report: Report, parameters: Parameters, *, warm: bool, others: float) -> Fit:
    """The pool of a run that evicted pages, and its range."""
    found = [
        crossing(SIZES_GIB, curve(report, parameters, warm=warm, others=others, uses=uses), report.allocated)
        for uses in USES
    ]
    return Fit(found[0], min(found), max(found))


def crossing(sizes: Iterable[float], counts: Iterable[float], wanted: float) -> float:
    """The size at which falling counts reach the wanted one, on straight lines between neighbours.

    Raises BenchbookError where they never do.
    """
    x, y = np.array([*sizes], float), np.array([*counts], float)
    if not y.min() <= wanted <= y.max():
        raise BenchbookError(
            f"{wanted:,.0f} allocations lie outside {y.min():,.0f} to {y.max():,.0f}",
            "simulate more pools in SIZES_GIB",
        )
    return float(np.interp(-wanted, -y, x))


def filled_by(report: Report, parameters: Parameters, others: float) -> tuple[int, float]:
    """Of a run that began with an empty pool: the second in which its devices begin to write, and the pool full then.

    The pool, in GiB, is what the transactions up to that second had touched. Raises BenchbookError where the devices
    never begin.
    """
    found = report.devices[report.devices["t_s"] > 0]
    busy = found["t_s"][found["device_writes"] > BUSY]
    if busy.empty:
        raise BenchbookError(f"run {report.name} never wrote out pages", "ask a run whose pool was too small")
    second = int(busy.iloc[0])
    ends, tps = (report.throughput[name].to_numpy(float) for name in ("t_s", "tps"))
    done = float((tps * np.clip(second - (ends - STEP_S), 0, STEP_S)).sum())
    load = Load(report.scale, int(done), others=others)
    return second, _simulated(load, max(SIZES_GIB), parameters, warm=False) / PAGES_PER_GIB


def explained(report: Report, sizes_gib: Iterable[int]) -> list[int]:
    """Pools for which the count of backend writes is possible: whole GiB.

    Up to PostgreSQL 16, backends and background writer put each write into a queue with as many places as the pool
    has pages. buffers_backend moves only when the queue is emptied, which happens whenever it is half full
    (src/backend/postmaster/checkpointer.c). So at some whole number of half pools, backends had written
    buffers_backend pages, and the background writer no more than buffers_clean.
    """
    fitting = []
    for size in sizes_gib:
        half = size * PAGES_PER_GIB // 2
        emptied = (report.written + report.cleaned) // half
        if report.written <= emptied * half and (emptied > 0) == (report.written > 0):
            fitting.append(size)
    return fitting


def smaller_by(small: Report, large: Report) -> float:
    """By how many GiB one run's pool is smaller, from the shared memory of two servers that were just started."""
    return (large.shared_mib - small.shared_mib) * 2**20 / BOOKKEEPING_BYTES / PAGES_PER_GIB


def _simulated(load: Load, gib: float, parameters: Parameters, *, warm: bool) -> int:
    return allocated(load, int(gib * PAGES_PER_GIB), warm=warm, one_in=parameters.one_page_in, seed=parameters.seed)
