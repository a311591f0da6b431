"""Files that are locks: who holds one lives, in whatever process namespace of this host it is looked at."""

import errno
import fcntl
import os
import stat
from pathlib import Path

from benchbook.nofollow.opening import READ, opened

_ATTEMPTS = 100


def locked(path: Path, access: int = os.O_RDONLY) -> int | None:
    """A descriptor that holds a file's lock until it closes; None while somebody else holds it, or looks at it.

    The file is made where there is none, and every account may read it. access: reading is enough to lock the file of
    another account; a file on NFS has to be open for writing. Raises OSError where none can be made or opened, where it
    is no regular file, and where files cannot be locked.
    """
    for _ in range(_ATTEMPTS):
        descriptor = _opened(path, access)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "it is no regular file", str(path))
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_at(path, descriptor):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # it was removed meanwhile, and another process may hold the one that came after it
    raise OSError(errno.ESTALE, "it is removed again and again", str(path))


def is_free(descriptor: int) -> bool:
    """Whether nobody else holds the lock of an open file; while it stays open, nobody can take it then."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(path: Path) -> bool:
    """Whether somebody holds a file's lock, as far as this account can see; nothing is made."""
    try:
        with opened(path) as file:
            return not is_free(file.fileno())
    except OSError:
        return False


def is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def remove_lock(path: Path, descriptor: int) -> None:
    """Remove a lock that is held, unless something else lies there by now, and give it back."""
    try:
        if is_at(path, descriptor):
            path.unlink()
    finally:
        os.close(descriptor)


def _opened(path: Path, access: int) -> int:
    how = access | READ
    while True:
        try:
            return os.open(path, how)  # without O_CREAT, which systems refuse for another account's file in /tmp
        except FileNotFoundError:
            pass
        try:
            descriptor = os.open(path, how | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            continue
        os.fchmod(descriptor, 0o644)  # whatever the umask
        return descriptor
