"""The metrics of a trial of pgbench in words: its times and their course, what was read, written and waited for."""

from __future__ import annotations

from benchbook.numbers.metrics import Metric, Metrics

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
    "checkpoints": Metric("number of checkpoints"),
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


def _fine(words: str, heading: str = "") -> Metric:
    return Metric(words, factor=100, format="{:,.2f} %".format, heading=heading)


STATES = {
    "reading": "read data",
    "flushing": "write or flush the log",
    "rows": "wait for a lock on a row",
    "extending": "wait to extend a table",
    "running": "run, or wait for a processor",
    "other": "wait for something else",
    "client": "are between two statements",
}
"""What clients are found doing, by the name of the metric."""
LOOKED: Metrics = {
    "reading_first": percent("share of clients that read data in the first twelfth"),
    "reading_warm": percent("share of clients that read data in the last two thirds"),
    "wal_first": percent("share of clients in LWLock/WALWrite in the first twelfth"),
    "wal_warm": percent("share of clients in LWLock/WALWrite in the last two thirds"),
    "extending_most": percent("highest share of clients that extend a table"),
    "clients_looked_at": Metric("number of clients at a look"),
    "clients_looked_at_first": Metric("number of clients at the looks of the first twelfth"),
    "clients_looked_at_warm": Metric("number of clients at the looks of the last two thirds"),
    "backends_most": Metric("number of server connections at most", heading="server connections, with 2 observers"),
    "connected_most": Metric("number of connections to pgbench's database at most", heading="server connections"),
    **{f"waits_{name}": percent(f"share of clients that {words}", f"{words}") for name, words in STATES.items()},
    **{f"waits_#_{name}": percent(f"share of clients that {words} in a twelfth") for name, words in STATES.items()},
    "hit_first": _fine("hit ratio of the pool in the first twelfth"),
    "hit_last": _fine("hit ratio of the pool in the last twelfth"),
    "other_hit_first": _fine("hit ratio of the observers' database in the first twelfth"),
    "other_hit_last": _fine("hit ratio of the observers' database in the last twelfth"),
    "hit_requests": Metric("number of block requests of a twelfth"),
    "cpu_user": percent("share of processor time in user mode"),
    "cpu_system": percent("share of processor time in system mode"),
    "cpu_iowait": _fine("share of processor time in iowait"),
    "cpu_busy": percent("share of processor time that is busy", "busy"),
    "cpu_ticks": Metric("number of ticks of processor time"),
    "device_read_first": Metric("MiB read from the device in a second of the first twelfth", factor=MIB),
    "device_read_warm": Metric("MiB read from the device in a second of the last two thirds", factor=MIB),
}
"""What looks at a running trial see."""
WAITED: Metrics = {
    f"wait_{name}_share": percent(f"share of the clients that wait for {what}")
    for name, what in {"read": "a read", "lock": "a lock", "log": "the log", "none": "nothing"}.items()
}
"""What ``of_waits`` gives."""
SPENT: Metrics = {
    "part_#_tps": Metric("throughput of a hundred-and-twentieth of the trial"),
    "user_s_per_transaction": Metric("server's processor time in user mode per transaction", "µs", 1e6),
    "system_s_per_transaction": Metric("server's processor time in the kernel per transaction", "µs", 1e6),
    "reads_per_transaction": Metric("number of pages read into the pool per transaction", format="{:.3f}".format),
    "disk_reads_per_transaction": Metric("number of reads from the device per transaction", format="{:.3f}".format),
    "disk_read_bytes_per_transaction": Metric("data read from the device per transaction", "KiB", 2**-10),
    "disk_writes_per_transaction": Metric(
        "number of writes to the device per transaction", format="{:.2f}".format, heading="writes per transaction"
    ),
    "disk_written_bytes_per_transaction": Metric("data written to the device per transaction", "KiB", 2**-10),
    "transactions": Metric("number of transactions"),
    "sample_mean_ns": Metric("mean latency of the stored transactions", "ms", MS),
    "sample_p50_ns": Metric("median latency of the stored transactions", "ms", MS),
}
"""What ``Bench.counted`` adds, and the stored latencies."""
