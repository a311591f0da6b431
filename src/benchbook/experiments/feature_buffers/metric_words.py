"""The metrics of this chapter in words: the family's, and what caches and memory held."""

from __future__ import annotations

from benchbook.experiments.families.features import metric_words
from benchbook.experiments.shape.metrics import Metric, Metrics

MIB = 1 / 2**20


def _mib(words: str) -> Metric:
    return Metric(words, "MiB", MIB)


METRICS: Metrics = {
    **metric_words.METRICS,
    "heap_hit_ratio": Metric("heap hit ratio", "%", 100, format="{:.1f}".format),
    "hit_ratio": Metric("hit ratio of heaps and indexes", "%", 100, format="{:.1f}".format),
    "heap_blocks": Metric("number of heap blocks that the measured requests touched"),
    "in_pool_only_bytes": _mib("data in shared buffers alone"),
    "in_os_cache_only_bytes": _mib("data in the OS page cache alone"),
    "in_both_bytes": _mib("data in both caches"),
    "in_pool_bytes": _mib("data in shared buffers"),
    "cached_bytes": _mib("distinct data in either cache"),
    "pool_bytes": _mib("size of shared buffers"),
    "ram_bytes": _mib("memory that server and page cache may use"),
    "memory_used_bytes": _mib("memory that they used at the end"),
    "killed_processes": Metric("number of processes that the kernel ended for want of memory"),
    "data_in_pool_at_start": Metric("share of the data in shared buffers at the start", "%", 100),
    "data_in_os_cache_at_start": Metric("share of the data in the OS page cache at the start", "%", 100),
    "data_in_os_cache_at_end": Metric("share of the data in the OS page cache at the end", "%", 100),
    "needed_in_pool_at_end": Metric("share of the needed pages in shared buffers at the end", "%", 100),
    "io_reads_per_request": Metric("number of reads that the server asked for per request", format="{:,.2f}".format),
    "blocks_per_request": metric_words.METRICS["blocks_per_request"],
}
