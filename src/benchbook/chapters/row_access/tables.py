"""The tables: of one width, as the source repository defines them, and in one physical order; made by the server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg

from benchbook.chapters.row_access.arms import (
    ARRIVAL,
    BUSINESS,
    HASH,
    LOAD,
    ROW_BYTES,
    SEQUENTIAL,
    SEQUENTIAL_CLUSTERED,
    Parameters,
    payload,
)
from benchbook.engines.postgres import Cluster
from benchbook.measuring.postgres import extend

Connection = psycopg.Connection[tuple[Any, ...]]
KEY = "encode(sha256(id::text::bytea), 'hex')"
"""The source repository's hash key of an id, as SQL."""
DEFINITIONS = {"numeric_3": 3, "timestamp_4": 4, "numeric_10": 10, "numeric_92": 92}
"""The source repository's committed definitions: feature columns beside key, text and time of update."""
SHARE_OF_30 = {"numeric_3": 18 / 30, "timestamp_4": 9 / 30, "numeric_10": 3 / 30}
"""By their names 18 of its 30 tables hold rates, 9 times and 3 velocities; no published table is as wide as 92."""
COLUMNS = (
    "hashkey char(64) NOT NULL, business_id bigint NOT NULL, feature_1 double precision NOT NULL, "
    "feature_2 double precision NOT NULL, feature_3 double precision NOT NULL, updated_at bigint NOT NULL, "
    "others text NOT NULL"
)


@dataclass(frozen=True)
class TableSet:
    """Tables that one request reads, in a schema of their own. key: the column of the primary key.

    characters: of the further columns. definitions: whether they are those of the source repository.
    """

    schema: str
    names: tuple[str, ...]
    rows: int
    key: str = "hashkey"
    characters: int = 0
    external: bool = False
    covering: bool = False
    order: str = LOAD
    definitions: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        """Names with the schema."""
        return tuple(f"{self.schema}.{name}" for name in self.names)

    def select(self, table: int, columns: str, keys: int) -> str:
        """The statement that looks up so many keys; columns: all or three."""
        wanted = "*" if columns == "all" else "feature_1, feature_2, feature_3"
        which = "= %s" if keys == 1 else f"IN ({', '.join(['%s'] * keys)})"
        return f"SELECT {wanted} FROM {self.tables[table]} WHERE {self.key} {which}"


def table_sets(parameters: Parameters) -> dict[str, TableSet]:
    """All of a run, by the name that configurations call them."""
    p = parameters
    names = tuple(f"feature_{number:02d}" for number in range(p.n_tables))

    def width(schema: str, bytes_: int, **others: Any) -> TableSet:
        return TableSet(schema, names, p.rows_per_table, characters=payload(bytes_), **others)

    found = [width(f"width_{bytes_}", bytes_) for bytes_ in p.widths]
    found.append(width("width_toasted", p.toasted_row_bytes, external=True))
    found.append(width("covered", ROW_BYTES, covering=True))
    found.append(TableSet("defined", tuple(DEFINITIONS), p.definition_rows, definitions=True))
    found += [TableSet(each, ("feature",), p.order_rows, characters=payload(170), order=each) for each in p.orders]
    found += [
        TableSet(each, ("feature",), p.order_rows, "business_id", payload(170), order=each)
        for each in (SEQUENTIAL, SEQUENTIAL_CLUSTERED)
    ]
    return {each.schema: each for each in found}


def load(cluster: Cluster, parameters: Parameters, progress: Callable[[float], None]) -> None:
    """Create and fill all tables of the running cluster; ``progress`` is told the share done."""
    every = table_sets(parameters).values()
    total, done = sum(len(each.names) for each in every), 0
    with cluster.connect() as connection:
        extend(connection, "pg_buffercache")
        connection.execute("SET maintenance_work_mem = '256MB'")
        for each in every:
            connection.execute(f"CREATE SCHEMA {each.schema}")
            for place, name in enumerate(each.tables):
                if each.definitions:
                    _define(connection, name, each.names[place], each.rows)
                else:
                    fill(connection, each, place)
                    settle(connection, each, name)
                connection.execute(f"VACUUM (FREEZE, ANALYZE) {name}")
                done += 1
                progress(done / total)
        connection.execute("CHECKPOINT")


