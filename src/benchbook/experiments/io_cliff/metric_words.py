"""The chapter's metrics in words: the shape of a trial's course, dirty data and its limits, what connections await."""

from __future__ import annotations

from benchbook.experiments.families.pgbench import metric_words as family
from benchbook.experiments.families.pgbench.metric_words import MIB, percent
from benchbook.experiments.io_cliff.watched import WAIT_TYPES
from benchbook.experiments.shape.metrics import Metric, Metrics

METRICS: Metrics = {
    **family.METRICS,
    "peak_over_mean": Metric("highest twelfth over the mean"),
    "peak_interval": Metric("place of the highest twelfth"),
    "min_over_peak": Metric("lowest over highest twelfth"),
    "end_over_peak": Metric("last over highest twelfth", heading="end over peak"),
    "post_cliff_over_peak": Metric("last third over the highest twelfth"),
    "last_over_first": Metric("last over first twelfth"),
    "late_growth": Metric("last quarter over the quarter before it"),
    "max_drawdown": percent("largest fall of throughput below its earlier level"),
    "rising_share": percent("share of the twelfths that are faster than the one before"),
    "cliff": percent("share of the trials with a cliff"),
    "checkpoints": Metric("number of checkpoints"),
    "checkpoints_#": Metric("number of checkpoints begun in a part of the trial"),
    "evictions": Metric("number of evicted pages", heading="evictions"),
    "disk_written_bytes": Metric("data written to the device", "MiB", MIB, heading="written to device"),
    "storage_write_iops": Metric("writes of 8 KiB a second that the storage can do", heading="writes/s possible"),
    "storage_write_p50_us": Metric("median time of a write of 8 KiB", "us"),
    "cliff_slot": Metric("place of the second in which throughput falls"),
    "limit_reached_at": Metric("share of the trial after which dirty data came close to the limit"),
    "wal_bytes": Metric("log written", "MiB", MIB, heading="log"),
    "dirty_mib_#": Metric("dirty data in a part of the trial", "MiB"),
    "writeback_mib_#": Metric("data being written in a part of the trial", "MiB"),
    "dirty_peak_bytes": Metric("most data waiting to be written", "MiB", MIB, heading="most dirty"),
    "dirty_slowing_bytes": Metric("point at which the kernel slows writers", "MiB", MIB),
    "dirty_limit_bytes": Metric("limit of dirty data", "MiB", MIB, heading="dirty limit"),
    "dirty_background_bytes": Metric("limit from which the kernel writes in the background", "MiB", MIB),
    "limit_reached": percent("share of the trials whose dirty data came close to the limit"),
    **{f"waits_{kind.lower()}": Metric(f"number of samples in the state {kind}") for kind in WAIT_TYPES},
}
