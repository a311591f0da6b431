"""The metrics of this chapter in words, beside the family's of time."""

from __future__ import annotations

from benchbook.experiments.families.features import metric_words
from benchbook.experiments.shape.metrics import Metric, Metrics

_TIMES = ("mean_ns", "min_ns", "max_ns", "sd_ns", "p50_ns", "p95_ns", "p99_ns", "p999_ns")


def _blocks(words: str, heading: str = "") -> Metric:
    return Metric(f"number of {words} per request", format="{:,.3f}".format, heading=heading)


def _pages(words: str, heading: str = "") -> Metric:
    return Metric(f"number of {words} in shared buffers per key", format="{:,.2f}".format, heading=heading)


def _bytes(words: str, heading: str = "") -> Metric:
    return Metric(words, "bytes", format="{:,.0f}".format, heading=heading)


METRICS: Metrics = {
    **{name: metric_words.METRICS[name] for name in _TIMES},
    "first_mean_ns": Metric("mean latency with an empty pool", "ms", metric_words.MS),
    "requests": Metric("number of requests"),
    "keys": Metric("number of keys"),
    "returned_bytes": _bytes("size of a row's values as returned", "values returned per row"),
    "message_bytes": _bytes("size of the message that returns a row"),
    "heap_bytes_per_row": _bytes("heap space per row"),
    **{f"{name}_returned_bytes": _bytes(f"size of the values of a row of {words}") for name, words in (
        ("numeric_3", "3 NUMERIC"), ("timestamp_4", "4 TIMESTAMPTZ"), ("numeric_10", "10 NUMERIC"),
        ("numeric_92", "92 NUMERIC"))},
    **{f"{name}_heap_bytes": _bytes(f"heap space of a row of {words}") for name, words in (
        ("numeric_3", "3 NUMERIC"), ("timestamp_4", "4 TIMESTAMPTZ"), ("numeric_10", "10 NUMERIC"),
        ("numeric_92", "92 NUMERIC"))},
    "heap_blocks": Metric("number of heap blocks accessed"),
    "heap_blocks_per_request": _blocks("heap blocks accessed", "heap blocks"),
    "index_blocks_per_request": _blocks("index blocks accessed", "index blocks"),
    "toast_blocks_per_request": _blocks("TOAST blocks accessed", "TOAST blocks"),
    "reads_per_request": _blocks("blocks read into shared buffers", "blocks read"),
    "cold_reads_per_request": _blocks("blocks read into an empty pool"),
    "heap_hit_ratio": Metric("heap hit ratio", "%", 100, format="{:.2f}".format),
    "index_scans": Metric("number of look-ups by index"),
    "evictions": Metric("number of evicted pages"),
    "pool_pages": Metric("number of pages of the pool"),
    "table_pages": Metric("number of pages of the tables and indexes"),
    "hash_correlation": Metric("correlation of the hash key with the physical order", format="{:.3f}".format),
    "all_visible_share": Metric("share of all-visible pages", "%", 100),
    "heap_fetches": Metric("number of heap fetches of the explained look-ups"),
    "resident_pages": Metric("number of pages in shared buffers"),
    "resident_pages_per_key": _pages("pages"),
    "resident_heap_pages_per_key": _pages("heap pages", "heap pages in the pool"),
    "resident_index_pages_per_key": _pages("index pages", "index pages in the pool"),
    "resident_toast_pages_per_key": _pages("TOAST pages", "TOAST pages in the pool"),
    "resident_map_pages_per_key": _pages("pages of the visibility map"),
    "keys_per_mib": Metric("number of keys served from a MiB of pool", format="{:,.1f}".format),
    "distinct_heap_pages": Metric("number of distinct heap pages"),
    "expected_heap_pages": Metric("number of heap pages expected by chance", format="{:,.1f}".format),
    "heap_pages_by_address": Metric("number of heap pages by row address"),
    "heap_pages_per_key": Metric("number of distinct heap pages per key", format="{:.3f}".format),
    "cluster_s": Metric("time of CLUSTER", "s", format="{:.2f}".format, heading="CLUSTER"),
    "cluster_s_per_gib": Metric(
        "time of CLUSTER per GiB of heap", "min", 1 / 60, format="{:.2f}".format, heading="CLUSTER per GiB of heap"
    ),
    "clustered_heap_bytes": Metric("heap", "MiB", 2**-20, format="{:,.1f}".format, heading="heap"),
    "clustered_index_bytes": Metric("index", "MiB", 2**-20, format="{:,.1f}".format, heading="index"),
    "correlation_after_cluster": Metric("correlation after CLUSTER", format="{:.3f}".format),
    "correlation_kept_#": Metric("share of the order that is left after upserts", "%", 100, format="{:.1f}".format),
    "hot_update_share": Metric("share of updates within the page", "%", 100, format="{:.1f}".format),
    "rewritten_rows": Metric("number of rows"),
    "upserted_rows": Metric("number of upserted rows"),
    "upserted_heap_bytes": Metric("heap after the upserts", "MiB", 2**-20, format="{:,.1f}".format),
}  # fmt: skip
