"""The session: trials on a filled pool that checkpoint or do not, a kill at their end, and the recovery after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchbook.chapters.checkpoints.arms import HOUR_FREE, POOL_OVER_DATA, Parameters, configurations
from benchbook.engines import pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import WaitSampler, Workload, residency
from benchbook.engines.postgres import identity, recovery
from benchbook.engines.storage.caps import Cap
from benchbook.measuring.pgbench import bench, spent, storage, tables, tallies
from benchbook.measuring.pgbench.ladder import counted
from benchbook.measuring.pgbench.parameters import PAGES_PER_SCALE, RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import NOTE_003, Part, Settings, pool_blocks
from benchbook.measuring.pgbench.storage import UNCAPPED, Slowness
from benchbook.measuring.samples import reduced, subsample
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SAMPLES = 200
"""Transactions of a trial that are stored."""
LOOK_EVERY_S = 0.25
SECONDS_BESIDE, CERTIFICATE_SECONDS, PAGES_WRITTEN_PER_S = 5.0, 4.5, 1_300
BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 400e6, 100e6 / 3
"""A trial's start, stop and looks, and its certificate; the pages a second that a recovery writes under the cap; the
rates at which data are put back and read, and at which they are loaded: estimates of two processors."""


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL; root where asked for."""
    p = parameters
    beside = SECONDS_BESIDE + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE + p.fill_seconds + p.trial_seconds
    capped = CERTIFICATE_SECONDS + p.scale * PAGES_PER_SCALE / PAGES_WRITTEN_PER_S
    each = [beside + (capped if arm.settings["capped"] else 0) for arm in configurations(p)]
    minutes = (p.blocks * sum(each) + p.data_bytes / LOADED_BYTES_PER_SECOND) / 60
    return Needs(p.disk_bytes, p.memory_bytes, identity, minutes, lambda: check(allowed=p.allow_slow_storage))


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    p = parameters
    with (
        storage.placed(p) as place,
        tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm", place=place) as found,
    ):
        made = Bench(p, found, p.storage_iops)
        if p.allow_slow_storage and not p.storage_iops:
            progress("making a pilot for the cap of the storage", 0.95)
            made = replace(made, iops=piloted(made))
        yield made


def piloted(made: Bench) -> int:
    """The cap that bears the ratio of note 002's disks to the transactions that are made here without one."""
    p = made.parameters.model_copy(update={"trial_seconds": storage.PILOT_SECONDS, "keep_going": False})
    arm = next(arm for arm in configurations(p) if arm.name == HOUR_FREE)
    pilot = replace(made, parameters=p).measure(PlannedTrial(0, 0, arm, seed=p.seed))
    return storage.in_proportion(pilot.metrics["tps"] or 0)


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials on a filled pool. iops: the cap of the capped ones."""

    iops: int

    def provenance(self) -> dict[str, Any]:
        """The family's, and the cap."""
        return {**super().provenance(), "storage_iops": self.iops or None}

    def ram_bytes(self, arm: Configuration) -> int:
        """Memory that server and page cache may use together in a trial."""
        return int(RAM_OVER_DATA * self.tables.data_bytes)

    def settings(self, arm: Configuration) -> Settings:
        """Note 003's of its second round, without compression, and what the arm varies."""
        own, blocks = arm.settings, pool_blocks(POOL_OVER_DATA * self.tables.data_bytes)
        return NOTE_003 | {
            "shared_buffers": f"{blocks * 8}kB",
            "max_connections": self.parameters.max_connections,
            "wal_compression": "off",
            "wal_buffers": "16MB",
            "checkpoint_completion_target": 0.9,
            "checkpoint_timeout": f"{own['checkpoint_timeout_s']}s",
            "max_wal_size": f"{own['max_wal_size_mb']}MB",
            "min_wal_size": "32MB",
            "full_page_writes": bool(own["full_page_writes"]),
        }

    def slowness(self, arm: Configuration) -> Slowness:
        """The cap, and the delay of the log's flushes, where the arm lies on slow storage."""
        if not arm.settings["capped"]:
            return Slowness(UNCAPPED)
        return Slowness(Cap(write_iops=self.iops))

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """On a filled pool; then the server is killed, and what its recovery takes and finds is measured too."""
        p, cluster, arm = self.parameters, self.tables.cluster, planned.configuration
        with pgbench.connect(cluster) as connection:
            residency.prewarm(connection)
        filled = self.run(self._workload(planned, p.fill_seconds, number=1)).processed if p.fill_seconds else 0
        start, waiting = self.look(), residency.dirty_bytes()
        inserted = tallies.transactions(cluster, Part.WARM)
        with cluster.connect() as observer:
            tally, used = tallies.read(observer, cluster), spent.read(cluster)
            with WaitSampler(cluster.connect, LOOK_EVERY_S) as sampler:
                done = self.run(self._workload(planned, p.trial_seconds, number=0))
            used = spent.read(cluster) - used
            window = tallies.read(observer, cluster) - tally
        made = tallies.transactions(cluster, Part.WARM) - inserted
        with pgbench.connect(cluster) as connection:
            _, dirty = residency.pool_pages(connection)
        caches = bench.of_caches(start, self.look())
        recovered = recovery.after_crash(cluster, bound, self.settings(arm))
        kept = subsample(done.latency_ns, SAMPLES)
        metrics: bench.Metrics = {
            **self.of_all(done),
            **reduce(kept),
            **spent.course(done.end_s, p.trial_seconds),
            **used.metrics(done.processed),
            **window.metrics(max(1, done.processed)),
            **counted.of_waits(sampler.waits, p.clients),
            **caches,
            "server_transactions": float(made),
            "dirty_start_bytes": waiting,
            "owed_pages": float(dirty),
            "ready_s": recovered.ready_s,
            "redo_s": recovered.redo_s,
            "recovery_checkpoint_s": recovered.checkpoint_s,
            "recovery_pages": float(recovered.pages),
            "lost_transactions": float(filled + done.processed - self._history()),
        }
        return metrics, {"transaction": kept}

    def _history(self) -> int:
        """Rows of the history after the recovery, whose balances must add up: one for each transaction that is kept."""
        with pgbench.connect(self.tables.cluster) as connection:
            counted.check_balances(connection)
            row = connection.execute("SELECT count(*) FROM pgbench_history").fetchone()
        assert row is not None
        return int(row[0])

    def _workload(self, planned: PlannedTrial, seconds: int, *, number: int) -> Workload:
        p = self.parameters
        return Workload("tpcb-like", p.clients, p.threads, seconds, seed=2 * planned.seed + number)


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (samples,)."""
    return reduced(latencies, "sample")
