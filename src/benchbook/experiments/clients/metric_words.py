"""The chapter's metrics in words: what clients wait for, processor time by window, connections, the pooler."""

from __future__ import annotations

from benchbook.experiments.families.pgbench import metric_words as family
from benchbook.experiments.families.pgbench.metric_words import MIB, percent
from benchbook.experiments.shape.metrics import Metric, Metrics

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


def _fine(words: str, heading: str = "") -> Metric:
    return Metric(words, factor=100, format="{:,.2f} %".format, heading=heading)


METRICS: Metrics = {
    **family.METRICS,
    "start_tps": Metric("throughput of the first seconds", heading="TPS at first"),
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
    "clients_served": Metric("number of clients served to the end"),
    "pooler_cpu_s": Metric("processor time of the pooler", "s", format="{:.2f}".format),
    "pooler_cpu_us_per_transaction": Metric("pooler's processor time per transaction", "µs"),
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
    "reads_per_transaction": Metric(
        "number of blocks of 8 KiB read per transaction", heading="blocks read per transaction", format="{:.2f}".format
    ),
    "wal_bytes_per_transaction": Metric("bytes of log per transaction", heading="log bytes per transaction"),
    "pool_used_share": percent("share of the pool in use after the discarded run", "pool in use at the start"),
    "pool_blocks": Metric("number of pages in the pool"),
    "data_blocks": Metric("number of blocks of the data"),
}
