"""What a run holds of each way of asking: latencies, trips counted, which is the fastest, and the fitted lines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from benchbook import statistics
from benchbook.chapters.round_trips.arms import COUNTED, PARTS, PIPELINE, SERIAL, Parameters, cell, words
from benchbook.chapters.round_trips.reduction import ENDS, trips_metric
from benchbook.measuring.features import metric_words, summary
from benchbook.measuring.features.metric_words import MS
from benchbook.measuring.features.summary import NS_PER_MS
from benchbook.model import Effect, Estimate
from benchbook.numbers import summary as every
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.prose import filled
from benchbook.statistics import Gate

MEDIAN_REQUESTS = 200
"""With all tables, of a trial whose P50 is asked for."""
_TABLES = dict(zip(ENDS, ("a third of the tables", "two thirds of the tables", "all tables"), strict=True))
_CODE = {
    "committed": "the feature server's code", "autocommit": "the feature server's code in autocommit mode",
    "snippet": "the note's code", "own_cursors": "the code with a cursor for each look-up",
}  # fmt: skip
_COUNTED = {
    "trips": "number of counted round trips of {}",
    "correct_rows": "number of right rows that {} gets",
    "rows_in_place": "number of rows that {} gets in their place",
}
_WAYS = ("serial", "pipeline", "unions", "one_union", "one_function", "connections_#")

METRICS: Metrics = {
    **metric_words.METRICS,
    **{f"mean{part}_ns": Metric(f"mean latency with {words}", "ms", MS) for part, words in _TABLES.items()},
    **{f"p50{part}_ns": Metric(f"P50 latency with {words}", "ms", MS) for part, words in _TABLES.items()},
    "mean_ns": Metric("mean latency of a request", "ms", MS, heading="mean"),
    "p50_ns": Metric("P50 latency", "ms", MS, heading="P50"),
    "trips": Metric("number of round trips by construction"),
    "lookups": Metric("number of look-ups"),
    **{
        f"trips_{way}{part or '_all'}": Metric(f"number of counted round trips with {words}")
        for way in _WAYS
        for part, words in _TABLES.items()
    },
    **{
        f"{metric}_{name}": Metric(text.format(words))
        for name, words in _CODE.items()
        for metric, text in _COUNTED.items()
    },
    **{
        f"trips_{name}_per_table": Metric(f"counted round trips per table of {words}", format="{:.2f}".format)
        for name, words in _CODE.items()
    },
    "statements_at_once": Metric("largest number of statements of a pipeline that run at once"),
    "statements_at_once_control": Metric("largest number of statements over four connections that run at once"),
}


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS: ClassVar[Metrics] = METRICS

    def words(self, mode: str) -> str:
        """What figures call a way of asking."""
        return words(mode, self.parameters.tables_per_union)

    @property
    def trips_ms(self) -> list[float]:
        """The added round trips, the shortest first."""
        return sorted(self.parameters.added_trip_ms)

    def mean_ms(self, arm: str) -> np.ndarray:
        """Mean latency of a request for all tables in ms, by block."""
        return self.values(arm, "mean_ns") / NS_PER_MS

    def speed_up(self, trip_ms: float, *, disjoint: bool = False) -> Effect:
        """Mean latency one by one over that in a pipeline."""
        top, bottom = ((cell(mode, trip_ms, disjoint=disjoint), "mean_ns") for mode in (SERIAL, PIPELINE))
        return self.ratio(top, bottom)

    def trips(self, mode: str, number: int = PARTS - 1) -> Estimate:
        """Trips that were counted on the wire. number: 0 for the fewest tables."""
        return self.counted(trips_metric(mode, number))

    def counted(self, metric: str) -> Estimate:
        """What was counted once a block; its mean over them."""
        return self.average(COUNTED, metric)

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where a trial lacks a metric, as the P50 of fewer than 200 requests."""
        return NotEstimableError(
            f"{self.in_words(metric)} of “{self.label(arm)}” is not estimable in every trial of this run",
            f"give measured_requests of {PARTS * MEDIAN_REQUESTS} or more",
        )

    def counts_agree(self) -> Gate:
        """Whether client and server counted as many look-ups in every trial that was timed."""
        trials = self.run.trials
        differ = int((trials["lookups"].notna() & (trials["index_scans"] != trials["lookups"])).sum())
        return Gate("counts agree", differ == 0, float(differ), f"client and server counts differ in {differ} trials")

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        found = every.Summary.departures(self)
        asked = self.parameters.measured_requests // PARTS
        if asked < MEDIAN_REQUESTS:
            found.append(f"{asked} requests for a median instead of {MEDIAN_REQUESTS}")
        if not self.run.provenance.get("direct_io"):
            found.append("reads through the OS page cache instead of direct I/O")
        return found

    def sizes(self) -> str:
        """Nothing after the blocks: trials differ in their number of requests."""
        return ""


