"""The canary: the same small reads and the same small computation around every trial, to see the machine move."""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import files

READS, HASHES = 250, 40
"""Of a look between trials: about 50 ms on a current machine."""
GLANCE_READS, GLANCE_HASHES = 15, 4
"""Of a glance between rounds of turns: a few ms."""
FILE_MIB = 32
_PAYLOAD = bytes(1 << 20)

Reader = Callable[[int], np.ndarray] | None


class Canary:
    """Looks at the machine. Readings are medians in ns; those of the disk are None where it cannot be read directly."""

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._glances: list[tuple[np.ndarray | None, np.ndarray]] = []

    def look(self, block: int, moment: str, trial: int) -> dict[str, Any]:
        """8 KiB direct reads and hashes of 1 MiB. trial: the index of the one that it is next to."""
        return _told(block, moment, trial, [(self._reads(READS), _hashes(HASHES))])

    def glance(self) -> None:
        """A few of both, between two rounds of arms that take turns."""
        self._glances.append((self._reads(GLANCE_READS), _hashes(GLANCE_HASHES)))

    def glanced(self, block: int, trial: int) -> dict[str, Any] | None:
        """All glances since this was asked last as one look; None without any."""
        seen, self._glances = self._glances, []
        return _told(block, "turns", trial, seen) if seen else None

    def _reads(self, count: int) -> np.ndarray | None:
        return None if self._read is None else self._read(count)


@contextmanager
def canary(folder: Path) -> Iterator[Canary]:
    """One that reads a file in this folder, which goes at the end."""
    with files.direct_reader(folder, FILE_MIB) as read:
        yield Canary(read)


def _hashes(count: int) -> np.ndarray:
    found = np.empty(count, dtype=np.int64)
    for i in range(count):
        start = time.perf_counter_ns()
        hashlib.sha256(_PAYLOAD).digest()
        found[i] = time.perf_counter_ns() - start
    return found


def _told(block: int, moment: str, trial: int, seen: list[tuple[np.ndarray | None, np.ndarray]]) -> dict[str, Any]:
    reads = np.concatenate([each for each, _ in seen if each is not None] or [np.zeros(0)])
    return {
        "block": block,
        "moment": moment,
        "trial": trial,
        "read_p50_ns": float(np.median(reads)) if reads.size else None,
        "read_p99_ns": float(np.quantile(reads, 0.99)) if reads.size else None,
        "hash_p50_ns": float(np.median(np.concatenate([each for _, each in seen]))),
    }
