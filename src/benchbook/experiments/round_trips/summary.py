"""What a run of this chapter is asked: latencies by way of asking and length of the way, and what was counted."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from benchbook import statistics
from benchbook.experiments.families.features import summary
from benchbook.experiments.families.features.summary import NS_PER_MS
from benchbook.experiments.round_trips.arms import COUNTED, PARTS, PIPELINE, SERIAL, Parameters, cell, words
from benchbook.experiments.round_trips.metric_words import METRICS
from benchbook.experiments.round_trips.reduction import trips_metric
from benchbook.experiments.shape import summary as every
from benchbook.experiments.shape.metrics import Metrics
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Effect, Estimate
from benchbook.statistics import Gate

MEDIAN_REQUESTS = 200
"""With all tables, of a trial whose P50 is asked for."""


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

    def mean_ms(self, arm: str, part: str = "") -> np.ndarray:
        """Mean latency of a request in ms by block. part: end of the metric's name, for fewer tables."""
        return self.values(arm, f"mean{part}_ns") / NS_PER_MS

    def speed_up(self, trip_ms: float, *, disjoint: bool = False, confidence: float = 0.95) -> Effect:
        """Mean latency one by one over that in a pipeline."""
        pair = (cell(mode, trip_ms, disjoint=disjoint) for mode in (SERIAL, PIPELINE))
        top, bottom = ((arm, "mean_ns") for arm in pair)
        return self.ratio(top, bottom, confidence=confidence)

    def medians_speed_up(self, trip_ms: float, *, disjoint: bool = False) -> np.ndarray:
        """P50 one by one over P50 in a pipeline, by block."""
        serial, pipeline = (
            self.values(cell(mode, trip_ms, disjoint=disjoint), "p50_ns") for mode in (SERIAL, PIPELINE)
        )
        return np.asarray(serial / pipeline)

    def over(self, mode: str, other: str, trip_ms: float, part: str = "") -> Effect:
        """Mean latency of one way of asking over that of another."""
        metric = f"mean{part}_ns"
        return self.ratio((cell(mode, trip_ms), metric), (cell(other, trip_ms), metric))

    def trips(self, mode: str, number: int = PARTS - 1) -> Estimate:
        """Trips that were counted on the wire. number: 0 for the fewest tables."""
        return self.counted(trips_metric(mode, number))

    def counted(self, metric: str) -> Estimate:
        """What was counted once a block; its mean over them."""
        return statistics.arithmetic_mean(self.values(COUNTED, metric), sessions=self.sessions)

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

    def failed(self) -> int:
        """Trials over a way that could not be had as long as asked."""
        return int(self.run.trials["state"].str.startswith("failed").sum())
