"""Look-ups where memory holds a part of a store's files: filled without a limit, then bounded, settled, and timed."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchbook import files, temporary
from benchbook.engines import bounds, probe
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.postgres import device
from benchbook.engines.prepared import Prepared, prepared
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.kv import costs
from benchbook.measuring.kv.requests import Request

WHOLE_TURN_NS, TURN_LIMIT_S = 10**15, 900.0
SPARE_BYTES = 4 * 2**20
"""Of memory beside what the process holds when its store is warm, for the times that it keeps."""
PATIENCE_S = 20.0
CHUNK_BYTES = 1 << 20


class UnboundedError(MachineError):
    """Memory cannot be bounded here."""


@dataclass(frozen=True)
class Half:
    """answer: the probe's. device_bytes: read while it was asked; None where nobody says. held_share: of the store's
    files, what the page cache holds afterwards.
    """

    answer: probe.Answer
    device_bytes: float | None
    held_share: float


def ask(
    program: Path, request: Request, settling: int, folder: Path, share: float = 0.5, *, full: bool = False,
    spare_bytes: int = SPARE_BYTES,
) -> Half:  # fmt: skip
    """Fill a store, leave memory for a share of its files, make some look-ups that do not count, then those asked for.

    settling: how many do not count. folder: the disk on which the store lies while it lives. full: whether the files
    are read through first, so that the page cache is full whatever a look-up brings in. spare_bytes: left beside both.
    Raises UnboundedError where no control group may be made, MachineError where the limit cannot be set.
    """
    with (
        temporary.folder("probe", folder) as made,
        bounds.memory(psutil.virtual_memory().total) as bound,
        ExitStack() as living,
    ):
        if not bound.bounded:
            raise UnboundedError(f"memory is {bound.label}", "run as root, or set bound_memory=false")
        store = probe.store_in(made)
        with bound.inside():
            waiting = living.enter_context(
                prepared(program, request, timeout_s=costs.limit_s(request), folder=folder, store=store)
            )
        files.evict(store)  # written pages can then be given back at once
        lower(bound, own_bytes(bound) + spare_bytes + int(share * stored_bytes(store)))
        if full:
            with bound.inside():
                read_through(store)
        turn(waiting, settling, counts=False)
        read = living.enter_context(device.reads_of(waiting.process.pid))
        before = None if read is None else read()
        turn(waiting, int(request["run"]["operations"]), counts=True)
        device_bytes = None if read is None or before is None else float(read() - before)
        held = held_share(store)
        return Half(waiting.end(TURN_LIMIT_S), device_bytes, held)


def turn(waiting: Prepared, lookups: int, *, counts: bool) -> None:
    waiting.tell(
        {"turn": {"for_ns": WHOLE_TURN_NS, "discard_ns": 0 if counts else WHOLE_TURN_NS, "operations": lookups}}
    )  # fmt: skip
    if not isinstance(waiting.said(TURN_LIMIT_S).get("turn"), dict):
        raise BenchbookError("the probe's answer to a turn is not one", "build it again with `make probe-kv`")


def own_bytes(bound: MemoryBound) -> int:
    """What the bound's processes hold beside the page cache."""
    now = bound.reading()
    assert now is not None
    return max(0, now.used_bytes - now.cache_bytes)


def lower(bound: MemoryBound, limit_bytes: int) -> None:
    """Set a lower limit; the kernel takes pages of files back until it holds."""
    assert bound.group is not None
    both = [bound.group / name for name in ("memory.max", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes")]
    deadline = time.monotonic() + PATIENCE_S
    for path in (each for each in both if each.exists()):
        while True:
            try:
                path.write_text(str(limit_bytes))
                break
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() > deadline:
                    raise MachineError(
                        f"memory cannot be bounded to {limit_bytes:,} bytes ({error.strerror})",
                        "try again on a machine with more free memory, or set bound_memory=false",
                    ) from error
                time.sleep(0.1)


def read_through(store: Path) -> None:
    """Read what a store's files hold once, whatever the read-ahead; a map of 1 TiB is mostly holes.

    Raises OSError.
    """
    for path in sorted(each for each in store.rglob("*") if each.is_file()):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            for start, end in _filled(descriptor):
                for place in range(start, end, CHUNK_BYTES):
                    length = min(CHUNK_BYTES, end - place)
                    os.posix_fadvise(descriptor, place, length, os.POSIX_FADV_WILLNEED)
                    os.pread(descriptor, length, place)
        finally:
            os.close(descriptor)


def _filled(descriptor: int) -> Iterator[tuple[int, int]]:
    """Beginning and end of each part of a file that is no hole, in bytes."""
    end = 0
    while True:
        try:
            start = os.lseek(descriptor, end, os.SEEK_DATA)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            return
        end = os.lseek(descriptor, start, os.SEEK_HOLE)
        yield start, end


def stored_bytes(store: Path) -> int:
    """What the files of a store take on the disk: a map of 1 TiB with a few pages in it takes a few pages."""
    return sum(path.stat().st_blocks * 512 for path in store.rglob("*") if path.is_file())


def held_share(store: Path) -> float:
    """The share of what its files take that the page cache holds."""
    held = sum(int(files.cached_pages(path).sum()) for path in store.rglob("*") if path.is_file())
    return held * files.PAGE_BYTES / max(1, stored_bytes(store))
