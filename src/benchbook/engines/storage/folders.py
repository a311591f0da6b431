"""Folders of volumes: made with a lock that tells that the owner lives, found again by name or by device, removed.

They differ from other temporary folders: without its lock file none is ours, and while anything is mounted in one it
stays, since what is mounted may be somebody's.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchbook import temporary
from benchbook.engines.storage import devices
from benchbook.errors import MachineError

PREFIX = f"{temporary.PREFIX}disk-"
IMAGE, MOUNT = "volume.img", "mount"


@contextmanager
def made(parent: Path) -> Iterator[Path]:
    """A new folder, which other accounts can pass through but not list; its removal is the caller's.

    The lock is held until the end. Raises MachineError when it cannot be made.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)).resolve()
        lock = _lock(folder)
    except OSError as error:
        raise MachineError(
            f"no folder can be made in {parent} ({error.strerror})", "free disk space there or change its permissions"
        ) from error
    try:
        (folder / MOUNT).mkdir(0o755)
        folder.chmod(0o711)
        yield folder
    finally:
        os.close(lock)


def abandoned() -> Iterator[Path]:
    """The folders whose owners no longer live, one after the other, each locked while the caller looks at it."""
    for folder in sorted(_candidates()):
        with _taken(folder) as ours:
            if ours:
                yield folder


@contextmanager
def _taken(folder: Path) -> Iterator[bool]:
    """Whether it is ours and its owner is gone; if so it is locked meanwhile."""
    try:
        about = folder.lstat()
        descriptor = os.open(folder / temporary.OWNER_LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        yield False
        return
    try:
        held = os.fstat(descriptor)
        own = {about.st_uid, held.st_uid} == {os.geteuid()} and stat.S_ISDIR(about.st_mode)
        yield own and stat.S_ISREG(held.st_mode) and _flock(descriptor)
    finally:
        os.close(descriptor)


def is_abandoned(folder: Path) -> bool:
    """Whether a folder is ours and its owner no longer lives."""
    with _taken(folder) as ours:
        return ours


def remove(folder: Path) -> bool:
    """Remove a folder of ours and what is in it unless anything is mounted in it; whether it is gone."""
    if not devices.mounted_below(folder):
        shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


def _lock(folder: Path) -> int:
    """Lock a file in the folder; it appears under its name locked."""
    new = folder / f".{temporary.OWNER_LOCK}"
    descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    new.rename(folder / temporary.OWNER_LOCK)
    return descriptor


def _flock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _candidates() -> set[Path]:
    """By name where scratch folders may be, and wherever the file behind a loop device lies."""
    found = {
        file.parent for _, file in devices.attached() if file.name == IMAGE and file.parent.name.startswith(PREFIX)
    }
    parents = set(temporary.SHORT)
    with suppress(OSError, RuntimeError):  # an account without a home
        parents |= {Path(tempfile.gettempdir()), *temporary.scratch_folders()}
    for parent in parents:
        with suppress(OSError), os.scandir(parent) as entries:
            found |= {Path(each.path).resolve() for each in entries if each.name.startswith(PREFIX)}
    return found
