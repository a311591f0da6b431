"""A second PostgreSQL of this system, with codecs that the first may lack, and pgbench's tables on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchbook.engines.postgres import Binaries
from benchbook.engines.postgres.binaries import OLDEST_MAJOR, program_version
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import tables
from benchbook.measuring.pgbench.tables import Progress, Tables

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

    def say(words: str, done: float) -> None:
        progress("loading the second server's tables", done)

    with tables.loaded(scale, disk_bytes, say, "pg_prewarm", binaries=binaries) as found:
        if found.wal_compression != "lz4":
            raise MachineError(f"PostgreSQL {binaries.version} was built without lz4", MEND)
        yield found
