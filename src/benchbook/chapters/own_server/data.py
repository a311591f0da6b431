"""The tables on the server: made there by ordinary statements, every value derivable from its row's number."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchbook.chapters.own_server.arms import Parameters
from benchbook.engines.own_server import Connection, patience
from benchbook.engines.own_server.service import TIMEOUT, pooled

FEATURES = 10
CHUNK_MIB = 64
LOAD_TIMEOUT, LOAD_S = "30min", 31 * 60.0
"""Of a statement that fills, indexes or reads a table: by the server's clock, and by ours with the way."""


@dataclass(frozen=True)
class Data:
    """Tables of one schema. filler_mib: of the table that displaces them from the pool; a page for each row."""

    schema: str
    parameters: Parameters
    filler_mib: int

    @property
    def filler_rows(self) -> int:
        """A page each."""
        return self.filler_mib * 128

    @cached_property
    def tables(self) -> list[str]:
        """Names with their schema, in the order in which a request reads them."""
        return [f"{self.schema}.feature_{number:03d}" for number in range(self.parameters.n_tables)]

    def select(self, table: int) -> str:
        """Key and features of a row, by key."""
        features = ", ".join(f"feature_{number:02d}" for number in range(1, FEATURES + 1))
        return f"SELECT hashkey, {features} FROM {self.tables[table]} WHERE hashkey = %s"

    @cached_property
    def _steps(self) -> list[tuple[int, int]]:
        """By table, how far rows whose numbers follow each other lie apart, and the place of the first."""
        rows, generator = self.parameters.rows_per_table, np.random.default_rng([self.parameters.seed, 1])
        found = []
        for _ in self.tables:
            step = int(generator.integers(rows // 4, 3 * rows // 4))
            while math.gcd(step, rows) != 1:
                step += 1
            found.append((step, int(generator.integers(rows))))
        return found

    def statements(self, table: int) -> list[str]:
        """What makes and fills a table in one transaction: rows in an order of its own, no key beside the next."""
        name, rows, (step, first) = self.tables[table], self.parameters.rows_per_table, self._steps[table]
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
        chunks = range(0, self.filler_rows, CHUNK_MIB * 128)
        whole, done = len(self.tables) + len(chunks), 0
        for table, name in enumerate(self.tables):
            _in_one(connection, self.statements(table))
            _vacuumed(connection, name)  # else the first reader writes hints
            done += 1
            progress(done / whole)
        filler = f"{self.schema}.filler"
        _in_one(
            connection,
            [
                f"CREATE UNLOGGED TABLE {filler} (id bigint PRIMARY KEY, pad text NOT NULL)",
                f"ALTER TABLE {filler} ALTER COLUMN pad SET STORAGE PLAIN",
            ],
        )
        for first in chunks:
            last = min(first + CHUNK_MIB * 128, self.filler_rows) - 1
            made = f"SELECT id, repeat('x', 7900) FROM generate_series({first}, {last}) id"
            _in_one(connection, [f"INSERT INTO {filler} {made}"])
            done += 1
            progress(done / whole)
        _vacuumed(connection, filler)

    def displace(self, connection: Connection) -> None:
        """Read the filler by its index, page after page: a scan of the table would stay in a corner of the pool."""
        for _ in range(self.parameters.filler_passes):
            for first in range(0, self.filler_rows, CHUNK_MIB * 128):
                last = first + CHUNK_MIB * 128 - 1
                _in_one(
                    connection,
                    [
                        "SET LOCAL enable_seqscan = off",
                        "SET LOCAL enable_bitmapscan = off",
                        "SET LOCAL enable_indexscan = on",
                        "SET LOCAL max_parallel_workers_per_gather = 0",
                        f"SELECT count(pad) FROM {self.schema}.filler WHERE id BETWEEN {first} AND {last}",
                    ],
                )

    def bytes(self, connection: Connection) -> tuple[int, int]:
        """Of all heaps, and of all indexes, without the filler."""
        row = connection.execute(
            """SELECT coalesce(sum(pg_relation_size(c.oid)) FILTER (WHERE c.relkind = 'r'), 0)::bigint,
                      coalesce(sum(pg_relation_size(c.oid)) FILTER (WHERE c.relkind = 'i'), 0)::bigint
               FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = %s AND c.relname LIKE 'feature%%'""",
            (self.schema,),
        ).fetchone()
        assert row is not None
        return row[0], row[1]


def first_feature(row: int, table: int) -> float:
    """The value of feature_01, exact in a double."""
    return row + table / 1024


def _in_one(connection: Connection, statements: list[str]) -> None:
    """All in one transaction, whose settings end with it: behind a pooler the next client has the session."""
    with patience(connection, LOAD_S), connection.transaction():
        connection.execute(f"SET LOCAL statement_timeout = '{LOAD_TIMEOUT}'".encode())
        for each in statements:
            connection.execute(each.encode())


def _vacuumed(connection: Connection, table: str) -> None:
    """In no transaction, which VACUUM refuses; behind a pooler our patience alone bounds it."""
    own = not pooled(connection)
    with patience(connection, LOAD_S):
        if own:
            connection.execute(f"SET statement_timeout = '{LOAD_TIMEOUT}'".encode())
        connection.execute(f"VACUUM (FREEZE, ANALYZE) {table}".encode())
        if own:
            connection.execute(f"SET statement_timeout = '{TIMEOUT}'".encode())
