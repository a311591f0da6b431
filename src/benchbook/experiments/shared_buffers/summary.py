"""Per-block values of a run, simultaneous ratios, and checks of its trials."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.families.pgbench import summary as family
from benchbook.experiments.families.pgbench.parameters import INTERVALS, RAM_OVER_DATA
from benchbook.experiments.little import littles_gate
from benchbook.experiments.shared_buffers import metric_words
from benchbook.experiments.shared_buffers.arms import Parameters, Part, part_of
from benchbook.model import Effect
from benchbook.statistics import Gate

FULL_POOL = 0.90
"""A discarded run filled the pool when it left less than a tenth of it unused."""
DIRTY_TOLERANCE = 0.05
"""Trials start with equal dirty volume when it differs by at most this share of their memory."""


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = metric_words.METRICS

    def of_part(self, *parts: Part) -> list[str]:
        """Names of the configurations that are run in one of these ways."""
        return [name for name, arm in self.configurations.items() if part_of(arm) in parts]

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "measure all parts, with allow_vm_settings=true and allow_slow_storage=true, as root"

    def against(self, baseline: str, others: Iterable[str], *, confidence: float = 0.95) -> dict[str, Effect]:
        """Ratios of the TPS of these configurations to that of one, whose intervals hold together."""
        values = {name: self.values(name, "tps") for name in others}
        return statistics.many_to_one(
            self.values(baseline, "tps"), values, confidence=confidence, sessions=self.sessions
        )

    def estimable(self, baseline: str, others: Iterable[str]) -> dict[str, Effect]:
        """The same of those that the run measured; {} where nothing can be compared."""
        try:
            return self.against(baseline, self.having(others, "tps"))
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

    def dirty_gate(self, arms: Iterable[str]) -> Gate:
        """Whether the trials of these configurations began with equal dirty volume."""
        waiting = self.of(arms).reindex(columns=["dirty_start_bytes"])["dirty_start_bytes"].dropna()
        if waiting.empty:
            return Gate("dirty volume", True, 0.0, "the amount of dirty data could not be read")
        spread = float(np.ptp(waiting)) / int(RAM_OVER_DATA * self.parameters.data_bytes)
        reason = f"the dirty data at the start differs by {spread:.1%} of memory"
        return Gate("dirty volume", spread <= DIRTY_TOLERANCE, spread, reason)

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
