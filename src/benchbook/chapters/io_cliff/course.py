"""The shape of a trial over time, from how long each further stretch of transactions took.

A trial's transactions are stored as at most STRETCHES lengths of time, each of equally many transactions, and last
the rest of the trial, in which fewer were completed. The same function gives the shape when measuring and verifying.
"""

from __future__ import annotations

import numpy as np

from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.statistics import cliff_second
from benchbook.statistics.shapes import FALLEN_S, SMOOTH_S

STRETCHES = 2_000
SLOTS = 60
"""A trial is looked at as the note's 60 s were: in 60 slots and 12 intervals, whatever its real length."""
_PER_INTERVAL = SLOTS // INTERVALS


def stretches(end_s: np.ndarray, duration_s: float) -> np.ndarray:
    """ns that each further batch of transactions took, and the rest of the trial; int64, shape (batches + 1,).

    end_s: when each transaction ended, ascending, within the trial. batch: the smallest that leaves STRETCHES of them.
    """
    batch = max(1, -(-len(end_s) // STRETCHES))
    ends = end_s[batch - 1 :: batch]
    return np.diff(np.round(np.concatenate([[0.0], ends, [duration_s]]) * 1e9).astype(np.int64))


def slots(latencies: np.ndarray) -> np.ndarray | None:
    """Throughput of each slot relative to the trial's mean, float64, shape (SLOTS,); None for an empty trial.

    latencies: as ``stretches`` gives them. Within a stretch transactions are taken to be evenly spread.
    """
    total = float(latencies.sum())
    if len(latencies) < 2 or total <= 0:
        return None
    ends = np.concatenate([[0.0], np.cumsum(latencies[:-1], dtype=np.float64)])
    done = np.interp(np.linspace(0, total, SLOTS + 1), ends, np.arange(len(ends), dtype=np.float64))
    return np.asarray(np.diff(done) * SLOTS / done[-1])


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """The shape of a trial's course; latencies: ns, int64, as ``stretches`` gives them.

    Intervals are twelfths, as the note's 5 s of 60. peak_interval counts from 1. cliff: 1 when there is one, else 0;
    cliff_slot: its first slot of 60, None without one. None throughout for a trial without transactions; ratios whose
    denominator is 0 are None.
    """
    course = slots(latencies)
    if course is None:
        return dict.fromkeys(_NAMES)
    parts = course.reshape(INTERVALS, _PER_INTERVAL).mean(axis=1)
    peak, first = float(parts.max()), float(parts[0])
    highest = np.maximum.accumulate(parts)
    middle = float(parts[6:9].mean())
    onset = cliff_second(course)
    return {
        "peak_over_mean": peak,
        "min_over_peak": float(parts.min()) / peak,
        "end_over_peak": float(parts[-1]) / peak,
        "post_cliff_over_peak": float(parts[-4:].mean()) / peak,
        "peak_interval": float(np.argmax(parts) + 1),
        "last_over_first": float(parts[-1]) / first if first else None,
        "late_growth": float(parts[9:].mean()) / middle if middle else None,
        "max_drawdown": float(np.max(1 - parts / np.where(highest > 0, highest, 1))),
        "rising_share": float((np.diff(parts) > 0).mean()),
        "cliff": float(onset is not None),
        "cliff_slot": None if onset is None else float(onset),
        "post_onset_over_peak": None if onset is None else _after(course, onset),
    }


_NAMES = (
    "peak_over_mean", "min_over_peak", "end_over_peak", "post_cliff_over_peak", "peak_interval", "last_over_first",
    "late_growth", "max_drawdown", "rising_share", "cliff", "cliff_slot", "post_onset_over_peak",
)  # fmt: skip


def _after(course: np.ndarray, onset: int) -> float:
    """Throughput of the ten slots after a cliff's onset over the highest five-slot mean before it."""
    before = np.lib.stride_tricks.sliding_window_view(course[: onset + 1], SMOOTH_S).mean(axis=1)
    return float(course[onset + 1 : onset + 1 + FALLEN_S].mean() / before.max())
