"""The memory that a bound still had while somebody watched, what waited there to be written, and what it lacked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from benchbook.engines.bounds import MemoryBound

LOOK_EVERY_S = 0.2


@dataclass
class Pressure:
    """The least memory that was available, and the most that was dirty, swapped or killed; in bytes and processes."""

    bound: MemoryBound
    least: int | None = None
    dirty: int = 0
    swapped: int = 0
    killed: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def watching(self) -> Iterator[Pressure]:
        """Look every fifth of a second from a thread of its own."""
        thread = threading.Thread(target=self._watch, name="memory pressure", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            thread.join()

    def metrics(self, ram: int) -> dict[str, float | None]:
        """ram: what server and page cache may use together. Page cache counts as available, as in MemAvailable."""
        if self.least is None:
            lacking = ("least_available_share", "dirty_most_bytes", "swapped_bytes", "killed_processes")
            return dict.fromkeys(lacking)
        return {
            "least_available_share": max(0.0, min(1.0, self.least / ram)),
            "dirty_most_bytes": float(self.dirty),
            "swapped_bytes": float(self.swapped),
            "killed_processes": float(self.killed),
        }

    def _watch(self) -> None:
        while True:
            try:
                now = self.bound.reading()
            except (OSError, ValueError):
                now = None  # the group ended meanwhile
            if now is not None:
                available = now.available_bytes + now.cache_bytes
                self.least = available if self.least is None else min(self.least, available)
                self.dirty = max(self.dirty, now.dirty_bytes + now.writeback_bytes)
                self.swapped, self.killed = max(self.swapped, now.swapped_bytes), max(self.killed, now.killed)
            if self._stop.wait(LOOK_EVERY_S):
                return
