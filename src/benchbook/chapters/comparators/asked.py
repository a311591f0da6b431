"""What any store beside PostgreSQL gives for a trial, and how its cache is certified by what it read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from benchbook import files
from benchbook.chapters.comparators.arms import Parameters
from benchbook.engines.postgres import device
from benchbook.model import Configuration
from benchbook.statistics import CacheState

PAGE_BYTES = 4096
"""Of the page cache, in which the embedded stores read."""
FULL, EMPTY = 0.99, 0.01


@dataclass(frozen=True)
class Asked:
    """latencies: of the requests in ns, int64, shape (requests,). metrics, labels: what no latency shows."""

    latencies: np.ndarray
    metrics: dict[str, float | None]
    labels: dict[str, str] = field(default_factory=dict)


class Comparator(Protocol):
    """A store that answers requests of one value for each of many keys, every value of which it checks."""

    def identity(self) -> dict[str, Any]:
        """Its name, version and packages, if it is from any; raises NoEngineError where it is not installed."""

    def ask(self, parameters: Parameters, arm: Configuration, seed: int) -> Asked:
        """Make it ready as the configuration says, and measure."""


def in_memory(device_bytes: float | None, lookups: int, cached: float = 0.0) -> CacheState:
    """The state of a store that was warmed: hot where at most one look-up in a hundred can have read a page.

    cached: the share of its files in the page cache afterwards; all of them there are as good.
    """
    if cached >= FULL:
        return CacheState.HOT
    if device_bytes is None:
        return CacheState.NOT_CERTIFIED
    return CacheState.HOT if device_bytes <= (1 - FULL) * PAGE_BYTES * lookups else CacheState.MIXED


def on_disk(cached_share: float) -> CacheState:
    """The state of a store whose own cache is empty, by the share of its files in the page cache."""
    return CacheState.COLD if cached_share <= EMPTY else CacheState.MIXED


def cached_share(folder: Path) -> float:
    """The share of the pages of a folder's files that the page cache holds."""
    pages = [files.cached_pages(path) for path in folder.rglob("*") if path.is_file()]
    everything = sum(len(each) for each in pages)
    return float(sum(int(each.sum()) for each in pages)) / everything if everything else 0.0


@contextmanager
def reads(pid: int) -> Iterator[Callable[[], float | None]]:
    """What says how many bytes a process has read from the device since now; None where the kernel does not count."""
    with device.reads_of(pid) as read_bytes:
        before = 0 if read_bytes is None else read_bytes()
        yield lambda: None if read_bytes is None else float(read_bytes() - before)


def per_request(device_bytes: float | None, requests: int) -> float | None:
    """KiB a request."""
    return None if device_bytes is None else device_bytes / 1024 / requests
