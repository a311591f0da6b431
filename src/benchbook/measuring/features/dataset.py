"""The feature tables: where each row lies, and how they are made, by binary COPY.

Every value is derivable from its id, so that each read can be checked.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchbook.engines.postgres import Cluster
from benchbook.measuring.features.parameters import OWN, Features
from benchbook.measuring.postgres import Connection, extend, one_row

COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
CHUNK_ROWS = 50_000


def coprime(number: int, rows: int) -> int:
    """The number, or the next one that shares no factor with the rows."""
    while math.gcd(number, rows) != 1:
        number += 1
    return number


def scattering(rows: int, generator: np.random.Generator) -> tuple[int, int]:
    """How far rows whose numbers follow each other lie apart in a table of so many, and the place of the first."""
    return coprime(int(generator.integers(rows // 4, 3 * rows // 4)), rows), int(generator.integers(rows))


@dataclass(frozen=True)
class Layout:
    """One set of tables. name: OWN or ALIKE.

    Rows 0 to ``rows_per_table`` - 1 are in every table. In the layout OWN each table has further rows that no other
    has, how many is drawn for each, and all lie in an order that is drawn too; so the pages of one key in two tables
    have nothing to do with each other. In the layout ALIKE the tables have the same rows in the same order.
    """

    name: str
    parameters: Features

    @property
    def schema(self) -> str:
        return f"features_{self.name}"

    @cached_property
    def tables(self) -> list[str]:
        """Names of the tables with their schema, in the order in which a request reads them."""
        return [f"{self.schema}.feature_{number:03d}" for number in range(self.parameters.n_tables)]

    @cached_property
    def rows(self) -> list[int]:
        return [self.parameters.rows_per_table + own for own in self._own]

    @cached_property
    def _own(self) -> list[int]:
        p = self.parameters
        if self.name != OWN:
            return [0] * p.n_tables
        most = p.rows_per_table * p.own_rows_percent // 100
        drawn = np.random.default_rng([p.seed, 0]).integers(0, most + 1, p.n_tables).tolist()
        return [max(drawn[0], p.first_table_extra_rows), *drawn[1:]]

    @cached_property
    def _steps(self) -> list[tuple[int, int]]:
        """By table, how far neighbouring rows lie apart, and the place of the first; no step shares a factor."""
        if self.name != OWN:
            return [(1, 0)] * self.parameters.n_tables
        generator = np.random.default_rng([self.parameters.seed, 1])
        return [scattering(rows, generator) for rows in self.rows]

    def _first_own(self, table: int) -> int:
        """Id of the first row that this table alone has; those of the first table follow the common ones."""
        return self.parameters.rows_per_table + table * self.parameters.most_own_rows

    def holds(self, table: int, ids: np.ndarray) -> np.ndarray:
        """Which of the ids the table has; bool."""
        first = self._first_own(table)
        own = (ids >= first) & (ids < first + self._own[table])
        return np.asarray((ids < self.parameters.rows_per_table) | own)

    def places(self, table: int, ids: np.ndarray) -> np.ndarray:
        """Physical place of each row in its table, from 0; int64. ids: of rows that the table has."""
        common, (step, first) = self.parameters.rows_per_table, self._steps[table]
        numbers = np.where(ids < common, ids, ids - self._first_own(table) + common)
        return np.asarray((numbers * step + first) % self.rows[table])

    def ids_in_order(self, table: int) -> np.ndarray:
        """The ids of the table's rows in the order in which they are written; int64, shape (rows,)."""
        common, rows, (step, first) = self.parameters.rows_per_table, self.rows[table], self._steps[table]
        numbers = (np.arange(rows, dtype=np.int64) - first) * pow(step, -1, rows) % rows
        return np.where(numbers < common, numbers, numbers - common + self._first_own(table))

    def select(self, table: int) -> str:
        """The note's statement: all columns but updated_at, by key."""
        features = ", ".join(f"feature_{number:02d}" for number in range(1, self.parameters.n_features + 1))
        return f"SELECT hashkey, {features} FROM {self.tables[table]} WHERE hashkey = %s"

    def relations(self) -> dict[str, int]:
        """Heaps and primary-key indexes by name, numbered: heap of table t is 2 t, its index 2 t + 1."""
        numbered = {}
        for number, table in enumerate(self.tables):
            numbered[table] = 2 * number
            numbered[f"{table}_pkey"] = 2 * number + 1
        return numbered


