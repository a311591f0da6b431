"""The metrics of feature serving in words."""

from __future__ import annotations

from benchbook.numbers.metrics import Metric, Metrics

MS = 1e-6


def _blocks(words: str, heading: str = "") -> Metric:
    return Metric(f"number of {words} per request", format="{:,.2f}".format, heading=heading)


def _ratio(words: str) -> Metric:
    return Metric(words, "%", 100)


LATENCIES: Metrics = {
    "mean_ns": Metric("mean latency", "ms", MS, heading="mean"),
    "min_ns": Metric("shortest latency", "ms", MS, heading="min"),
    "max_ns": Metric("longest latency", "ms", MS, heading="max"),
    "sd_ns": Metric("standard deviation of the latency", "ms", MS, heading="sd"),
    **{f"{q.lower().replace('.', '')}_ns": Metric(f"{q} latency", "ms", MS, heading=q)
       for q in ("P50", "P95", "P99", "P99.9")},
}  # fmt: skip
"""Of ``statistics.describe``."""
METRICS: Metrics = {
    **LATENCIES,
    "iqr_ns": Metric("interquartile range of the latency", "ms", MS),
    "first_100_mean_ns": Metric("mean latency of the first 100 requests", "ms", MS),
    "rest_mean_ns": Metric("mean latency after the first 100 requests", "ms", MS),
    "note_min_ns": Metric("shortest latency of the first 1,000 requests", "ms", MS),
    **{f"note_{q.lower()}_ns": Metric(f"{q} of the first 1,000 requests", "ms", MS) for q in ("P50", "P95", "P99")},
    "requests": Metric("number of requests"),
    "heap_hit_ratio": Metric("heap hit ratio", format="{:.4f}".format),
    "note_heap_hit_ratio": _ratio("heap hit ratio of the first 1,000 requests"),
    "note_heap_blocks": Metric("number of heap blocks that the first 1,000 requests touched"),
    "cumulative_heap_hit_ratio": _ratio("heap hit ratio since the tables were created"),
    "cumulative_heap_hit_ratio_without_load": _ratio("heap hit ratio since the server's start"),
    "hit_ratio_until_#": _ratio("hit ratio of a window of requests"),
    "blocks_per_request": _blocks("blocks"),
    "pool_hits_per_request": _blocks("blocks found in shared buffers"),
    "pool_misses_per_request": _blocks("blocks read into shared buffers", "pool misses per request"),
    "device_blocks_per_request": _blocks("blocks read from the device", "device reads per request"),
    "note_cached_share": _ratio("share of the first 1,000 requests that read nothing from the device"),
    "note_requests": Metric("number of requests among the first 1,000"),
    "note_min_reads": Metric("number of blocks that the fastest of the first 1,000 requests read"),
    "note_fewest_reads": Metric("fewest blocks that one of the first 1,000 requests read"),
    "note_p50_reads": Metric("median number of blocks that one of the first 1,000 requests read"),
    "added_read_ms": Metric("added latency of a read", "ms"),
    "measured_read_ms": Metric("measured added latency of a read", "ms", format="{:.3f}".format),
    "delayed_reads_per_request": _blocks("delayed reads"),
    "added_trip_ms": Metric("added round trip", "ms"),
    "measured_trip_ms": Metric("measured added round trip", "ms", format="{:.3f}".format),
    "trip_at_end_ms": Metric("measured added round trip at the end", "ms", format="{:.3f}".format),
    "shared_pages_share": _ratio("share of the needed pages that the warm-up touched"),
    "blocks_in_pool_at_start": Metric("number of blocks in shared buffers at the start"),
    "warmed_keys_share": _ratio("share of the measured keys that were warmed"),
    "warmed_pages": Metric("number of pages that the warm-up touched"),
    "needed_pages": Metric("number of pages that the measured keys need"),
    "needed_in_pool_at_start": _ratio("share of the needed pages in shared buffers at the start"),
    "needed_in_os_cache_at_start": _ratio("share of the needed pages in the OS page cache at the start"),
    "note_reads": Metric("number of blocks that the first 1,000 requests read"),
    "reread_share": _ratio("share of the blocks of the first 1,000 requests that were read again"),
}
OF_CLIENTS: Metrics = {
    "latency_mean_ns": Metric("mean latency of a request", "ms", MS, heading="mean"),
    **{f"latency_{q.lower()}_ns": Metric(f"{q} of a request", "ms", MS, heading=q) for q in ("P50", "P95", "P99")},
    "tps": Metric("requests a second", heading="requests a second"),
}
"""Of chapters whose requests pgbench makes."""
