"""What the server counted for a set of tables: blocks by kind, evictions; and what its pool holds of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from benchbook.engines.postgres.binaries import Binaries
from benchbook.engines.postgres.counters import flush

Connection = psycopg.Connection[tuple[Any, ...]]
KINDS = ("heap", "idx", "toast", "tidx")
"""Heap, index, TOAST table and its index, as PostgreSQL's views call them."""
RESIDENT = {"heap": "heap", "index": "index", "toast": "TOAST", "map": "visibility map"}


@dataclass(frozen=True)
class Counts:
    """Blocks of 8 KiB by kind, look-ups by index, and pages that client backends evicted (None before version 16)."""

    hit: dict[str, int]
    read: dict[str, int]
    scans: int
    evictions: int | None

    @property
    def reads(self) -> int:
        """Blocks that were not in shared buffers."""
        return sum(self.read.values())

    def __sub__(self, earlier: Counts) -> Counts:
        gone = None if self.evictions is None or earlier.evictions is None else self.evictions - earlier.evictions
        return Counts(
            {kind: self.hit[kind] - earlier.hit[kind] for kind in KINDS},
            {kind: self.read[kind] - earlier.read[kind] for kind in KINDS},
            self.scans - earlier.scans,
            gone,
        )


def read(observer: Connection, measured: Connection, binaries: Binaries, schema: str) -> Counts:
    """The counters now. ``measured`` is flushed first; ``observer`` is another connection, which does the asking."""
    flush(measured, binaries)
    observer.execute("SELECT pg_stat_clear_snapshot()")
    sums = ", ".join(f"coalesce(sum({kind}_blks_{each}), 0)::bigint" for each in ("hit", "read") for kind in KINDS)
    row = observer.execute(
        f"""SELECT {sums}, (SELECT coalesce(sum(idx_scan), 0)::bigint FROM pg_stat_user_tables WHERE schemaname = %s)
            FROM pg_statio_user_tables WHERE schemaname = %s""",
        (schema, schema),
    ).fetchone()
    assert row is not None
    evictions = None
    if binaries.has_stat_io:
        found = observer.execute(
            "SELECT sum(evictions)::bigint FROM pg_stat_io WHERE backend_type = 'client backend' "
            "AND object = 'relation' AND context = 'normal'"
        ).fetchone()
        evictions = found[0] if found else None
    n = len(KINDS)
    hit, missed = (dict(zip(KINDS, map(int, row[start : start + n]), strict=True)) for start in (0, n))
    return Counts(hit, missed, int(row[-1]), evictions)


def resident(observer: Connection, schema: str) -> dict[str, int]:
    """Distinct pages of a schema's tables in shared buffers, by kind: heap, index, toast with its index, map."""
    rows = observer.execute(
        """
        WITH heaps AS (SELECT oid, reltoastrelid FROM pg_class
                       WHERE relkind = 'r' AND relnamespace = %s::regnamespace),
             every AS (SELECT oid, 'heap' AS kind FROM heaps
                       UNION ALL SELECT indexrelid, 'index' FROM pg_index WHERE indrelid IN (SELECT oid FROM heaps)
                       UNION ALL SELECT reltoastrelid, 'toast' FROM heaps WHERE reltoastrelid <> 0
                       UNION ALL SELECT indexrelid, 'toast' FROM pg_index
                       WHERE indrelid IN (SELECT reltoastrelid FROM heaps WHERE reltoastrelid <> 0))
        SELECT CASE b.relforknumber WHEN 0 THEN kind ELSE 'map' END, count(*)
        FROM (SELECT kind, pg_relation_filenode(oid) AS node FROM every) AS e
        JOIN pg_buffercache b ON b.relfilenode = e.node
         AND b.reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
        GROUP BY 1""",
        (schema,),
    ).fetchall()
    return dict.fromkeys(RESIDENT, 0) | {str(kind): int(pages) for kind, pages in rows}
