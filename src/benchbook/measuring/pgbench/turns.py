"""What the configurations of one server did in their turns, and the numbers of each from the log of transactions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchbook.engines.pgbench.log import Log
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench
from benchbook.measuring.samples import reduced, subsample
from benchbook.model import PlannedTrial
from benchbook.statistics import describe, littles_law

SAMPLES = 200
"""Transactions of a trial that are stored: some forty trials a block would else be too many to publish."""


@dataclass
class Turns:
    """What the configurations of one server did in their turns. planned: in the order of the plan, the base among them.

    Windows are wall-clock microseconds between which a configuration's transactions count, and those before them, from
    the switch on, which do not. grown: by how much each exact counter grew in the windows.
    """

    planned: Sequence[PlannedTrial]
    between: Callable[[], None]
    windows: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    before: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    grown: dict[str, dict[str, float]] = field(default_factory=dict)
    in_force: dict[str, str] = field(default_factory=dict)
    took_s: dict[str, float] = field(default_factory=dict)
    found: dict[str, bench.Measured] = field(default_factory=dict)

    def told(self, name: str, log: Log, clients: int) -> bench.Measured:
        """Metrics and samples of a configuration. One without transactions counts as such.

        Raises MachineError where no turn has any."""
        inside = np.zeros(len(log.end_us), dtype=bool)
        made, early = 0, 0
        for window, before in zip(self.windows[name], self.before[name], strict=True):
            low, high = np.searchsorted(log.end_us, window)
            inside[low:high] = True
            made += int(high - low)
            first, last = np.searchsorted(log.end_us, before)
            early += int(last - first)
        if not made:
            raise MachineError(f"no transaction ended in the turns of {name}", "raise turn_ms")
        kept_s, early_s = (
            sum(to - start for start, to in each) / 1e6 for each in (self.windows[name], self.before[name])
        )
        latencies = log.latency_us[inside] * 1_000
        grown, tps = self.grown[name], made / kept_s
        latency: Mapping[str, float | None] = {f"latency_{key}": value for key, value in describe(latencies).items()}
        mean_ns = latency["latency_mean_ns"]
        assert mean_ns is not None
        busy, server = grown.get("machine_cpu_s"), grown.get("server_cpu_s")
        kept = subsample(latencies, SAMPLES)
        metrics: bench.Metrics = {
            **latency,
            "tps": tps,
            "counted_transactions": float(made),
            "turns": float(len(self.windows[name])),
            "littles_ratio": littles_law(clients, tps, mean_ns).value,
            "early_over_kept": early / early_s / tps if early_s > 0 else None,
            "switch_s": self.took_s[name] / len(self.windows[name]),
            "wal_bytes_per_transaction": grown["wal_bytes"] / made,
            "cleaned_per_transaction": grown["cleaned"] / made,
            "cpu_per_transaction_s": None if server is None else server / made,
            "cpu_busy_share": None if busy is None else min(1.0, busy / ((os.cpu_count() or 1) * grown["wall_s"])),
            **reduce(kept),
        }
        return metrics, {"transaction": kept}


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (samples,)."""
    return reduced(latencies, "sample")
