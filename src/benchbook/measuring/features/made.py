"""Tables that the server makes from the numbers of their rows, and what pgbench asks them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from benchbook.engines import pgbench
from benchbook.engines.pgbench import DATABASE
from benchbook.engines.postgres import Binaries, Cluster, find, private_cluster
from benchbook.measuring.features.dataset import scattering
from benchbook.measuring.postgres import Connection, extend, one_row

FEATURES = 10
_KEY = "lpad(({})::text, 64, '0')::char(64)"
"""From a row's number: of the note's length, and made without a hash, whose cost would be the server's."""


class Data:
    """Tables of one set of parameters, of which ``hot_keys`` are warmed. The rows of each lie in an order of its own.

    covered: so many features stand in the index as well, which is then no primary key.
    """

    def __init__(self, parameters: Any, covered: int = 0) -> None:
        self.parameters = parameters
        self.covered = covered
        self.tables = [f"feature_{number:03d}" for number in range(parameters.n_tables)]
        self.indexes = [f"{table}_pkey" for table in self.tables]

    @property
    def apart(self) -> int:
        """How far the numbers of warmed keys lie apart, so that they share few pages."""
        return int(self.parameters.rows_per_table // self.parameters.hot_keys)

    def load(self, connection: Connection, progress: Callable[[float], None]) -> None:
        """Make and fill all tables; ``progress`` is told the share done."""
        rows = self.parameters.rows_per_table
        filled = f"WITH (fillfactor = {self.parameters.fillfactor_percent})"
        names = _features(FEATURES).split(", ")
        values = ", ".join(f"((id * {2 * number + 1}) % 1000)::float8" for number in range(FEATURES))
        columns = ", ".join(f"{name} double precision NOT NULL" for name in names)
        draws = np.random.default_rng([self.parameters.seed, 1])
        for done, table in enumerate(self.tables):
            progress(done / len(self.tables))
            step, first = scattering(rows, draws)
            connection.execute(
                f"CREATE TABLE {table} (hashkey char(64) NOT NULL, {columns}, updated_at bigint NOT NULL) "
                f"{filled}".encode()
            )
            connection.execute(
                f"INSERT INTO {table} SELECT {_KEY.format('id')}, {values}, 1700000000 + id FROM (SELECT "
                f"(place * {step}::bigint + {first}) % {rows} AS id FROM generate_series(0, {rows - 1}) place) "
                "placed".encode()
            )
            connection.execute(self._index(table, filled).encode())
            connection.execute(f"VACUUM (FREEZE, ANALYZE) {table}".encode())

    def _index(self, table: str, filled: str) -> str:
        if not self.covered:
            return f"ALTER TABLE {table} ADD PRIMARY KEY (hashkey) {filled}"
        return f"CREATE UNIQUE INDEX {table}_pkey ON {table} (hashkey) INCLUDE ({_features(self.covered)}) {filled}"

    def warm(self, connection: Connection) -> None:
        """Ask each table for all warmed keys, by its index."""
        p = self.parameters
        connection.execute("SET enable_seqscan = off")
        for table in self.tables:
            connection.execute(
                f"SELECT count(feature_01) FROM generate_series(0, {p.hot_keys - 1}) h CROSS JOIN LATERAL "
                f"(SELECT feature_01 FROM {table} WHERE hashkey = "
                f"{_KEY.format(f'h * {self.apart}')}) found".encode()
            )

    def script(self, *, hot: bool, pipeline: bool, moved: int = 0, features: int = FEATURES) -> str:
        """Of one request: a key, and its row in every table.

        moved: so many hot keys are others, never warmed. features: so many columns are asked for.
        """
        p = self.parameters
        drawn, apart = (p.hot_keys, self.apart) if hot else (p.rows_per_table, 1)
        lines = [f"\\set k random(0, {drawn - 1}) * {apart}"]
        if moved:
            lines.append(f"\\set k :k + (CASE WHEN :k < {moved * apart} THEN {apart // 2} ELSE 0 END)")
        asked = [
            f"SELECT hashkey, {_features(features)} FROM {table} WHERE hashkey = {_KEY.format(':k')};"
            for table in self.tables
        ]
        if pipeline:
            asked = ["\\startpipeline", *asked, "\\endpipeline"]
        return "\n".join([*lines, *asked, ""])

    @staticmethod
    def sizes(connection: Connection) -> tuple[int, int]:
        heap, index = one_row(
            connection,
            "SELECT sum(pg_table_size(relid))::bigint, sum(pg_indexes_size(relid))::bigint FROM pg_stat_user_tables",
        )
        return int(heap), int(index)


class Made(NamedTuple):
    """A stopped server with the tables. heap_bytes, index_bytes: as loaded."""

    binaries: Binaries
    cluster: Cluster
    heap_bytes: int
    index_bytes: int
    data: Data


@contextmanager
def made(
    parameters: Any, progress: Callable[[str, float], None], disk_bytes: int, *extensions: str, covered: int = 0,
    after: Callable[[Connection, Data], object] | None = None,
) -> Iterator[Made]:  # fmt: skip
    """A private cluster with the tables in pgbench's database, and with these extensions.

    after: what is done when all is loaded and written out; ``progress`` is told of the loading.
    """
    binaries, data = find(), Data(parameters, covered)
    with private_cluster(binaries, bytes_needed=disk_bytes) as cluster:
        cluster.start({"shared_buffers": "512MB", "synchronous_commit": False})
        with cluster.connect() as connection:
            connection.execute(f"CREATE DATABASE {DATABASE}")
        with pgbench.connect(cluster) as connection:
            extend(connection, *extensions)
            data.load(connection, lambda share: progress("loading tables", share))
            connection.execute("CHECKPOINT")
            if after is not None:
                after(connection, data)
            heap, index = data.sizes(connection)
        cluster.stop()
        yield Made(binaries, cluster, heap, index, data)


def _features(number: int) -> str:
    return ", ".join(f"feature_{each:02d}" for each in range(1, number + 1))
