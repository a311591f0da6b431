"""The figures: P95 of a request and throughput, by number of clients, keys and way. Words in the page."""

from __future__ import annotations

from benchbook.chapters.feature_clients.arms import KEYS, WAYS, at
from benchbook.chapters.feature_clients.numbers import METRICS, P95, TPS, Summary
from benchbook.drawing.regular import Dots
from benchbook.drawing.regular.base import Ask

SERIES = {(keys, way): f"{KEYS[keys]}, {WAYS[way]}" for keys in KEYS for way in WAYS}


def _rows(summary: Summary) -> dict[int, str]:
    return {count: f"{count} client{'s' if count > 1 else ''}" for count in summary.parameters.clients}


def _level(metric: str, keys: str, way: str) -> Ask:
    return lambda summary, clients: summary.level(at(keys, way, clients), metric)


tails = Dots(
    rows=_rows, row="clients", series={label: _level(P95, *kind) for kind, label in SERIES.items()},
    heading="requests", metric=METRICS[P95],
)  # fmt: skip
throughput = Dots(
    rows=_rows, row="clients", series={label: _level(TPS, *kind) for kind, label in SERIES.items()},
    heading="requests", metric=METRICS[TPS],
)  # fmt: skip

FIGURES = {"tails": tails, "throughput": throughput}
