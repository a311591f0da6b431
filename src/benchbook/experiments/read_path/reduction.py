"""From the stored times of a trial to its metrics: the same function when measuring and when verifying."""

from __future__ import annotations

import numpy as np

from benchbook.statistics import describe


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """One number per metric from the kept times in ns, int64, shape (kept,).

    A time is that of a batch of look-ups, of one look-up, or of one range scan, as the trial's series says. They are
    a part of the trial's times, so that published runs stay small; the metrics without ``kept_`` come from all of them.
    """
    return {f"kept_{name}": value for name, value in describe(latencies).items()}


def kept(latencies: np.ndarray, most: int) -> np.ndarray:
    """At most ``most`` of the times, evenly taken from first to last; all when there are no more."""
    if len(latencies) <= most:
        return latencies
    return latencies[np.linspace(0, len(latencies) - 1, most).round().astype(np.int64)]
