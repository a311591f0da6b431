"""Folders that go when their owner does: at once if it ends by itself, else with the next command of any kind."""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchbook.errors import MachineError

PREFIX = "benchbook-"
KINDS = ("pg", "probe", "bench", "crate", "kernel", "delay")
OWNER_LOCK = "owner.lock"
UNPRIVILEGED = ("postgres", "nobody")
"""Accounts to which root hands a server's folder."""
SHORT = (Path("/tmp"), Path("/var/tmp"))
"""Where a folder goes whose path must be short, since sockets lie in it, if the usual place has a long one."""
WITHOUT_LOCK_S = 3_600
"""A folder without a lock is being made, or was left by a release that knew none; after this time it is a leftover."""


def scratch_folders() -> Iterator[Path]:
    """Folders in which a data set may be put, best first: ``BENCHBOOK_SCRATCH`` alone if set."""
    named = os.environ.get("BENCHBOOK_SCRATCH")
    candidates = [Path(named)] if named else [Path("/var/tmp"), Path(tempfile.gettempdir()), Path.home()]
    for folder in dict.fromkeys(candidates):
        if folder.is_dir() and os.access(folder, os.W_OK):
            yield folder


@contextmanager
def folder(kind: str, parent: Path | None = None) -> Iterator[Path]:
    """A new folder for this process alone, in ``parent`` or where temporary files go; removed at the end.

    kind: one of KINDS, part of its name. It holds a lock file beside what is put into it, by which other processes see
    that its owner lives. Raises MachineError when it cannot be made.
    """
    if kind not in KINDS:
        raise ValueError(f"no folder is of kind {kind!r}")
    made: Path | None = None
    try:
        made = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{kind}-", dir=parent))
        lock = _hold(made)
    except OSError as error:
        if made is not None:
            remove(made)
        where = parent or tempfile.gettempdir()
        raise MachineError(
            f"no folder can be made in {where} ({error.strerror})", "free disk space there or change its permissions"
        ) from error
    try:
        yield made
    finally:
        remove(made)
        os.close(lock)


def remove_leftovers(stop: Callable[[Path], None]) -> list[Path]:
    """Remove the folders whose owners no longer live, and nobody else's; returns those removed.

    stop: told of each before it is removed, to end what still works in it.
    """
    removed = []
    for parent in _parents():
        for found in _named_so(parent):
            lock = _abandoned(found)
            if lock is None:
                continue
            try:
                stop(found)
                remove(found)
            finally:
                os.close(lock)
            if not found.exists():
                removed.append(found)
    return removed


def remove(made: Path) -> None:
    """Remove a folder of ours with all that is in it, also what is read-only; quiet when it is gone already.

    What cannot be removed within a few seconds, such as where somebody still writes, stays for the next command.
    """

    def open_up(_: object, path: str, __: object) -> None:
        """Let the next attempt into a folder that was made read-only, as Go's modules are."""
        for each in (Path(path), Path(path).parent):
            if each == made or made in each.parents:
                with suppress(OSError):
                    if stat.S_ISDIR(each.lstat().st_mode):
                        each.chmod(stat.S_IRWXU)

    for attempt in range(50):
        if attempt:
            time.sleep(min(0.1, attempt / 100))
        shutil.rmtree(made, onerror=open_up)
        if not made.exists():
            return


def _hold(made: Path) -> int:
    """Lock a file in the folder until the descriptor that is returned closes; it appears under its name locked."""
    new = made / f".{OWNER_LOCK}"
    descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    new.rename(made / OWNER_LOCK)
    return descriptor


def _parents() -> dict[Path, None]:
    """Where folders of ours may be; less where the surroundings name none, which is no matter for every command."""
    found: dict[Path, None] = {}
    with suppress(OSError, RuntimeError):
        found |= dict.fromkeys((Path(tempfile.gettempdir()), *SHORT))
    with suppress(OSError, RuntimeError):  # a name that is too long, an account without a home
        for parent in scratch_folders():
            found[parent] = None
    return found


def _named_so(parent: Path) -> list[Path]:
    starts = tuple(f"{PREFIX}{kind}-" for kind in KINDS)
    try:
        with os.scandir(parent) as entries:
            return [Path(each.path) for each in entries if each.name.startswith(starts)]
    except OSError:
        return []


def _abandoned(found: Path) -> int | None:
    """A descriptor that holds a leftover for its remover; None for what is not ours, is in use, or may be."""
    try:
        about = found.lstat()
        if not stat.S_ISDIR(about.st_mode) or about.st_uid not in _own_accounts():
            return None
        lock = os.open(found / OWNER_LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return _old_without_lock(found)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_uid == os.geteuid() and stat.S_ISREG(os.fstat(lock).st_mode):
            return lock
    except OSError:
        pass
    os.close(lock)
    return None


def _old_without_lock(found: Path) -> int | None:
    try:
        about = found.lstat()
        if about.st_uid == os.geteuid() and time.time() - about.st_mtime > WITHOUT_LOCK_S:
            return os.open(found, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        pass
    return None


def _own_accounts() -> set[int]:
    """Whose folders may be ours: this account's and, for root, those of the accounts under which it runs servers."""
    own = {os.geteuid()}
    if os.geteuid() == 0:
        for name in UNPRIVILEGED:
            with suppress(KeyError):
                own.add(pwd.getpwnam(name).pw_uid)
    return own
