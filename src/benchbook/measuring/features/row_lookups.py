"""Look-ups of rows in a set of tables: a client that checks every row, what the server counted, what its pool holds."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from benchbook.engines.postgres import Binaries
from benchbook.engines.postgres.counters import flush
from benchbook.errors import BenchbookError
from benchbook.measuring.features.row_tables import TableSet
from benchbook.measuring.postgres import Connection, one_row
from benchbook.measuring.samples import timed
from benchbook.workloads import hash_keys

CHUNK_REQUESTS = 250
"""So many answers are kept until they are checked, outside of what is timed."""
FRAME_BYTES, FIELD_BYTES = 7, 4
"""What the protocol adds to a row, and to each of its values."""
KINDS = ("heap", "idx", "toast", "tidx")
"""Heap, index, TOAST table and its index, as PostgreSQL's views call them."""


@dataclass(frozen=True)
class Answered:
    """latencies: ns, int64, shape (requests,). loop_ns: the whole loop's time without the checks.

    value_bytes, row_bytes: by table, mean bytes of a row's values as text, and of the message that carries them.
    """

    latencies: np.ndarray
    loop_ns: int
    value_bytes: dict[str, float]
    row_bytes: dict[str, float]


class RowClient:
    """Sends requests over one connection, all tables of a request in one pipeline, and checks what comes back.

    written: by table and id, the rows of which values were drawn; they were read by a scan after loading.
    """

    def __init__(
        self, connection: Connection, tables: TableSet, columns: str, written: list[dict[int, tuple[Any, ...]]]
    ) -> None:
        self._connection, self._tables, self._columns, self._written = connection, tables, columns, written
        self._cursors = [connection.cursor() for _ in tables.names]

    def run(self, ids: np.ndarray) -> Answered:
        """Ask for ``ids``, int64, shape (requests, keys of a request).

        Raises BenchbookError when a row is missing, comes twice, or is not the one that was written.
        """
        statements = [self._tables.select(t, self._columns, ids.shape[1]) for t in range(len(self._cursors))]
        latencies, loop_ns = np.empty(len(ids), dtype=np.int64), 0
        sizes = np.zeros((len(statements), 3))
        for start in range(0, len(ids), CHUNK_REQUESTS):
            chunk = ids[start : start + CHUNK_REQUESTS]
            by_id = self._tables.key == "business_id"
            arguments = [each if by_id else hash_keys(each) for each in chunk.tolist()]
            took, answers, chunk_ns = timed(partial(self._ask, statements), arguments)
            latencies[start : start + len(chunk)], loop_ns = took, loop_ns + chunk_ns
            self._check(chunk, answers, sizes)
        found = dict(zip(self._tables.names, (sizes / np.maximum(1, sizes[:, :1])).tolist(), strict=True))
        values = {name: size for name, (_, size, _) in found.items()}
        rows = {name: FRAME_BYTES + FIELD_BYTES * fields + size for name, (_, size, fields) in found.items()}
        return Answered(latencies, loop_ns, values, rows)

    def _ask(self, statements: list[str], argument: list[Any]) -> list[Any]:
        with self._connection.pipeline():
            for cursor, statement in zip(self._cursors, statements, strict=True):
                cursor.execute(statement, argument, prepare=True)
        return [(cursor.fetchall(), cursor.pgresult) for cursor in self._cursors]

    def _check(self, chunk: np.ndarray, answers: list[list[Any]], sizes: np.ndarray) -> None:
        """Add up rows, bytes of their values and values, by table."""
        for ids, tables in zip(chunk.tolist(), answers, strict=True):
            for place, (rows, result) in enumerate(tables):
                if sorted(rows) != sorted(self._wanted(place, number) for number in ids):
                    raise BenchbookError(
                        f"{self._tables.tables[place]} answered {str(rows)[:200]} for rows {ids}",
                        "the data set is damaged: run again with --fresh",
                    )
                fields = [result.get_value(row, n) for row in range(len(rows)) for n in range(result.nfields)]
                sizes[place] += len(rows), sum(len(each) for each in fields if each is not None), len(fields)

    def _wanted(self, place: int, number: int) -> tuple[Any, ...]:
        if self._tables.definitions:
            written = self._written[place][number]
            return written[2:5] if self._columns == "three" else written
        three = (number + place / 1024, 2.0 * number, number / 4)
        if self._columns == "three":
            return three
        others = (_key(number) * (self._tables.characters // 64 + 1))[: self._tables.characters]
        return (_key(number), number, *three, 1_700_000_000 + number % 31_536_000, others)


@cache
def _key(number: int) -> str:
    return hash_keys([number])[0]


@dataclass(frozen=True)
class Counts:
    """Blocks of 8 KiB by kind, look-ups by index, and pages that client backends evicted (None before version 16)."""

    hit: dict[str, int]
    read: dict[str, int]
    scans: int
    evictions: int | None

    def accessed(self, *kinds: str) -> int:
        return sum(self.hit[kind] + self.read[kind] for kind in kinds)

    @property
    def reads(self) -> int:
        return sum(self.read.values())

    def __sub__(self, earlier: Counts) -> Counts:
        gone = None if self.evictions is None or earlier.evictions is None else self.evictions - earlier.evictions
        hit, read = (
            {kind: now[kind] - then[kind] for kind in KINDS}
            for now, then in ((self.hit, earlier.hit), (self.read, earlier.read))
        )
        return Counts(hit, read, self.scans - earlier.scans, gone)


def counts(observer: Connection, measured: Connection, binaries: Binaries, schema: str) -> Counts:
    """The counters now. ``measured`` is flushed first; ``observer`` is another connection, which does the asking."""
    flush(measured, binaries)
    observer.execute("SELECT pg_stat_clear_snapshot()")
    sums = ", ".join(f"coalesce(sum({kind}_blks_{each}), 0)::bigint" for each in ("hit", "read") for kind in KINDS)
    row = one_row(
        observer,
        f"""SELECT {sums}, (SELECT coalesce(sum(idx_scan), 0)::bigint FROM pg_stat_user_tables WHERE schemaname = %s)
            FROM pg_statio_user_tables WHERE schemaname = %s""",
        schema,
        schema,
    )
    evictions = None
    if binaries.has_stat_io:
        asked = """SELECT sum(evictions)::bigint FROM pg_stat_io WHERE backend_type = 'client backend'
                   AND object = 'relation' AND context = 'normal'"""
        [evictions] = one_row(observer, asked)
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
    return dict.fromkeys(("heap", "index", "toast", "map"), 0) | {str(kind): int(pages) for kind, pages in rows}


def expected_pages(rows_on_page: np.ndarray, keys: int) -> float:
    """Pages that so many different rows touch on average if they lie by chance; rows_on_page: int, shape (pages,).

    A page of r of n rows stays untouched with the chance C(n - r, keys) / C(n, keys).
    """

    def log_choose(n: int) -> float:
        return math.lgamma(n + 1) - math.lgamma(keys + 1) - math.lgamma(n - keys + 1)

    total, found = int(rows_on_page.sum()), 0.0
    for rows, pages in zip(*np.unique(rows_on_page, return_counts=True), strict=True):
        left = total - int(rows)
        found += int(pages) * (1.0 - (math.exp(log_choose(left) - log_choose(total)) if keys <= left else 0.0))
    return found


def pages_per_key(pages: np.ndarray, groups: np.ndarray) -> float:
    """Distinct pages per key within each group, mean over groups. pages: by id. groups: ids, shape (groups, keys)."""
    return float(np.mean([len(np.unique(pages[group])) / len(group) for group in groups]))


def explained(measured: Any, each: TableSet, columns: str, ids: np.ndarray) -> tuple[str, float]:
    """How twenty of the look-ups are done, and how many heap rows they fetched for want of visibility."""
    statement, kinds, fetches = each.select(0, columns, ids.shape[1]), set(), 0
    for row in ids[:20].tolist():
        keys = row if each.key == "business_id" else hash_keys(row)
        [(plan,)] = measured.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", keys).fetchall()
        node = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
        kinds.add(str(node["Node Type"]))
        fetches += int(node.get("Heap Fetches", 0))
    return ", ".join(sorted(kinds)), float(fetches)
