"""One folder made like another, neither of which may lead anywhere else meanwhile."""

import fcntl
import os
import shutil
import stat
from pathlib import Path

from benchbook.errors import MachineError
from benchbook.nofollow.handing import Account
from benchbook.nofollow.opening import entered, opened

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FICLONE = 0x40049409
"""The Linux request that makes one file share another's blocks until either is written to."""


def mirror(source: Path, target: Path, account: Account = None) -> int:
    """Make a folder hold what another holds, copying what differs in size or time of change; bytes copied.

    A copy has its original's mode and time of change, so that any later write to it shows, and belongs to ``account``.
    Raises MachineError where the source holds what is neither file nor folder nor link, OSError where either is a link.
    """
    with entered(source) as reading, entered(target) as writing:
        return _mirrored(reading, writing, account)


def _mirrored(reading: int, writing: int, account: Account) -> int:
    copied = 0
    wanted, there = _entries(reading), _entries(writing)
    for name, found in list(there.items()):
        if name not in wanted or stat.S_IFMT(found.st_mode) != stat.S_IFMT(wanted[name].st_mode):
            _remove(name, found, writing)
            del there[name]
    for name, original in wanted.items():
        if stat.S_ISDIR(original.st_mode):
            copied += _copy_folder(name, reading, writing, account, new=name not in there)
        elif stat.S_ISLNK(original.st_mode):
            _copy_link(name, reading, writing, account, new=name not in there)
        elif not stat.S_ISREG(original.st_mode):
            raise MachineError(
                f"a folder to be copied holds {name!r}, which is neither file nor folder nor link",
                "see who else works there; then the same command",
            )
        elif name not in there or _differs(original, there[name]):
            if name in there:
                os.unlink(name, dir_fd=writing)
            copied += _copy_file(name, reading, writing, account)
    return copied


def _entries(folder: int) -> dict[str, os.stat_result]:
    with os.scandir(folder) as entries:
        return {each.name: each.stat(follow_symlinks=False) for each in entries}


def _differs(original: os.stat_result, found: os.stat_result) -> bool:
    return (original.st_size, original.st_mtime_ns) != (found.st_size, found.st_mtime_ns)


def _remove(name: str, found: os.stat_result, within: int) -> None:
    if stat.S_ISDIR(found.st_mode):
        shutil.rmtree(name, dir_fd=within)
    else:
        os.unlink(name, dir_fd=within)


def _copy_folder(name: str, reading: int, writing: int, account: Account, *, new: bool) -> int:
    if new:
        os.mkdir(name, 0o700, dir_fd=writing)
    with entered(name, reading) as source, entered(name, writing) as target:
        if new:
            _become(target, os.fstat(source), account)
        return _mirrored(source, target, account)


def _copy_link(name: str, reading: int, writing: int, account: Account, *, new: bool) -> None:
    leads_to = os.readlink(name, dir_fd=reading)
    if not new:
        if os.readlink(name, dir_fd=writing) == leads_to:
            return
        os.unlink(name, dir_fd=writing)
    os.symlink(leads_to, name, dir_fd=writing)
    if account is not None:
        os.chown(name, account.pw_uid, account.pw_gid, dir_fd=writing, follow_symlinks=False)


def _copy_file(name: str, reading: int, writing: int, account: Account) -> int:
    """Copy one file; the copies share their blocks where the file system can do that."""
    with opened(name, reading) as source, os.fdopen(os.open(name, _NEW, 0o600, dir_fd=writing), "wb") as target:
        original = os.fstat(source.fileno())
        try:
            fcntl.ioctl(target, _FICLONE, source.fileno())
        except OSError:
            shutil.copyfileobj(source, target, 1 << 20)
        target.flush()
        _become(target.fileno(), original, account)
    return original.st_size


def _become(made: int, original: os.stat_result, account: Account) -> None:
    """Give what was just made its owner, and its original's mode and times."""
    if account is not None:
        os.fchown(made, account.pw_uid, account.pw_gid)
    os.fchmod(made, stat.S_IMODE(original.st_mode))
    os.utime(made, ns=(original.st_atime_ns, original.st_mtime_ns))
