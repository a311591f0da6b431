"""Folders that go when their owner does: at once if it ends by itself, else with the next command of any kind."""

import errno
import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from benchbook import accounts, nofollow
from benchbook.errors import MachineError

PREFIX = "benchbook-"
KINDS = ("pg", "probe", "bench", "crate", "kernel", "delay")
OWNER_LOCK = "owner.lock"
SHORT = (Path("/tmp"), Path("/var/tmp"))
"""Where a folder goes whose path must be short, since sockets lie in it, if the usual place has a long one."""
WITHOUT_LOCK_S = 3_600
"""A folder without a lock is being made, or was left by a release that knew none; after this time it is a leftover."""


def scratch_folders() -> Iterator[Path]:
    """Folders in which a data set may be put, best first: ``BENCHBOOK_SCRATCH`` alone if set."""
    named = os.environ.get("BENCHBOOK_SCRATCH")
    candidates = [Path(named)] if named else [Path("/var/tmp"), Path(tempfile.gettempdir())]
    if not named:
        with suppress(RuntimeError):  # nothing names a home
            candidates.append(Path.home())
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
        lock = hold(made)
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


def hold(made: Path) -> int:
    """Lock a file in a new folder until the descriptor that is returned closes; it appears under its name locked."""
    new = made / f".{OWNER_LOCK}"
    descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    new.rename(made / OWNER_LOCK)
    return descriptor


def remove_leftovers(
    stop: Callable[[Path], object], fail: Callable[[Path, OSError], object] = lambda found, why: None
) -> list[Path]:
    """Remove the folders whose owners no longer live, and nobody else's; returns those removed.

    stop: told of each before it is removed, to end what still works in it. fail: told of each that stays, and why.
    """
    removed = []
    for parent in parents():
        for found in named(parent, *(f"{PREFIX}{kind}-" for kind in KINDS)):
            with abandoned(found, without_lock_s=WITHOUT_LOCK_S) as opened:
                if opened is not None:
                    stop(found)
                    why = _remove(found, opened)
                    if why is None:
                        removed.append(found)
                    else:
                        fail(found, why)
    return removed


def remove(made: Path) -> OSError | None:
    """Remove a folder of ours with all that is in it, also what is read-only; None when it is gone, else why it stays.

    Nothing that a link leads to is touched. Where somebody still writes, it tries for a few seconds.
    """
    try:
        with nofollow.entered(made) as opened:
            return _remove(made, opened)
    except FileNotFoundError:
        return None
    except OSError as error:
        return error


@contextmanager
def abandoned(found: Path, *, without_lock_s: float | None = None) -> Iterator[int | None]:
    """The open folder of an owner that is gone, locked meanwhile; None for what is not ours, is in use, or may be.

    without_lock_s: after this time a folder of this account without a lock is one too; None for never.
    """
    with ExitStack() as stack:
        opened = None
        with suppress(OSError):
            opened = _taken(found, stack, without_lock_s)
        yield opened


def named(parent: Path, *prefixes: str) -> list[Path]:
    """What has such a name in a folder, links as they are; nothing where nobody may look."""
    try:
        with os.scandir(parent) as entries:
            return sorted(parent / each.name for each in entries if each.name.startswith(prefixes))
    except OSError:
        return []


def parents() -> dict[Path, None]:
    """Where folders of ours may be; less where the surroundings name none, which is no matter for every command."""
    found: dict[Path, None] = {}
    with suppress(OSError, RuntimeError):
        found |= dict.fromkeys((Path(tempfile.gettempdir()), *SHORT))
    with suppress(OSError, RuntimeError):  # a name that is too long, an account without a home
        for parent in scratch_folders():
            found[parent] = None
    return found


def _taken(found: Path, stack: ExitStack, without_lock_s: float | None) -> int | None:
    """As ``abandoned``; what is opened closes with the stack. Raises OSError where anything is not as it should be."""
    if found.lstat().st_uid not in accounts.ours():
        return None
    opened = stack.enter_context(nofollow.entered(found))
    about = os.fstat(opened)
    if about.st_uid not in accounts.ours():
        return None
    try:
        lock = os.open(OWNER_LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=opened)
    except FileNotFoundError:
        old = without_lock_s is not None and time.time() - about.st_mtime > without_lock_s
        return opened if old and about.st_uid == os.geteuid() else None
    stack.callback(os.close, lock)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    held = os.fstat(lock)
    return opened if held.st_uid == os.geteuid() and stat.S_ISREG(held.st_mode) else None


def _remove(made: Path, opened: int) -> OSError | None:
    for attempt in range(50):
        why = nofollow.empty(opened, last=OWNER_LOCK)
        try:
            if not os.path.samestat(made.lstat(), os.fstat(opened)):
                return OSError(errno.ESTALE, "something else has taken its place")
            made.rmdir()  # removes no link, and nothing that is not empty
        except FileNotFoundError:
            return None
        except OSError as error:
            why = why or error
        else:
            return None
        if not nofollow.passes_by_itself(why):
            break
        time.sleep(min(0.1, attempt / 100))
    return why
