"""A loaded data directory kept aside, and put back before each trial, so that all start from the same data."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

from benchbook.engines.postgres import Cluster
from benchbook.errors import BenchbookError

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
        self.shares_blocks = copy_tree(cluster.data, self.folder)
        self.bytes = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    def restore(self) -> None:
        """Put the data directory back as it was, written to disk and out of the OS page cache.

        Raises BenchbookError while a server runs on it.
        """
        _check_stopped(self._cluster)
        shutil.rmtree(self._cluster.data)
        copy_tree(self.folder, self._cluster.data)
        self._cluster.give(self._cluster.data)
        os.sync()  # all at once, the log's files too: what is written later would be written during the trial
        self._cluster.evict()


def copy_tree(source: Path, target: Path) -> bool:
    """Copy a folder; files share their blocks where the file system can do that. Returns whether all of them do."""
    shared = True

    def copy(old: str, new: str) -> str:
        nonlocal shared
        with Path(old).open("rb") as reading, Path(new).open("wb") as writing:
            try:
                fcntl.ioctl(writing, _FICLONE, reading.fileno())
            except OSError:
                shared = False
                shutil.copyfileobj(reading, writing, 1 << 20)
        shutil.copystat(old, new)
        return new

    shutil.copytree(source, target, symlinks=True, copy_function=copy)
    return shared


def _check_stopped(cluster: Cluster) -> None:
    if (cluster.data / "postmaster.pid").exists():
        raise BenchbookError("a server runs on the data directory", "stop the cluster before copying its data")
