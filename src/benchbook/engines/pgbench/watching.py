"""Sample what server, kernel and disk do while pgbench runs: one row per second."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

import pandas as pd
import psycopg

from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import kernel_counters
from benchbook.engines.pgbench.looking import Looking, checked
from benchbook.engines.pgbench.waits import QUERY as WAITS
from benchbook.engines.pgbench.waits import RUNNING
from benchbook.engines.pgbench.workload import DATABASE
from benchbook.engines.postgres import Binaries, Cluster
from benchbook.engines.postgres.counters import Connection, one_row
from benchbook.errors import BenchbookError

GAUGES = (
    "dirty_bytes",
    "writeback_bytes",
    "bound_dirty_bytes",
    "bound_cache_bytes",
    "bound_available_bytes",
    "pool_used_buffers",
    "pool_dirty_buffers",
)
COUNTERS = (
    "wal_bytes",
    "checkpoints_timed",
    "checkpoints_requested",
    "checkpoint_buffers",
    "cleaned_buffers",
    "backend_buffers",
    "allocated_buffers",
    "evictions",
    "disk_read_bytes",
    "disk_written_bytes",
    "disk_busy_ms",
    "server_cpu_s",
    "client_cpu_s",
    "machine_cpu_s",
)


@dataclass(frozen=True)
class Watched:
    """table: one row per look; elapsed_s since the watch began, then GAUGES as they were and COUNTERS since ever.

    What this server release or this system does not tell is missing (NaN) throughout. waits: active connections
    seen per wait event, over all looks. seconds: spent looking, all looks together.
    """

    table: pd.DataFrame
    waits: dict[str, int]
    seconds: float

    @property
    def looks(self) -> int:
        return len(self.table)


class Watch(Looking):
    """Looks while its ``with`` block lasts, at once and then every ``every_s``; ``watched`` says what was seen.

    Its own connection is to the database "postgres", so that pgbench's counters stay pgbench's own.
    """

    def __init__(self, cluster: Cluster, bound: MemoryBound | None = None, *, every_s: float = 1.0) -> None:
        self._cluster = cluster
        self._bound = bound
        self._every_s = checked(every_s)
        self._disk = kernel_counters.device(cluster.data)
        self._waits: Counter[str] = Counter()
        self._rows: list[dict[str, float | None]] = []
        self._seconds = 0.0
        self._error: Exception | None = None

    @property
    def watched(self) -> Watched:
        """What was seen. Raises BenchbookError when looking failed or nothing was seen."""
        if self._error is not None:
            raise BenchbookError(f"watching the server failed: {self._error}", "see the server's log")
        if not self._rows:
            raise BenchbookError("nothing was watched", "keep the watch open while pgbench runs")
        table = pd.DataFrame(self._rows, columns=["elapsed_s", *GAUGES, *COUNTERS], dtype="float64")
        return Watched(table, dict(self._waits), self._seconds)

    def _look_repeatedly(self) -> None:
        try:
            with self._cluster.connect() as connection:
                server = _Server(connection, self._cluster.binaries)
                for _ in self._moments(self._every_s, self._begun):
                    clock = time.monotonic()
                    self._rows.append(self._look(server, clock))
                    self._seconds += time.monotonic() - clock
                self._rows.append(self._look(server, time.monotonic()))
        except (psycopg.Error, OSError) as error:
            self._error = error

    def _look(self, server: _Server, clock: float) -> dict[str, float | None]:
        self._waits.update(server.waits())
        return {
            "elapsed_s": clock - self._begun,
            **server.counts(),
            **kernel_counters.memory(),
            **kernel_counters.bounded(self._bound),
            **kernel_counters.disk(self._disk),
            **kernel_counters.processor(self._cluster.pid),
        }


class _Server:
    """The server's own views, by release."""

    def __init__(self, connection: Connection, binaries: Binaries) -> None:
        self._connection = connection
        self._binaries = binaries
        (known,) = one_row(connection, "SELECT count(*) FROM pg_proc WHERE proname = 'pg_buffercache_summary'")
        self._has_summary = bool(known)

    def waits(self) -> dict[str, int]:
        self._connection.execute("SELECT pg_stat_clear_snapshot()")
        rows = self._connection.execute(WAITS, (RUNNING, DATABASE)).fetchall()
        return {str(name): int(count) for name, count in rows}

    def counts(self) -> dict[str, float | None]:
        major = self._binaries.major
        checkpoints = (
            "SELECT num_timed, num_requested, buffers_written FROM pg_stat_checkpointer"
            if major >= 17
            else "SELECT checkpoints_timed, checkpoints_req, buffers_checkpoint FROM pg_stat_bgwriter"
        )
        backends = (
            """SELECT sum(writes), sum(evictions) FROM pg_stat_io
               WHERE backend_type = 'client backend' AND object = 'relation'"""
            if major >= 16
            else "SELECT buffers_backend, NULL FROM pg_stat_bgwriter"
        )
        row = one_row(
            self._connection,
            f"""SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'), c.*, b.*, w.buffers_clean, w.buffers_alloc
                FROM ({checkpoints}) AS c, ({backends}) AS b, pg_stat_bgwriter AS w""",
        )
        names = (
            "wal_bytes", "checkpoints_timed", "checkpoints_requested", "checkpoint_buffers", "backend_buffers",
            "evictions", "cleaned_buffers", "allocated_buffers",
        )  # fmt: skip
        found = {name: None if value is None else float(value) for name, value in zip(names, row, strict=True)}
        return found | self._pool()

    def _pool(self) -> dict[str, float | None]:
        if not self._has_summary:
            return {}
        used, dirty = one_row(self._connection, "SELECT buffers_used, buffers_dirty FROM pg_buffercache_summary()")
        return {"pool_used_buffers": float(used), "pool_dirty_buffers": float(dirty)}
