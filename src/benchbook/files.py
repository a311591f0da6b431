"""Files as the kernel sees them: room, direct reads, which pages are cached, and how to evict them."""

from __future__ import annotations

import ctypes
import mmap
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import psutil

from benchbook import nofollow
from benchbook.errors import MachineError, shortened
from benchbook.temporary import scratch_folders

if TYPE_CHECKING:
    import numpy as np

PAGE_BYTES = mmap.PAGESIZE
IN_MEMORY = frozenset({"tmpfs", "ramfs"})
"""File systems whose files are the page cache: nothing on them can be read past it or evicted from it."""
_libc = ctypes.CDLL(None, use_errno=True)


def scratch(bytes_needed: int = 0) -> Path:
    """The first scratch folder with room, one whose disk allows direct reads before one that does not.

    Raises MachineError when none has ``bytes_needed`` free, or none can be written.
    """
    folders = list(scratch_folders())
    if not folders:
        named = os.environ.get("BENCHBOOK_SCRATCH")
        what = f"BENCHBOOK_SCRATCH={shortened(named)} is not a folder that" if named else "no folder for data sets"
        raise MachineError(
            f"{what} can be written", "set BENCHBOOK_SCRATCH to a folder on a disk, in which you may write"
        )
    roomy = [folder for folder in folders if psutil.disk_usage(str(folder)).free >= bytes_needed]
    if not roomy:
        seen = ", ".join(f"{f}: {psutil.disk_usage(str(f)).free / 2**30:.1f} GiB free" for f in folders)
        raise MachineError(
            f"the data set needs {bytes_needed / 2**30:.1f} GiB of disk ({seen})",
            "set BENCHBOOK_SCRATCH to a folder on a larger disk, or ask for fewer tables or rows",
        )
    return next((folder for folder in roomy if direct_reads(folder)), roomy[0])


def filesystem(folder: Path) -> str:
    """Name of the file system that holds ``folder``, such as ext4, or "unknown"."""
    best = ("", "unknown")
    for part in psutil.disk_partitions(all=True):
        if folder.resolve().is_relative_to(part.mountpoint) and len(part.mountpoint) >= len(best[0]):
            best = (part.mountpoint, part.fstype)
    return best[1]


def direct_reads(folder: Path) -> bool:
    """Whether reads in ``folder`` can bypass the page cache (O_DIRECT; memory file systems do not count)."""
    if filesystem(folder) in IN_MEMORY or not hasattr(os, "O_DIRECT"):
        return False
    try:
        with _nameless(folder):
            return True
    except OSError:
        return False


@contextmanager
def _nameless(folder: Path) -> Iterator[tuple[BinaryIO, int]]:
    """A new file to write to, and a descriptor that reads it directly; its name is gone, so no crash leaves it."""
    descriptor, name = tempfile.mkstemp(dir=folder, prefix="benchbook-read-")
    with os.fdopen(descriptor, "wb") as file:
        try:
            reading = os.open(name, os.O_RDONLY | os.O_DIRECT)
        finally:
            Path(name).unlink()
        try:
            yield file, reading
        finally:
            os.close(reading)


@contextmanager
def direct_reader(folder: Path, file_mib: int) -> Iterator[Callable[[int], np.ndarray] | None]:
    """What reads 8 KiB so many times at random places of a fresh file, past the page cache, and gives the latencies.

    These are in ns, int64, shape (reads,). None where direct reads are impossible.
    """
    if not direct_reads(folder):
        yield None
        return
    import numpy as np  # late, as below: most of this module is used where nothing is measured

    with _nameless(folder) as (file, descriptor), mmap.mmap(-1, 8192) as buffer:
        for _ in range(file_mib):
            file.write(os.urandom(1 << 20))
        file.flush()
        os.fsync(file.fileno())
        places = np.random.default_rng(0)

        def read(reads: int) -> np.ndarray:
            latencies = np.empty(reads, dtype=np.int64)
            for i, place in enumerate((places.integers(0, file_mib * 128, reads) * 8192).tolist()):
                start = time.perf_counter_ns()
                os.preadv(descriptor, [buffer], place)
                latencies[i] = time.perf_counter_ns() - start
            return latencies

        yield read


def cached_pages(path: Path) -> np.ndarray:
    """Which pages of a file the kernel holds in its page cache: bool, one per page of PAGE_BYTES.

    Asks mincore(2); raises MachineError where the kernel refuses, OSError for what is no regular file.
    """
    with nofollow.opened(path) as file:
        return _cached_pages(file)


def _cached_pages(file: FileIO) -> np.ndarray:
    import numpy as np

    size = os.fstat(file.fileno()).st_size
    if size == 0:
        return np.zeros(0, dtype=bool)
    pages = -(-size // PAGE_BYTES)
    with mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ) as mapped:
        view = np.frombuffer(mapped, dtype=np.uint8)
        states = np.zeros(pages, dtype=np.uint8)
        failed = _libc.mincore(
            ctypes.c_void_p(view.ctypes.data), ctypes.c_size_t(size), ctypes.c_void_p(states.ctypes.data)
        )
        del view
    if failed:
        raise MachineError(f"mincore failed: {os.strerror(ctypes.get_errno())}", "run as the files' owner")
    return (states & 1).astype(bool)


def evict(folder: Path) -> None:
    """Drop a folder's files from the page cache: ours alone, no privilege needed; dirty pages are written first."""
    for file in nofollow.files_below(folder):
        if _cached_pages(file).any():
            os.fdatasync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def recall(folder: Path, but: str = "") -> None:
    """Read a folder's files once, so that the page cache holds them. but: a suffix of those that nobody will read.

    Some kernels drop what was not read for a minute, however much memory is free (``idle_page_cache_dropped_after_s``
    in a run's record says so).
    """
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and (not but or path.suffix != but):
            read_through(path)


def read_through(path: Path) -> None:
    """Read a regular file once, so that the page cache holds it."""
    buffer = bytearray(1 << 20)
    with nofollow.opened(path) as file:
        while file.readinto(buffer):
            pass


def sha256(path: Path) -> str:
    """SHA-256 of a file's content, 64 hex digits; a program may be found by a link."""
    return nofollow.sha256(Path(os.path.realpath(path)))
