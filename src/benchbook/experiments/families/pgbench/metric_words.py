"""The metrics of a trial of pgbench in words: its times and their course, what was read, written and waited for."""

from __future__ import annotations

from benchbook.experiments.shape.metrics import Metric, Metrics

MS = 1e-6
MIB = 2**-20


def percent(words: str, heading: str = "") -> Metric:
    """A share, with the sign of percent in every cell instead of above them."""
    return Metric(words, factor=100, format="{:,.0f} %".format, heading=heading)


METRICS: Metrics = {
    "tps": Metric("throughput", heading="TPS"),
    "latency_mean_ns": Metric("mean latency", "ms", MS),
    "latency_p95_ns": Metric("P95 of the latency", "ms", MS, heading="P95"),
    "latency_p99_ns": Metric("P99 of the latency", "ms", MS, heading="P99"),
    "latency_sd_ns": Metric("standard deviation of the latency", "ms", MS, heading="sd of latency"),
    "littles_ratio": percent("share of their time that clients wait for the server"),
    "interval_#_tps": Metric("throughput of a twelfth of the trial"),
    "transactions_per_account_page": Metric(
        "number of transactions per page of the accounts", format="{:,.2f}".format, heading="transactions per page"
    ),
    "data_in_pool_start": percent("share of the data in the pool at the start"),
    "data_in_pool_end": percent("share of the data in the pool at the end"),
    "data_in_os_cache_start": percent("share of the data in the OS cache at the start", "data in OS cache at start"),
    "dirty_start_bytes": Metric("data waiting to be written at the start", "MiB", MIB),
    "swapped_bytes": Metric("bytes in swap at most", "MiB", MIB),
    "peak_tps": Metric("highest throughput of a twelfth", heading="highest twelfth"),
    "min_tps": Metric("lowest throughput of a twelfth", heading="lowest twelfth"),
    "evictions": Metric("number of evicted pages", heading="evicted pages"),
    "buffers_clean": Metric(
        "number of pages written by the background writer", heading="pages written by the background writer"
    ),
    "autovacuums": Metric("number of tables vacuumed by autovacuum", heading="autovacuums"),
    "wal_bytes_per_transaction": Metric("bytes of log per transaction", heading="log bytes per transaction"),
    "full_images_per_transaction": Metric(
        "number of full page images per transaction", format="{:.2f}".format, heading="full page images per transaction"
    ),
    "block_requests": Metric("number of block requests"),
    "device_reads_per_transaction": Metric(
        "number of device reads per transaction", heading="device reads per transaction"
    ),
    "allocations": Metric("number of allocated buffers"),
    "evictions_per_allocation": Metric("number of evictions per allocation", heading="evictions per allocation"),
    "dirty_most_bytes": Metric("data waiting to be written at most", "MiB", MIB),
    "least_available_share": percent("least available memory"),
    "killed_processes": Metric("number of processes killed for memory", heading="processes killed for memory"),
    "pool_blocks": Metric("number of pages in the pool"),
    "data_blocks": Metric("number of blocks of the data"),
    "storage_write_iops": Metric("writes of 8 KiB that the storage did in a second"),
}
