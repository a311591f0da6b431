"""From the transactions of a trial to its metrics along its course, and to those of the subsample that is stored.

A trial holds up to a million transactions, too many to publish. At most SAMPLES of them are stored, and ``reduce``
gives the metrics of those, which are named sample_*. The chapter's own numbers come from all transactions.
"""

from __future__ import annotations

import numpy as np

from benchbook.engines.pgbench import Transactions
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.statistics import note_quantile

SAMPLES = 2_000


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of stored latencies in ns, int64, shape (samples,); a P95 of 2,000 is estimable, a P99 is not."""
    return {
        "sample_mean_ns": float(latencies.mean()),
        "sample_p50_ns": note_quantile(latencies, 0.5),
        "sample_max_ns": float(latencies.max()),
    }


def along(done: Transactions) -> dict[str, float | None]:
    """Throughput and latency along a trial.

    interval_NN_tps: of each twelfth; peak_tps and min_tps: the highest and lowest of these. interval_sd_ns: mean over
    the twelfths of the sd of latency, as pgbench's progress lines give it; None where one holds fewer than two
    transactions. growth: TPS of the last quarter over that of the first.
    """
    place = np.minimum((done.end_s * INTERVALS / done.duration_s).astype(np.int64), INTERVALS - 1)
    counts = np.bincount(place, minlength=INTERVALS)
    tps = counts * INTERVALS / done.duration_s
    deviation = None
    if counts.min() > 1:
        deviation = float(np.mean([done.latency_ns[place == number].std(ddof=1) for number in range(INTERVALS)]))
    quarter = INTERVALS // 4
    first, last = float(tps[:quarter].mean()), float(tps[-quarter:].mean())
    return {
        "window_transactions": float(len(done.latency_ns)),
        "peak_tps": float(tps.max()),
        "min_tps": float(tps.min()),
        "growth": last / first if first else None,
        "interval_sd_ns": deviation,
        **{f"interval_{number:02}_tps": float(value) for number, value in enumerate(tps, start=1)},
    }
