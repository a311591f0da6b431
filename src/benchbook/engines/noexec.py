"""Whether programs and libraries can be started from a folder: some disks are mounted so that none can."""

from __future__ import annotations

import os
from pathlib import Path

from benchbook.errors import MachineError


def refusal(place: Path) -> MachineError | None:
    """Why nothing in a folder can be started or preloaded, with its mend; None where it can."""
    if not os.statvfs(place).f_flag & getattr(os, "ST_NOEXEC", 0):
        return None
    return MachineError(
        f"the disk of {place} is mounted with noexec, so that no program or library can be started from it",
        "set BENCHBOOK_SCRATCH to a folder on a disk without it, or remount that one with exec",
    )
