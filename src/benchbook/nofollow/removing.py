"""Removing all that lies in a folder, and nothing that only its links lead to."""

import errno
import os
import shutil
import stat
from contextlib import suppress
from pathlib import PurePath
from typing import Any

_PASSES = 100
"""One for each level of folders that were closed to their own owner; there are never so many."""
_FOLLOWS = (errno.ENOTEMPTY, errno.EEXIST)
"""What a folder says when something in it could not be removed, or came meanwhile."""


def empty(folder: int, last: str = "") -> OSError | None:
    """Remove all that is in an open folder, also what is read-only; why something stays, None where nothing does.

    last: the name of a file that goes only when all else is gone.
    """
    for _ in range(_PASSES):
        failures, changed = _emptied(folder, last)
        if not changed:
            break
    if failures:
        return next((each for each in failures if each.errno not in _FOLLOWS), failures[0])
    return next(iter(_emptied(folder)[0]), None) if last else None


def passes_by_itself(why: OSError) -> bool:
    """Whether nothing was in the way but what somebody else still put there, who may end."""
    return why.errno in _FOLLOWS


def _emptied(folder: int, but: str = "") -> tuple[list[OSError], bool]:
    """What could not be removed, and whether the next attempt will get further."""
    failures: list[OSError] = []
    changed = False

    def failed(_: object, path: str, failure: tuple[Any, Any, Any]) -> None:
        nonlocal changed
        if not isinstance(failure[1], FileNotFoundError):  # somebody else removed it
            failures.append(failure[1])
            changed = _open_up(folder, PurePath(path)) or changed

    for name in {*os.listdir(folder)} - {but}:
        try:
            if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                shutil.rmtree(name, dir_fd=folder, onerror=failed)
            else:
                os.unlink(name, dir_fd=folder)
        except OSError as error:
            failed(os.unlink, name, (OSError, error, None))
        except RecursionError:
            failures.append(OSError(errno.ENAMETOOLONG, "too many folders in each other"))
    return failures, changed


def _open_up(folder: int, path: PurePath) -> bool:
    """Let the next attempt into a folder that was made read-only, as Go's modules are; whether that changed anything.

    Root, whom no mode stops, never does: a path within may lead elsewhere by now.
    """
    changed = False
    if os.geteuid() != 0:
        for each in (path, path.parent):
            with suppress(OSError):
                about = os.stat(each, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISDIR(about.st_mode) and about.st_mode & stat.S_IRWXU != stat.S_IRWXU:
                    os.chmod(each, stat.S_IRWXU, dir_fd=folder)
                    changed = True
    return changed
