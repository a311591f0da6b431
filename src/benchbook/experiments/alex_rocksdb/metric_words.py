"""The chapter's metrics in words: times and shares of a query's parts, and who answered its look-ups."""

from __future__ import annotations

from benchbook.experiments.families.kv import metric_words as family
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.figures import mean_count

_PARTS = {"query": "a query", "index": "ALEX", "engine": "RocksDB's get", "rest": "the rest of a query"}
_TIMES = {"mean_ns": "mean time", "p50_ns": "P50", "p99_ns": "P99", "p999_ns": "P99.9"}


def _of_a_part(part: str, words: str) -> dict[str, Metric]:
    return {
        **{f"{part}_{name}": Metric(f"{word} of {words}", "ns") for name, word in _TIMES.items()},
        f"{part}_net_ns": Metric(f"mean time of {words} less the clock's", "ns"),
        f"{part}_share": Metric(f"share of {words} in a query's mean time", "%", 100),
        f"{part}_net_share": Metric(f"share of {words} in a query's mean time less the clock's", "%", 100),
    }


METRICS: Metrics = {
    **family.METRICS,
    **{name: metric for part, words in _PARTS.items() for name, metric in _of_a_part(part, words).items()},
    "mean_ns": Metric("mean time of a query", "ns", heading="mean"),
    "timer_ns": Metric("time to read the clock", "ns"),
    "background_work": Metric("number of flushes and compactions that were running"),
    "files": Metric("number of table files", format=mean_count, heading="files"),
    "writes": Metric("number of writes that loaded the rows", heading="writes"),
    "leaves": Metric("number of leaves"),
    "depth": Metric("depth of the index"),
    "row_cache_hits": Metric("number of row cache hits", heading="row cache hits"),
    "memtable_hits": Metric("number of look-ups that the memtable answered", heading="memtable hits"),
    "memtable_misses": Metric("number of look-ups that the memtable did not answer", heading="memtable misses"),
    "block_cache_hits": Metric("number of block cache hits", heading="block cache hits"),
    "block_cache_misses": Metric("number of block cache misses", heading="block cache misses"),
    "bloom_useful": Metric("number of look-ups that a Bloom filter rejected", heading="bloom useful"),
    "bloom_passed": Metric("number of look-ups that a Bloom filter passed", heading="bloom passed"),
}