def fill(connection: Connection, each: TableSet, place: int, fillfactor: int = 100) -> None:
    """Create one table of a set and write its rows, in the order of their ids or as they arrive by chance."""
    name = each.tables[place]
    order = "md5(id::text || ' arrives')" if each.order in (ARRIVAL, BUSINESS) else "id"
    values = (
        f"{KEY}, id, id + {place}::float8 / 1024, 2 * id, id::float8 / 4, 1700000000 + id % 31536000, "
        f"left(repeat({KEY}, {each.characters // 64 + 1}), {each.characters})"
    )
    with connection.transaction():
        connection.execute(f"CREATE TABLE {name} ({COLUMNS}) WITH (fillfactor = {fillfactor})")
        storage = "EXTERNAL" if each.external else "PLAIN"
        # of a wide row the key would be TOASTed too
        connection.execute(f"ALTER TABLE {name} ALTER others SET STORAGE {storage}, ALTER hashkey SET STORAGE PLAIN")
        connection.execute(
            f"INSERT INTO {name} SELECT {values} FROM generate_series(0, {each.rows - 1}) AS id ORDER BY {order}"
        )
    features = " INCLUDE (feature_1, feature_2, feature_3)" if each.covering else ""
    connection.execute(f"ALTER TABLE {name} ADD PRIMARY KEY ({each.key}){features}")


def settle(connection: Connection, each: TableSet, name: str) -> None:
    """Bring a table into its order by CLUSTER where that is how it comes about."""
    if each.order in (HASH, SEQUENTIAL_CLUSTERED):
        connection.execute(f"CLUSTER {name} USING {name.split('.')[1]}_pkey")
    if each.order == BUSINESS:
        connection.execute(f"CREATE INDEX by_business ON {name} (business_id)")
        connection.execute(f"CLUSTER {name} USING by_business")
        connection.execute(f"DROP INDEX {each.schema}.by_business")


def _define(connection: Connection, name: str, definition: str, rows: int) -> None:
    """A table of the source repository: its column types, and values from its generators; a hash stands for chance."""
    count = DEFINITIONS[definition]
    times = definition.startswith("timestamp")
    columns = ", ".join(f"feature_{i} {'timestamptz' if times else 'numeric'}" for i in range(1, count + 1))
    drawn = "abs(hashint8extended(id, {i})::numeric)"
    one = f"to_timestamp(1700000000 + {drawn} % 31536000)" if times else f"round({drawn} % 100000 / 100, 2)"
    values = ", ".join(one.format(i=i) for i in range(1, count + 1))
    with connection.transaction():
        connection.execute(
            f"CREATE TABLE {name} (hashkey char(64), raw_fingerprint text, {columns}, updated_at bigint)"
        )
        connection.execute(
            f"INSERT INTO {name} SELECT {KEY}, 'value_' || id, {values}, 1700000000 + id % 31536000 "
            f"FROM generate_series(0, {rows - 1}) AS id"
        )
    connection.execute(f"ALTER TABLE {name} ADD PRIMARY KEY (hashkey)")


@dataclass(frozen=True)
class Found:
    """What the server says of a set. pages: heap page of each id, int64, of sets of one table in one order.

    correlation: of the hash key with the physical order. all_visible: share of heap pages that the visibility map has.
    """

    heap_bytes: dict[str, int]
    index_bytes: int
    toast_bytes: int
    correlation: float
    all_visible: float
    pages: np.ndarray | None

    @property
    def bytes(self) -> int:
        """Of heaps, TOAST and all indexes."""
        return sum(self.heap_bytes.values()) + self.index_bytes + self.toast_bytes


def inspect(connection: Connection, each: TableSet) -> Found:
    """Ask for sizes, order and visibility of a loaded set."""
    heap, index, toast, visible, pages = {}, 0, 0, 0, 0
    for place, name in enumerate(each.tables):
        row = connection.execute(
            """SELECT pg_relation_size(oid), pg_indexes_size(oid), pg_table_size(oid) - pg_relation_size(oid),
                      relallvisible, relpages FROM pg_class WHERE oid = %s::regclass""",
            (name,),
        ).fetchone()
        assert row is not None
        heap[each.names[place]] = int(row[0])
        index, toast = index + int(row[1]), toast + int(row[2])
        visible, pages = visible + int(row[3]), pages + int(row[4])
    known = connection.execute(
        "SELECT correlation FROM pg_stats WHERE schemaname = %s AND attname = 'hashkey' LIMIT 1", (each.schema,)
    ).fetchone()
    found = None
    if len(each.names) == 1:
        query = f"SELECT (ctid::text::point)[0]::bigint FROM {each.tables[0]} ORDER BY business_id"
        found = np.array([block for (block,) in connection.execute(query)], dtype=np.int64)
    correlation = float(known[0]) if known and known[0] is not None else 0.0
    return Found(heap, index, toast, correlation, visible / max(1, pages), found)
