"""One trial: restored data, a fresh server with empty caches, certified, then pgbench, sampled or plain."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from benchbook import files, statistics
from benchbook.engines import cores, pgbench
from benchbook.engines.pgbench import Counters, Template, Transactions, Waits, WaitSampler, Workload
from benchbook.engines.postgres import Binaries, Cluster, find, identity, private_cluster, sessions
from benchbook.errors import BenchbookError
from benchbook.experiments.needs import Needs
from benchbook.experiments.noise_floor.parameters import Parameters
from benchbook.experiments.noise_floor.reduction import reduce, stored
from benchbook.model import PlannedTrial, Scalar, Trial

TOO_SHORT = "too short"
ROUND_2: dict[str, Scalar] = {
    "bgwriter_delay": "10ms",
    "bgwriter_lru_maxpages": 500,
    "bgwriter_lru_multiplier": 4.0,
    "wal_buffers": "128MB",
    "wal_writer_delay": "10ms",
    "wal_writer_flush_after": "2MB",
    "wal_compression": "pglz",
    "commit_delay": 0,
    "commit_siblings": 3,
    "effective_io_concurrency": 100,
    "random_page_cost": 1.1,
}
"""The note's Round 2, as far as it does not depend on the machine's size; its lz4 is not built into every server."""
_LOG_BYTES_PER_S = 3_000_000
_WAL_BYTES = 2_000_000_000


def needs(parameters: Parameters) -> Needs:
    """Disk for the data, their template, pgbench's log and the server's; memory for pool and clients; a PostgreSQL."""
    seconds = parameters.warm_up_s + parameters.duration_s
    return Needs(
        disk_bytes=2 * parameters.data_bytes + seconds * _LOG_BYTES_PER_S + _WAL_BYTES,
        memory_bytes=parameters.shared_buffers_mib * 2**20 + parameters.clients * 5_000_000 + 700_000_000,
        engine=identity,
    )


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with pgbench's tables and their template, on which trials are measured."""
    binaries = find()
    with private_cluster(binaries, bytes_needed=needs(parameters).disk_bytes) as cluster:
        progress("making pgbench's tables", 0.0)
        cluster.start({"shared_buffers": "512MB", "synchronous_commit": False})
        pgbench.initialise(cluster, parameters.scale)
        with cluster.connect() as connection:
            connection.execute("CREATE EXTENSION pg_buffercache")
        with pgbench.connect(cluster) as connection:
            row = connection.execute(
                "SELECT sum(pg_table_size(c.oid)), sum(pg_indexes_size(c.oid)) FROM pg_class c "
                "WHERE relname LIKE 'pgbench%' AND relkind = 'r'"
            ).fetchone()
        assert row is not None
        cluster.stop()
        progress("copying the template", 0.5)
        yield Bench(parameters, binaries, cluster, Template(cluster), int(row[0]), int(row[1]))


