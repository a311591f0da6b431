"""What happens along a trial, as numbers over blocks: throughput, and the data that wait to be written."""

from __future__ import annotations

import numpy as np

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.model import Estimate

MIB = 2**20


def course(summary: Summary, arm: str) -> tuple[list[float], list[Estimate]]:
    """The middles of a trial's twelfths, and TPS in each over trials."""
    each, sessions = summary.courses(arm), summary.course_sessions(arm)
    return middles(summary, arm, INTERVALS).tolist(), [_estimate(values, sessions) for values in each.T]


def waiting(summary: Summary, arm: str) -> np.ndarray:
    """MiB that wait to be written or are being written, in each part of a trial."""
    amounts: np.ndarray = summary.parts(arm, "dirty_mib") + summary.parts(arm, "writeback_mib")
    return amounts


def slowing(summary: Summary, arm: str) -> float:
    """MiB from which the kernel slows writers."""
    return float(summary.values(arm, "dirty_slowing_bytes").mean()) / MIB


def middles(summary: Summary, arm: str, parts: int) -> np.ndarray:
    """The second in the middle of each part of a trial."""
    seconds: np.ndarray = (np.arange(parts) + 0.5) / parts * summary.seconds(arm)
    return seconds


def _estimate(values: np.ndarray, sessions: np.ndarray) -> Estimate:
    """Of one twelfth over trials; a standstill in some trial leaves the logs, and then the values' own mean is used."""
    try:
        return statistics.geometric_mean(values, sessions=sessions)
    except BenchbookError:
        if values.size < 2:
            return statistics.exact(float(values[0]))
        return statistics.arithmetic_mean(values, sessions=sessions)
