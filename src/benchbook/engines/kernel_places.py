"""Where the kernel's settings lie that are ever changed here, what each may be, and how one is read and written.

A setting has the name of its file below /proc/sys or, for one of a loop device, below /sys; such a device itself is one
too, 1 where there is one and 0 where not.
"""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path

ROOT = Path("/proc/sys")
SYSTEM, DEVICES = Path("/sys"), Path("/dev")
AHEAD = "queue/read_ahead_kb"
_LOOP = re.compile(rf"block/(loop(\d{{1,5}}))(/{AHEAD})?", re.ASCII)
_LOOP_CTL_ADD, _LOOP_CTL_REMOVE = 0x4C80, 0x4C81
_MOST_AHEAD_KIB = 2**22


class InUseError(OSError):
    """A loop device has a file behind it, which may be anybody's: it is left alone."""


def known() -> dict[str, int]:
    """The settings of the machine as a whole, with the largest value of each."""
    return {
        "vm/dirty_bytes": 2**63 - 1,
        "vm/dirty_background_bytes": 2**63 - 1,
        "vm/dirty_ratio": 100,
        "vm/dirty_background_ratio": 100,
        "vm/dirty_expire_centisecs": 2**31 - 1,
        "vm/dirty_writeback_centisecs": 2**31 - 1,
        "vm/nr_hugepages": os.sysconf("SC_PHYS_PAGES"),
    }


def most(name: str) -> int | None:
    """The largest value of a setting, or None for one that is never changed here."""
    loop = _LOOP.fullmatch(name)
    if loop is None:
        return known().get(name)
    return _MOST_AHEAD_KIB if loop[3] else 1


def subject(name: str) -> str:
    """What a setting is of, and two cannot change at a time: a loop device, or "" for the machine."""
    loop = _LOOP.fullmatch(name)
    return loop[1] if loop else ""


def read(name: str) -> int | None:
    """The value of a setting such as "vm/dirty_bytes", or None where it does not exist."""
    loop = _LOOP.fullmatch(name)
    if loop and not loop[3]:
        return int((SYSTEM / name).exists())
    try:
        return int(_file(name).read_text())
    except (OSError, ValueError):
        return None


def write(name: str, value: int) -> None:
    """Set it; raises OSError where the kernel refuses."""
    loop = _LOOP.fullmatch(name)
    if loop is None or loop[3]:
        _file(name).write_text(str(value))
    elif value != read(name):
        descriptor = os.open(DEVICES / "loop-control", os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.ioctl(descriptor, _LOOP_CTL_ADD if value else _LOOP_CTL_REMOVE, int(loop[2]))
        finally:
            os.close(descriptor)


def put_back(name: str, value: int) -> None:
    """Set it to what it was. The kernel sets a device's read-ahead itself when a file comes behind it or goes.

    Raises InUseError while one is, OSError where the kernel refuses.
    """
    loop = _LOOP.fullmatch(name)
    if loop is None:
        write(name, value)
        return
    try:
        claimed = os.open(DEVICES / loop[1], os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # the device itself is gone
    except OSError as error:
        raise InUseError(error.errno, error.strerror) from error
    try:  # while it is claimed here, nobody can put a file behind it
        if (SYSTEM / "block" / loop[1] / "loop/backing_file").exists():
            raise InUseError
        if loop[3]:
            write(name, value)
    finally:
        os.close(claimed)
    if not loop[3]:
        write(name, value)


def _file(name: str) -> Path:
    return (SYSTEM if _LOOP.fullmatch(name) else ROOT) / name
