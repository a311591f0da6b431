"""What is stored of a trial's operations, and the metrics that follow from it.

A select-only trial has hundreds of thousands of transactions; 30 of them would make a published run of tens of
megabytes. Stored is therefore every k-th transaction in order of completion, k chosen so that at most 10,000 are left.
The trial's own metrics (``tps``, ``mean_ns``, ``p99_ns`` ...) come from all transactions, before thinning; they cannot
be recomputed from the stored ones and do not pretend to. Those that can are named ``stored_``. The plain command
writes no log: of it are stored the mean latencies of its seconds.
"""

from __future__ import annotations

import numpy as np

from benchbook.engines.pgbench import Transactions
from benchbook.statistics import describe

STORED_AT_MOST = 10_000
TRANSACTION, SECOND = "transaction", "second"


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (stored,): of thinned transactions, or of mean seconds."""
    return {f"stored_{name}": value for name, value in describe(latencies).items()}


def stored(found: Transactions) -> dict[str, np.ndarray]:
    """The samples of one trial: thinned transactions, else the mean latency of each reported second; int64 ns."""
    if found.latency_ns.size:
        return {TRANSACTION: thinned(found.latency_ns)}
    seconds = found.progress.between(found.dropped_s, found.dropped_s + found.duration_s).mean_ns
    return {SECOND: seconds[np.isfinite(seconds)].astype(np.int64)}


def thinned(latencies: np.ndarray) -> np.ndarray:
    """Every k-th of the latencies, with the smallest k that leaves at most 10,000."""
    return latencies[:: max(1, -(-latencies.size // STORED_AT_MOST))]
