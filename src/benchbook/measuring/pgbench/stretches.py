"""The shape of a trial over time, from how long each further stretch of transactions took.

A trial's transactions are stored as at most STRETCHES lengths of time, each of equally many transactions, and last
the rest of the trial, in which fewer were completed. The same function gives the shape when measuring and verifying.
"""

from __future__ import annotations

import numpy as np

from benchbook.measuring.pgbench import spent
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.statistics import cliff_second
from benchbook.statistics.shapes import FALLEN_S, SMOOTH_S

STRETCHES = 2_000
SLOTS, HALVES = 60, 120
"""A trial is looked at as the note's 60 s were: in 60 slots, 12 intervals and 120 half seconds, whatever its length."""


def stretches(end_s: np.ndarray, duration_s: float) -> np.ndarray:
    """ns that each further batch of transactions took, and the rest of the trial; int64, shape (batches + 1,).

    end_s: when each transaction ended, ascending, within the trial. batch: the smallest that leaves STRETCHES of them.
    """
    batch = max(1, -(-len(end_s) // STRETCHES))
    ends = end_s[batch - 1 :: batch]
    return np.diff(np.round(np.concatenate([[0.0], ends, [duration_s]]) * 1e9).astype(np.int64))


def _done(latencies: np.ndarray, parts: int) -> np.ndarray | None:
    """Stretches done at the ends of equal parts of a trial, shape (parts + 1,); None for an empty trial."""
    total = float(latencies.sum())
    if len(latencies) < 2 or total <= 0:
        return None
    ends = np.concatenate([[0.0], np.cumsum(latencies[:-1], dtype=np.float64)])
    return np.interp(np.linspace(0, total, parts + 1), ends, np.arange(len(ends), dtype=np.float64))


def slots(latencies: np.ndarray) -> np.ndarray | None:
    """Throughput of each slot relative to the trial's mean, float64, shape (SLOTS,); None for an empty trial.

    latencies: as ``stretches`` gives them. Within a stretch transactions are taken to be evenly spread.
    """
    done = _done(latencies, SLOTS)
    return None if done is None else np.asarray(np.diff(done) * SLOTS / done[-1])


def falls(latencies: np.ndarray) -> float | None:
    """The beginning of the half second in which throughput falls, as a share of the trial; None where it does not."""
    done = _done(latencies, HALVES)
    place = None if done is None else spent.fall(np.diff(done) / done[-1])
    return None if place is None else place / HALVES


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """The shape of a trial's course; latencies: ns, int64, as ``stretches`` gives them.

    Intervals are twelfths, as the note's 5 s of 60. peak_interval counts from 1. cliff: 1 when there is one, else 0;
    cliff_slot: its first slot of 60, None without one. None throughout for a trial without transactions; ratios whose
    denominator is 0 are None.
    """
    course = slots(latencies)
    if course is None:
        return dict.fromkeys(reduce(np.ones(3, np.int64)))  # the same names
    parts = course.reshape(INTERVALS, SLOTS // INTERVALS).mean(axis=1)
    peak, first, middle = float(parts.max()), float(parts[0]), float(parts[6:9].mean())
    highest, onset = np.maximum.accumulate(parts), cliff_second(course)
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


def _after(course: np.ndarray, onset: int) -> float:
    """Throughput of the ten slots after a cliff's onset over the highest five-slot mean before it."""
    before = np.lib.stride_tricks.sliding_window_view(course[: onset + 1], SMOOTH_S).mean(axis=1)
    return float(course[onset + 1 : onset + 1 + FALLEN_S].mean() / before.max())
