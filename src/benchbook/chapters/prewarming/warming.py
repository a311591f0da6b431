"""The ways to fill the pool of a server that was just restarted, and what the server read for it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import chain
from typing import Any

import psycopg

from benchbook.chapters.prewarming.arms import ASKED, INDEXES, LIST, NONE, WHOLE
from benchbook.engines.pgbench import residency
from benchbook.engines.postgres import Binaries, Cluster
from benchbook.engines.postgres import counters as pg
from benchbook.errors import MachineError
from benchbook.measuring.features.made import Data
from benchbook.model import Scalar

Connection = psycopg.Connection[tuple[Any, ...]]
LIST_SETTINGS: dict[str, Scalar] = {"shared_preload_libraries": "pg_prewarm"}
LOADED = "autoprewarm successfully prewarmed"
"""What the server's log says when the list is worked off."""
WITHIN_S, LOOK_S = 600.0, 0.01


@dataclass(frozen=True)
class Read:
    """What the server's processes have read of relations: operations and bytes; None before PostgreSQL 16."""

    operations: int | None
    bytes: int | None

    def __sub__(self, earlier: Read) -> Read:
        if self.operations is None or self.bytes is None or earlier.operations is None or earlier.bytes is None:
            return Read(None, None)
        return Read(self.operations - earlier.operations, self.bytes - earlier.bytes)


def read(connection: Connection, binaries: Binaries) -> Read:
    """Until now, by all processes, those that have ended included."""
    if not binaries.has_stat_io:
        return Read(None, None)
    pg.flush(connection, binaries)
    size = "read_bytes" if binaries.major >= 18 else "reads * op_bytes"
    row = connection.execute(
        f"SELECT sum(reads)::bigint, sum({size})::bigint FROM pg_stat_io WHERE object = 'relation'".encode()
    ).fetchone()
    assert row is not None
    return Read(int(row[0] or 0), int(row[1] or 0))


def write_list(connection: Connection, binaries: Binaries) -> None:
    """Have the server write down which pages it holds, for its next start, and begin to count reads at zero."""
    connection.execute("SELECT autoprewarm_dump_now()")
    if binaries.has_stat_io:
        pg.flush(connection, binaries)  # what waits to be counted would be counted after the reset
        connection.execute("SELECT pg_stat_reset_shared('io')")


def warm(way: str, cluster: Cluster, connection: Connection, data: Data) -> None:
    """Fill the pool of a server that has just been started, in this way, and come back when that is done.

    Raises MachineError where the server's own worker does not get done.
    """
    if way == ASKED:
        data.warm(connection)
    elif way in (INDEXES, WHOLE):
        pairs = zip(data.indexes, data.tables, strict=True)
        residency.prewarm(connection, data.indexes if way == INDEXES else chain.from_iterable(pairs))
    elif way == LIST:
        _wait_for_list(cluster)
    elif way != NONE:
        raise ValueError(f"there is no way {way!r} to warm a pool")


def _wait_for_list(cluster: Cluster) -> None:
    deadline = time.monotonic() + WITHIN_S
    while LOADED not in cluster.log():
        if time.monotonic() > deadline:
            raise MachineError(
                f"autoprewarm did not load its list within {WITHIN_S:g} s", "measure on a quieter machine"
            )
        time.sleep(LOOK_S)
