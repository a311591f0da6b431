"""How much one server process has read from the device so far, cheap enough to ask between two requests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_READ_BYTES = b"\nread_bytes: "


@contextmanager
def reads_of(pid: int) -> Iterator[Callable[[], int] | None]:
    """What says how many bytes a process has read from the device, in about a microsecond; None where nobody knows.

    It disturbs neither the process nor its server: the kernel counts at every read, whether anybody asks or not.
    """
    try:
        descriptor = os.open(f"/proc/{pid}/io", os.O_RDONLY)
    except OSError:
        yield None
        return

    def read_bytes() -> int:
        found = os.pread(descriptor, 512, 0)
        start = found.index(_READ_BYTES) + len(_READ_BYTES)
        return int(found[start : found.index(b"\n", start)])

    try:
        yield read_bytes
    finally:
        os.close(descriptor)
