"""Direct reads and writes at random places of one file: how long one takes alone, how many are done in a second."""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

_STEP_BYTES = 2**20
SETTLE_S = 0.25
"""Left out at the start: for a tenth of a second the kernel lets as many pass as it would in that time."""


@dataclass(frozen=True)
class Target:
    """A written file without a name, open for direct reads and writes."""

    descriptor: int
    bytes: int

    def latencies_ns(self, direction: str, block_bytes: int, duration_s: float) -> np.ndarray:
        """Of operations one after the other; int64, shape (operations,)."""
        taken: list[int] = []
        end_ns = time.perf_counter_ns() + int(duration_s * 1e9)
        with self._operation(direction, block_bytes, seed=0) as operate:
            while True:
                start_ns = time.perf_counter_ns()
                if start_ns >= end_ns and taken:
                    return np.array(taken, dtype=np.int64)
                operate()
                taken.append(time.perf_counter_ns() - start_ns)

    def rate_per_s(self, direction: str, block_bytes: int, duration_s: float, depth: int) -> float:
        """Operations that end in a second while ``depth`` of them wait at any time."""
        start_s = time.monotonic() + SETTLE_S
        end_s = start_s + duration_s
        counted, lock = [0], threading.Lock()

        def work(seed: int) -> None:
            done = 0
            with self._operation(direction, block_bytes, seed) as operate:
                while True:
                    operate()
                    now_s = time.monotonic()
                    if now_s >= end_s:
                        break
                    done += now_s >= start_s
            with lock:
                counted[0] += done

        with ThreadPoolExecutor(depth) as pool:
            for each in [pool.submit(work, seed) for seed in range(depth)]:
                each.result()
        return counted[0] / duration_s

    @contextmanager
    def _operation(self, direction: str, block_bytes: int, seed: int) -> Iterator[Callable[[], object]]:
        """What does one operation at the next place. The buffer is aligned as direct ones must be."""
        places = np.random.default_rng(seed).integers(0, self.bytes // block_bytes, 4096) * block_bytes
        following, turn, act = places.tolist(), 0, os.preadv if direction == "read" else os.pwritev
        with mmap.mmap(-1, block_bytes) as buffer:
            buffer[:] = os.urandom(block_bytes)

            def operate() -> None:
                nonlocal turn
                turn = (turn + 1) % len(following)
                if act(self.descriptor, [buffer], following[turn]) != block_bytes:
                    raise OSError(f"a {direction} of {block_bytes} bytes was cut short")

            yield operate


@contextmanager
def target(folder: Path, most_bytes: int) -> Iterator[Target]:
    """A file that takes at most a quarter of the room in ``folder``; its name is gone, so no crash leaves it.

    Raises OSError where there is no room for one of 8 MiB.
    """
    free = os.statvfs(folder)
    steps = max(8, min(most_bytes, free.f_bavail * free.f_frsize // 4) // _STEP_BYTES)
    descriptor, name = tempfile.mkstemp(dir=folder, prefix="certificate-")
    os.close(descriptor)
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_DIRECT)
    finally:
        Path(name).unlink()
    try:
        try:
            _fill(descriptor, steps)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(folder)) from error  # which disk it is
        yield Target(descriptor, steps * _STEP_BYTES)
    finally:
        os.close(descriptor)


def _fill(descriptor: int, steps: int) -> None:
    with mmap.mmap(-1, _STEP_BYTES) as buffer:
        buffer[:] = os.urandom(_STEP_BYTES)
        for step in range(steps):
            if os.pwritev(descriptor, [buffer], step * _STEP_BYTES) != _STEP_BYTES:
                os.posix_fallocate(descriptor, 0, steps * _STEP_BYTES)  # says why
    os.fdatasync(descriptor)
