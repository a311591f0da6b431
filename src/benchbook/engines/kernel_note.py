"""The file that holds the kernel's former settings while a measurement has changed them; what lies there is checked.

Anything may have come to lie under its name. It is read as a regular file of root's that nobody else may write, of a
few lines, without waiting for anybody; and only settings that are ever changed here are taken from it.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchbook import nofollow
from benchbook.engines import kernel_places
from benchbook.errors import MachineError

MOST_BYTES = 4_096
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True)
class Note:
    """boot: id of the boot in which the settings were changed. former: name to the value before."""

    boot: str
    former: Mapping[str, int]


class DamagedNoteError(Exception):
    """What lies there is no note. problem: why, in words that follow its name."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


def write(path: Path, note: Note) -> int:
    """Write a note so that it is there whole or not at all; the descriptor holds it as long as it is open.

    Raises FileExistsError while another process holds one, MachineError where none can be written.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, json.dumps({"boot": note.boot, "former": dict(note.former)}).encode())
        os.fsync(descriptor)
        os.link(name, path)
    except FileExistsError:
        os.close(descriptor)
        raise
    except OSError as error:
        os.close(descriptor)
        raise MachineError(f"{path} cannot be written ({error.strerror})", "leave the settings as they are") from error
    finally:
        Path(name).unlink()
    sync(path.parent)
    return descriptor


def opened(path: Path) -> int | None:
    """A descriptor of the file, locked; None where there is none, or where the process that changed settings lives.

    Raises DamagedNoteError where something else lies there.
    """
    try:
        kind = stat.S_IFMT(path.lstat().st_mode)
        if kind != stat.S_IFREG:
            raise DamagedNoteError(f"is {_KINDS.get(kind, 'no file')}")
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DamagedNoteError(f"cannot be read ({error.strerror})") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if nofollow.is_at(path, descriptor):  # else its owner has just removed it, and another may lie there
            return descriptor
    except BlockingIOError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def is_abandoned(path: Path) -> bool:
    """Whether a note lies there whose owner is gone."""
    try:
        descriptor = opened(path)
    except DamagedNoteError:
        return False
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is not None


def remove(descriptor: int, path: Path) -> None:
    """Remove the note; what somebody else has laid in its place is looked at by the next command."""
    if nofollow.is_at(path, descriptor):
        path.unlink()
        sync(path.parent)


def moved_aside(path: Path, when: str) -> Path:
    """Give it another name beside its own, which is returned; raises OSError where that cannot be."""
    first = aside = path.with_name(f"{path.name}.damaged-{when}")
    number = 1
    while os.path.lexists(aside):
        number += 1
        aside = first.with_name(f"{first.name}-{number}")
    path.rename(aside)
    sync(path.parent)
    return aside


def sync(folder: Path) -> None:
    """Have what was made, renamed or removed in a folder on disk."""
    with nofollow.entered(folder) as descriptor:
        os.fsync(descriptor)


def read(descriptor: int) -> Note:
    """The note in an open file; raises DamagedNoteError where it is none that root wrote here."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise DamagedNoteError("is no file")
    if status.st_uid != 0 or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise DamagedNoteError("could be written by others than root")
    if status.st_size > MOST_BYTES:
        raise DamagedNoteError(f"has {status.st_size:,} bytes, more than any note")
    return parsed(os.pread(descriptor, MOST_BYTES, 0))


def parsed(content: bytes) -> Note:
    """The same from its bytes."""
    if not content:
        raise DamagedNoteError("is empty")
    try:
        record = json.loads(content.decode())
    except (ValueError, RecursionError):
        raise DamagedNoteError("is not whole JSON") from None
    boot = record.get("boot") if isinstance(record, dict) else None
    former = record.get("former") if isinstance(record, dict) else None
    if not isinstance(boot, str) or not isinstance(former, dict):
        raise DamagedNoteError("does not say in which boot it was written, and what the values were")
    for name, value in former.items():
        most = kernel_places.most(name)
        if most is None:
            raise DamagedNoteError(f"names {name[:80]!r}, which is never changed here")
        if type(value) is not int or not 0 <= value <= most:
            raise DamagedNoteError(f"gives {name} a value that it cannot have")
    return Note(boot, former)
