"""One trial: restored data, a fresh server with empty caches, certified, then pgbench, sampled or plain.

The trial's own metrics (``tps``, ``mean_ns``, ``p99_ns`` ...) come from all transactions; those named ``stored_`` from
the subsample that a run keeps, since a select-only trial has hundreds of thousands. The plain command writes no log: of
it are stored the mean latencies of its seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchbook import files, statistics
from benchbook.chapters.noise_floor.arms import Parameters
from benchbook.engines import pgbench
from benchbook.engines.pgbench import Counters, Template, Transactions, Waits, WaitSampler, Workload
from benchbook.engines.postgres import identity, sessions
from benchbook.errors import BenchbookError
from benchbook.measuring import postgres
from benchbook.measuring.pgbench import tables
from benchbook.measuring.pgbench.settings import ROUND_2
from benchbook.measuring.samples import reduced, subsample
from benchbook.model import PlannedTrial, Scalar, Trial
from benchbook.parameters.needs import Needs

TOO_SHORT = "too short"
STORED_AT_MOST = 10_000
TRANSACTION, SECOND = "transaction", "second"
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
    with tables.loaded(parameters.scale, needs(parameters).disk_bytes, progress) as found:
        yield Bench(
            parameters, found.binaries, found.cluster, found.heap_bytes, found.index_bytes, found.template
        )  # fmt: skip


@dataclass(frozen=True)
class Bench(postgres.Loaded[Parameters]):
    """pgbench's tables with their template, ready to be measured trial by trial."""

    template: Template

    def settings(self) -> dict[str, Scalar]:
        """The note's second round, as far as it does not depend on the machine; lz4 is not built into every server."""
        return super().settings() | ROUND_2 | {
            "wal_buffers": "128MB",
            "wal_compression": "pglz",
            "shared_buffers": f"{self.parameters.shared_buffers_mib}MB",
            "max_connections": self.parameters.clients + 20,
        }  # fmt: skip

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
        self.start()
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

    def _resident(self, observer: postgres.Connection) -> tuple[float, float]:
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


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (stored,): of some transactions, or of mean seconds."""
    return reduced(latencies, "stored")


def stored(found: Transactions) -> dict[str, np.ndarray]:
    """The samples of one trial: some transactions, else the mean latency of each reported second; int64 ns."""
    if found.latency_ns.size:
        return {TRANSACTION: subsample(found.latency_ns, STORED_AT_MOST)}
    seconds = found.progress.between(found.dropped_s, found.dropped_s + found.duration_s).mean_ns
    return {SECOND: seconds[np.isfinite(seconds)].astype(np.int64)}


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
