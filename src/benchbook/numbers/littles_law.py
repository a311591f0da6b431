"""Whether the latencies of a closed loop account for the clients that were there (protocol, item 17)."""

from __future__ import annotations

import math

import pandas as pd

from benchbook.statistics import Gate
from benchbook.statistics.gates import each_trial

LITTLE, TOLERANCE = "Little's law", 0.02
BEARABLE = 0.10
"""Of the clients: a comparison bears a miss of no more as a widening, by the largest miss of its trials."""


def littles_gate(trials: pd.DataFrame, seconds: float) -> Gate:
    """Whether throughput times mean latency gives the number of clients within 2 % in each of these trials.

    trials: with littles_ratio (implied over real clients), latency_mean_ns and latency_sd_ns of what was finished.
    seconds: length of the measured window. When it ends, each client is in a transaction that nobody timed; its age is
    in the mean (m² + s²) / 2m for a mean m and a standard deviation s, and is added. A trial without the ratio counts
    as missing it. For claims on these trials' own latency, and for no others. Where the client program itself takes a
    few percent of the clients' time, each configuration's throughput is too small by so much at most, and a ratio is
    wrong by no more: up to BEARABLE a comparison bears it (protocol, item 17, amended 2026-11-27, data seen).
    Source: Little 1961; Cox 1962, Renewal Theory, sec. 5.2, for the age.
    """
    needed = ["littles_ratio", "latency_mean_ns", "latency_sd_ns"]
    known = trials.reindex(columns=needed).astype(float)
    mean, sd = known["latency_mean_ns"], known["latency_sd_ns"]
    unfinished = (mean**2 + sd**2) / (2 * mean) / 1e9 / seconds
    return _gate(known["littles_ratio"] + unfinished, trials["block"])


def of_shares(shares: pd.Series, blocks: pd.Series) -> Gate:
    """The same of the share of a client's time that went into operations, shape (trials,); nan where nobody looked."""
    return _gate(shares.astype(float).fillna(1.0), blocks)


def _gate(implied: pd.Series, blocks: pd.Series) -> Gate:
    missed = (implied - 1).abs()
    off = ~(missed <= TOLERANCE)
    reason = f"{off.sum()} of {len(off)} trials miss it by more than 2 %"
    most = float(missed[off].max(skipna=False)) if off.any() else 0.0
    small = math.log1p(most) if most <= BEARABLE else 0.0  # a trial without the ratio bears nothing
    return each_trial(LITTLE, off, blocks, f"{reason}, by {most:.1%} at most" if small else reason, small=small)
