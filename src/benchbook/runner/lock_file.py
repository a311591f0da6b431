"""The machine's lock as a file: seen by whoever shares its folder, also from other networks and other systems.

The folder is not that for temporary files, which may be another one for each account or job.
"""

import fcntl
import os
import stat
from pathlib import Path

from benchbook.errors import MachineError

FOLDER = "BENCHBOOK_LOCK_FOLDER"
"""Names another folder, for a machine whose usual one nobody can write to, and for tests. All accounts must agree."""
USUAL = "/tmp"
"""Every account may write to it on every Unix."""
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_ATTEMPTS = 100


def path() -> Path:
    """The lock file of this machine, shared by all its accounts."""
    return Path(os.environ.get(FOLDER) or USUAL) / "benchbook-host.lock"


def taken() -> int | None:
    """A descriptor that holds the lock until it closes, in whatever process; None while somebody else holds it.

    Raises MachineError when what lies there is no regular file that this account can read, or none can be made.
    """
    where = path()
    for _ in range(_ATTEMPTS):
        descriptor = _opened(where)
        if descriptor is None:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        if _is_at(where, descriptor):
            return descriptor
        os.close(descriptor)  # it was removed meanwhile, and another process may hold the one that came after it
    raise MachineError(f"the lock file {where} is removed again and again", "find out what removes it")


def is_taken() -> bool:
    """Whether somebody holds it; nothing is made."""
    try:
        descriptor = os.open(path(), _LOOK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def not_made(where: Path, error: OSError) -> MachineError:
    """What to tell where no file can be made beside the lock."""
    return MachineError(
        f"the lock file {where} cannot be made ({error.strerror})",
        f"let every account write to {where.parent}, or name another folder for all of them in {FOLDER}",
    )


def _opened(where: Path) -> int | None:
    """The file, made if there is none; None when somebody else made or removed it at that moment."""
    try:
        descriptor = os.open(where, _LOOK)  # it may belong to somebody else: reading is enough to lock it
    except FileNotFoundError:
        return _made(where)
    except OSError as error:
        raise _unusable(where, error.strerror or str(error)) from None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise _unusable(where, "it is no regular file")


def _made(where: Path) -> int | None:
    try:
        descriptor = os.open(where, _LOOK | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return None
    except OSError as error:
        raise not_made(where, error) from None
    os.fchmod(descriptor, 0o644)  # whatever the umask: every account of the machine must be able to read it
    return descriptor


def _is_at(where: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(where.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _unusable(where: Path, why: str) -> MachineError:
    return MachineError(
        f"{where} cannot be the lock of this machine: {why}",
        f"remove it, or have its owner or root remove it: it should be a file that every account can read ({where})",
    )
