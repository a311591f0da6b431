"""Our tables on a server that is not ours: made there by ordinary statements, and asked in one of four ways."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from benchbook.engines.own_server import Connection, Facts, patience
from benchbook.engines.own_server.service import LOCK_TIMEOUT, TIMEOUT, pooled
from benchbook.errors import BenchbookError
from benchbook.measuring.features.dataset import scattering
from benchbook.measuring.postgres import one_row
from benchbook.measuring.samples import timed
from benchbook.workloads import hash_keys

FEATURES = 10
CHUNK_ROWS = 64 * 128
"""Of the filler, a page each, written or read in one statement."""
LOAD_TIMEOUT, LOAD_S = "30min", 31 * 60.0
"""Of a statement that fills, indexes or reads a table: by the server's clock, and by ours with the way."""
SETTLING = 7
"""So often each statement is asked before anything is timed: from the sixth time on the server may keep its plan."""


@dataclass(frozen=True)
class Data:
    """Tables of one schema, whose values follow from the number of their row.

    parameters: of the chapter. filler_mib: of the table that displaces them from the pool; a page for each row.
    """

    schema: str
    parameters: Any
    filler_mib: int

    @cached_property
    def tables(self) -> list[str]:
        return [f"{self.schema}.feature_{number:03d}" for number in range(self.parameters.n_tables)]

    @property
    def chunks(self) -> range:
        """First rows of the filler's parts."""
        return range(0, self.filler_mib * 128, CHUNK_ROWS)

    def select(self, table: int) -> str:
        """Key and features of a row, by key."""
        features = ", ".join(f"feature_{number:02d}" for number in range(1, FEATURES + 1))
        return f"SELECT hashkey, {features} FROM {self.tables[table]} WHERE hashkey = %s"

    @cached_property
    def steps(self) -> list[tuple[int, int]]:
        """By table, how far rows whose numbers follow each other lie apart, and the place of the first."""
        rows, generator = self.parameters.rows_per_table, np.random.default_rng([self.parameters.seed, 1])
        return [scattering(rows, generator) for _ in self.tables]

    def statements(self, table: int) -> list[str]:
        """What makes and fills a table in one transaction: rows in an order of its own, no key beside the next."""
        name, rows, (step, first) = self.tables[table], self.parameters.rows_per_table, self.steps[table]
        filled = f"WITH (fillfactor = {self.parameters.fillfactor_percent})"
        columns = ", ".join(f"feature_{number:02d} double precision NOT NULL" for number in range(1, FEATURES + 1))
        others = ", ".join(f"(id * {2 * number + 1} % 1000)::double precision" for number in range(2, FEATURES + 1))
        return [
            f"CREATE TABLE {name} (hashkey char(64) NOT NULL, {columns}, updated_at bigint NOT NULL) {filled}",
            f"INSERT INTO {name} SELECT encode(sha256(convert_to(id::text, 'UTF8')), 'hex'), "
            f"id + {table / 1024!r}::double precision, {others}, 1700000000 + id FROM ("
            f"SELECT (place * {step}::bigint + {first}) % {rows} AS id FROM generate_series(0, {rows - 1}) place) rows",
            f"ALTER TABLE {name} ADD PRIMARY KEY (hashkey) {filled}",
        ]

    def load(self, connection: Connection, progress: Callable[[float], None]) -> None:
        """Make all tables in the schema, which is there; ``progress`` is told the share done."""
        whole, filler = len(self.tables) + len(self.chunks), f"{self.schema}.filler"
        for table, name in enumerate(self.tables, start=1):
            in_one(connection, *self.statements(table - 1))
            vacuumed(connection, name)  # else the first reader writes hints
            progress(table / whole)
        in_one(
            connection, f"CREATE UNLOGGED TABLE {filler} (id bigint PRIMARY KEY, pad text NOT NULL)",
            f"ALTER TABLE {filler} ALTER COLUMN pad SET STORAGE PLAIN",
        )  # fmt: skip
        for done, first in enumerate(self.chunks, start=len(self.tables) + 1):
            last = min(first + CHUNK_ROWS, self.filler_mib * 128) - 1
            made = f"SELECT id, repeat('x', 7900) FROM generate_series({first}, {last}) id"
            in_one(connection, f"INSERT INTO {filler} {made}")
            progress(done / whole)
        vacuumed(connection, filler)

    def displace(self, connection: Connection) -> None:
        """Read the filler by its index, page after page: a scan of the table would stay in a corner of the pool."""
        by_index = {"seqscan": "off", "bitmapscan": "off", "indexscan": "on"}
        planned = [f"SET LOCAL enable_{way} = {state}" for way, state in by_index.items()]
        for first in [*self.chunks] * self.parameters.filler_passes:
            within = f"id BETWEEN {first} AND {first + CHUNK_ROWS - 1}"
            counted = f"SELECT count(pad) FROM {self.schema}.filler WHERE {within}"
            in_one(connection, *planned, "SET LOCAL max_parallel_workers_per_gather = 0", counted)


