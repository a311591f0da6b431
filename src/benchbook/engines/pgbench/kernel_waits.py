"""Ten times a second: what waits in the kernel to be written, and in which of its functions backends wait."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

from benchbook.engines.pgbench import kernel_counters
from benchbook.engines.pgbench.looking import Looking
from benchbook.engines.pgbench.workload import DATABASE
from benchbook.engines.postgres import Cluster

EVERY_S = 0.1
_NOWHERE = ("0", "")
"""What the kernel says of a process that does not wait in it."""


@dataclass(frozen=True)
class Seen:
    """at_s: of each look, in seconds after the first. waiting_bytes: Dirty and Writeback of the machine, NaN where it
    does not say. backends: that were looked at. within: by kernel function, how many of them waited in it. All arrays
    have the shape (looks,).
    """

    at_s: np.ndarray
    waiting_bytes: np.ndarray
    backends: np.ndarray
    within: dict[str, np.ndarray]

    def share(self, function: str, start_s: float, end_s: float) -> float | None:
        """Share of the backends that waited in a function, mean over looks in these seconds; None without a look."""
        inside = (self.at_s >= start_s) & (self.at_s < end_s) & (self.backends > 0)
        if not inside.any():
            return None
        found = self.within.get(function)
        return 0.0 if found is None else float((found[inside] / self.backends[inside]).mean())


@dataclass
class KernelWaits(Looking):
    """Looks while its ``with`` block lasts; then ``seen`` says what was seen. As root: others are told nothing."""

    cluster: Cluster
    every_s: float = EVERY_S
    _rows: list[tuple[float, float | None, int, dict[str, int]]] = field(default_factory=list)
    _backends: dict[int, bool] = field(default_factory=dict)

    @property
    def seen(self) -> Seen:
        """What was seen until now."""
        rows = self._rows
        functions = sorted({name for *_, waits in rows for name in waits})
        return Seen(
            np.array([at for at, *_ in rows]),
            np.array([np.nan if waiting is None else waiting for _, waiting, *_ in rows]),
            np.array([count for *_, count, _ in rows], dtype=float),
            {name: np.array([float(waits.get(name, 0)) for *_, waits in rows]) for name in functions},
        )

    def _look_repeatedly(self) -> None:
        for _ in self._moments(self.every_s, self._begun):
            self._rows.append(self._look())

    def _look(self) -> tuple[float, float | None, int, dict[str, int]]:
        memory = kernel_counters.memory()
        waiting = None if not memory else sum(memory.values())
        waits: dict[str, int] = {}
        backends = 0
        for pid in self._clients():
            function = _said(Path(f"/proc/{pid}/wchan"))
            if function is None:
                continue
            backends += 1
            if function not in _NOWHERE:
                waits[function] = waits.get(function, 0) + 1
        return time.monotonic() - self._begun, waiting, backends, waits

    def _clients(self) -> list[int]:
        """Process numbers of the backends that serve pgbench; each process is asked once what it is."""
        if self.cluster.pid is None:
            return []
        try:
            children = [each.pid for each in psutil.Process(self.cluster.pid).children()]
        except psutil.Error:
            return []
        for pid in children:
            if not self._backends.get(pid):
                self._backends[pid] = f" {DATABASE} " in (_said(Path(f"/proc/{pid}/cmdline")) or "")
        return [pid for pid in children if self._backends[pid]]


def _said(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace").replace("\0", " ").strip()
    except OSError:
        return None
