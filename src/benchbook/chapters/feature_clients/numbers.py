"""The numbers of the chapter: latency, throughput and processor time of a request, by keys, way and clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchbook.chapters.feature_clients.arms import AGAIN, ANY, HOT, PIPELINE, SERIAL, WAYS, Parameters, at
from benchbook.numbers import summary
from benchbook.numbers.estimands import average, ratio
from benchbook.numbers.metrics import Metric, Metrics

MEAN, P95, TPS, READS, USER, SYSTEM = (
    "latency_mean_ns", "latency_p95_ns", "tps", "reads_per_request", "user_s_per_request", "system_s_per_request",
)  # fmt: skip
MS = 1e-6
METRICS: Metrics = {
    MEAN: Metric("mean latency of a request", "ms", MS, heading="mean"),
    "latency_p50_ns": Metric("P50 of a request", "ms", MS, heading="P50"),
    P95: Metric("P95 of a request", "ms", MS, heading="P95"),
    "latency_p99_ns": Metric("P99 of a request", "ms", MS, heading="P99"),
    TPS: Metric("requests a second", heading="requests a second"),
    READS: Metric("blocks read for a request", format="{:.1f}".format, heading="blocks read"),
    USER: Metric("processor time of the server, outside the kernel", "µs", 1e6, heading="user time"),
    SYSTEM: Metric("processor time of the server in the kernel", "µs", 1e6, heading="system time"),
    "littles_ratio": Metric(
        "share of their time that clients wait for the server", factor=100, format="{:,.0f} %".format
    ),
}  # fmt: skip
FIRST, LAST = 0, -1


class Summary(summary.Summary[Parameters]):
    """One run of this chapter."""

    METRICS = METRICS


def _of(keys: str, way: str, which: int) -> Callable[[Summary], str]:
    return lambda summary: at(keys, way, summary.parameters.clients[which])


def _pool(summary: Summary) -> str:
    """The note's pool for as many clients as ask last: a fifth of them, but ten at least; the number nearest to it."""
    clients = summary.parameters.clients
    return at(HOT, PIPELINE, min(clients, key=lambda count: abs(count - max(10, clients[-1] // 5))))


AA = (AGAIN, _of(HOT, PIPELINE, LAST))
NUMBERS = {
    **{f"grown_{way}": ratio(_of(HOT, way, LAST), _of(HOT, way, FIRST), MEAN) for way in WAYS},
    "grown_tail": ratio(_of(HOT, PIPELINE, LAST), _of(HOT, PIPELINE, FIRST), P95),
    "throughput": ratio(_of(HOT, PIPELINE, LAST), _of(HOT, PIPELINE, FIRST), TPS),
    **{f"any_first_{way}": ratio(_of(ANY, way, FIRST), _of(HOT, way, FIRST), P95) for way in WAYS},
    **{f"any_last_{way}": ratio(_of(ANY, way, LAST), _of(HOT, way, LAST), P95) for way in WAYS},
    "one_by_one_first": ratio(_of(HOT, SERIAL, FIRST), _of(HOT, PIPELINE, FIRST), MEAN),
    "one_by_one_last": ratio(_of(HOT, SERIAL, LAST), _of(HOT, PIPELINE, LAST), MEAN),
    "work": ratio(_of(HOT, PIPELINE, LAST), _pool, USER),
    "pooled": ratio(_of(HOT, PIPELINE, LAST), _pool, TPS),
    "reads_any": average(_of(ANY, PIPELINE, LAST), READS),
    "equal": ratio(*AA, MEAN),
}


def _spent(way: str) -> Callable[[Summary], Any]:
    """Processor time of the server for a request of many clients, in µs."""
    return lambda summary: 1e6 * sum(summary.mean(_of(HOT, way, LAST)(summary), each) for each in (USER, SYSTEM))


WORDS: dict[str, Callable[[Summary], Any]] = {
    "few": lambda summary: summary.parameters.clients[FIRST],
    "many": lambda summary: summary.parameters.clients[LAST],
    "pool": lambda summary: int(_pool(summary).rpartition("_")[2]),
    "spent_serial": _spent(SERIAL),
    "spent_pipeline": _spent(PIPELINE),
    "waits": lambda summary: 100 * summary.mean(_of(HOT, PIPELINE, LAST)(summary), "littles_ratio"),
    "data_gib": lambda summary: (summary.run.provenance["heap_bytes"] + summary.run.provenance["index_bytes"]) / 2**30,
}
