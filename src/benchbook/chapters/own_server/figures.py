"""The figures: latency of a request and blocks it reads by the keys asked for, and by the way of asking."""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.chapters.own_server.arms import BASELINE, DISJOINT, EMPTY, JOINED, REPEATED, SERIAL, SERIAL_COLD, share
from benchbook.chapters.own_server.numbers import METRICS, READ, Summary
from benchbook.drawing.regular import Dots
from benchbook.drawing.regular.base import level

LEVELS = {"mean": "mean_ns", "P50": "p50_ns", "P95": "p95_ns", "P99": "p99_ns"}


def _keys(summary: Summary) -> Mapping[str, str]:
    shares = [share(each) for each in summary.parameters.hot_shares_percent]
    return {arm: summary.label(arm) for arm in (BASELINE, REPEATED, *shares, DISJOINT)}


def _ways(summary: Summary) -> Mapping[str, str]:
    every = (BASELINE, JOINED, SERIAL, DISJOINT, SERIAL_COLD, EMPTY)
    return {arm: summary.label(arm) for arm in every}


latency = Dots(
    rows=_keys, row="keys",
    series=lambda summary: {
        name: level(metric, 1e6) for name, metric in LEVELS.items() if summary.has(BASELINE, metric)
    },
    heading="latency", axis="latency of a request (ms)", quantity="latency (ms)",
)  # fmt: skip
reads = Dots(
    rows=_keys, row="keys", series={"read": lambda summary, arm: summary.average(arm, READ)}, heading="",
    metric=METRICS[READ], scale="zero",
)  # fmt: skip
ways = Dots(
    rows=_ways, row="way of asking", series={"mean": level("mean_ns", 1e6)}, heading="",
    axis="mean latency of a request (ms)", quantity="latency (ms)",
)  # fmt: skip

FIGURES = {"latency": latency, "reads": reads, "ways": ways}
