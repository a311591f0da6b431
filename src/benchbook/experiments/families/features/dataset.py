"""The feature tables: made by binary COPY, every value derivable from its id, so that each read can be checked."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psycopg

from benchbook.engines.postgres import Cluster
from benchbook.experiments.families.features.parameters import Features
from benchbook.experiments.families.postgres import extend

SCHEMA = "features"
COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
CHUNK_ROWS = 50_000


def tables(parameters: Features) -> list[str]:
    """Names of the tables, in the order in which a request reads them."""
    return [f"feature_{number:03d}" for number in range(parameters.n_tables)]


def rows_in(parameters: Features, table: int) -> int:
    """Rows of one table; the first has extra ones that no other table holds."""
    return parameters.rows_per_table + (parameters.first_table_extra_rows if table == 0 else 0)


def places(parameters: Features, table: int, ids: np.ndarray) -> np.ndarray:
    """Physical place of each row in its table, from 0; int64.

    In the first table the rows are scattered, so that those which it alone holds do not lie side by side.
    """
    rows = rows_in(parameters, table)
    return np.asarray(ids * _stride(rows) % rows if table == 0 else ids)


def _ids_in_order(parameters: Features, table: int) -> np.ndarray:
    rows = rows_in(parameters, table)
    order = np.arange(rows, dtype=np.int64)
    return order * pow(_stride(rows), -1, rows) % rows if table == 0 else order


def _stride(rows: int) -> int:
    """A number without common factor with ``rows``, near its golden section, so that neighbours end far apart."""
    stride = round(rows * 0.618)
    while math.gcd(stride, rows) != 1:
        stride += 1
    return stride


def first_feature(row: int, table: int) -> float:
    """The value written to feature_01, exact in a double."""
    return row + table / 1024


def key_bytes(ids: np.ndarray) -> np.ndarray:
    """Keys as bytes, dtype S64: SHA-256 hex of each id."""
    return np.array([hashlib.sha256(b"%d" % number).hexdigest().encode() for number in ids.tolist()], dtype="S64")


def load(cluster: Cluster, parameters: Features, progress: Callable[[float], None]) -> None:
    """Create and fill all tables of the running cluster, two at a time; ``progress`` is told the share done."""
    with cluster.connect() as connection:
        connection.execute(f"CREATE SCHEMA {SCHEMA}")
        extend(connection, "pg_buffercache", "pageinspect")
    keys = key_bytes(np.arange(rows_in(parameters, 0)))
    done = 0
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda table: _load_table(cluster, parameters, table, keys), range(parameters.n_tables)):
            done += 1
            progress(done / parameters.n_tables)
    with cluster.connect() as connection:
        connection.execute("CHECKPOINT")


def _load_table(cluster: Cluster, parameters: Features, table: int, keys: np.ndarray) -> None:
    name = f"{SCHEMA}.{tables(parameters)[table]}"
    features = [f"feature_{number:02d}" for number in range(1, parameters.n_features + 1)]
    columns = ", ".join(f"{feature} double precision NOT NULL" for feature in features)
    with cluster.connect() as connection:
        with connection.transaction():
            connection.execute(
                f"CREATE TABLE {name} (hashkey char(64) NOT NULL, {columns}, updated_at bigint NOT NULL)"
            )
            with connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT binary, FREEZE)") as copy:
                for part in _rows(parameters, table, keys):
                    copy.write(part)
        connection.execute("SET maintenance_work_mem = '256MB'")
        connection.execute("SET max_parallel_maintenance_workers = 0")
        connection.execute(f"ALTER TABLE {name} ADD PRIMARY KEY (hashkey)")
        connection.execute(f"ANALYZE {name}")


def _rows(parameters: Features, table: int, keys: np.ndarray) -> Iterator[bytes]:
    n = parameters.n_features
    layout = np.dtype(
        [("fields", ">i2"), ("key_length", ">i4"), ("key", "S64")]
        + [part for i in range(n) for part in ((f"length_{i}", ">i4"), (f"value_{i}", ">f8"))]
        + [("updated_length", ">i4"), ("updated", ">i8")]
    )
    generator = np.random.default_rng([parameters.seed, table])
    everything = _ids_in_order(parameters, table)
    yield COPY_HEADER
    for start in range(0, len(everything), CHUNK_ROWS):
        ids = everything[start : start + CHUNK_ROWS]
        rows = np.zeros(len(ids), dtype=layout)
        rows["fields"], rows["key_length"], rows["key"] = n + 2, 64, keys[ids]
        for i in range(n):
            rows[f"length_{i}"] = 8
            rows[f"value_{i}"] = first_feature(0, table) + ids if i == 0 else generator.uniform(0, 1000, len(ids))
        rows["updated_length"], rows["updated"] = 8, 1_700_000_000 + ids % 31_536_000
        yield rows.tobytes()
    yield b"\xff\xff"


def select(parameters: Features, table: str) -> str:
    """The note's statement: all columns but updated_at, by key."""
    features = ", ".join(f"feature_{number:02d}" for number in range(1, parameters.n_features + 1))
    return f"SELECT hashkey, {features} FROM {SCHEMA}.{table} WHERE hashkey = %s"


def relations(parameters: Features) -> dict[str, int]:
    """Heaps and primary-key indexes by name, numbered: heap of table t is 2 t, its index 2 t + 1."""
    numbered = {}
    for number, table in enumerate(tables(parameters)):
        numbered[f"{SCHEMA}.{table}"] = 2 * number
        numbered[f"{SCHEMA}.{table}_pkey"] = 2 * number + 1
    return numbered


def relation_bytes(connection: psycopg.Connection[tuple[Any, ...]]) -> tuple[int, int]:
    """Bytes of all heaps and of all indexes of the schema."""
    row = connection.execute(
        """SELECT coalesce(sum(pg_relation_size(c.oid)) FILTER (WHERE c.relkind = 'r'), 0)::bigint,
                  coalesce(sum(pg_relation_size(c.oid)) FILTER (WHERE c.relkind = 'i'), 0)::bigint
           FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s""",
        (SCHEMA,),
    ).fetchone()
    assert row is not None
    return row[0], row[1]
