"""What ended a part of a measurement that nobody meant to end, in words: a signal, or a full disk."""

import errno
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchbook.errors import FullDiskError, MachineError

AGAIN = "repeat the command: a run goes on where it stopped"
FULL = (errno.ENOSPC, errno.EDQUOT)
"""How the system says that a disk or a quota has no room."""
_SMALL_BYTES = 64 * 2**20
SHARED = Path("/dev/shm")
_SHARED_WORDS = "shared memory segment"
"""In PostgreSQL's words where it is that folder that is full."""
_LEAST_SHARED_BYTES = 2**20


def killed(program: str, number: int, folder: Path | None = None) -> MachineError:
    """A program that was ended by a signal. folder: where it wrote, whose disk may be full."""
    if number == signal.SIGBUS and _free(SHARED, _LEAST_SHARED_BYTES) < _LEAST_SHARED_BYTES:
        return full(
            SHARED, f"{program} was ended by signal {number} ({signal_name(number)}): a {_SHARED_WORDS} had no room"
        )
    if folder is not None and nearly_full(folder):
        return full(folder, f"{program} was ended by signal {number} ({signal_name(number)})")
    return MachineError(
        f"{program} was killed by signal {number} ({signal_name(number)})",
        f"free memory, since the system kills programs when it runs out; then {AGAIN}",
    )


def full(folder: Path | None, said: str) -> FullDiskError:
    """A disk without room. folder: on that disk, None where unknown. said: what showed it."""
    if _SHARED_WORDS in said:
        return FullDiskError(
            f"{SHARED} is full, in which programs share memory: {said}",
            f"remove what fills it, or make it larger (mount -o remount,size=1g {SHARED}; a container's with "
            f"--shm-size 1g); then {AGAIN}",
        )
    where = "" if folder is None else f" of {folder}"
    return FullDiskError(
        f"the disk{where} is full: {said}",
        f"free disk space, or set BENCHBOOK_SCRATCH to a folder on a larger disk; then {AGAIN}",
    )


def nearly_full(folder: Path) -> bool:
    """Whether the disk of a folder has less room than any engine needs."""
    return _free(folder, _SMALL_BYTES) < _SMALL_BYTES


def _free(folder: Path, unknown: int) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return unknown


def says_full(text: str) -> bool:
    """Whether the system's words for a full disk or a used-up quota are in a text."""
    return any(os.strerror(number).lower() in text.lower() for number in FULL)


@contextmanager
def disk_told() -> Iterator[None]:
    """Turn the system's refusal to write to a full disk into a FullDiskError; any other error passes as it is."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL and not says_full(str(error)):
            raise
        folder = Path(os.fsdecode(error.filename)).parent if error.filename else None
        raise full(folder, os.strerror(errno.ENOSPC)) from error


def signal_name(number: int) -> str:
    """Such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return "no known one"