@dataclass(frozen=True)
class Bench:
    """A loaded data set with its template, ready to be measured trial by trial."""

    parameters: Parameters
    binaries: Binaries
    cluster: Cluster
    template: Template
    heap_bytes: int
    index_bytes: int

    @property
    def direct_io(self) -> bool:
        """Whether the trials read and write past the OS page cache."""
        return self.parameters.direct_io and self.cluster.direct_io_possible

    @property
    def cores(self) -> cores.Cores | None:
        """Where pgbench and the server run; None when the kernel decides."""
        return cores.split() if self.parameters.pin_cores else None

    def settings(self) -> dict[str, Scalar]:
        """Server settings of every trial."""
        settings = ROUND_2 | {
            "shared_buffers": f"{self.parameters.shared_buffers_mib}MB",
            "max_connections": self.parameters.clients + 20,
        }
        return settings | {"debug_io_direct": "data"} if self.direct_io else settings

    def provenance(self) -> dict[str, Any]:
        """The engine, its effective settings and the data set, for the run's record."""
        self._start()
        try:
            with self.cluster.connect() as connection:
                settings = sessions.effective(connection)
        finally:
            self.cluster.stop()
        return {
            **self.binaries.identity(),
            "settings": settings,
            "direct_io": self.direct_io,
            "pinned": None if self.cores is None else {"client": [*self.cores.client], "server": [*self.cores.server]},
            "heap_bytes": self.heap_bytes,
            "index_bytes": self.index_bytes,
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        p, settings = self.parameters, planned.configuration.settings
        sampled = bool(settings["sampled"])
        workload = Workload(
            str(settings["script"]), clients=p.clients, threads=p.threads, duration_s=p.duration_s,
            warm_up_s=p.warm_up_s, seed=planned.seed, log=sampled,
        )  # fmt: skip
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        self.template.restore()
        self._start()
        try:
            with self.cluster.connect() as observer:
                in_pool, in_os_cache = self._resident(observer)
                with pgbench.connect(self.cluster) as session:
                    in_force = sessions.checked(session)
                before = pgbench.read_counters(observer, self.binaries)
                waits = None
                if sampled:
                    with WaitSampler(self.cluster.connect) as sampler:
                        found = pgbench.run(self.cluster, workload, pinned=self.cores)
                    waits = sampler.waits
                else:
                    found = pgbench.run(self.cluster, workload, pinned=self.cores)
                counted = pgbench.read_counters(observer, self.binaries) - before
        finally:
            self.cluster.stop()
        samples = stored(found)
        metrics = _metrics(found, counted, waits) | {"in_pool_at_start": in_pool, "in_os_cache_at_start": in_os_cache}
        for latencies in samples.values():
            metrics |= reduce(latencies)
        state = statistics.cache_state(in_pool, in_os_cache, os_cache_in_play=not self.direct_io)
        labels = {"cache_state": str(state), "steadiness": steadiness(found.run_tps_per_s), "settings": in_force}
        return Trial(planned, started_at, time.monotonic() - clock, metrics, labels, samples)

    def _start(self) -> None:
        with cores.on(None if self.cores is None else self.cores.server):
            self.cluster.start(self.settings())

    def _resident(self, observer: psycopg.Connection[tuple[Any, ...]]) -> tuple[float, float]:
        """Share of the data in shared buffers and in the OS page cache."""
        row = observer.execute(
            "SELECT d.oid, count(b.bufferid) * 8192 FROM pg_database d LEFT JOIN pg_buffercache b "
            "ON b.reldatabase = d.oid WHERE d.datname = %s GROUP BY d.oid",
            (pgbench.DATABASE,),
        ).fetchone()
        assert row is not None
        pages = cached_pages(self.cluster.data / "base" / str(row[0]))
        return min(1.0, int(row[1]) / (self.heap_bytes + self.index_bytes)), float(pages.mean())


def cached_pages(folder: Path) -> np.ndarray:
    """Which pages of all files in a folder the kernel holds; bool."""
    return np.concatenate([files.cached_pages(path) for path in sorted(folder.iterdir()) if path.is_file()])


def steadiness(run_tps_per_s: np.ndarray) -> str:
    """The class of a trial's course, warm-up included, or "too short" for one."""
    try:
        return str(statistics.steady_state(run_tps_per_s).kind)
    except BenchbookError:
        return TOO_SHORT


def _metrics(found: Transactions, counted: Counters, waits: Waits | None) -> dict[str, float | None]:
    """From all transactions of the window, and from the server's counts over the whole run (``run_``).

    report_*: from what pgbench itself reports each second, which the plain command has too. first_tps: from the first
    second of the cold start on. The plain command's tps is that of its report.
    """
    end = found.dropped_s + found.duration_s
    report = found.progress.between(found.dropped_s, end)
    busy = report.tps > 0
    clients_implied = float(np.mean(np.where(busy, report.tps * np.nan_to_num(report.mean_ns), 0.0)) / 1e9)
    own = pgbench.own_commits(found.workload)
    asked = counted.hits + counted.reads
    metrics: dict[str, float | None] = {
        "tps": found.tps,
        "first_tps": found.first_tps,
        "report_tps": found.progress.mean_tps(found.dropped_s, end),
        "report_first_tps": found.progress.mean_tps(0, found.duration_s),
        "transactions": float(found.processed),
        "count_difference": None if own is None else float(counted.commits - own - found.processed),
        "run_hit_ratio": counted.hits / asked if asked else None,
        "run_block_requests": float(asked),
        "run_checkpoints": float(counted.checkpoints),
        "run_wal_bytes": float(counted.wal_bytes),
    }
    if found.latency_ns.size:
        metrics |= statistics.describe(found.latency_ns)
        metrics["little_ratio"] = found.tps * float(found.latency_ns.mean()) / 1e9 / found.clients
        metrics["failed"] = None if found.failed is None else float(found.failed)
        metrics |= {f"tps_second_{i:03d}": float(value) for i, value in enumerate(found.run_tps_per_s)}
    else:
        metrics["little_ratio"] = clients_implied / found.clients
    if waits is not None:
        seen = sum(waits.counts.values())
        metrics["looks"] = float(waits.looks)
        metrics["looking_s"] = waits.seconds
        locks = sum(count for name, count in waits.counts.items() if name.startswith("Lock:"))
        metrics["lock_wait_share"] = locks / seen if seen else None
    return metrics
