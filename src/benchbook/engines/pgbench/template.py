"""A loaded data directory kept aside, and put back before each trial, so that all start from the same data."""

from __future__ import annotations

import os
import time
from contextlib import suppress

import psutil

from benchbook import nofollow
from benchbook.engines.postgres import Cluster
from benchbook.engines.processes import working_in
from benchbook.errors import BenchbookError

_PATIENCE_S = 10.0


class Template:
    """The copy of one cluster's data directory, inside the cluster's folder, and removed with it."""

    def __init__(self, cluster: Cluster) -> None:
        """Copy the data directory of a stopped cluster. Raises BenchbookError while a server runs on it."""
        _check_stopped(cluster)
        self._cluster = cluster
        folder = cluster.folder / "template"
        if folder.exists():
            raise BenchbookError("the cluster has a template already", "restore that one")
        self._copies = [(folder, cluster.data)]
        """Each copy, and what it is of: also of a log that lies elsewhere."""
        if cluster.wal:
            self._copies.append((cluster.folder / "template-wal", cluster.wal))
        self.bytes = sum(cluster.save(place, copy) for copy, place in self._copies)

    def restore(self) -> int:
        """Put the data directory back as it was, written to disk and out of the OS page cache; bytes copied.

        Raises BenchbookError while a server runs on it; what a killed one left is put back as well.
        """
        _outlive(self._cluster)
        copied = sum(self._cluster.restore(copy, place) for copy, place in self._copies)
        os.sync()  # all at once, the log's files too: what is written later would be written during the trial
        self._cluster.evict()
        return copied


def _check_stopped(cluster: Cluster) -> None:
    if (cluster.data / "postmaster.pid").exists():
        raise BenchbookError("a server runs on the data directory", "stop the cluster before copying its data")


def _outlive(cluster: Cluster) -> None:
    """Refuse while a server runs; of one that was killed, wait for the processes that it left behind."""
    note = cluster.data / "postmaster.pid"
    if not note.exists():
        return
    server: list[str] = []
    with suppress(OSError):  # it is no note of a server's, and goes with what is put back
        server = nofollow.text(note).split()[:1]
    deadline = time.monotonic() + _PATIENCE_S
    while orphans := working_in(cluster.data, ("postgres",)):
        if server in ([str(each.pid)] for each in orphans):
            _check_stopped(cluster)
        if time.monotonic() > deadline:
            for each in orphans:
                with suppress(psutil.NoSuchProcess):
                    each.kill()
        time.sleep(0.05)
