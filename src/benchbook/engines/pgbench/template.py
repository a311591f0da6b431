"""A loaded data directory kept aside, and put back before each trial, so that all start from the same data."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

import psutil

from benchbook.engines.postgres import Cluster
from benchbook.errors import BenchbookError

_PATIENCE_S = 10.0
_FICLONE = 0x40049409
"""The Linux request that makes one file share another's blocks until either is written to."""


class Template:
    """The copy of one cluster's data directory, inside the cluster's folder, and removed with it."""

    def __init__(self, cluster: Cluster) -> None:
        """Copy the data directory of a stopped cluster. Raises BenchbookError while a server runs on it."""
        _check_stopped(cluster)
        self._cluster = cluster
        self.folder = cluster.folder / "template"
        if self.folder.exists():
            raise BenchbookError("the cluster has a template already", "restore that one")
        shutil.copytree(cluster.data, self.folder, symlinks=True, copy_function=copy_file)
        log = cluster.data / "pg_wal"
        self._log = (cluster.folder / "template-wal", log.resolve()) if log.is_symlink() else None
        """The copy of a log that lies elsewhere, and where that is."""
        if self._log:
            shutil.copytree(log.resolve(), self._log[0], copy_function=copy_file)
        copies = [self.folder, *([self._log[0]] if self._log else [])]
        self.bytes = sum(path.stat().st_size for copy in copies for path in copy.rglob("*") if path.is_file())

    def restore(self) -> int:
        """Put the data directory back as it was, written to disk and out of the OS page cache; bytes copied.

        Raises BenchbookError while a server runs on it; what a killed one left is put back as well.
        """
        _outlive(self._cluster)
        copied = restore_tree(self.folder, self._cluster.data)
        self._cluster.give(self._cluster.data)
        if self._log:
            copied += restore_tree(*self._log)
            self._cluster.give(self._log[1])
        os.sync()  # all at once, the log's files too: what is written later would be written during the trial
        self._cluster.evict()
        return copied


def restore_tree(template: Path, target: Path) -> int:
    """Make ``target`` hold what ``template`` holds, copying what differs in size or time of change; bytes copied.

    A copy has its original's time of change, so that any later write to it shows.
    """
    copied = 0
    wanted = {entry.name: entry for entry in os.scandir(template)}
    for entry in list(os.scandir(target)):
        original = wanted.get(entry.name)
        if original is None or _kind(original) != _kind(entry):
            _remove(entry)
    for name, original in wanted.items():
        path = target / name
        if original.is_symlink():
            if not path.is_symlink() or path.readlink() != Path(original.path).readlink():
                path.unlink(missing_ok=True)
                path.symlink_to(Path(original.path).readlink())
        elif original.is_dir():
            if not path.exists():
                path.mkdir()
                shutil.copystat(original.path, path)
            copied += restore_tree(Path(original.path), path)
        elif not path.exists() or _differs(original.stat(), path.stat()):
            path.unlink(missing_ok=True)
            copy_file(original.path, str(path))
            copied += original.stat().st_size
    return copied


def copy_file(source: str, target: str) -> str:
    """Copy one file with its mode and times; the copies share their blocks where the file system can do that."""
    with Path(source).open("rb") as reading, Path(target).open("wb") as writing:
        try:
            fcntl.ioctl(writing, _FICLONE, reading.fileno())
        except OSError:
            shutil.copyfileobj(reading, writing, 1 << 20)
    shutil.copystat(source, target)
    return target


def _differs(original: os.stat_result, found: os.stat_result) -> bool:
    return (original.st_size, original.st_mtime_ns) != (found.st_size, found.st_mtime_ns)


def _kind(entry: os.DirEntry[str]) -> tuple[bool, bool]:
    return entry.is_symlink(), entry.is_dir(follow_symlinks=False)


def _remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path)
    else:
        Path(entry.path).unlink()


def _check_stopped(cluster: Cluster) -> None:
    if (cluster.data / "postmaster.pid").exists():
        raise BenchbookError("a server runs on the data directory", "stop the cluster before copying its data")


def _outlive(cluster: Cluster) -> None:
    """Refuse while a server runs; of one that was killed, wait for the processes that it left behind."""
    note = cluster.data / "postmaster.pid"
    if not note.exists():
        return
    server = note.read_text().split()[:1]
    deadline = time.monotonic() + _PATIENCE_S
    while orphans := _processes_in(cluster.data):
        if server in ([str(each.pid)] for each in orphans):
            _check_stopped(cluster)
        if time.monotonic() > deadline:
            for each in orphans:
                with suppress(psutil.NoSuchProcess):
                    each.kill()
        time.sleep(0.05)


def _processes_in(folder: Path) -> list[psutil.Process]:
    """The server's processes: all of them work in its data directory."""
    found = []
    for process in psutil.process_iter(["name"]):
        if process.info["name"] == "postgres":
            with suppress(psutil.Error):
                if Path(process.cwd()) == folder and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
    return found
