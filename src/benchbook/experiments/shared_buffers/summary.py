"""Per-block values of a run, simultaneous ratios, checks of its trials, and its metrics in words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.experiments.families.pgbench import metric_words
from benchbook.experiments.families.pgbench import summary as family
from benchbook.experiments.families.pgbench.estimands import against
from benchbook.experiments.families.pgbench.metric_words import MIB, MS, percent
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.families.pgbench.settings import Part
from benchbook.experiments.littles_law import littles_gate
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.experiments.shared_buffers.arms import Parameters, part_of
from benchbook.model import Effect
from benchbook.statistics import Gate

FULL_POOL = 0.90
"""A discarded run filled the pool when it left less than a tenth of it unused."""


def _served(by: str) -> Metric:
    return Metric(f"share of requests served by {by}", format="{:.2%}".format, heading=f"served by {by}")


_METRICS: Metrics = {
    **metric_words.METRICS,
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
SERVED = {
    "pool_share_of_requests": "shared buffers",
    "os_share_of_requests": "OS cache",
    "device_share_of_requests": "device",
}
"""Metrics of what served the requests for a block, with its name."""


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = _METRICS

    def of_part(self, *parts: Part) -> list[str]:
        """Names of the configurations that are run in one of these ways."""
        return [name for name, arm in self.configurations.items() if part_of(arm) in parts]

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "measure all parts, with allow_vm_settings=true and allow_slow_storage=true, as root"

    def estimable(self, baseline: str, others: Iterable[str]) -> dict[str, Effect]:
        """The same of those that the run measured; {} where nothing can be compared."""
        try:
            return against(self, baseline, self.having(others, "tps"))
        except BenchbookError:
            return {}

    def timeline(self, arm: str) -> np.ndarray:
        """TPS of each twelfth of each trial, shape (blocks, 12), block order."""
        return np.stack([self.values(arm, f"interval_{place:02}_tps") for place in range(1, INTERVALS + 1)], axis=1)

    def full_gate(self, arms: Iterable[str]) -> Gate:
        """Whether the discarded run had filled the pools of these warm configurations that the data can fill."""
        short = []
        for arm in sorted({*arms} & {*self.of_part(Part.WARM)}):
            rows = self.in_blocks(arm)
            if "pool_used_share" not in rows or "pool_blocks" not in rows:
                short.append(f"the pool of “{self.label(arm)}” was not inspected")
                continue
            fillable = np.minimum(1.0, rows["data_blocks"] / rows["pool_blocks"])
            off = int((rows["pool_used_share"] < FULL_POOL * fillable).sum())
            if off:
                short.append(f"{off} pools of “{self.label(arm)}” were not full")
        return Gate("full pool", not short, float(len(short)), "; ".join(short) or "every pool was full")

    def littles_gate(self, arms: Iterable[str]) -> Gate:
        """Little's law in each trial of these configurations, for claims on their latency."""
        return littles_gate(self.of(arms), float(self.parameters.tpcb_seconds))

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = {
            "all of it on this machine's own disk, without a cap": not p.allow_slow_storage,
            "this machine's own dirty limits, and pools in ordinary pages": not p.allow_vm_settings,
            "reads through the OS page cache instead of direct I/O": (
                "reads" in p.parts and self.run.provenance.get("direct_io") is False
            ),
        }
        return [*(text for text, departs in found.items() if departs), *super().departures()]
