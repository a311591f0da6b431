"""What the probes of a process have read from devices, as the kernel counts it."""

from __future__ import annotations

import resource
from pathlib import Path

SECTOR_BYTES = 512
"""The kernel counts what a process reads from devices in these."""


def device_read_bytes() -> float | None:
    """Bytes that this process's ended children have read from a device; None where the kernel does not count them."""
    if not Path("/proc/self/io").exists():
        return None
    return float(resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock * SECTOR_BYTES)


def since(before: float | None) -> float | None:
    """Bytes read since ``device_read_bytes`` said ``before``; None where the kernel does not count."""
    after = device_read_bytes()
    return None if before is None or after is None else after - before
