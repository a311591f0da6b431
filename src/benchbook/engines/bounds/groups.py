"""Control groups of our own: where one may be made, whose it is, and the removal of those that a killed run left.

The owner holds a lock on the group's own folder. Whoever sees the group sees the lock, in whatever container: a process
number would mean another process there, or none.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchbook.children import end_if

PREFIX = "benchbook-"
_NAME = re.compile(rf"{PREFIX}\d+-[0-9a-f]{{16}}")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_ATTEMPTS = 20
PROC = Path("/proc")


@dataclass(frozen=True)
class Hierarchy:
    """A mounted tree of control groups with the memory controller. version: 1 or 2. root: where it is mounted.

    own: the group in which this process is.
    """

    version: int
    root: Path
    own: Path

    @property
    def members(self) -> str:
        """The file to which a member's number is written to move it in: a thread's in v1, a process's in v2."""
        return "tasks" if self.version == 1 else "cgroup.procs"


def hierarchy(proc: Path = PROC) -> Hierarchy | None:
    """The tree that controls memory on this machine, version 1 before 2; None when there is none."""
    mounts, lines = listed(proc)
    for _, mountpoint, kind, options, *_ in mounts:
        if kind == "cgroup" and "memory" in options.split(","):
            found = [path for _, controllers, path in lines if "memory" in controllers.split(",")]
            return _at(1, Path(mountpoint), found)
    for _, mountpoint, kind, *_ in mounts:
        if kind == "cgroup2" and "memory" in words(Path(mountpoint) / "cgroup.controllers"):
            return _at(2, Path(mountpoint), [path for number, _, path in lines if number == "0"])
    return None


def listed(proc: Path = PROC) -> tuple[list[list[str]], list[list[str]]]:
    """What is mounted, and the groups of this process, as the kernel's lines have them in parts; none where unknown."""
    try:
        mounts = [line.split() for line in (proc / "self/mounts").read_text().splitlines()]
        return mounts, [line.split(":", 2) for line in (proc / "self/cgroup").read_text().splitlines()]
    except OSError:
        return [], []


def _at(version: int, root: Path, paths: list[str]) -> Hierarchy:
    own = root / paths[0].lstrip("/") if paths else root
    # In a container the path may be the host's: then the mounted root is all that can be seen.
    return Hierarchy(version, root, own if own.is_dir() else root)


def parents(tree: Hierarchy) -> Iterator[Path]:
    """Groups below which one of ours may be made, nearest first, so that limits of our own group go on to hold.

    A version 2 group hands the memory controller down only where its subtree_control says so; that is not changed.
    """
    group = tree.own
    while True:
        if tree.version == 1 or "memory" in words(group / "cgroup.subtree_control"):
            yield group
        if group == tree.root:
            return
        group = group.parent


def make(parent: Path) -> tuple[Path, int]:
    """A new group below ``parent``, and the descriptor that shows, as long as it is open, that its owner lives.

    Raises OSError where none may be made.
    """
    for _ in range(_ATTEMPTS):
        # The process number is for people who look; it decides nothing.
        group = parent / f"{PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
        group.mkdir()
        lock = _held(group)
        if lock is not None:
            return group, lock
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


def _held(group: Path) -> int | None:
    """The lock on a group that was just made; None when somebody took it for a leftover before it was locked."""
    try:
        lock = os.open(group, _FOLDER)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    except OSError:  # locks are unknown here, and nobody could tell that the owner lives
        os.close(lock)
        group.rmdir()
        raise
    if group.exists():
        return lock
    os.close(lock)
    return None


def remove(group: Path, *, patience_s: float = 10.0) -> bool:
    """End what still runs in ``group``, give back the page cache that it is charged with, and remove it."""
    deadline = time.monotonic() + patience_s
    while group.exists():
        _end_members(group)
        with suppress(OSError):  # version 1 only, and only when empty
            (group / "memory.force_empty").write_text("0")
        try:
            group.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
    return True


def _end_members(group: Path) -> None:
    """Kill what is in a group, but for this process; version 2 also lists, as 0, whom only the kernel can name here."""
    members = _members(group)
    everybody = group / "cgroup.kill"
    if members and os.getpid() not in members and everybody.exists():
        with suppress(OSError):
            everybody.write_text("1")
        return
    for number in members - {os.getpid()}:
        end_if(number, partial(_is_member, group, number))


def _members(group: Path) -> set[int]:
    return {int(word) for word in words(group / "cgroup.procs")}


def _is_member(group: Path, number: int) -> bool:
    return number in _members(group)


def remove_leftovers() -> list[Path]:
    """Remove the groups of this account whose owners no longer live; returns those removed."""
    tree = hierarchy()
    if tree is None:
        return []
    removed = []
    for folder, names, _ in os.walk(tree.root):
        for name in names:
            group = Path(folder) / name
            lock = _abandoned(group) if _NAME.fullmatch(name) else None
            if lock is None:
                continue
            try:
                if remove(group):
                    removed.append(group)
            finally:
                os.close(lock)
    return removed


def _abandoned(group: Path) -> int | None:
    """A descriptor that holds a leftover for its remover; None for what is not ours, is in use, or may be."""
    try:
        lock = os.open(group, _FOLDER)
    except OSError:
        return None
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
    except OSError:
        pass
    os.close(lock)
    return None


def words(path: Path) -> list[str]:
    """What stands in a file of the kernel; nothing where there is none."""
    try:
        return path.read_text().split()
    except OSError:
        return []
