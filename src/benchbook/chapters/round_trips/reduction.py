"""From the latencies of a trial to its metrics, by number of tables: the same function when measuring and verifying."""

from __future__ import annotations

import numpy as np

from benchbook.statistics import quantile

ENDS = ("_third", "_two_thirds", "")
"""Ends of the metrics' names: of requests for a third of the tables, for two thirds, for all."""


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Mean and P50 of a trial's latencies in ns, int64, shape (requests,); every third one has equally many tables."""
    metrics: dict[str, float | None] = {}
    for place, part in enumerate(ENDS):
        own = latencies[place :: len(ENDS)]
        metrics[f"mean{part}_ns"] = float(own.mean()) if len(own) else None
        metrics[f"p50{part}_ns"] = quantile(own, 0.5) if len(own) else None
    return metrics


def trips_metric(mode: str, number: int) -> str:
    """Name of the metric with the trips of a way of asking. number: 0 for the fewest tables, 2 for all."""
    return f"trips_{mode}{ENDS[number] or '_all'}"
