"""The chapter's metrics in words: the course of a trial, what its settings act on, what its clients wait for."""

from __future__ import annotations

from benchbook.experiments.families.pgbench import metric_words as family
from benchbook.experiments.families.pgbench.metric_words import percent
from benchbook.experiments.shape.metrics import Metric, Metrics

_OF_RUN: Metrics = {
    **family.METRICS,
    "pool_used_share": percent("share of the pool in use after the discarded run"),
    "peak_tps": Metric("highest throughput of a twelfth", heading="highest twelfth"),
    "min_tps": Metric("lowest throughput of a twelfth", heading="lowest twelfth"),
    "start_tps": Metric("throughput of the first two twelfths"),
    "rest_tps": Metric("throughput of all twelfths but the first"),
    "sustained_tps": Metric("throughput of the last third"),
    "third_quarter_tps": Metric("throughput of the third quarter"),
    "fourth_quarter_tps": Metric("throughput of the last quarter"),
    "cv": Metric("standard deviation over mean of the twelfths", format="{:.2f}".format),
    "early_cv": Metric("standard deviation over mean of the first five twelfths", format="{:.2f}".format),
    "mean_over_peak": Metric("mean over highest twelfth", format="{:.2f}".format),
    "first_over_mean": Metric("first twelfth over the mean", format="{:.2f}".format),
    "cliff": percent("share of the trials with a cliff", "trials with a cliff"),
    "cliff_slot": Metric("place of the sixtieth in which throughput falls"),
    "reads_per_transaction": Metric(
        "number of blocks of 8 KiB read per transaction", format="{:.2f}".format, heading="blocks read per transaction"
    ),
    "evictions": Metric("number of evicted pages", heading="evicted pages"),
    "buffers_clean": Metric(
        "number of pages written by the background writer", heading="pages written by the background writer"
    ),
    "cleaned_per_transaction": Metric(
        "number of pages written by the background writer per transaction", format="{:.2f}".format,
        heading="written by the background writer per transaction",
    ),
    "backend_writes_per_transaction": Metric(
        "number of pages written by clients' backends per transaction", format="{:.4f}".format,
        heading="written by backends per transaction",
    ),
    "clean_stops": Metric(
        "number of rounds that the limit of the background writer cut short", heading="rounds cut short"
    ),
    "wal_bytes_per_transaction": Metric("bytes of log per transaction", heading="log bytes per transaction"),
    "full_images_per_transaction": Metric(
        "number of full page images per transaction", format="{:.2f}".format, heading="full page images per transaction"
    ),
    "flushes_per_transaction": Metric("number of flushes of the log per transaction", format="{:.2f}".format),
    "commits_per_flush": Metric(
        "number of commits per flush of the log", format="{:.2f}".format, heading="commits per flush"
    ),
    "log_bytes_per_write": Metric("bytes of log per write", heading="log bytes per write"),
    "parallel_workers": Metric("number of parallel workers launched", heading="parallel workers"),
    "temp_files": Metric("number of temporary files", heading="temporary files"),
    "autovacuums": Metric("number of tables vacuumed by autovacuum", heading="autovacuums"),
    "cpu_per_transaction_s": Metric(
        "processor time of the server per transaction", "ms", 1e3, "{:.3f}".format, "processor time per transaction"
    ),
    "cpu_busy_share": percent("share of the processors' time that is busy", "processors busy"),
    "wait_read_share": percent("share of the clients that wait for a block", "wait for a block"),
    "wait_lock_share": percent("share of the clients that wait for a row", "wait for a row"),
    "wait_log_share": percent("share of the clients that wait for the log", "wait for the log"),
    "wait_none_share": percent("share of the clients whose backend runs", "run"),
    "storage_write_iops": Metric("writes of 8 KiB that the storage did in a second"),
}  # fmt: skip
METRICS: Metrics = {
    **_OF_RUN,
    **{
        f"{place}_{name}": metric.but(words=f"{metric.words} of the {place} run", heading="")
        for place in ("second", "third")
        for name, metric in _OF_RUN.items()
    },
}
"""Of a trial; of those with several runs without a restart, the first has the names alone."""
