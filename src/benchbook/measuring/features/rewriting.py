"""CLUSTER on the hash key timed, and how much of the order is left when rows are upserted afterwards."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook.engines.postgres import Binaries
from benchbook.engines.postgres.counters import flush
from benchbook.errors import BenchbookError
from benchbook.measuring.features.row_tables import KEY, TableSet, fill
from benchbook.measuring.postgres import Connection, one_row
from benchbook.workloads import hash_keys

NAME = "rewritten.feature"
UPSERT = (
    "INSERT INTO {name} SELECT {key}, id, id, 2 * id, id::float8 / 4, 1800000000, left({key}, {characters}) "
    "FROM unnest(%s::bigint[]) AS id "
    "ON CONFLICT (hashkey) DO UPDATE SET updated_at = EXCLUDED.updated_at, feature_2 = EXCLUDED.feature_2"
)


@dataclass(frozen=True)
class Rewriting:
    """A table that is clustered on its hash key and then upserted. percents: of rows upserted in all, ascending.

    new: whether the upserted keys are new ones; else they are drawn from the table, none twice. batch_rows: of
    a transaction.
    """

    connection: Connection
    binaries: Binaries
    rows: int
    characters: int
    percents: Sequence[float]
    seed: int
    fillfactor: int
    new: bool
    batch_rows: int

    def metrics(self) -> tuple[dict[str, float | None], int]:
        """Load it in load order, CLUSTER it, then upsert; metrics and CLUSTER's ns. The table is dropped.

        Raises BenchbookError where the table does not hold every row once, with the values that were written last.
        """
        connection, found = self.connection, dict[str, float | None]()
        connection.execute("CREATE SCHEMA rewritten")
        try:
            tables = TableSet("rewritten", ("feature",), self.rows, characters=self.characters)
            fill(connection, tables, 0, self.fillfactor)
            connection.execute("CHECKPOINT")  # what loading left to be written is not CLUSTER's
            start = time.perf_counter_ns()
            connection.execute(f"CLUSTER {NAME} USING feature_pkey")
            took_ns = time.perf_counter_ns() - start
            heap, index = self._ask("SELECT pg_relation_size({0}), pg_indexes_size({0})")
            found |= {"clustered_heap_bytes": float(heap), "clustered_index_bytes": float(index)}
            found |= {"cluster_s": took_ns / 1e9, "rewritten_rows": float(self.rows)}
            found["cluster_s_per_gib"] = took_ns / 1e9 / (float(heap) / 2**30)
            found["correlation_after_cluster"] = self._correlation()
            if self.percents:
                found |= self._upserted()
        finally:
            connection.execute("DROP SCHEMA rewritten CASCADE")
        return found, took_ns

    def _upserted(self) -> dict[str, float]:
        order = np.random.default_rng([self.seed, 4]).permutation(self.rows) + (self.rows if self.new else 0)
        statement = UPSERT.format(name=NAME, key=KEY, characters=self.characters)
        found, done, before, whole = {}, 0, self._updates(), self._correlation()
        for percent in sorted(self.percents):
            until = round(self.rows * percent / 100)
            for first in range(done, until, self.batch_rows):
                self.connection.execute(statement, (order[first : min(until, first + self.batch_rows)].tolist(),))
            done = until
            found[f"correlation_kept_{percent:g}"] = self._correlation() / whole
            self._check(self.rows + (done if self.new else 0), order[:done])
        updates, hot = (self._updates() - before).tolist()
        [heap] = self._ask("SELECT pg_relation_size({0})")
        found |= {"hot_update_share": hot / updates if updates else 0.0, "upserted_rows": float(done)}
        return found | {"upserted_heap_bytes": float(heap)}

    def _ask(self, query: str, *given: Any) -> tuple[Any, ...]:
        return one_row(self.connection, query.format(f"'{NAME}'::regclass"), *given)

    def _correlation(self) -> float:
        self.connection.execute(f"ANALYZE {NAME}")
        asked = "SELECT correlation FROM pg_stats WHERE schemaname = 'rewritten' AND tablename = 'feature'"
        return float(self._ask(f"{asked} AND attname = 'hashkey'")[0])

    def _updates(self) -> np.ndarray:
        """Updates so far, and those within the page."""
        flush(self.connection, self.binaries)
        self.connection.execute("SELECT pg_stat_clear_snapshot()")
        return np.array(self._ask("SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relid = {0}"))

    def _check(self, rows: int, upserted: np.ndarray) -> None:
        row = self._ask(f"SELECT count(*), count(*) FILTER (WHERE updated_at = 1800000000) FROM {NAME}")
        last = hash_keys(upserted[-1:].tolist())
        value = self._ask(f"SELECT feature_2, updated_at FROM {NAME} WHERE hashkey = %s", *last)
        if row != (rows, len(upserted)) or value != (2.0 * int(upserted[-1]), 1_800_000_000):
            told = f"{NAME} holds {row} rows and upserted rows instead of {(rows, len(upserted))}"
            raise BenchbookError(f"{told}, and {value} as the last", "run again with --fresh")
