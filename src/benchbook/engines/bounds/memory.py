"""A memory limit for the server's processes: a control group with what it used, or the reason for none."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchbook.engines.bounds import groups
from benchbook.engines.bounds.groups import Hierarchy
from benchbook.errors import BenchbookError

SMALLEST_BYTES = 64 * 2**20
UNBOUNDED = "not bounded"


@dataclass(frozen=True)
class Memory:
    """What the processes of a bound use, in bytes. cache: the page cache that they are charged with, shared memory
    (a buffer pool without huge pages) left out; shared: that shared memory. dirty, writeback: of the cache.
    peak: most in use at one time. swapped: in swap now. killed: processes that the kernel ended for want of memory.
    """

    limit_bytes: int
    used_bytes: int
    peak_bytes: int | None
    cache_bytes: int
    shared_bytes: int
    dirty_bytes: int
    writeback_bytes: int
    swapped_bytes: int
    killed: int

    @property
    def available_bytes(self) -> int:
        """What can still be taken before something must be given back."""
        return max(0, self.limit_bytes - self.used_bytes)


@dataclass(frozen=True)
class MemoryBound:
    """A limit that holds for the processes started inside it; without one it lets everything pass and says so."""

    label: str
    limit_bytes: int | None = None
    group: Path | None = None
    _tree: Hierarchy | None = None

    @property
    def bounded(self) -> bool:
        return self.group is not None

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Processes that this thread starts here, and files that it reads or writes, belong to the bound.

        Be short: where the bound is exceeded meanwhile, the kernel may end this process instead of the server.
        """
        if self.group is None or self._tree is None:
            yield
            return
        number = str(threading.get_native_id() if self._tree.version == 1 else os.getpid())
        (self.group / self._tree.members).write_text(number)
        try:
            yield
        finally:
            (self._tree.own / self._tree.members).write_text(number)

    def reading(self) -> Memory | None:
        """What the bound's processes use now; None when nothing is bounded."""
        if self.group is None or self._tree is None or self.limit_bytes is None:
            return None
        read = _read_v1 if self._tree.version == 1 else _read_v2
        return read(self.group, self.limit_bytes)


@contextmanager
def memory(limit_bytes: int | None) -> Iterator[MemoryBound]:
    """A bound for processes that are started ``with bound.inside():``; removed at the end, and they with it.

    limit_bytes: for anonymous memory, shared memory and page cache together; None asks for no bound.
    A page of the page cache counts where it was first read or written: restore files inside, or evict them before.
    Where no group may be made the bound says "not bounded" and why; that is not an error.
    Raises BenchbookError for a limit below 64 MiB, in which no server starts.
    """
    if limit_bytes is None:
        yield MemoryBound(f"{UNBOUNDED}: no limit was asked for")
        return
    if limit_bytes < SMALLEST_BYTES:
        raise BenchbookError(
            f"a memory bound of {limit_bytes:,} bytes is below {SMALLEST_BYTES:,}, in which no server starts",
            "ask for at least 64 MiB, or for no bound",
        )
    groups.remove_leftovers()
    tree = groups.hierarchy()
    if tree is None:
        yield MemoryBound(f"{UNBOUNDED}: this system has no control groups for memory")
        return
    try:
        group, lock = _made(tree, limit_bytes)
    except OSError as error:
        yield MemoryBound(f"{UNBOUNDED}: no control group may be made here ({error.strerror or error})")
        return
    try:
        label = f"bounded to {limit_bytes / 2**30:.2f} GiB (control group v{tree.version})"
        yield MemoryBound(label, limit_bytes, group, tree)
    finally:
        groups.remove(group)
        os.close(lock)


def _made(tree: Hierarchy, limit_bytes: int) -> tuple[Path, int]:
    """The group and what holds it; raises OSError, the last of all tries, where there can be none."""
    refusal = OSError("memory is not handed down")
    for parent in groups.parents(tree):
        try:
            group, lock = groups.make(parent)
            try:
                _limit(group, tree.version, limit_bytes)
                return group, lock
            except OSError:
                groups.remove(group)
                os.close(lock)
                raise
        except OSError as error:
            refusal = error
    raise refusal


def _limit(group: Path, version: int, limit_bytes: int) -> None:
    if version == 2:
        (group / "memory.max").write_text(str(limit_bytes))
        _if_there(group / "memory.swap.max", "0")
        return
    (group / "memory.limit_in_bytes").write_text(str(limit_bytes))
    _if_there(group / "memory.memsw.limit_in_bytes", str(limit_bytes))  # else it would swap instead of giving back


def _if_there(path: Path, text: str) -> None:
    if path.exists():
        path.write_text(text)


def _read_v1(group: Path, limit_bytes: int) -> Memory:
    stat, control = _pairs(group / "memory.stat"), _pairs(group / "memory.oom_control")
    shared = stat.get("total_shmem", 0)
    return Memory(
        limit_bytes=limit_bytes,
        used_bytes=_number(group / "memory.usage_in_bytes") or 0,
        peak_bytes=_number(group / "memory.max_usage_in_bytes"),
        cache_bytes=stat.get("total_cache", 0) - shared,
        shared_bytes=shared,
        dirty_bytes=stat.get("total_dirty", 0),
        writeback_bytes=stat.get("total_writeback", 0),
        swapped_bytes=stat.get("total_swap", 0),
        killed=control.get("oom_kill", 0),
    )


def _read_v2(group: Path, limit_bytes: int) -> Memory:
    stat, events = _pairs(group / "memory.stat"), _pairs(group / "memory.events")
    shared = stat.get("shmem", 0)
    return Memory(
        limit_bytes=limit_bytes,
        used_bytes=_number(group / "memory.current") or 0,
        peak_bytes=_number(group / "memory.peak"),
        cache_bytes=stat.get("file", 0) - shared,
        shared_bytes=shared,
        dirty_bytes=stat.get("file_dirty", 0),
        writeback_bytes=stat.get("file_writeback", 0),
        swapped_bytes=_number(group / "memory.swap.current") or 0,
        killed=events.get("oom_kill", 0),
    )


def _pairs(path: Path) -> dict[str, int]:
    return {name: int(value) for name, value in (line.split() for line in path.read_text().splitlines())}


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except OSError:
        return None
