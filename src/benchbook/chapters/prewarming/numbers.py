"""The numbers of the chapter: what each way to warm costs, and how long the first requests then take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchbook.chapters.prewarming.arms import (
    AGAIN,
    ASKED,
    INDEXES,
    LIST,
    LOCAL,
    NONE,
    SLOW,
    SMALL,
    WHOLE,
    Parameters,
    at,
    moved,
)
from benchbook.numbers import summary
from benchbook.numbers.estimands import Estimand, average, counts, level, ratio
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import Number, percent

MEAN, P95, SECONDS, READS, HELD, WAITED, PER_GIB = (
    "first_mean_ns", "first_p95_ns", "warming_s", "warming_reads", "hot_in_pool", "waited_s", "seconds_per_gib",
)  # fmt: skip
MS, MIB = 1e-6, 2**20
METRICS: Metrics = {
    SECONDS: Metric("time to warm the pool", "s", format="{:.2f}".format, heading="warming"),
    READS: Metric("reads to warm the pool", heading="reads"),
    "warming_bytes": Metric("data read to warm the pool", "MiB", 1 / MIB, heading="data read"),
    "read_kib": Metric("size of a read", "KiB", format="{:.1f}".format, heading="a read"),
    PER_GIB: Metric("time to warm by a GiB read", "s", format="{:.1f}".format, heading="a GiB"),
    "held_bytes": Metric("data in the pool before the requests", "MiB", 1 / MIB, heading="in the pool"),
    HELD: Metric("share of the hot keys' pages in the pool", "%", 100, format="{:.0f}".format, heading="hot pages"),
    MEAN: Metric("mean latency of the first requests", "ms", MS, heading="mean of the first"),
    "first_p50_ns": Metric("P50 of the first requests", "ms", MS, heading="P50 of the first"),
    P95: Metric("P95 of the first requests", "ms", MS, heading="P95 of the first"),
    "part_#_ns": Metric("mean latency of a twentieth of the first requests", "ms", MS),
    "steady_p50_ns": Metric("P50 of the last requests", "ms", MS, heading="P50 of the last"),
    WAITED: Metric("time that the first requests lose to reads", "s", format="{:.2f}".format, heading="lost"),
    "missed_reads": Metric("reads during the requests", heading="reads later"),
}  # fmt: skip
AA = (AGAIN, at(ASKED, SLOW))
BY_COMMAND = (INDEXES, WHOLE, LIST)
"""The ways by which the server reads pages that nobody asks for."""


class Summary(summary.Summary[Parameters]):
    """One run of this chapter."""

    METRICS = METRICS


def _moved(which: int) -> Callable[[Summary], str]:
    return lambda summary: moved(summary.parameters.moved_percent[which])


def _held(way: str, place: str) -> Number:
    return percent(average(at(way, place), HELD))


NUMBERS: dict[str, Estimand | Number] = {
    "cold": ratio(at(NONE, SLOW), at(ASKED, SLOW), P95),
    "cold_local": ratio(at(NONE, LOCAL), at(ASKED, LOCAL), P95),
    "lost": level(at(NONE, SLOW), WAITED),
    "lost_indexes": level(at(INDEXES, SLOW), WAITED),
    **{f"first_{way}": ratio(at(way, SLOW), at(ASKED, SLOW), P95) for way in BY_COMMAND},
    **{f"took_{way}": level(at(way, SLOW), SECONDS) for way in (ASKED, *BY_COMMAND)},
    **{f"took_{way}_local": level(at(way, LOCAL), SECONDS) for way in (ASKED, *BY_COMMAND)},
    **{f"time_{way}": ratio(at(way, SLOW), at(ASKED, SLOW), SECONDS) for way in BY_COMMAND},
    **{f"reads_{way}": counts(at(way, SLOW), at(ASKED, SLOW), READS) for way in BY_COMMAND},
    **{f"gib_{way}": level(at(way, SLOW), PER_GIB) for way in (ASKED, WHOLE, LIST)},
    **{f"held_{way}": _held(way, SLOW) for way in (INDEXES, LIST)},
    **{f"small_{way}": ratio(at(way, SMALL), at(ASKED, SMALL), P95) for way in (WHOLE, LIST)},
    "small_held_whole": _held(WHOLE, SMALL),
    "small_held_asked": _held(ASKED, SMALL),
    "moved_few": ratio(_moved(0), at(ASKED, SLOW), MEAN),
    "moved_all": ratio(_moved(-1), at(NONE, SLOW), MEAN),
    "equal": ratio(*AA, SECONDS),
    "equal_first": ratio(*AA, P95),
}


def _mib(key: str) -> Callable[[Summary], float]:
    return lambda summary: float(summary.run.provenance[key]) / MIB


WORDS: dict[str, Callable[[Summary], Any]] = {
    "data_mib": lambda summary: _mib("heap_bytes")(summary) + _mib("index_bytes")(summary),
    "needed_mib": _mib("needed_bytes"),
    "few": lambda summary: summary.parameters.moved_percent[0],
    "kib_whole": lambda summary: summary.mean(at(WHOLE, SLOW), "read_kib"),
    "kib_list": lambda summary: summary.mean(at(LIST, SLOW), "read_kib"),
    "steady_ms": lambda summary: summary.mean(at(ASKED, SLOW), "steady_p50_ns") * MS,
}
