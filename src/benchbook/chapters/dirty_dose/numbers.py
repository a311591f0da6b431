"""The numbers of the chapter, each once and by name: when throughput falls, and what waits to be written by then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchbook import statistics
from benchbook.chapters.dirty_dose import arms
from benchbook.chapters.dirty_dose.arms import HIGH, HIGHEST, LOWEST, MIDDLE, Parameters
from benchbook.claims import Quantity
from benchbook.measuring.pgbench import metric_words
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.metric_words import MIB, percent
from benchbook.model import Estimate
from benchbook.numbers.estimands import Estimand, custom, ratio
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import Number
from benchbook.numbers.quantities import percent as in_percent
from benchbook.numbers.summary import NotEstimableError

METRICS: Metrics = {
    **metric_words.METRICS,
    "part_#_tps": Metric("throughput of a hundred-and-twentieth of the trial"),
    "waiting_#_mib": Metric("data that wait to be written in a hundred-and-twentieth of the trial", "MiB"),
    "fell": percent("share of the trials in which throughput falls"),
    "fell_s": Metric("second in which throughput falls", "s", format="{:.1f}".format),
    "reached": percent("share of the trials in which dirty data reach the point that slows writers"),
    "reached_s": Metric("second in which dirty data reach the point that slows writers", "s", format="{:.1f}".format),
    "waiting_peak_bytes": Metric("data waiting to be written at most", "MiB", MIB, heading="most waiting"),
    "waiting_at_fall_over_slowing": Metric(
        "data waiting to be written at the fall, over the point that slows writers", format="{:.2f}".format,
        heading="waiting at the fall over the point that slows",
    ),
    "handed_bytes": Metric("data that the pool handed to the kernel", "MiB", MIB, heading="handed to the kernel"),
    "slows_from_bytes": Metric("point that slows writers", "MiB", MIB, heading="slows from"),
    "tps_before": Metric("throughput before the fall", heading="TPS before"),
    "tps_after": Metric("throughput after the fall", heading="TPS after"),
    "file_lock_share": percent("share of the backends that wait for a file's lock after the fall", "wait for a file"),
    "throttled_share": percent("share of the backends that the kernel slows after the fall", "slowed"),
    "backends_seen": Metric("number of backends looked at"),
    "user_s_per_transaction": Metric("server's processor time in user mode per transaction", "µs", 1e6),
    "system_s_per_transaction": Metric("server's processor time in the kernel per transaction", "µs", 1e6),
    "reads_per_transaction": Metric("number of pages read into the pool per transaction", format="{:.2f}".format),
    "disk_reads_per_transaction": Metric("number of reads from the device per transaction", format="{:.3f}".format),
    "disk_read_bytes_per_transaction": Metric("data read from the device per transaction", "KiB", 2**-10),
    "disk_writes_per_transaction": Metric(
        "number of writes to the device per transaction", format="{:.2f}".format, heading="writes per transaction"
    ),
    "disk_written_bytes_per_transaction": Metric("data written to the device per transaction", "KiB", 2**-10),
    "checkpoints": Metric("number of checkpoints"),
    "transactions": Metric("number of transactions"),
    "sample_mean_ns": Metric("mean latency of the stored transactions", "ms", 1e-6),
    "sample_p50_ns": Metric("median latency of the stored transactions", "ms", 1e-6),
}  # fmt: skip


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and sentences."""

    METRICS = METRICS

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "needs root, allow_slow_storage=true and allow_vm_settings=true"

    @property
    def limited(self) -> bool:
        """Whether the run has the limits."""
        return arms.DOSE[0] in self.configurations

    def first(self) -> str:
        """The configuration that is measured twice."""
        return f"{arms.PLAIN}_{MIDDLE}" if self.limited else arms.FREE

    def again(self) -> str:
        """The same under its second name."""
        return arms.AGAIN if self.limited else f"{arms.FREE}_again"

    def typical(self, arm: str, metric: str) -> Estimate:
        """Mean over the trials that have such a second; raises NotEstimableError for fewer than two."""
        rows = self.in_blocks(arm)
        if not len(rows) or metric not in rows:
            raise self.missing(arm, metric)
        values = rows[metric].to_numpy(dtype=float)
        seen = ~np.isnan(values)
        if seen.sum() < 2:
            raise NotEstimableError(
                f"{int(seen.sum())} of {seen.size} trials of “{self.label(arm)}” have a {self.in_words(metric)}",
                "measure more blocks",
            )
        # A second that may be 0 has no logarithm.
        mean = statistics.geometric_mean if values[seen].all() else statistics.arithmetic_mean
        return self.estimated(mean, values[seen], of=seen)

    def falls(self, arm: str) -> tuple[int, int]:
        """Trials in which throughput falls, and all trials, of a configuration."""
        values = self.values(arm, "fell")
        return int(values.sum()), values.size


