"""Which pages of pgbench's tables lie in shared buffers and in the OS page cache, which are dirty, and reading them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchbook.engines.pgbench import kernel_counters
from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres import counters as pg
from benchbook.engines.postgres.counters import Connection

RELATIONS = {
    name: number
    for number, name in enumerate(
        (
            "pgbench_accounts", "pgbench_accounts_pkey", "pgbench_branches", "pgbench_branches_pkey",
            "pgbench_tellers", "pgbench_tellers_pkey", "pgbench_history",
        )
    )
}  # fmt: skip


def prewarm(connection: Connection, names: Iterable[str] = tuple(RELATIONS)) -> None:
    """Read tables and indexes into the pool, one after the other, as far as it goes; all of pgbench's by default."""
    for name in names:
        connection.execute("SELECT pg_prewarm(%s::regclass, 'buffer')", (name,))


@dataclass(frozen=True)
class Residency:
    """Blocks of pgbench's relations: all there are, those in the pool, in the OS cache, in either.

    os: None where nobody could look; either is then None too.
    """

    data: int
    pool: int
    os: int | None
    either: int | None


def paths(connection: Connection, cluster: Cluster) -> list[tuple[int, Path]]:
    """(number, first data file) of each relation; a restored copy has the same."""
    places = [pg.one_row(connection, "SELECT pg_relation_filepath(%s::regclass)", name)[0] for name in RELATIONS]
    return [(number, cluster.data / place) for number, place in zip(RELATIONS.values(), places, strict=True)]


def look(connection: Connection, files: list[tuple[int, Path]]) -> Residency:
    """What the two caches hold now. connection: to pgbench's database."""
    sizes = f"SELECT sum(pg_relation_size(r))::bigint / {pg.BLOCK_BYTES} FROM unnest(%s::regclass[]) AS r"
    (data,) = pg.one_row(connection, sizes, [*RELATIONS])
    pool = pg.buffered_blocks(connection, RELATIONS)
    try:
        cached = pg.os_cached_blocks(files)
    except OSError:
        return Residency(int(data), len(pool), None, None)
    return Residency(int(data), len(pool), len(cached), len(np.union1d(pool, cached)))


def pool_pages(connection: Connection) -> tuple[int, int]:
    """Pages of pgbench's relations in shared buffers, and the dirty ones among them."""
    pages, dirty = pg.one_row(
        connection,
        """SELECT count(*), count(*) FILTER (WHERE isdirty) FROM pg_buffercache
           WHERE relforknumber = 0 AND reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
             AND relfilenode = ANY (SELECT pg_relation_filenode(r) FROM unnest(%s::regclass[]) AS r)""",
        [*RELATIONS],
    )
    return int(pages), int(dirty)


def dirty_bytes() -> float | None:
    """Bytes that wait in the machine's memory to be written, or None where the kernel does not say."""
    found = kernel_counters.memory()
    return sum(found.values()) if found else None
