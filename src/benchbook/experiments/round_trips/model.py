"""Latency as round trips times their length, and work: fitted to what was measured, block by block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook import statistics
from benchbook.experiments.families.features.summary import NS_PER_MS
from benchbook.experiments.round_trips.arms import PARTS, PIPELINE, cell
from benchbook.experiments.round_trips.reduction import ENDS
from benchbook.experiments.round_trips.ways import Summary
from benchbook.model import Estimate


@dataclass(frozen=True)
class Line:
    """Of one way of asking for all tables: latency = trips x added round trip + work.

    off: the largest share by which a block's line misses a latency that it was fitted to; None for two, which no line
    misses. near_ms: the latency without
    any added trip, which no line of two or more other lengths was fitted to: there is no proxy on that way.
    """

    trips: Estimate
    work_ms: Estimate
    off: float | None
    near_ms: Estimate | None


def lengths_ms(summary: Summary, mode: str) -> np.ndarray:
    """The added round trips of a way's trials as they were measured, 0 without the proxy; shape (lengths, blocks)."""
    rows = []
    for trip_ms in summary.trips_ms:
        arm = cell(mode, trip_ms)
        rows.append(summary.values(arm, "measured_trip_ms") if trip_ms else np.zeros(summary.run.blocks))
    return np.array(rows)


def line(summary: Summary, mode: str) -> Line:
    """The line of a way of asking; misses count relative to the latency. Raises NotEstimableError."""
    added = np.array(summary.trips_ms)
    lengths = lengths_ms(summary, mode)
    latencies = np.array([summary.mean_ms(cell(mode, trip_ms)) for trip_ms in summary.trips_ms])
    near = None
    if not added.min():
        near = statistics.geometric_mean(latencies[added.argmin()], sessions=summary.sessions)
    if (added > 0).sum() > 1:
        lengths, latencies = lengths[added > 0], latencies[added > 0]
    fits = [fitted(x, y) for x, y in zip(lengths.T, latencies.T, strict=True)]
    off = max(abs(trips * x + work - y) / y for (trips, work), xs, ys in zip(fits, lengths.T, latencies.T, strict=True)
              for x, y in zip(xs, ys, strict=True))  # fmt: skip
    trips, work = (statistics.arithmetic_mean([each[i] for each in fits], sessions=summary.sessions) for i in (0, 1))
    return Line(trips, work, float(off) if len(lengths) > 2 else None, near)


def fitted(lengths: np.ndarray, latencies: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of least squares of the relative misses, so that short ways count as much as long ones."""
    design = np.stack([lengths, np.ones_like(lengths)], axis=1) / latencies[:, None]
    slope, intercept = np.linalg.lstsq(design, np.ones_like(latencies), rcond=None)[0]
    return float(slope), float(intercept)


def growth(summary: Summary, confidence: float = 0.95, metric: str = "p50", mode: str = PIPELINE) -> Estimate:
    """Growth of the latency of a request per further table and per ms of added round trip, mean over blocks."""
    tables = np.array(summary.parameters.sizes, dtype=float)
    lengths = lengths_ms(summary, mode)
    values = np.array([
        [summary.values(cell(mode, trip_ms), f"{metric}{end}_ns") / NS_PER_MS for end in ENDS]
        for trip_ms in summary.trips_ms
    ])  # fmt: skip
    found = [growing(tables, lengths[:, block], values[:, :, block]) for block in range(values.shape[2])]
    return statistics.arithmetic_mean(found, confidence=confidence, sessions=summary.sessions)


def growing(tables: np.ndarray, lengths: np.ndarray, latencies: np.ndarray) -> float:
    """The coefficient of tables x length by least squares, beside a constant, tables and length.

    latencies: shape (lengths, tables). In ms per table and ms.
    """
    t, r = np.meshgrid(tables - tables.mean(), lengths - lengths.mean())
    design = np.stack([np.ones(t.size), t.ravel(), r.ravel(), (t * r).ravel()], axis=1)
    return float(np.linalg.lstsq(design, latencies.ravel(), rcond=None)[0][3])


def waiting(summary: Summary, mode: str, trip_ms: float) -> Estimate:
    """Share of a request's latency that is its trips, counted on the wire, times their length as measured."""
    at = summary.trips_ms.index(trip_ms)
    waited = summary.trips(mode, PARTS - 1).point * lengths_ms(summary, mode)[at]
    shares = waited / summary.mean_ms(cell(mode, trip_ms))
    return statistics.arithmetic_mean(shares, sessions=summary.sessions)
