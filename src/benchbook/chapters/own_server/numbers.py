"""The numbers of the chapter, each once and by name: what other keys than the warmed ones cost, and what trips cost."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from benchbook import statistics
from benchbook.chapters.own_server import arms
from benchbook.chapters.own_server.arms import BASELINE, DISJOINT, FEW_PERCENT, JOINED, SERIAL, SERIAL_COLD, share
from benchbook.model import Estimate
from benchbook.numbers import summary as shape
from benchbook.numbers.estimands import average, level, ratio, told
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.plain import plain

AA = (arms.REPEATED, BASELINE)
MEAN, P50, P95, P99 = "mean_ns", "p50_ns", "p95_ns", "p99_ns"
READ, HIT = "pool_misses_per_request", "hit_ratio"
LEAST_READS = 1.0
"""Where disjoint keys read fewer blocks a request more than warmed ones, both kinds of keys are one to the server."""
WARM = 0.99
"""At least so much of what warmed keys touch lies in a pool that holds them."""
MS = 1e-6
METRICS: Metrics = {
    "mean_ns": Metric("mean latency", "ms", MS, heading="mean"),
    "min_ns": Metric("shortest latency", "ms", MS, heading="min"),
    "max_ns": Metric("longest latency", "ms", MS, heading="max"),
    "sd_ns": Metric("standard deviation of the latency", "ms", MS, heading="sd"),
    "p50_ns": Metric("P50 latency", "ms", MS, heading="P50"),
    "p95_ns": Metric("P95 latency", "ms", MS, heading="P95"),
    "p99_ns": Metric("P99 latency", "ms", MS, heading="P99"),
    "p999_ns": Metric("P99.9 latency", "ms", MS, heading="P99.9"),
    "trip_ns": Metric("round trip before the trial", "ms", MS, format="{:.3f}".format, heading="round trip"),
    "trips": Metric("number of round trips by construction", heading="trips"),
    "requests": Metric("number of requests"),
    "lookups": Metric("number of look-ups"),
    "index_scans": Metric("number of look-ups that the server counted"),
    "blocks": Metric("number of blocks that the requests touched"),
    "pool_hits_per_request": Metric("blocks found in the buffer pool per request", format="{:,.2f}".format),
    READ: Metric("blocks read into the buffer pool per request", format="{:,.2f}".format),
    HIT: Metric("hit ratio of the buffer pool", "%", 100, format="{:.2f}".format),
}


class Summary(shape.Summary[arms.Parameters]):
    """One run, ready for figures and sentences."""

    METRICS: ClassVar[Metrics] = METRICS

    @property
    def server(self) -> dict[str, Any]:
        """What the server let us see, as the run recorded it."""
        found: dict[str, Any] = self.run.provenance["server"]
        return found

    @property
    def tail(self) -> str:
        """The highest quantile that this run's trials can estimate."""
        return next((metric for metric in (P99, P95) if self.has(BASELINE, metric)), P50)

    @property
    def further(self) -> np.ndarray:
        """Blocks that a request for disjoint keys reads more than one for warmed keys, by block of trials."""
        found: np.ndarray = self.values(DISJOINT, READ) - self.values(BASELINE, READ)
        return found

    @property
    def miscounted(self) -> int:
        """Trials in which the server counted another number of look-ups than the client asked for."""
        trials = self.run.trials
        return int((trials["index_scans"] != trials["lookups"]).sum())


def _tail(summary: Summary, top: str) -> Estimate:
    return summary.ratio((top, summary.tail), (BASELINE, summary.tail))


def _hits(summary: Summary) -> Estimate:
    return summary.share(BASELINE, HIT, "blocks")


def _waiting(summary: Summary, arm: str) -> Estimate:
    """Share of a request's mean latency that its trips take, at the round trip measured before the trial."""
    waited = summary.values(arm, "trips") * summary.values(arm, "trip_ns") / summary.values(arm, MEAN)
    return summary.estimated(statistics.arithmetic_mean, waited)


def _block(summary: Summary) -> Estimate:
    """What a block costs that is not in the pool, in µs: how much longer a request takes, by how many more it reads."""
    longer = summary.values(DISJOINT, MEAN) - summary.values(BASELINE, MEAN)
    further = summary.further
    if further.min() < LEAST_READS:
        raise NotEstimableError("both kinds of keys read about as many blocks", "give more rows, or fewer hot keys")
    return summary.estimated(statistics.arithmetic_mean, longer / further / 1e3)


NUMBERS = {
    "cold": ratio(DISJOINT, BASELINE, MEAN),
    "cold_p50": ratio(DISJOINT, BASELINE, P50),
    "cold_tail": told(_tail, DISJOINT),
    "few_cold_tail": told(_tail, share(100 - FEW_PERCENT)),
    "few_cold": ratio(share(100 - FEW_PERCENT), BASELINE, MEAN),
    "hits": percent(told(_hits)),
    "reads": average(DISJOINT, READ),
    "block_us": told(_block),
    "pipeline": ratio(SERIAL, BASELINE, MEAN),
    "pipeline_cold": ratio(SERIAL_COLD, DISJOINT, MEAN),
    "joined": ratio(SERIAL, JOINED, MEAN),
    "serial_ms": level(SERIAL, MEAN, 1e6),
    "pipeline_ms": level(BASELINE, MEAN, 1e6),
    "trip_ms": level(arms.EMPTY, "trip_ns", 1e6),
    "waiting": percent(told(_waiting, SERIAL)),
    "same": ratio(arms.REPEATED, BASELINE, MEAN),
}
WORDS = {
    "data_gib": lambda summary: (summary.run.provenance["heap_bytes"] + summary.run.provenance["index_bytes"]) / 2**30,
    "filler_gib": lambda summary: summary.run.provenance["filler_bytes"] / 2**30,
    "pool_gib": lambda summary: summary.server["pool_mib"] / 1024,
    "tail": lambda summary: METRICS[summary.tail].brief,
    "own": lambda summary: str(summary.run.provenance.get("engine_source", "")).startswith("own server"),
    "kind": lambda summary: plain(str(summary.server["kind"])),
    "tls": lambda summary: plain(str(summary.server["tls"])),
    "pooler": lambda summary: bool(summary.server["pooler"]),
    "of_role": lambda summary: ", ".join(plain(str(each)) for each in summary.server["of_role"]),
    "few_percent": lambda summary: FEW_PERCENT,
    "told_apart": lambda summary: summary.further.min() >= LEAST_READS,
    "held": lambda summary: summary.values(BASELINE, HIT).min() >= WARM,
    "miscounted": lambda summary: summary.miscounted,
}
