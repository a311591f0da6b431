"""Of a trial's latencies those that are stored, and the metrics that follow from them alone."""

from __future__ import annotations

import numpy as np

from benchbook.statistics import describe


def subsample(latencies: np.ndarray, most: int) -> np.ndarray:
    """At most ``most`` of the latencies, evenly taken from first to last; all when there are no more."""
    if len(latencies) <= most:
        return latencies
    return latencies[np.linspace(0, len(latencies) - 1, most).round().astype(np.int64)]


def reduce(latencies: np.ndarray, prefix: str = "kept") -> dict[str, float | None]:
    """One number per metric from the stored latencies in ns, int64, shape (stored,), as ``kept_mean_ns``.

    The same function when measuring and when verifying. The stored ones are a part of the trial's, so that published
    runs stay small; metrics without the prefix come from all of them.
    """
    return {f"{prefix}_{name}": value for name, value in describe(latencies).items()}
