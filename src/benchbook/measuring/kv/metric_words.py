"""The metrics of key-value stores in words: those of more than one chapter."""

from __future__ import annotations

from benchbook.figures import mean_count
from benchbook.numbers.metrics import Metric, Metrics

US = 1e-3
MB = 1e-6

METRICS: Metrics = {
    "lookup_mean_ns": Metric("mean time of a look-up", "µs", US, heading="mean"),
    "discarded_over_kept": Metric("time of a look-up at the start of a turn over later in it"),
    "query_mean_ns": Metric("mean time of a look-up", "µs", US, heading="look-up"),
    "query_p50_ns": Metric("P50 of a look-up", "µs", US, heading="P50"),
    "query_p95_ns": Metric("P95 of a look-up", "µs", US, heading="P95"),
    "query_p99_ns": Metric("P99 of a look-up", "µs", US, heading="P99"),
    "query_p999_ns": Metric("P99.9 of a look-up", "µs", US, heading="P99.9"),
    "lookups": Metric("number of look-ups"),
    "insert_syncs": Metric("number of syncs while rows are inserted", format=mean_count, heading="syncs"),
    "memtable_rows": Metric("number of rows in the memtable", heading="rows in the memtable"),
    "table_files": Metric("number of table files", format=mean_count),
    "index_bytes_per_key": Metric("index bytes per key", format="{:,.1f}".format),
    "resident_bytes_per_key": Metric("growth of the process per key", "bytes", format="{:,.1f}".format),
    "anonymous_bytes": Metric("anonymous memory", "MB", MB),
    "resident_bytes": Metric("memory of the process", "MB", MB, heading="memory"),
}
