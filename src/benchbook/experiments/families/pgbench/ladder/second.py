"""A second PostgreSQL of this system, with codecs that the first may lack, and pgbench's tables on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchbook.engines import pgbench
from benchbook.engines.pgbench import Template, residency
from benchbook.engines.postgres import Binaries, private_cluster
from benchbook.engines.postgres.binaries import OLDEST_MAJOR, program_version
from benchbook.errors import MachineError
from benchbook.experiments.families import postgres
from benchbook.experiments.families.pgbench.tables import Progress, Tables, sizes

INSTALLED = Path("/usr/lib/postgresql")
"""Where Debian's packages lie, a folder for each major version."""
OLDEST = max(15, OLDEST_MAJOR)
"""The first release with lz4."""
MEND = "install Debian's postgresql package, or set second_server=false to leave out the configurations on it"


def find(installed: Path = INSTALLED) -> Binaries:
    """The newest installation with server and pgbench. Raises MachineError where there is none of 15 or later."""
    found = []
    for folder in installed.glob("*/bin"):
        if all(os.access(folder / program, os.X_OK) for program in ("postgres", "initdb", "pgbench")):
            found.append(Binaries(folder, program_version(folder / "postgres"), embedded=False))
    usable = [each for each in found if each.major >= OLDEST]
    if not usable:
        raise MachineError(f"there is no second PostgreSQL of version {OLDEST} or later in {installed}", MEND)
    return max(usable, key=lambda each: each.major)


@contextmanager
def loaded(scale: int, disk_bytes: int, progress: Progress) -> Iterator[Tables]:
    """A private cluster of the second server with the tables of a scale, kept as a template.

    Raises MachineError where it lacks lz4.
    """
    binaries = find()
    with private_cluster(binaries, bytes_needed=disk_bytes) as cluster:
        progress("loading the second server's tables", 0.0)
        cluster.start({"shared_buffers": "256MB", "synchronous_commit": False, "maintenance_work_mem": "256MB"})
        pgbench.initialise(cluster, scale)
        with cluster.connect() as connection:
            postgres.extend(connection, "pg_buffercache")
            codec = postgres.wal_compression(connection)
        if codec != "lz4":
            raise MachineError(f"PostgreSQL {binaries.version} was built without lz4", MEND)
        with pgbench.connect(cluster) as connection:
            postgres.extend(connection, "pg_buffercache", "pg_prewarm")
            paths = residency.paths(connection, cluster)
        heap, indexes = sizes(cluster)
        cluster.stop()
        yield Tables(binaries, cluster, Template(cluster), paths, heap, indexes, codec, {})
