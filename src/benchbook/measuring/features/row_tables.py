"""Tables of one width, as the source repository defines them, or in one physical order; made by the server."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from benchbook.engines.postgres import Cluster
from benchbook.measuring.postgres import Connection, extend, one_row

KEY = "encode(sha256(id::text::bytea), 'hex')"
"""The source repository's hash key of an id, as SQL."""
DEFINITIONS = {"numeric_3": 3, "timestamp_4": 4, "numeric_10": 10, "numeric_92": 92}
"""The source repository's committed definitions: feature columns beside key, text and time of update."""
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
    order: str = "load"
    definitions: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(f"{self.schema}.{name}" for name in self.names)

    def select(self, table: int, columns: str, keys: int) -> str:
        """The statement that looks up so many keys; columns: all or three."""
        wanted = "*" if columns == "all" else "feature_1, feature_2, feature_3"
        which = "= %s" if keys == 1 else f"IN ({', '.join(['%s'] * keys)})"
        return f"SELECT {wanted} FROM {self.tables[table]} WHERE {self.key} {which}"


def load(cluster: Cluster, every: Collection[TableSet], progress: Callable[[float], None]) -> None:
    """Create and fill all tables of the running cluster; ``progress`` is told the share done."""
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
                    _settle(connection, each, name)
                connection.execute(f"VACUUM (FREEZE, ANALYZE) {name}")
                done += 1
                progress(done / total)
        connection.execute("CHECKPOINT")


def fill(connection: Connection, each: TableSet, place: int, fillfactor: int = 100) -> None:
    """Create one table of a set and write its rows, in the order of their ids or as they arrive by chance."""
    name, order = each.tables[place], "id"
    if each.order in ("arrival", "business"):
        order = "md5(id::text || ' arrives')"
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


def _settle(connection: Connection, each: TableSet, name: str) -> None:
    """Bring a table into its order by CLUSTER where that is how it comes about."""
    if each.order in ("hash", "sequential_clustered"):
        connection.execute(f"CLUSTER {name} USING {name.split('.')[1]}_pkey")
    if each.order == "business":
        connection.execute(f"CREATE INDEX by_business ON {name} (business_id)")
        connection.execute(f"CLUSTER {name} USING by_business")
        connection.execute(f"DROP INDEX {each.schema}.by_business")


def _define(connection: Connection, name: str, definition: str, rows: int) -> None:
    """A table of the source repository: its column types, and values from its generators; a hash stands for chance."""
    numbers, times = range(1, DEFINITIONS[definition] + 1), definition.startswith("timestamp")
    columns = ", ".join(f"feature_{i} {'timestamptz' if times else 'numeric'}" for i in numbers)
    drawn = "abs(hashint8extended(id, {i})::numeric)"
    one = f"to_timestamp(1700000000 + {drawn} % 31536000)" if times else f"round({drawn} % 100000 / 100, 2)"
    values = ", ".join(one.format(i=i) for i in numbers)
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
        return sum(self.heap_bytes.values()) + self.index_bytes + self.toast_bytes


def inspect(connection: Connection, each: TableSet) -> Found:
    asked = """SELECT pg_relation_size(oid), pg_indexes_size(oid), pg_table_size(oid) - pg_relation_size(oid),
                      relallvisible, relpages FROM pg_class WHERE oid = %s::regclass"""
    sizes = np.array([one_row(connection, asked, name) for name in each.tables], dtype=np.int64)
    _, index, toast, visible, pages = sizes.sum(axis=0).tolist()
    heap = dict(zip(each.names, sizes[:, 0].tolist(), strict=True))
    known = connection.execute(
        "SELECT correlation FROM pg_stats WHERE schemaname = %s AND attname = 'hashkey' LIMIT 1", (each.schema,)
    ).fetchone()
    found = None
    if len(each.names) == 1:
        query = f"SELECT (ctid::text::point)[0]::bigint FROM {each.tables[0]} ORDER BY business_id"
        found = np.array([block for (block,) in connection.execute(query)], dtype=np.int64)
    correlation = float(known[0]) if known and known[0] is not None else 0.0
    return Found(heap, index, toast, correlation, visible / max(1, pages), found)
