"""From the transactions of a trial to its metrics; what is recomputed from stored samples carries the name sample_*.

A trial holds up to a million transactions, too many to publish. Every so-many-th is stored, at most SAMPLES of them,
and ``reduce`` gives the metrics of those: the same function when measuring and when verifying. The chapter's own
numbers, latency_* and the rest, are computed from all transactions while these are still there.
"""

from __future__ import annotations

import numpy as np

from benchbook.engines.pgbench import Transactions
from benchbook.experiments.shared_buffers.parameters import INTERVALS
from benchbook.statistics import describe, littles_law, note_quantile

SAMPLES = 2_000


def thinned(latencies: np.ndarray) -> np.ndarray:
    """Every k-th latency in ns, in order, k the smallest that leaves at most SAMPLES."""
    return latencies[:: max(1, -(-len(latencies) // SAMPLES))]


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of stored latencies in ns, int64, shape (samples,); a P95 of 2,000 is estimable, a P99 is not."""
    return {
        "sample_mean_ns": float(latencies.mean()),
        "sample_p50_ns": note_quantile(latencies, 0.5),
        "sample_max_ns": float(latencies.max()),
    }


def of_transactions(done: Transactions) -> dict[str, float | None]:
    """Metrics of all transactions of a trial: throughput, latency, and both along the trial.

    interval_NN_tps: of each twelfth; peak_tps and min_tps: the highest and lowest of these. interval_sd_ns: mean over
    the twelfths of the sd of latency, as pgbench's progress lines give it; None where one holds fewer than two
    transactions. growth: TPS of the last quarter over that of the first.
    """
    metrics = {f"latency_{name}": value for name, value in describe(done.latency_ns).items()}
    place = np.minimum((done.end_s * INTERVALS / done.duration_s).astype(np.int64), INTERVALS - 1)
    counts = np.bincount(place, minlength=INTERVALS)
    tps = counts * INTERVALS / done.duration_s
    deviations = _deviations(done.latency_ns, place) if counts.min() > 1 else None
    quarter = INTERVALS // 4
    first, last = float(tps[:quarter].mean()), float(tps[-quarter:].mean())
    mean_ns = metrics["latency_mean_ns"]
    assert mean_ns is not None
    return metrics | {
        "tps": done.tps,
        "transactions": float(done.processed),
        "window_transactions": float(len(done.latency_ns)),
        "failed_transactions": None if done.failed is None else float(done.failed),
        "littles_ratio": littles_law(done.clients, done.tps, mean_ns).value if mean_ns > 0 else None,
        "peak_tps": float(tps.max()),
        "min_tps": float(tps.min()),
        "growth": last / first if first else None,
        "interval_sd_ns": None if deviations is None else float(deviations.mean()),
        **{f"interval_{number:02}_tps": float(value) for number, value in enumerate(tps, start=1)},
    }


def _deviations(latencies: np.ndarray, place: np.ndarray) -> np.ndarray:
    return np.array([latencies[place == number].std(ddof=1) for number in range(INTERVALS)])
