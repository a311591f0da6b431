"""What is stored of a trial's latencies, and the metrics that follow from it: the same when measuring and verifying."""

from __future__ import annotations

import numpy as np

from benchbook.statistics import describe


def subsample(latencies: np.ndarray, most: int) -> np.ndarray:
    """At most ``most`` of the latencies, evenly taken from first to last; all when there are no more."""
    if len(latencies) <= most:
        return latencies
    return latencies[np.linspace(0, len(latencies) - 1, most).round().astype(np.int64)]


def reduced(latencies: np.ndarray, prefix: str) -> dict[str, float | None]:
    """Metrics of a subsample in ns, int64, shape (stored,), such as ``{prefix}_mean_ns``.

    It is a part of the trial's, so that published runs stay small; the metrics without the prefix come from all.
    """
    return {f"{prefix}_{name}": value for name, value in describe(latencies).items()}


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """The same with the prefix of chapters on the probes."""
    return reduced(latencies, "kept")
