"""What another account gets: a way through a folder of ours, reading, or a file or folder for itself."""

import os
import pwd
import stat
from pathlib import Path

from benchbook.errors import MachineError
from benchbook.nofollow.opening import READ, entered

Account = pwd.struct_passwd | None
"""None: that of this process, which needs nothing."""


def let_through(folder: Path, account: Account) -> None:
    """Let another account pass through a folder of ours, in which it can neither list nor change anything.

    It is let in by its group, so others of that group are too, and nobody else.
    """
    if account is not None:
        with entered(folder) as descriptor:
            os.fchown(descriptor, -1, account.pw_gid)
            os.fchmod(descriptor, 0o710)


def let_read(path: Path) -> None:
    """Let whoever gets so far read, and start, what we put into a folder of ours, such as a copy of a program."""
    for each in (path, *path.rglob("*")):
        if not each.is_symlink():
            mode = stat.S_IMODE(each.stat().st_mode)
            each.chmod(mode | 0o444 | (0o111 if mode & stat.S_IXUSR else 0))


def hand_over(path: Path, account: Account) -> None:
    """Give a file or an empty folder of ours, itself in a folder of ours, to another account.

    Raises MachineError for what is not ours alone: another's, a link, a file with a second name, a folder with content.
    """
    if account is None:
        return
    try:
        descriptor = os.open(path, READ)
    except OSError as error:
        raise _refused(path, error.strerror or "it cannot be opened") from error
    try:
        about = os.fstat(descriptor)
        if about.st_uid != os.geteuid():
            raise _refused(path, "it belongs to somebody else")
        if stat.S_ISDIR(about.st_mode):
            with os.scandir(descriptor) as entries:
                if next(entries, None) is not None:
                    raise _refused(path, "it is not empty")
        elif not stat.S_ISREG(about.st_mode) or about.st_nlink != 1:
            raise _refused(path, "it is not a file with one name")
        os.fchown(descriptor, account.pw_uid, account.pw_gid)
    finally:
        os.close(descriptor)


def made_over(path: Path, account: Account) -> Path:
    """A new folder, in a folder of ours, that is another account's alone."""
    path.mkdir(mode=0o700)
    hand_over(path, account)
    return path


def _refused(path: Path, why: str) -> MachineError:
    return MachineError(
        f"{path} cannot be handed to the server's account: {why}", "see who else works there; then the same command"
    )
