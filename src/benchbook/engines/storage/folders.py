"""Folders of volumes: made with a lock that tells that the owner lives, found again by name or by device, removed.

They differ from other temporary folders: without its lock file none is ours, nothing is removed but what we put there,
and while anything is mounted in one it stays, since what is mounted may be somebody's.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchbook import nofollow, temporary
from benchbook.engines.storage import devices
from benchbook.errors import MachineError

PREFIX = f"{temporary.PREFIX}disk-"
IMAGE, MOUNT, NOTE = "volume.img", "mount", "rule.json"
NEW_NOTE = f"{NOTE}.new"
_OURS = {IMAGE, MOUNT, NOTE, NEW_NOTE, temporary.OWNER_LOCK}


@contextmanager
def made(parent: Path) -> Iterator[Path]:
    """A new folder, which other accounts can pass through but not list; its removal is the caller's.

    The lock is held until the end. Raises MachineError when it cannot be made.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)).resolve()
        lock = temporary.hold(folder)
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
        with temporary.abandoned(folder) as opened:
            if opened is not None and _is_of_a_volume(opened):
                yield folder


def remove(folder: Path) -> str | None:
    """Remove a folder of ours and what we put there; None when it is gone, else why it stays."""
    if devices.mounted_below(folder):
        return "something that is not ours is mounted in it; unmount that"
    try:
        with nofollow.entered(folder) as opened:
            for name in (IMAGE, NOTE, NEW_NOTE):
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=opened)
            with suppress(FileNotFoundError):
                os.rmdir(MOUNT, dir_fd=opened)
            if _names(opened) - {temporary.OWNER_LOCK}:
                return "it holds something that is not ours; move that away"
            with suppress(FileNotFoundError):
                os.unlink(temporary.OWNER_LOCK, dir_fd=opened)
            folder.rmdir()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"it cannot be removed ({error.strerror})"
    return None


def _is_of_a_volume(opened: int) -> bool:
    """Whether this account made an open folder, as far as can be seen, and put a volume into it or nothing at all."""
    if os.fstat(opened).st_uid != os.geteuid():
        return False
    try:
        image = os.stat(IMAGE, dir_fd=opened, follow_symlinks=False)
    except FileNotFoundError:
        return _names(opened) <= _OURS
    return stat.S_ISREG(image.st_mode) and image.st_uid == os.geteuid()


def _names(opened: int) -> set[str]:
    with os.scandir(opened) as entries:
        return {each.name for each in entries}


def _candidates() -> set[Path]:
    """By name where scratch folders may be, and wherever the file behind a loop device lies; links as they are."""
    found = {
        file.parent for _, file in devices.attached() if file.name == IMAGE and file.parent.name.startswith(PREFIX)
    }
    for parent in temporary.parents():
        with suppress(OSError):
            found |= set(temporary.named(parent.resolve(), PREFIX))
    return found
