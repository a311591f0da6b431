"""A private cluster while a block lasts: made on a scratch disk, its mishaps told in words, always removed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchbook import files, temporary
from benchbook.engines import guardian, libpq
from benchbook.engines.postgres import leftovers, mishap
from benchbook.engines.postgres.binaries import Binaries
from benchbook.engines.postgres.cluster import Cluster


@contextmanager
def private_cluster(
    binaries: Binaries, *, bytes_needed: int, place: Path | None = None, wal_place: Path | None = None
) -> Iterator[Cluster]:
    """An initialised, stopped cluster on a scratch disk; stopped and removed at the end, however that comes.

    place: a folder of ours in which it lies instead. wal_place: an empty folder of ours for its log, such as on a
    volume of its own; it is removed with the volume. Meanwhile no PostgreSQL variable of the caller reaches the server
    or its clients. Raises MachineError, with what happened, when the server or a process of it dies, or its disk is
    full.
    """
    with (
        libpq.without_callers_settings(),
        temporary.folder(leftovers.KIND, place or files.scratch(bytes_needed)) as folder,
        guardian.guarded(folder, leftovers.destroy),
    ):
        cluster = Cluster(binaries, folder, wal_place)
        with mishap.told(cluster):
            cluster.initialise()
            yield cluster
