"""From the latencies of a trial to its metrics: the same function when measuring and when verifying."""

from __future__ import annotations

import numpy as np

from benchbook.statistics import describe, note_quantile

NOTE_REQUESTS = 1_000
"""Requests that the note measured in all; its figures are repeated over exactly the first so many."""
FIRST_REQUESTS = 100


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """One number per metric from a trial's latencies in ns, int64, shape (requests,), in their order.

    ``note_*``: over the first 1,000 requests as the note took them, quantiles included that by the protocol need
    more. ``first_100_mean_ns`` and ``rest_mean_ns``: the first 100 requests against the others.
    """
    note = latencies[:NOTE_REQUESTS]
    metrics = describe(latencies)
    metrics |= {
        "note_min_ns": float(note.min()),
        "note_p50_ns": note_quantile(note, 0.5),
        "note_p95_ns": note_quantile(note, 0.95),
        "note_p99_ns": note_quantile(note, 0.99),
        "iqr_ns": note_quantile(latencies, 0.75) - note_quantile(latencies, 0.25),
        "first_100_mean_ns": float(latencies[:FIRST_REQUESTS].mean()),
        "rest_mean_ns": float(latencies[FIRST_REQUESTS:].mean()) if len(latencies) > FIRST_REQUESTS else None,
    }
    return metrics