def in_one(connection: Connection, *statements: str) -> None:
    """All in one transaction, whose settings end with it: behind a pooler the next client has the session."""
    with patience(connection, LOAD_S), connection.transaction():
        connection.execute(f"SET LOCAL statement_timeout = '{LOAD_TIMEOUT}'".encode())
        for each in statements:
            connection.execute(each.encode())


def vacuumed(connection: Connection, table: str) -> None:
    """In no transaction, which VACUUM refuses; behind a pooler our patience alone bounds it."""
    own = not pooled(connection)
    with patience(connection, LOAD_S):
        if own:
            connection.execute(f"SET statement_timeout = '{LOAD_TIMEOUT}'".encode())
        connection.execute(f"VACUUM (FREEZE, ANALYZE) {table}".encode())
        if own:
            connection.execute(f"SET statement_timeout = '{TIMEOUT}'".encode())


class Client:
    """One connection, a row of each table per request, asked in one way; every row is checked.

    way: "pipeline", "serial", "one_statement" or "empty". prepare: whether the server may keep statements, which it
    cannot behind a pooler.
    """

    def __init__(self, connection: Connection, data: Data, way: str, *, prepare: bool) -> None:
        self._connection, self._way, self._prepare = connection, way, prepare
        statements = [data.select(table) for table in range(len(data.tables))]
        self.lookups = 0 if way == "empty" else len(statements)
        """Rows of a request."""
        if way == "one_statement":
            numbered = (each.replace("SELECT", f"SELECT {table},", 1) for table, each in enumerate(statements))
            statements = [" UNION ALL ".join(numbered).replace("%s", "%(key)s")]
        self._statements = ["SELECT"] if way == "empty" else statements
        self._cursors = [connection.cursor() for _ in self._statements]
        self.trips = len(self._statements) if way == "serial" else 1
        """Round trips of a request that wait for each other, by construction."""

    def run(self, ids: np.ndarray) -> tuple[np.ndarray, int]:
        """Ask for ``ids``, one after the other: ns of each, int64, shape (requests,), and of the whole loop.

        Raises BenchbookError when a row is not the one that was asked for.
        """
        latencies, answers, loop_ns = timed(self._ask, hash_keys(ids.tolist()))
        for number, rows in zip(ids.tolist(), answers, strict=True):
            right = (row is not None and row[1] == number + table / 1024 for table, row in enumerate(rows))
            if len(rows) != self.lookups or not all(right):
                why = f"the server answered with other rows than those of key {number}"
                raise BenchbookError(why, "run again with --fresh")
        return latencies, loop_ns

    def settle(self, ids: np.ndarray) -> None:
        self.run(np.resize(ids, SETTLING))

    def _ask(self, key: str) -> list[Any]:
        if self._way == "empty":
            self._cursors[0].execute("SELECT", prepare=self._prepare)
            return []
        if self._way == "one_statement":
            rows = self._cursors[0].execute(self._statements[0], {"key": key}, prepare=self._prepare).fetchall()
            return [row[1:] for row in sorted(rows)]
        asked = zip(self._cursors, self._statements, strict=True)
        if self._way == "serial":
            return [cursor.execute(each, (key,), prepare=self._prepare).fetchone() for cursor, each in asked]
        with self._connection.pipeline():
            for cursor, each in asked:
                cursor.execute(each, (key,), prepare=self._prepare)
        return [cursor.fetchone() for cursor in self._cursors]


COUNTERS = """
    SELECT coalesce(sum(heap_blks_hit + idx_blks_hit), 0)::bigint,
           coalesce(sum(heap_blks_read + idx_blks_read), 0)::bigint,
           (SELECT coalesce(sum(idx_scan), 0)::bigint FROM pg_stat_user_tables
            WHERE schemaname = %s AND relname LIKE 'feature%%')
    FROM pg_statio_user_tables WHERE schemaname = %s AND relname LIKE 'feature%%'
"""


@dataclass(frozen=True)
class Counting:
    """The server's counts of our tables, over one connection."""

    connection: Connection
    facts: Facts
    schema: str

    @contextmanager
    def pinned(self) -> Iterator[None]:
        """Behind a pooler one transaction, which keeps one session of the server, so that its counts are complete."""
        if not self.facts.pooler:
            yield
            return
        with self.connection.transaction():
            self.connection.execute(f"SET LOCAL statement_timeout = '{TIMEOUT}'".encode())
            self.connection.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'".encode())
            yield
            self._flush()

    def _flush(self) -> None:
        """Have the server tell its counts, which it would otherwise do within a second or two."""
        if self.facts.major >= 15:
            self.connection.execute("SELECT pg_stat_force_next_flush()")

    def read(self) -> tuple[int, ...]:
        """Blocks found in the pool, blocks read into it, and look-ups by index, so far."""
        if not self.facts.pooler:
            self._flush()
        if self.facts.major < 15:
            time.sleep(1.1)
            self.connection.execute("SELECT 1")
            time.sleep(0.6)
        self.connection.execute("SELECT 1")
        return tuple(map(int, one_row(self.connection, COUNTERS, self.schema, self.schema)))
