"""What happened in the measured seconds, from a log or from pgbench's own report."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from benchbook.engines.pgbench.log import Log
from benchbook.engines.pgbench.workload import Workload
from benchbook.errors import BenchbookError

_PROGRESS = re.compile(r"^progress: (\d+\.\d+) s, (\d+\.\d+) tps, lat (\d+\.\d+|-?nan) ms", re.MULTILINE)
_PROCESSED = re.compile(r"^number of transactions actually processed: (\d+)", re.MULTILINE)
_NS_PER_US = 1_000


@dataclass(frozen=True)
class Progress:
    """What pgbench itself reports once a second, warm-up included.

    elapsed_s: end of each report's stretch, counted from pgbench's start. tps: in that stretch. mean_ns: mean latency
    in it, NaN where nothing was completed. All float64, shape (reports,).
    """

    elapsed_s: np.ndarray
    tps: np.ndarray
    mean_ns: np.ndarray

    def between(self, start_s: float, end_s: float) -> Progress:
        """The reports whose stretch lies in these seconds, to the tenth that pgbench prints."""
        begins = np.concatenate([[0.0], self.elapsed_s[:-1]])
        inside = (begins > start_s - 0.5) & (self.elapsed_s < end_s + 0.5)
        return Progress(self.elapsed_s[inside], self.tps[inside], self.mean_ns[inside])

    def mean_tps(self, start_s: float, end_s: float) -> float:
        """Transactions per second between two seconds; BenchbookError where pgbench reported nothing for them."""
        lengths = np.diff(np.concatenate([[0.0], self.elapsed_s]))
        inside = np.isin(self.elapsed_s, self.between(start_s, end_s).elapsed_s)
        if not inside.any():
            raise BenchbookError(
                f"pgbench reported no second between {start_s:g} and {end_s:g}", "measure longer, with fewer clients"
            )
        return float(np.average(self.tps[inside], weights=lengths[inside]))


@dataclass(frozen=True)
class Transactions:
    """The measured seconds of one pgbench; transactions are counted where they end.

    latency_ns: int64, shape (completed,), in order of completion. end_s: when each ended, in seconds after the window's
    start, float64. failed: given up by the server. run_tps_per_s: completed in each whole second of the run, warm-up
    included, int64, shape (dropped_s + duration_s,). processed: completed in the whole run, as pgbench counts them.
    Without a log the arrays are empty, failed is None, and tps is that of ``progress``.
    """

    workload: Workload
    latency_ns: np.ndarray
    end_s: np.ndarray
    failed: int | None
    run_tps_per_s: np.ndarray
    tps: float
    processed: int
    progress: Progress

    @property
    def duration_s(self) -> int:
        return self.workload.duration_s

    @property
    def clients(self) -> int:
        return self.workload.clients

    @property
    def dropped_s(self) -> int:
        """Whole seconds run before the window and dropped."""
        return self.workload.warm_up_s

    @property
    def first_tps(self) -> float:
        """Transactions per second over the first duration_s seconds of the run, nothing dropped."""
        if not self.run_tps_per_s.size:
            return self.progress.mean_tps(0, self.duration_s)
        return float(self.run_tps_per_s[: self.duration_s].mean())


def from_log(workload: Workload, log: Log, progress: Progress, processed: int, alarm_us: int) -> Transactions:
    """Cut the measured window out of a log.

    The run starts when the first transaction does; the window begins warm_up_s later. alarm_us: wall-clock time before
    which pgbench cannot have stopped. Raises BenchbookError when the window reaches beyond it (the first transaction
    began too late), and when nothing was completed in the window.
    """
    begun = (log.end_us - log.latency_us)[log.completed]
    if not begun.size:
        raise BenchbookError("no transaction was completed", "measure longer")
    start = int(begun.min()) + workload.warm_up_s * 1_000_000
    end = start + workload.duration_s * 1_000_000
    if end > alarm_us:
        raise BenchbookError(
            f"pgbench's first transaction began {(end - alarm_us) / 1e6:.1f} s too late: the window is not whole",
            "repeat it, with fewer clients",
        )
    inside = (log.end_us >= start) & (log.end_us < end)
    done = inside & log.completed
    if not done.any():
        raise BenchbookError(f"no transaction ended in the {workload.duration_s} measured seconds", "raise duration_s")
    seconds = (log.end_us[log.completed & (log.end_us < end)] - start) // 1_000_000 + workload.warm_up_s
    return Transactions(
        workload,
        log.latency_us[done] * _NS_PER_US,
        (log.end_us[done] - start) / 1e6,
        int((inside & ~log.completed).sum()),
        np.bincount(seconds, minlength=workload.warm_up_s + workload.duration_s).astype(np.int64),
        float(done.sum() / workload.duration_s),
        processed,
        progress,
    )


def from_progress(workload: Workload, progress: Progress, processed: int) -> Transactions:
    """The same from pgbench's own report alone, to the tenth of a second that it prints."""
    start, end = workload.warm_up_s, workload.warm_up_s + workload.duration_s
    none = np.zeros(0, dtype=np.int64)
    return Transactions(
        workload, none, none.astype(np.float64), None, none, progress.mean_tps(start, end), processed, progress
    )


def reported_s(line: str) -> float | None:
    """The seconds up to which a line of pgbench's report goes; None for any other line."""
    found = _PROGRESS.match(line)
    return float(found.group(1)) if found else None


def read_report(stdout: str, stderr: str) -> tuple[Progress, int]:
    """pgbench's reports per second and the number of transactions that it says it processed.

    Raises BenchbookError when it says none.
    """
    rows = [tuple(float(part) for part in match) for match in _PROGRESS.findall(stderr)]
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    counted = _PROCESSED.search(stdout)
    if counted is None:
        raise BenchbookError("pgbench did not say how many transactions it processed", "use a release from 14 on")
    return Progress(table[:, 0], table[:, 1], table[:, 2] * 1e6), int(counted.group(1))