@dataclass(frozen=True)
class Place:
    """One cell of the map. best: the way with the shortest mean latency. over: the others' ratios to it, whose
    intervals hold together."""

    tables: int
    trip_ms: float
    best: str
    over: dict[str, Effect]

    @property
    def tied(self) -> list[str]:
        """Other ways that are not told from the best: the interval of the ratio holds 1."""
        return [mode for mode, effect in self.over.items() if effect.low <= 1.0]


def places(summary: Summary) -> list[Place]:
    """Every cell of the map that the run can fill."""
    sizes = zip(summary.parameters.sizes, ENDS, strict=True)
    wanted = [(size, end, trip_ms) for size, end in sizes for trip_ms in summary.trips_ms]
    return summary.once("places", lambda: filled(*(partial(_place, summary, *each) for each in wanted)))


def _place(summary: Summary, tables: int, end: str, trip_ms: float) -> Place:
    values = {mode: summary.values(cell(mode, trip_ms), f"mean{end}_ns") for mode in summary.parameters.modes}
    best = min(values, key=lambda mode: float(np.log(values[mode]).mean()))
    others = {mode: each for mode, each in values.items() if mode != best}
    return Place(tables, trip_ms, best, summary.estimated(statistics.many_to_one, values[best], others))


@dataclass(frozen=True)
class Line:
    """Of one way of asking for all tables: latency = trips x added round trip + work.

    off: the largest share by which a block's line misses a latency that it was fitted to; None for two, which no line
    misses. near_ms: the latency without any added trip, which no line of two or more other lengths was fitted to: there
    is no proxy on that way.
    """

    trips: Estimate
    work_ms: Estimate
    off: float | None
    near_ms: Estimate | None


def lengths_ms(summary: Summary, mode: str) -> np.ndarray:
    """The added round trips of a way's trials as they were measured, 0 without the proxy; shape (lengths, blocks)."""
    return np.array([
        summary.values(cell(mode, trip_ms), "measured_trip_ms") if trip_ms else np.zeros(summary.run.blocks)
        for trip_ms in summary.trips_ms
    ])  # fmt: skip


def line(summary: Summary, mode: str) -> Line:
    """The line of a way of asking; misses count relative to the latency. Raises NotEstimableError."""
    added = np.array(summary.trips_ms)
    lengths = lengths_ms(summary, mode)
    latencies = np.array([summary.mean_ms(cell(mode, trip_ms)) for trip_ms in summary.trips_ms])
    near = None
    if not added.min():
        near = summary.estimated(statistics.geometric_mean, latencies[added.argmin()])
    if (added > 0).sum() > 1:
        lengths, latencies = lengths[added > 0], latencies[added > 0]
    trips, work = np.array([fitted(x, y) for x, y in zip(lengths.T, latencies.T, strict=True)]).T
    off = float((np.abs(trips * lengths + work - latencies) / latencies).max()) if len(lengths) > 2 else None
    slope, intercept = (summary.estimated(statistics.arithmetic_mean, each) for each in (trips, work))
    return Line(slope, intercept, off, near)


def fitted(lengths: np.ndarray, latencies: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of least squares of the relative misses, so that short ways count as much as long ones."""
    design = np.stack([lengths, np.ones_like(lengths)], axis=1) / latencies[:, None]
    slope, intercept = np.linalg.lstsq(design, np.ones_like(latencies), rcond=None)[0]
    return float(slope), float(intercept)


def growth(summary: Summary) -> Estimate:
    """Growth of a pipeline's P50 per further table and per ms of added round trip, mean over blocks."""
    tables = np.array(summary.parameters.sizes, dtype=float)
    lengths = lengths_ms(summary, PIPELINE)
    values = np.array([
        [summary.values(cell(PIPELINE, trip_ms), f"p50{end}_ns") / NS_PER_MS for end in ENDS]
        for trip_ms in summary.trips_ms
    ])  # fmt: skip
    found = [growing(tables, lengths[:, block], values[:, :, block]) for block in range(values.shape[2])]
    return summary.estimated(statistics.arithmetic_mean, found)


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
    return summary.estimated(statistics.arithmetic_mean, shares)
