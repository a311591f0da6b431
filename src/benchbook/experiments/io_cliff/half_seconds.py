"""When throughput falls, in half seconds: means over 5 s show a fall seconds late."""

from __future__ import annotations

import numpy as np

HALVES = 120
"""Parts of a trial: half a second each of the note's 60 s."""
FALLEN, KEPT = 0.6, 4
"""It has fallen where it is below 60 % of the highest half second so far, and stays there on average for 2 s."""


def counted(latencies: np.ndarray) -> np.ndarray:
    """Transactions in each half second as a share of all, shape (HALVES,); latencies as ``course.stretches`` gives."""
    ends = np.concatenate([[0.0], np.cumsum(latencies[:-1], dtype=np.float64)])
    done = np.interp(np.linspace(0, float(latencies.sum()), HALVES + 1), ends, np.arange(len(ends), dtype=np.float64))
    return np.asarray(np.diff(done) / done[-1])


def falls(latencies: np.ndarray) -> float | None:
    """The beginning of the half second in which throughput falls, as a share of the trial; None where it does not."""
    if len(latencies) < 2 or latencies.sum() <= 0:
        return None
    tps = counted(latencies)
    highest = np.maximum.accumulate(tps)
    for place in range(1, HALVES - KEPT):
        before = FALLEN * highest[place - 1]
        if tps[place] < before and tps[place : place + KEPT].mean() < before:
            return place / HALVES
    return None
