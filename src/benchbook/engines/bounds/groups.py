"""Control groups of our own: where one may be made, whose it is, and the removal of those that a killed run left."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PREFIX = "benchbook-"
_NAME = re.compile(rf"{PREFIX}(\d+)-(\d+)-\d+")
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
    try:
        mounts = [line.split() for line in (proc / "self/mounts").read_text().splitlines()]
        lines = [line.split(":", 2) for line in (proc / "self/cgroup").read_text().splitlines()]
    except OSError:
        return None
    for _, mountpoint, kind, options, *_ in mounts:
        if kind == "cgroup" and "memory" in options.split(","):
            found = [path for _, controllers, path in lines if "memory" in controllers.split(",")]
            return _at(1, Path(mountpoint), found)
    for _, mountpoint, kind, *_ in mounts:
        if kind == "cgroup2" and "memory" in _words(Path(mountpoint) / "cgroup.controllers"):
            return _at(2, Path(mountpoint), [path for number, _, path in lines if number == "0"])
    return None


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
        if tree.version == 1 or "memory" in _words(group / "cgroup.subtree_control"):
            yield group
        if group == tree.root:
            return
        group = group.parent


def own_name(number: int) -> str:
    """Name of this process's group: process number and start time say whether its owner still lives."""
    return f"{PREFIX}{os.getpid()}-{_started(os.getpid())}-{number}"


def remove(group: Path, *, patience_s: float = 10.0) -> bool:
    """End what still runs in ``group``, give back the page cache that it is charged with, and remove it."""
    deadline = time.monotonic() + patience_s
    while group.exists():
        for member in set(_words(group / "cgroup.procs")) - {str(os.getpid())}:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(int(member), signal.SIGKILL)
        with suppress(OSError):  # version 1 only, and only when empty
            (group / "memory.force_empty").write_text("0")
        try:
            group.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
    return True


def remove_leftovers() -> list[Path]:
    """Remove the groups whose owners no longer live; returns those removed."""
    tree = hierarchy()
    if tree is None:
        return []
    removed = []
    for folder, names, _ in os.walk(tree.root):
        for name in names:
            match = _NAME.fullmatch(name)
            if match and _started(int(match.group(1))) != match.group(2) and remove(Path(folder) / name):
                removed.append(Path(folder) / name)
    return removed


def _started(pid: int) -> str:
    """The start time of a process in clock ticks, or "" when there is none."""
    try:
        # the second field is the program's name in parentheses and may hold anything
        return (PROC / f"{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []
