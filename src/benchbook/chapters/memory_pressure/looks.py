"""What is counted of a trial's memory: pages that came back, and what the server takes itself."""

from __future__ import annotations

from pathlib import Path

from benchbook.engines.bounds import MemoryBound

_REFAULTS = ("total_workingset_refault_file", "workingset_refault_file", "total_workingset_refault")
"""Of version 1 with the groups below, of version 2, and of kernels before 5.9."""


def refaults(bound: MemoryBound) -> float | None:
    """Pages of the page cache that were asked for again after they had been dropped for want of memory, since the bound
    began; None where nobody counts them.
    """
    return None if bound.group is None else of_stat(bound.group / "memory.stat")


def of_stat(path: Path) -> float | None:
    """The same from a group's memory.stat, of either version of control groups."""
    try:
        found = dict(line.split() for line in path.read_text().splitlines())
    except (OSError, ValueError):
        return None
    return next((float(found[name]) for name in _REFAULTS if name in found), None)


def own_bytes(bound: MemoryBound, pool_bytes: int) -> float | None:
    """What the server uses now beside pool and page cache, in bytes; None without a bound."""
    now = bound.reading()
    return None if now is None else float(now.used_bytes - now.cache_bytes - min(now.shared_bytes, pool_bytes))
