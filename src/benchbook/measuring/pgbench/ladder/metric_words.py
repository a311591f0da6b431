"""The metrics of a run of the ladder in words: its course, and what its settings act on."""

from __future__ import annotations

from benchbook.measuring.pgbench import metric_words
from benchbook.measuring.pgbench.metric_words import percent
from benchbook.numbers.metrics import Metric, Metrics

_TWO = "{:.2f}".format
OF_RUN: Metrics = {
    **metric_words.METRICS,
    "pool_used_share": percent("share of the pool in use after the discarded run"),
    "start_tps": Metric("throughput of the first two twelfths"),
    "rest_tps": Metric("throughput of all twelfths but the first"),
    "sustained_tps": Metric("throughput of the last third"),
    "third_quarter_tps": Metric("throughput of the third quarter"),
    "fourth_quarter_tps": Metric("throughput of the last quarter"),
    "cv": Metric("standard deviation over mean of the twelfths", format=_TWO),
    "early_cv": Metric("standard deviation over mean of the first five twelfths", format=_TWO),
    "mean_over_peak": Metric("mean over highest twelfth", format=_TWO),
    "first_over_mean": Metric("first twelfth over the mean", format=_TWO),
    "cliff": percent("share of the trials with a cliff", "trials with a cliff"),
    "cliff_slot": Metric("place of the sixtieth in which throughput falls"),
    "reads_per_transaction": Metric(
        "number of blocks of 8 KiB read per transaction", format=_TWO, heading="blocks read per transaction"
    ),
    "cleaned_per_transaction": Metric(
        "number of pages written by the background writer per transaction", format=_TWO,
        heading="written by the background writer per transaction",
    ),
    "backend_writes_per_transaction": Metric(
        "number of pages written by clients' backends per transaction", format="{:.4f}".format,
        heading="written by backends per transaction",
    ),
    "clean_stops": Metric(
        "number of rounds that the limit of the background writer cut short", heading="rounds cut short"
    ),
    "flushes_per_transaction": Metric("number of flushes of the log per transaction", format=_TWO),
    "commits_per_flush": Metric("number of commits per flush of the log", format=_TWO, heading="commits per flush"),
    "log_bytes_per_write": Metric("bytes of log per write", heading="log bytes per write"),
    "parallel_workers": Metric("number of parallel workers launched", heading="parallel workers"),
    "temp_files": Metric("number of temporary files", heading="temporary files"),
    "cpu_per_transaction_s": Metric(
        "processor time of the server per transaction", "ms", 1e3, "{:.3f}".format, "processor time per transaction"
    ),
    "cpu_busy_share": percent("share of the processors' time that is busy", "processors busy"),
    "wait_read_share": percent("share of the clients that wait for a block", "wait for a block"),
    "wait_lock_share": percent("share of the clients that wait for a row", "wait for a row"),
    "wait_log_share": percent("share of the clients that wait for the log", "wait for the log"),
    "wait_none_share": percent("share of the clients whose backend runs", "run"),
}  # fmt: skip
