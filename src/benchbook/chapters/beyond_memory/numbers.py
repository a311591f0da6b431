"""The numbers of the chapter: look-ups by compression, memory and block cache, and what they read from the device."""

from __future__ import annotations

from collections.abc import Callable

from benchbook.chapters.beyond_memory.arms import AGAIN, LARGE, NONE, SMALL, SNAPPY, ZSTD, Parameters, at
from benchbook.measuring.badger import metric_words
from benchbook.numbers import summary
from benchbook.numbers.estimands import average, ratio, share
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import Number, percent

TIME, READ = "lookup_mean_ns", "lookup_read_bytes"
METRICS: Metrics = {
    **metric_words.METRICS,
    TIME: Metric("mean of a look-up", "µs", 1e-3, heading="mean"),
    "memory_bytes": Metric("memory of process and page cache", "MB", 1e-6, heading="memory"),
    "cache_bytes": Metric("size of the block cache", "MB", 1e-6, heading="cache"),
}


def _least(compression: str, cache: str) -> Callable[[Summary], str]:
    """With the least memory."""
    return lambda summary: at(compression, summary.parameters.memory_percent[0], cache)


def _most(compression: str, cache: str) -> Callable[[Summary], str]:
    return lambda summary: at(compression, summary.parameters.memory_percent[-1], cache)


class Summary(summary.Summary[Parameters]):
    """One run of this chapter."""

    METRICS = METRICS


AA = (AGAIN, _least(NONE, SMALL))


def _hits(arm: Callable[[Summary], str]) -> Number:
    return percent(share(arm, "lookup_hit_ratio", "lookup_accesses"))


NUMBERS = {
    "large_plain": ratio(_least(NONE, LARGE), _least(NONE, SMALL), TIME),
    "large_snappy": ratio(_least(SNAPPY, LARGE), _least(SNAPPY, SMALL), TIME),
    "large_zstd": ratio(_least(ZSTD, LARGE), _least(ZSTD, SMALL), TIME),
    "snappy": ratio(_least(SNAPPY, LARGE), _least(NONE, SMALL), TIME),
    "zstd": ratio(_least(ZSTD, LARGE), _least(SNAPPY, LARGE), TIME),
    "all_memory": ratio(_least(NONE, SMALL), _most(NONE, SMALL), TIME),
    "snappy_all": ratio(_most(SNAPPY, SMALL), _most(NONE, SMALL), TIME),
    "hits_plain": _hits(_least(NONE, LARGE)),
    "hits_snappy": _hits(_least(SNAPPY, LARGE)),
    "read_plain": average(_least(NONE, SMALL), READ),
    "equal": ratio(*AA, TIME),
}
