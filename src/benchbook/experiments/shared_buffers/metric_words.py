"""The chapter's metrics in words: the course of a trial, who served its requests, and what memory held."""

from __future__ import annotations

from benchbook.experiments.families.pgbench import metric_words as family
from benchbook.experiments.families.pgbench.metric_words import MIB, MS, percent
from benchbook.experiments.shape.metrics import Metric, Metrics


def _served(by: str) -> Metric:
    return Metric(f"share of requests served by {by}", format="{:.2%}".format, heading=f"served by {by}")


METRICS: Metrics = {
    **family.METRICS,
    "data_in_pool_end": percent("share of the data in the pool at the end", "data in the pool at the end"),
    "data_in_os_cache_start": percent(
        "share of the data in the OS cache at the start", "data in the OS cache at the start"
    ),
    "pool_blocks": Metric("number of pages in the pool"),
    "peak_tps": Metric("highest throughput of a twelfth", heading="highest twelfth"),
    "min_tps": Metric("lowest throughput of a twelfth", heading="lowest twelfth"),
    "growth": Metric("last over first twelfth", heading="growth along the trial"),
    "interval_sd_ns": Metric(
        "standard deviation of the latency within a twelfth", "ms", MS, heading="sd of latency within a twelfth"
    ),
    "block_requests": Metric("number of block requests"),
    "pool_share_of_requests": _served("shared buffers"),
    "os_share_of_requests": _served("OS cache"),
    "device_share_of_requests": _served("device"),
    "reads_per_transaction": Metric(
        "number of blocks of 8 KiB read per transaction", heading="blocks of 8 KiB read per transaction"
    ),
    "device_reads_per_transaction": Metric(
        "number of device reads per transaction", heading="device reads per transaction"
    ),
    "full_images_per_transaction": Metric("number of full page images per transaction", format="{:.2f}".format),
    "allocations": Metric("number of allocated buffers"),
    "evictions_per_allocation": Metric("number of evictions per allocation", heading="evictions per allocation"),
    "evictions": Metric("number of evicted pages", heading="evicted pages"),
    "dirty_most_bytes": Metric("data waiting to be written at most", "MiB", MIB),
    "dirty_limit_bytes": Metric("limit of dirty data", "MiB", MIB),
    "storage_write_iops": Metric("writes of 8 KiB that the storage did in a second"),
    "huge_page_bytes": Metric("huge pages in use", "MiB", MIB),
    "autovacuums": Metric("number of tables vacuumed by autovacuum", heading="autovacuums"),
    "wal_bytes_per_transaction": Metric("bytes of log per transaction", heading="log bytes per transaction"),
    "buffers_clean": Metric(
        "number of pages written by the background writer", heading="pages written by the background writer"
    ),
    "data_blocks": Metric("number of blocks of the data"),
    "ram_blocks": Metric("number of blocks that memory can hold"),
    "resident_share_end": percent("share of the data in either cache at the end", "data in either cache at the end"),
    "least_available_share": percent("least available memory"),
    "killed_processes": Metric("number of processes killed for memory", heading="processes killed for memory"),
    "resident_before_checkpoint": Metric("number of pages in the pool before the CHECKPOINT"),
    "resident_after_checkpoint": Metric("number of pages in the pool after the CHECKPOINT"),
    "dirty_before_checkpoint": Metric("number of dirty pages before the CHECKPOINT"),
    "dirty_after_checkpoint": Metric("number of dirty pages after the CHECKPOINT"),
}
