"""PostgreSQL: TPC-B, sums and a CHECKPOINT on restored copies of pgbench's tables, counted by the server itself."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg

from benchbook.chapters.positive_controls.arms import NOTE_SCALE, Parameters, Part, part_of
from benchbook.engines import pgbench
from benchbook.engines.pgbench import Workload, read_counters, residency
from benchbook.engines.postgres import sessions
from benchbook.errors import MachineError
from benchbook.measuring.pgbench.settings import BLOCK_BYTES, NOTE_003, Settings, pool_blocks, restarted
from benchbook.measuring.pgbench.tables import Tables
from benchbook.model import Configuration, PlannedTrial

Connection = psycopg.Connection[tuple[Any, ...]]
Metrics = dict[str, float | None]
SUM = "SELECT sum(abalance) FROM pgbench_accounts"
BITMAP = "SELECT sum(abalance) FROM pgbench_accounts WHERE aid BETWEEN %s AND %s"
"""A range of accounts, which the server is told to look up by a bitmap of its rows."""
RANGE = 20
BULK = "UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid <= %s"
"""A quarter of the accounts changed in one transaction, which waits for the disk only when it commits."""
RELATIONS = ("pgbench_accounts", "pgbench_branches", "pgbench_tellers", "pgbench_history")
NOTE_DATA_OVER_POOL = 0.92
"""Of note 003's runs when it claimed what a CHECKPOINT does: the pool holds all data."""
LRU_MAXPAGES = 1000
THREADS = 2
SCAN_BLOCKS = 1024
"""min_parallel_table_scan_size by default, in blocks. The number of workers that a scan asks for grows with the size of
the table over this, so it is scaled with the table: a sum then asks for as many as on the notes' 16 GB."""
LOG_003: Settings = {"max_wal_size": "50GB", "min_wal_size": "2GB", "checkpoint_timeout": "1h"}


def settings_of(parameters: Parameters, tables: Tables, arm: Configuration) -> Settings:
    """The server's in a trial: note 002's with so many workers, or note 003's for the CHECKPOINT."""
    common: Settings = {
        "shared_buffers": f"{pool_blocks(tables.data_bytes / NOTE_DATA_OVER_POOL) * BLOCK_BYTES // 1024}kB",
        "wal_compression": tables.wal_compression,
        "max_connections": max(100, parameters.clients + 20),
        "autovacuum": False,
    }
    if part_of(arm) is Part.CHECKPOINT:
        return NOTE_003 | LOG_003 | common
    if part_of(arm) in (Part.ROUND, Part.BITMAP, Part.BULK):
        changed = {name: value for name, value in arm.settings.items() if name != "part"}
        return NOTE_003 | LOG_003 | common | {"wal_buffers": "16MB"} | changed
    scaled = max(1, round(SCAN_BLOCKS * parameters.scale / NOTE_SCALE))
    own: Settings = {"min_parallel_table_scan_size": f"{scaled * BLOCK_BYTES // 1024}kB"}
    return restarted(int(arm.settings["workers"] or 0), LRU_MAXPAGES) | common | own


