"""Whether the latencies of a closed loop account for the clients that were there (protocol, item 17)."""

from __future__ import annotations

import pandas as pd

from benchbook.statistics import Gate
from benchbook.statistics.gates import LITTLE_TOLERANCE, each_trial

LITTLE = "Little's law"


def littles_gate(trials: pd.DataFrame, seconds: float) -> Gate:
    """Whether throughput times mean latency gives the number of clients within 2 % in each of these trials.

    trials: with littles_ratio (implied over real clients), latency_mean_ns and latency_sd_ns of what was finished.
    seconds: length of the measured window. When it ends, each client is in a transaction that nobody timed; its age is
    in the mean (m² + s²) / 2m for a mean m and a standard deviation s, and is added. A trial without the ratio counts
    as missing it. For claims on these trials' own latency, and for no others.
    Source: Little 1961; Cox 1962, Renewal Theory, sec. 5.2, for the age.
    """
    needed = ["littles_ratio", "latency_mean_ns", "latency_sd_ns"]
    known = trials.reindex(columns=needed).astype(float)
    mean, sd = known["latency_mean_ns"], known["latency_sd_ns"]
    unfinished = (mean**2 + sd**2) / (2 * mean) / 1e9 / seconds
    off = ~((known["littles_ratio"] + unfinished - 1).abs() <= LITTLE_TOLERANCE)
    return each_trial(LITTLE, off, trials["block"], f"{off.sum()} of {len(trials)} trials miss it by more than 2 %")
