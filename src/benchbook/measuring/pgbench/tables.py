"""pgbench's tables on a private cluster: loaded once and kept as a template, a copy of which each trial starts from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.engines import pgbench
from benchbook.engines.pgbench import Template, residency
from benchbook.engines.postgres import Binaries, Cluster, find, private_cluster
from benchbook.errors import MachineError
from benchbook.measuring import postgres
from benchbook.measuring.pgbench.storage import SCRATCH, Place
from benchbook.model import Scalar

Progress = Callable[[str, float], None]
_LOADING: Mapping[str, Scalar] = {
    "shared_buffers": "256MB",
    "synchronous_commit": False,
    "maintenance_work_mem": "256MB",
}


@dataclass(frozen=True)
class Tables:
    """A stopped cluster with pgbench's tables.

    paths: as ``residency.paths`` gives them. heap_bytes, index_bytes: of all tables as loaded. wal_compression: the
    best that the server has. facts: what was asked of the server before the tables were loaded. place: where it lies.
    """

    binaries: Binaries
    cluster: Cluster
    template: Template
    paths: list[tuple[int, Path]]
    heap_bytes: int
    index_bytes: int
    wal_compression: str
    facts: Mapping[str, Any]
    place: Place = SCRATCH

    @property
    def data_bytes(self) -> int:
        """Heap and indexes as loaded."""
        return self.heap_bytes + self.index_bytes


@contextmanager
def loaded(
    scale: int,
    disk_bytes: int,
    progress: Progress,
    *extensions: str,
    before: Callable[[Cluster], Mapping[str, Any]] = lambda cluster: {},
    place: Place = SCRATCH,
    binaries: Binaries | None = None,
) -> Iterator[Tables]:
    """A private cluster with the tables of a scale; ``progress`` is told of the loading.

    extensions: created beside pg_buffercache. before: asks the server for facts before it has the tables. place: where
    its data and its log lie. binaries: of the server, the book's own unless given.
    """
    binaries = binaries or find()
    folder = None if place.volume is None else place.volume.folder
    with private_cluster(binaries, bytes_needed=disk_bytes, place=folder, wal_place=place.wal) as cluster:
        progress("loading pgbench's tables", 0.0)
        cluster.start(_LOADING)
        facts = before(cluster)
        pgbench.initialise(cluster, scale)
        with cluster.connect() as connection:
            postgres.extend(connection, "pg_buffercache")
        with pgbench.connect(cluster) as connection:
            postgres.extend(connection, "pg_buffercache", *extensions)
            paths = residency.paths(connection, cluster)
            compression = postgres.wal_compression(connection)
        heap, indexes = sizes(cluster)
        progress("keeping a template", 0.9)
        cluster.stop()
        yield Tables(binaries, cluster, Template(cluster), paths, heap, indexes, compression, facts, place)


def sizes(cluster: Cluster) -> tuple[int, int]:
    """Bytes of pgbench's tables, maps included, and of their indexes."""
    asked = """SELECT sum(pg_table_size(oid))::bigint, sum(pg_indexes_size(oid))::bigint FROM pg_class
               WHERE relkind = 'r' AND relname ~ '^pgbench_'"""
    with pgbench.connect(cluster) as connection:
        heap, indexes = postgres.one_row(connection, asked)
    return int(heap), int(indexes)


def shared_bytes(cluster: Cluster, settings: Mapping[str, Scalar]) -> int:
    """Shared memory that a server with these settings will ask for, as it says itself; the cluster is stopped."""
    asked = [part for name, value in settings.items() if name != "huge_pages" for part in ("-c", f"{name}={value}")]
    said = cluster.run("postgres", "-D", str(cluster.data), *asked, "-C", "shared_memory_size")
    try:
        return (int(said.stdout) + 1) * 2**20
    except ValueError:
        problem = (said.stderr.strip() or "it said nothing").splitlines()[-1]
        raise MachineError(
            f"the server does not say how much shared memory it needs: {problem}",
            "use PostgreSQL 15 or later, or set allow_vm_settings=false",
        ) from None
