"""Why storage cannot be made slow on this machine, in one line, with how to change that."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from benchbook import files
from benchbook.engines.storage import devices, throttle
from benchbook.errors import BenchbookError, MachineError

LOOP_CONTROL = Path("/dev/loop-control")


def refusal(*, allowed: bool) -> MachineError | None:
    """Why no volume can be made or capped here, with its mend, or None when it seems possible; nothing is changed.

    allowed: whether a parameter of the run permits it. In a container the kernel may still refuse what is tried.
    """
    try:
        _check(allowed)
    except MachineError as why:
        return why
    return None


def _check(allowed: bool) -> None:
    if not allowed:
        raise MachineError("slow storage is not allowed by the run's parameters", "allow it, as root")
    if os.geteuid() != 0:
        raise MachineError("slow storage needs root", "run as root, or leave these arms out")
    if not os.access(LOOP_CONTROL, os.W_OK):
        raise MachineError("there are no loop devices", "modprobe loop, or run outside of a container")
    lacking = [name for name in devices.PROGRAMS if shutil.which(name, path=devices.PLACES) is None]
    if lacking:
        raise MachineError(f"{', '.join(lacking)} not found", "apt-get install util-linux mount e2fsprogs")
    throttle.find()
    try:
        place = files.scratch()
    except BenchbookError as error:
        raise MachineError(error.problem, error.mend) from error
    if not files.direct_reads(place):
        raise MachineError(
            f"files in {place} ({files.filesystem(place)}) cannot be read past the page cache",
            "set BENCHBOOK_SCRATCH to a folder on a disk such as ext4 or xfs",
        )
