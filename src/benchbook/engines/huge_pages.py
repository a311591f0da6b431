"""Huge pages for a buffer pool: whether any are reserved, and reserving them for one trial."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchbook.engines import kernel_settings
from benchbook.errors import MachineError

_SETTING = "vm/nr_hugepages"


def size_bytes() -> int | None:
    """Size of one huge page, or None where the kernel has none."""
    kib = _memory_info("Hugepagesize")
    return None if not kib else kib * 1024


def free_bytes() -> int:
    """Bytes of reserved huge pages that nobody uses."""
    return (_memory_info("HugePages_Free") or 0) * (size_bytes() or 0)


def taken_bytes() -> int:
    """Bytes of huge pages that processes hold, touched or not."""
    pages = [_memory_info(f"HugePages_{name}") or 0 for name in ("Total", "Free", "Rsvd")]
    return (pages[0] - pages[1] + pages[2]) * (size_bytes() or 0)


def refusal(wanted_bytes: int, *, allowed: bool) -> str | None:
    """Why a pool of this size cannot lie in huge pages here, or None when it can. allowed: they may be reserved."""
    if size_bytes() is None:
        return "this kernel has no huge pages"
    if free_bytes() >= wanted_bytes:
        return None
    if not allowed:
        return f"{free_bytes() / 2**20:,.0f} MiB of huge pages are reserved, {wanted_bytes / 2**20:,.0f} are needed"
    return kernel_settings.refusal()


@contextmanager
def reserved(wanted_bytes: int) -> Iterator[int]:
    """At least ``wanted_bytes`` of huge pages until the end; yields the bytes reserved.

    Uses what is free already, else reserves more. Raises MachineError when that is not allowed or when memory is
    too fragmented to give them; nothing then stays changed.
    """
    size = size_bytes()
    if size is None:
        raise MachineError("this kernel has no huge pages", "leave huge_pages off")
    free = free_bytes()
    if free >= wanted_bytes:
        yield free
        return
    before = kernel_settings.read(_SETTING) or 0
    with kernel_settings.changed({_SETTING: before + -(-(wanted_bytes - free) // size)}):
        got = free_bytes()
        if got < wanted_bytes:  # the kernel gives as many as it finds, without an error
            raise MachineError(
                f"the kernel found {got / 2**20:,.0f} of {wanted_bytes / 2**20:,.0f} MiB of huge pages",
                "free some memory, or leave huge_pages off",
            )
        yield got


def _memory_info(name: str) -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), None)