def first_feature(row: int, table: int) -> float:
    """The value written to feature_01, exact in a double."""
    return row + table / 1024


def key_bytes(ids: np.ndarray) -> np.ndarray:
    """Keys as bytes, dtype S64: SHA-256 hex of each id."""
    return np.array([hashlib.sha256(b"%d" % number).hexdigest().encode() for number in ids.tolist()], dtype="S64")


def load(cluster: Cluster, layouts: Sequence[Layout], progress: Callable[[float], None]) -> None:
    """Create and fill all tables of the running cluster, two at a time; ``progress`` is told the share done."""
    with cluster.connect() as connection:
        for layout in layouts:
            connection.execute(f"CREATE SCHEMA {layout.schema}")
        extend(connection, "pg_buffercache", "pageinspect")
    wanted = [(layout, table) for layout in layouts for table in range(layout.parameters.n_tables)]
    common = key_bytes(np.arange(layouts[0].parameters.rows_per_table))
    done = 0
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda each: _load_table(cluster, each[0], each[1], common), wanted):
            done += 1
            progress(done / len(wanted))
    with cluster.connect() as connection:
        connection.execute("CHECKPOINT")


def _load_table(cluster: Cluster, layout: Layout, table: int, common: np.ndarray) -> None:
    name, filled = layout.tables[table], f"WITH (fillfactor = {layout.parameters.fillfactor_percent})"
    features = [f"feature_{number:02d}" for number in range(1, layout.parameters.n_features + 1)]
    columns = ", ".join(f"{feature} double precision NOT NULL" for feature in features)
    with cluster.connect() as connection:
        with connection.transaction():
            connection.execute(
                f"CREATE TABLE {name} (hashkey char(64) NOT NULL, {columns}, updated_at bigint NOT NULL) {filled}"
            )
            with connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT binary, FREEZE)") as copy:
                for part in _rows(layout, table, common):
                    copy.write(part)
        connection.execute("SET maintenance_work_mem = '256MB'")
        connection.execute("SET max_parallel_maintenance_workers = 0")
        connection.execute(f"ALTER TABLE {name} ADD PRIMARY KEY (hashkey) {filled}")
        connection.execute(f"ANALYZE {name}")


def _rows(layout: Layout, table: int, common: np.ndarray) -> Iterator[bytes]:
    """common: the keys of the rows that every table has, since most are asked for once per table."""
    n = layout.parameters.n_features
    row = np.dtype(
        [("fields", ">i2"), ("key_length", ">i4"), ("key", "S64")]
        + [part for i in range(n) for part in ((f"length_{i}", ">i4"), (f"value_{i}", ">f8"))]
        + [("updated_length", ">i4"), ("updated", ">i8")]
    )
    generator = np.random.default_rng([layout.parameters.seed, 2, table])
    everything = layout.ids_in_order(table)
    yield COPY_HEADER
    for start in range(0, len(everything), CHUNK_ROWS):
        ids = everything[start : start + CHUNK_ROWS]
        rows = np.zeros(len(ids), dtype=row)
        shared = ids < len(common)
        rows["fields"], rows["key_length"] = n + 2, 64
        rows["key"][shared], rows["key"][~shared] = common[ids[shared]], key_bytes(ids[~shared])
        for i in range(n):
            rows[f"length_{i}"] = 8
            rows[f"value_{i}"] = first_feature(0, table) + ids if i == 0 else generator.uniform(0, 1000, len(ids))
        rows["updated_length"], rows["updated"] = 8, 1_700_000_000 + ids % 31_536_000
        yield rows.tobytes()
    yield b"\xff\xff"


def relation_bytes(connection: Connection, schema: str) -> tuple[int, int]:
    """Bytes of all heaps and of all indexes of a schema's feature tables."""
    asked = """SELECT coalesce(sum(pg_relation_size(c.oid)) FILTER (WHERE c.relkind = 'r'), 0)::bigint,
                      coalesce(sum(pg_relation_size(c.oid)) FILTER (WHERE c.relkind = 'i'), 0)::bigint
               FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = %s AND c.relname LIKE 'feature%%'"""
    heap, index = one_row(connection, asked, schema)
    return heap, index
