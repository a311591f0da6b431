"""The machine's lock as a file: seen by whoever shares its folder, also from other networks and other systems.

The folder is not that for temporary files, which may be another one for each account or job.
"""

import os
from pathlib import Path

from benchbook import nofollow
from benchbook.errors import MachineError

FOLDER = "BENCHBOOK_LOCK_FOLDER"
"""Names another folder, for a machine whose usual one nobody can write to, and for tests. All accounts must agree."""
USUAL = "/tmp"
"""Every account may write to it on every Unix."""


def path() -> Path:
    """The lock file of this machine, shared by all its accounts."""
    return Path(os.environ.get(FOLDER) or USUAL) / "benchbook-host.lock"


def taken() -> int | None:
    """A descriptor that holds the lock until it closes, in whatever process; None while somebody else holds it.

    Raises MachineError when what lies there is no regular file that this account can read, or none can be made.
    """
    where = path()
    try:
        return nofollow.locked(where)
    except OSError as error:
        if not os.path.lexists(where):
            raise not_made(where, error) from None
        raise MachineError(
            f"{where} cannot be the lock of this machine: {error.strerror}",
            "remove it, or have its owner or root remove it: it should be a file that every account can read",
        ) from None


def is_taken() -> bool:
    return nofollow.is_locked(path())


def not_made(where: Path, error: OSError) -> MachineError:
    """What to tell where no file can be made beside the lock."""
    return MachineError(
        f"the lock file {where} cannot be made ({error.strerror})",
        f"let every account write to {where.parent}, or name another folder for all of them in {FOLDER}",
    )
