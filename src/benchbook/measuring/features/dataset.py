"""The feature tables: made by binary COPY, every value derivable from its id, so that each read can be checked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchbook.engines.postgres import Cluster
from benchbook.measuring.features.layout import Layout
from benchbook.measuring.postgres import Connection, extend, one_row

COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
CHUNK_ROWS = 50_000


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