@dataclass(frozen=True)
class Server:
    """pgbench's tables, from a copy of which each trial starts."""

    parameters: Parameters
    tables: Tables

    def measure(self, planned: PlannedTrial) -> tuple[Metrics, dict[str, np.ndarray], dict[str, str]]:
        """Metrics, latencies in ns by series, and labels of a trial on a fresh server."""
        arm, cluster = planned.configuration, self.tables.cluster
        self.tables.template.restore()
        cluster.start(settings_of(self.parameters, self.tables, arm))
        try:
            with pgbench.connect(cluster) as connection:
                labels = {"settings": sessions.checked(connection)}
                if part_of(arm) is Part.SUM:
                    labels["plan"] = explained(connection)
            made = {
                Part.TPCB: self._tpcb, Part.SUM: self._sums, Part.CHECKPOINT: self._checkpoint,
                Part.ROUND: self._round, Part.BITMAP: self._bitmap, Part.BULK: self._bulk,
            }  # fmt: skip
            metrics, samples = made[part_of(arm)](planned)
        finally:
            cluster.stop()
        return metrics, samples, labels

    def _tpcb(self, planned: PlannedTrial) -> tuple[Metrics, dict[str, np.ndarray]]:
        with self.tables.cluster.connect() as observer:
            before = self._workers(observer)
            done = self._transactions(planned.seed)
            counted = _grown(before, self._workers(observer), done.processed)
        return {"tps": done.tps, **self._written(done.processed), **counted}, {"transaction": done.latency_ns}

    def _sums(self, planned: PlannedTrial) -> tuple[Metrics, dict[str, np.ndarray]]:
        spent = []
        with self.tables.cluster.connect() as observer:
            before = self._workers(observer)
            with pgbench.connect(self.tables.cluster) as connection:
                for _ in range(self.parameters.sums):
                    begun = time.perf_counter_ns()
                    row = connection.execute(SUM).fetchone()
                    spent.append(time.perf_counter_ns() - begun)
                    if row is None or row[0] != 0:
                        raise MachineError(f"the fresh accounts add up to {row}, not to 0", "look at the server's log")
            counted = _grown(before, self._workers(observer), self.parameters.sums)
        return counted, {"sum": np.array(spent, dtype=np.int64)}

    def _round(self, planned: PlannedTrial) -> tuple[Metrics, dict[str, np.ndarray]]:
        with self.tables.cluster.connect() as observer:
            before = self._asked(observer)
            done = self._transactions(planned.seed)
            counted = _more(before, self._asked(observer), done.processed)
        return {"tps": done.tps, **self._written(done.processed), **counted}, {"transaction": done.latency_ns}

    def _bitmap(self, planned: PlannedTrial) -> tuple[Metrics, dict[str, np.ndarray]]:
        """As many ranges as sums; their rows by a bitmap, since the other ways to find them are forbidden."""
        first = np.random.default_rng(planned.seed).integers(1, 100_000 * self.parameters.scale - RANGE)
        spent = []
        with self.tables.cluster.connect() as observer:
            before = self._asked(observer)
            with pgbench.connect(self.tables.cluster) as connection:
                for way in ("enable_indexscan", "enable_seqscan"):
                    connection.execute(f"SET {way} = off")
                for _ in range(self.parameters.sums):
                    begun = time.perf_counter_ns()
                    connection.execute(BITMAP, (int(first), int(first) + RANGE - 1)).fetchone()
                    spent.append(time.perf_counter_ns() - begun)
            counted = _more(before, self._asked(observer), self.parameters.sums)
        return counted, {"range": np.array(spent, dtype=np.int64)}

    def _bulk(self, planned: PlannedTrial) -> tuple[Metrics, dict[str, np.ndarray]]:
        with self.tables.cluster.connect() as observer:
            before = self._asked(observer)
            with pgbench.connect(self.tables.cluster) as connection:
                begun = time.perf_counter_ns()
                connection.execute(BULK, (25_000 * self.parameters.scale,))
                spent = time.perf_counter_ns() - begun
            counted = _more(before, self._asked(observer), 1)
        return counted, {"change": np.array([spent], dtype=np.int64)}

    def _checkpoint(self, planned: PlannedTrial) -> tuple[Metrics, dict[str, np.ndarray]]:
        """All data in the pool, changed by a discarded run, then a CHECKPOINT with nobody else connected."""
        cluster = self.tables.cluster
        with pgbench.connect(cluster) as connection:
            residency.prewarm(connection)
        done = self._transactions(planned.seed)
        with cluster.connect() as observer:
            read_counters(observer, cluster.binaries)  # returns when pgbench's connections have ended
        written = self._written(done.processed)
        with pgbench.connect(cluster) as connection:
            resident, dirty = residency.pool_pages(connection)
            begun = time.monotonic()
            connection.execute("CHECKPOINT")
            spent = time.monotonic() - begun
            resident_after, dirty_after = residency.pool_pages(connection)
            row = connection.execute(
                f"SELECT sum(pg_relation_size(r))::bigint / {BLOCK_BYTES}, "
                "(SELECT sum(autovacuum_count)::bigint FROM pg_stat_user_tables) FROM unnest(%s::regclass[]) AS r",
                (list(residency.RELATIONS),),
            ).fetchone()
        assert row is not None
        return {
            "tps": done.tps,
            "operations": float(done.processed),
            **written,
            "resident_pages_before": float(resident),
            "dirty_pages_before": float(dirty),
            "resident_pages_after": float(resident_after),
            "dirty_pages_after": float(dirty_after),
            "data_pages": float(row[0]),
            "autovacuums": float(row[1]),
            "checkpoint_s": spent,
        }, {"transaction": done.latency_ns}

    def _transactions(self, seed: int) -> pgbench.Transactions:
        p = self.parameters
        return pgbench.run(self.tables.cluster, Workload("tpcb-like", p.clients, THREADS, p.tpcb_seconds, seed=seed))

    def _written(self, processed: int) -> Metrics:
        """Transactions as the client and, by the rows of the history, as the tables count them."""
        with pgbench.connect(self.tables.cluster) as connection:
            row = connection.execute("SELECT count(*) FROM pgbench_history").fetchone()
        assert row is not None
        return {"transactions": float(processed), "server_transactions": float(row[0])}

    def _asked(self, observer: Connection) -> dict[str, float]:
        """How often the log's buffers were full so far, and rows that were found by bitmaps.

        Read as ``_workers``. A table's own count of rows fetched is that of bitmaps; plain index scans count at the
        index.
        """
        read_counters(observer, self.tables.binaries)
        with pgbench.connect(self.tables.cluster) as connection:
            row = connection.execute(
                "SELECT (SELECT wal_buffers_full FROM pg_stat_wal)::float8, "
                "sum(pg_stat_get_tuples_fetched(r))::float8 FROM unnest(%s::regclass[]) AS r",
                (list(RELATIONS),),
            ).fetchone()
        assert row is not None
        return {"log_buffers_full": float(row[0]), "bitmap_rows": float(row[1])}

    def _workers(self, observer: Connection) -> tuple[int, int] | None:
        """Parallel workers that were planned and launched so far; None before PostgreSQL 18.

        Read when all other connections to pgbench's database have ended, and so told what they did.
        """
        binaries = self.tables.binaries
        read_counters(observer, binaries)
        if binaries.major < 18:
            return None
        row = observer.execute(
            "SELECT sum(parallel_workers_to_launch)::bigint, sum(parallel_workers_launched)::bigint "
            "FROM pg_stat_database"
        ).fetchone()
        assert row is not None
        return int(row[0]), int(row[1])


def _grown(before: tuple[int, int] | None, after: tuple[int, int] | None, operations: int) -> Metrics:
    found: Metrics = {"operations": float(operations)}
    if before is None or after is None:
        return found
    planned, launched = (float(now - then) for now, then in zip(after, before, strict=True))
    return found | {
        "parallel_workers_planned": planned,
        "parallel_workers": launched,
        "parallel_workers_per_operation": launched / operations,
    }


def _more(before: dict[str, float], after: dict[str, float], operations: int) -> Metrics:
    found: Metrics = {"operations": float(operations)}
    for name, value in after.items():
        found[name] = value - before[name]
        found[f"{name}_per_operation"] = (value - before[name]) / operations
    return found


def explained(connection: Connection) -> str:
    """The plan of the sum, as one line."""
    lines = connection.execute(f"EXPLAIN (COSTS OFF) {SUM}").fetchall()
    return "; ".join(str(line).strip() for (line,) in lines)
