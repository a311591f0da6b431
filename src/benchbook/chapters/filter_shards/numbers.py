"""The numbers of the chapter: which caches turned the filter away, and what look-ups then took and read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchbook.chapters.filter_shards import arms
from benchbook.chapters.filter_shards.arms import AGAIN, CACHED, KIB, OUTSIDE, PINNED, at, shard_mib
from benchbook.figures.prose import listed
from benchbook.measuring.kv import metric_words, summary
from benchbook.numbers.estimands import average, ratio
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.summary import NotEstimableError


def _outside(summary: Summary) -> str:
    return at(OUTSIDE, summary.parameters.cache_kib[1])


AA = (AGAIN, _outside)
TIME, MISSES, BYTES = "lookup_mean_ns", "filter_misses_per_lookup", "file_bytes_per_lookup"
TURNED_AWAY, HELD = 0.5, 0.01
"""A cache turned the filter away where at least so many look-ups missed it, and held it where at most so many did."""
METRICS: Metrics = {
    **metric_words.METRICS,
    MISSES: Metric("misses of the filter per look-up", format="{:.3g}".format, heading="filter"),
    "index_misses_per_lookup": Metric("misses of the index per look-up", format="{:.3g}".format, heading="index"),
    "data_misses_per_lookup": Metric("misses of data blocks per look-up", format="{:.3g}".format, heading="data"),
    BYTES: Metric("bytes read from the file per look-up", "KB", 1e-3, format="{:,.1f}".format, heading="read"),
    "filter_bytes": Metric("size of the filter", "MiB", 2**-20, format="{:.3g}".format),
    "cache_capacity_bytes": Metric("size of the block cache", "MiB", 2**-20, format="{:g}".format),
    "files_bytes": Metric("size of the file", "MB", 1e-6, format="{:,.1f}".format, heading="file"),
}


class Summary(summary.Summary[arms.Parameters]):
    """One run of this chapter."""

    METRICS = METRICS

    def misses(self, kib: int) -> np.ndarray:
        """Misses of the filter per look-up where the cache is to hold them, shape (blocks,)."""
        return self.values(at(CACHED, kib), MISSES)

    def turned_away(self) -> list[int]:
        """Sizes of the caches that turned the filter away in every trial, in KiB, that of the control left out."""
        return [kib for kib in self.parameters.cache_kib[1:] if self.misses(kib).min() >= TURNED_AWAY]

    def held(self) -> list[int]:
        """Of those that held it in every trial."""
        return [kib for kib in self.parameters.cache_kib[1:] if self.misses(kib).max() <= HELD]


def _one(some: list[int], last: bool) -> int:
    if not some:
        raise NotEstimableError("no cache of this run did so", "measure more sizes of the cache")
    return some[-1 if last else 0]


def _away(way: str) -> Callable[[Summary], str]:
    """The configuration with the largest cache that turned the filter away."""
    return lambda summary: at(way, _one(summary.turned_away(), last=True))


def _holds(way: str) -> Callable[[Summary], str]:
    """That with the smallest cache that held it."""
    return lambda summary: at(way, _one(summary.held(), last=False))


def _control(way: str) -> Callable[[Summary], str]:
    return lambda summary: at(way, summary.parameters.control_kib)


NUMBERS = {
    "away": ratio(_away(CACHED), _away(OUTSIDE), TIME),
    "away_pinned": ratio(_away(PINNED), _away(OUTSIDE), TIME),
    "away_misses": average(_away(CACHED), MISSES),
    "holds": ratio(_holds(CACHED), _holds(OUTSIDE), TIME),
    "holds_misses": average(_holds(CACHED), MISSES),
    "control": ratio(_control(CACHED), _control(OUTSIDE), TIME),
    "control_pinned": ratio(_control(PINNED), _control(OUTSIDE), TIME),
    "control_misses": average(_control(CACHED), MISSES),
    "equal": ratio(*AA, TIME),
}


def _between(summary: Summary) -> str:
    """The caches that did neither in every trial; "" for none."""
    neither = {*summary.parameters.cache_kib[1:]} - {*summary.turned_away(), *summary.held()}
    return listed([arms.sized(kib) for kib in sorted(neither)]) if neither else ""


WORDS = {
    "filter_mib": lambda summary: summary.mean(_control(CACHED)(summary), "filter_bytes") / 2**20,
    "file_mb": lambda summary: summary.mean(AGAIN, "files_bytes") / 1e6,
    "away_mib": lambda summary: _one(summary.turned_away(), last=True) / KIB,
    "away_shard": lambda summary: shard_mib(_one(summary.turned_away(), last=True)),
    "away_read": lambda summary: summary.mean(_away(CACHED)(summary), BYTES) / 2**20,
    "holds_mib": lambda summary: _one(summary.held(), last=False) / KIB,
    "holds_shard": lambda summary: shard_mib(_one(summary.held(), last=False)),
    "between": _between,
}
