"""One measurement at a time on a machine: two at once would measure each other."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchbook import accounts, children
from benchbook.engines import leftovers
from benchbook.errors import BenchbookError, MachineError
from benchbook.runner.progress import Progress

PROC = Path("/proc")
LOOK_EVERY_S = 10.0
"""Looking through all processes would disturb whoever measures, so it is done rarely."""


def lock_path() -> Path:
    """The lock file of this machine, shared by all its users."""
    return Path(tempfile.gettempdir()) / "benchbook-host.lock"


@contextmanager
def host_lock(progress: Progress, *, wait: bool = True) -> Iterator[None]:
    """Hold the machine for one measurement; wait for another to end, or refuse when ``wait`` is False.

    The programs that measure hold it too, so that it ends with the last of them. What a killed measurement left behind
    is removed first, and ended if it still measures; and again after waiting, for it may have been killed meanwhile.
    """
    leftovers.remove(progress.say)
    descriptor = _opened(lock_path())
    try:
        _take(descriptor, progress, wait=wait)
        leftovers.remove(progress.say)
        with children.holding(descriptor):
            yield
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    how = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        try:
            descriptor = os.open(path, how)  # it may belong to somebody else: reading is enough to lock it
        except FileNotFoundError:
            descriptor = os.open(path, how | os.O_CREAT, 0o644)
            os.fchmod(descriptor, 0o644)  # whatever the umask: every account of the machine must be able to read it
    except PermissionError:
        raise MachineError(f"the lock file {path} cannot be read", "have its owner remove it") from None
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise MachineError(f"the lock file {path} is a link", "have its owner remove it") from None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise MachineError(f"the lock file {path} is no regular file", "have its owner remove it")


def _take(descriptor: int, progress: Progress, *, wait: bool) -> None:
    told, look_at = False, time.monotonic()
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pass
        if time.monotonic() >= look_at and not _taker_lives(descriptor):
            look_at = time.monotonic() + LOOK_EVERY_S
            if _end_orphans(descriptor):
                time.sleep(0.05)
                look_at = time.monotonic()
                continue
        if not wait:
            raise BenchbookError(
                "another Benchbook run is measuring on this machine",
                "wait for it to end, or leave out --no-wait to let this one wait",
            )
        if not told:
            progress.say("another run is measuring on this machine: waiting for it to end")
            told = True
        time.sleep(0.5)


def _taker_lives(descriptor: int) -> bool:
    """Whether the process that took the lock can be seen to live; if not, perhaps only its programs hold it."""
    file = f":{os.fstat(descriptor).st_ino}"
    return any(_lives(taker) for taker, locked in _taken(PROC / "locks") if locked.endswith(file))


def _end_orphans(descriptor: int) -> int:
    """Kill what inherited the lock from a process that has ended, since nobody but its programs can; how many.

    Those of another account's measurement are its own to end.
    """
    ended, own = 0, accounts.ours()
    for process in PROC.glob("[0-9]*"):
        if int(process.name) != os.getpid() and _inherited(process, descriptor):
            with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
                if process.stat().st_uid in own:
                    os.kill(int(process.name), signal.SIGKILL)
                    ended += 1
    return ended


def _inherited(process: Path, descriptor: int) -> bool:
    """Whether a process has the lock open that was taken by one which has ended."""
    try:
        opened = list((process / "fd").iterdir())
    except OSError:
        return False
    for link in opened:
        with suppress(OSError):
            if os.path.samestat(link.stat(), os.fstat(descriptor)):
                takers = [taker for taker, _ in _taken(process / "fdinfo" / link.name)]
                if takers and not any(map(_lives, takers)):
                    return True
    return False


def _taken(path: Path) -> list[tuple[str, str]]:
    """Who took each lock that the kernel lists at ``path``, and on which file: process number, major:minor:inode.

    In a container the kernel gives 0 for a process that has ended, or leaves the lock out.
    """
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return []
    # number, kind, advisory or not, access, who took it, file, range
    fields = [line.removeprefix("lock:").split() for line in lines]
    return [(each[4], each[5]) for each in fields if len(each) >= 6 and each[1] == "FLOCK"]


def _lives(number: str) -> bool:
    try:
        return (PROC / number / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
