"""CLUSTER on the hash key timed, and how much of the order is left when rows are upserted afterwards."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import psycopg

from benchbook.chapters.row_access.arms import payload
from benchbook.chapters.row_access.tables import KEY, TableSet, fill
from benchbook.engines.postgres.binaries import Binaries
from benchbook.engines.postgres.counters import flush
from benchbook.errors import BenchbookError
from benchbook.workloads import hash_keys

Connection = psycopg.Connection[tuple[Any, ...]]
SCHEMA = "rewritten"
_UPSERT = (
    "INSERT INTO {name} SELECT {key}, id, id, 2 * id, id::float8 / 4, 1800000000, "
    "left(repeat({key}, {repeats}), {characters}) FROM unnest(%s::bigint[]) AS id "
    "ON CONFLICT (hashkey) DO UPDATE SET updated_at = EXCLUDED.updated_at, feature_2 = EXCLUDED.feature_2"
)


def rewrite(
    connection: Connection,
    binaries: Binaries,
    rows: int,
    percents: tuple[float, ...],
    seed: int,
    *,
    fillfactor: int,
    new: bool,
    batch_rows: int,
) -> tuple[dict[str, float | None], int]:
    """Load a table in load order, CLUSTER it, then upsert until so many percent were; metrics and CLUSTER's ns.

    new: whether the upserted keys are new ones; else they are drawn from the table, none twice. batch_rows: of
    a transaction. The table is dropped.
    Raises BenchbookError where the table does not hold every row once, with the values that were written last.
    """
    table = TableSet(SCHEMA, ("feature",), rows, characters=payload(170))
    name = table.tables[0]
    connection.execute(f"CREATE SCHEMA {SCHEMA}")
    try:
        fill(connection, table, 0, fillfactor)
        connection.execute("CHECKPOINT")  # what loading left to be written is not CLUSTER's
        start = time.perf_counter_ns()
        connection.execute(f"CLUSTER {name} USING feature_pkey")
        took_ns = time.perf_counter_ns() - start
        found = _sizes(connection, name) | {"cluster_s": took_ns / 1e9, "rewritten_rows": float(rows)}
        found["cluster_s_per_gib"] = found["cluster_s"] / (found["clustered_heap_bytes"] / 2**30)
        found["correlation_after_cluster"] = _correlation(connection, name)
        found |= _upserted(connection, binaries, name, rows, percents, seed, new=new, batch_rows=batch_rows)
    finally:
        connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
    return dict(found), took_ns


def _upserted(
    connection: Connection,
    binaries: Binaries,
    name: str,
    rows: int,
    percents: tuple[float, ...],
    seed: int,
    *,
    new: bool,
    batch_rows: int,
) -> dict[str, float]:
    order = np.random.default_rng([seed, 4]).permutation(rows) + (rows if new else 0)
    statement = _UPSERT.format(name=name, key=KEY, repeats=1, characters=payload(170))
    found, done, started = {}, 0, _updates(connection, binaries, name)
    whole = _correlation(connection, name) if percents else 1.0
    for percent in sorted(percents):
        until = round(rows * percent / 100)
        for first in range(done, until, batch_rows):
            connection.execute(statement, (order[first : min(until, first + batch_rows)].tolist(),))
        done = until
        found[f"correlation_kept_{percent:g}"] = _correlation(connection, name) / whole
        _check(connection, name, rows + (done if new else 0), order[:done])
    if percents:
        updates, hot = (
            after - before for after, before in zip(_updates(connection, binaries, name), started, strict=True)
        )
        found["hot_update_share"] = hot / updates if updates else 0.0
        found["upserted_rows"] = float(done)
        found["upserted_heap_bytes"] = _sizes(connection, name)["clustered_heap_bytes"]
    return found


def _correlation(connection: Connection, name: str) -> float:
    connection.execute(f"ANALYZE {name}")
    row = connection.execute(
        "SELECT correlation FROM pg_stats WHERE schemaname = %s AND tablename = 'feature' AND attname = 'hashkey'",
        (SCHEMA,),
    ).fetchone()
    assert row is not None
    return float(row[0])


def _updates(connection: Connection, binaries: Binaries, name: str) -> tuple[int, int]:
    flush(connection, binaries)
    connection.execute("SELECT pg_stat_clear_snapshot()")
    row = connection.execute(
        "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relid = %s::regclass", (name,)
    ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


def _sizes(connection: Connection, name: str) -> dict[str, float]:
    row = connection.execute(
        "SELECT pg_relation_size(%s::regclass), pg_indexes_size(%s::regclass)", (name, name)
    ).fetchone()
    assert row is not None
    return {"clustered_heap_bytes": float(row[0]), "clustered_index_bytes": float(row[1])}


def _check(connection: Connection, name: str, rows: int, upserted: np.ndarray) -> None:
    row = connection.execute(f"SELECT count(*), count(*) FILTER (WHERE updated_at = 1800000000) FROM {name}").fetchone()
    last = hash_keys(upserted[-1:].tolist())
    value = connection.execute(f"SELECT feature_2, updated_at FROM {name} WHERE hashkey = %s", last).fetchone()
    if row != (rows, len(upserted)) or value != (2.0 * int(upserted[-1]), 1_800_000_000):
        raise BenchbookError(
            f"{name} holds {row} rows and upserted rows instead of {(rows, len(upserted))}, and {value} as the last",
            "run again with --fresh",
        )