AA = (Summary.again, Summary.first)


def _second(arm: str, metric: str) -> Estimand:
    return custom(lambda summary: summary.typical(arm, metric), Quantity.LEVEL, arm)


def _later(group: str, high: str, low: str) -> Estimand:
    """Second of the fall with the higher limit over that with the lower one, paired within blocks."""
    return ratio(f"{group}_{high}", f"{group}_{low}", "fell_s", aa=None)


def _share(arm: str, metric: str) -> Number:
    return in_percent(custom(lambda summary: summary.average(arm, metric), Quantity.COUNTER, arm))


NUMBERS: Mapping[str, Estimand | Number] = {
    "later": _later(arms.PLAIN, HIGH, LOWEST),
    "later_noted": _later(arms.NOTED, HIGH, LOWEST),
    "later_ahead": _later(arms.AHEAD, HIGH, LOWEST),
    "later_bound": _later(arms.BOUND, HIGH, LOWEST),
    "counted_ahead": ratio(
        (f"{arms.AHEAD}_{HIGHEST}", "waiting_peak_bytes"), (f"{arms.AHEAD}_{HIGHEST}", "handed_bytes"), aa=None
    ),
    "counted": ratio(
        (f"{arms.PLAIN}_{HIGHEST}", "waiting_peak_bytes"), (f"{arms.PLAIN}_{HIGHEST}", "handed_bytes"), aa=None
    ),
    "ahead_fell_lowest": _second(f"{arms.AHEAD}_{LOWEST}", "fell_s"),
    "ahead_fell_high": _second(f"{arms.AHEAD}_{HIGH}", "fell_s"),
    **{f"fell_{limit}": _second(f"{arms.PLAIN}_{limit}", "fell_s") for limit in (LOWEST, MIDDLE, HIGH)},
    **{f"reached_{limit}": _second(f"{arms.PLAIN}_{limit}", "reached_s") for limit in (LOWEST, MIDDLE, HIGH)},
    "at_fall": _second(f"{arms.PLAIN}_{MIDDLE}", "waiting_at_fall_over_slowing"),
    "waiting_for_file": _share(f"{arms.PLAIN}_{LOWEST}", "file_lock_share"),
    "slowed": _share(f"{arms.PLAIN}_{LOWEST}", "throttled_share"),
    "waiting_for_file_none": _share(f"{arms.PLAIN}_{HIGHEST}", "file_lock_share"),
    "cost": ratio(f"{arms.PLAIN}_{LOWEST}", f"{arms.PLAIN}_{HIGHEST}", "tps"),
    "depth": ratio((f"{arms.PLAIN}_{LOWEST}", "tps_after"), (f"{arms.PLAIN}_{LOWEST}", "tps_before")),
    "same": ratio(Summary.again, Summary.first, "tps"),
    "bound_fell_lowest": _second(f"{arms.BOUND}_{LOWEST}", "fell_s"),
    "bound_fell_high": _second(f"{arms.BOUND}_{HIGH}", "fell_s"),
}


def _falls(arm: str) -> Callable[[Summary], tuple[int, int]]:
    return lambda summary: summary.falls(arm)


WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus,
    "falls_highest": _falls(f"{arms.PLAIN}_{HIGHEST}"),
    "falls_large": _falls(arms.LARGE),
    "falls_free": _falls(arms.FREE),
    "capped_writes": lambda summary: summary.mean(summary.first(), "storage_write_iops"),
}
