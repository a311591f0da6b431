"""The figures: time of a look-up, and filters that it reads, by the size of a shard and where the filter is."""

from __future__ import annotations

from benchbook.chapters.filter_shards.arms import KIB, WAYS, at, shard_mib
from benchbook.chapters.filter_shards.numbers import METRICS, MISSES, TIME, Summary
from benchbook.drawing.regular import Ask, Dots


def _caches(summary: Summary) -> dict[int, str]:
    """Each cache by its size, the smallest on top."""
    return {kib: f"{shard_mib(kib):g} MiB, of {kib / KIB:g}" for kib in summary.parameters.cache_kib}


def _level(way: str) -> Ask:
    return lambda summary, kib: summary.level(at(way, kib), TIME)


def _misses(way: str) -> Ask:
    return lambda summary, kib: summary.average(at(way, kib), MISSES)


ROW = "shard, of a cache"
times = Dots(
    rows=_caches, row=ROW, series={WAYS[way]: _level(way) for way in WAYS}, heading="filter", metric=METRICS[TIME],
)  # fmt: skip
misses = Dots(
    rows=_caches, row=ROW, series={WAYS[way]: _misses(way) for way in WAYS}, heading="filter",
    metric=METRICS[MISSES], scale="zero",
)  # fmt: skip

FIGURES = {"times": times, "misses": misses}
