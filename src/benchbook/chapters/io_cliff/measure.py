"""The session: pgbench's tables kept as a template, each trial on a copy; memory, dirty data, disk limited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from benchbook.chapters.io_cliff import watched
from benchbook.chapters.io_cliff.arms import A_FREE, CHECKPOINTS, NOTE_CHECKPOINT_SECONDS, Parameters, configurations
from benchbook.chapters.io_cliff.course import reduce, stretches
from benchbook.engines import dirty_limits, kernel_settings, pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.dirty_limits import DirtyLimits, of_memory
from benchbook.engines.pgbench import Transactions, Watch, Workload, residency
from benchbook.engines.postgres import identity
from benchbook.engines.storage.caps import Cap
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench, storage, tables
from benchbook.measuring.pgbench.parameters import RAM_OVER_DATA, SMALL_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import NOTE_003, Settings, pool_blocks, restarted
from benchbook.measuring.pgbench.storage import UNCAPPED, Slowness
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SMALLEST_WAL_MB = 32
"""Two segments of 16 MB: the server starts with no less."""
WAL_OVER_DATA, DEFAULT_WAL_OVER_DATA = 2.5, 0.05
"""The note's 50 GB, and PostgreSQL's 1 GB, to its 20 GB of data."""
SECONDS_BESIDE, CERTIFICATE_SECONDS = 2.5, 4.5
BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 400e6, 100e6 / 3
"""A trial's start, stop and certificate; the rate at which its data are put back, written and read; of loading."""


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL; root where asked for."""
    p = parameters

    def usable() -> None:
        refusal = kernel_settings.refusal() if p.allow_vm_settings else None
        if refusal is not None:
            raise MachineError(
                f"the kernel's limits of dirty data cannot be set: {refusal}",
                "set allow_vm_settings=false to measure under the machine's own limits only",
            )
        check(allowed=p.allow_slow_storage)

    beside = SECONDS_BESIDE + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE
    beside += CERTIFICATE_SECONDS if p.allow_slow_storage else 0
    long = p.checkpoint_seconds + p.fill_seconds
    each = [beside + (long if arm.name in CHECKPOINTS else p.trial_seconds) for arm in configurations(p)]
    minutes = (p.blocks * sum(each) + p.data_bytes / LOADED_BYTES_PER_SECOND) / 60
    return Needs(p.disk_bytes, p.memory_bytes, identity, minutes, usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    p = parameters
    with storage.placed(p) as place, tables.loaded(p.scale, p.disk_bytes, progress, place=place) as found:
        made = Bench(p, found, p.storage_iops)
        if p.allow_slow_storage and not p.storage_iops:
            progress("making a pilot for the cap of the storage", 0.95)
            made = replace(made, iops=piloted(made))
        yield made


def piloted(made: Bench) -> int:
    """The cap that bears the ratio of the note's disks to the transactions that the small pool makes without one."""
    p = made.parameters.model_copy(update={"trial_seconds": storage.PILOT_SECONDS, "keep_going": False})
    arm = next(arm for arm in configurations(p) if arm.name == A_FREE)
    pilot = replace(made, parameters=p).measure(PlannedTrial(0, 0, arm, seed=p.seed))
    return storage.in_proportion(pilot.metrics["tps"] or 0)


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials from a restart, and for checkpoints on a filled pool. iops: the cap of the capped ones."""

    iops: int

    def provenance(self) -> dict[str, Any]:
        """The family's, and the machine's own limits of dirty data."""
        own = dirty_limits.current()
        return {
            **super().provenance(),
            "machine_dirty_limit_bytes": None if own is None else own.limit_bytes,
            "machine_dirty_background_bytes": None if own is None else own.background_bytes,
            "storage_iops": self.iops or None,
        }

    def ram_bytes(self, arm: Configuration) -> int:
        """Memory that server and page cache may use together in a trial."""
        return int((SMALL_RAM_OVER_DATA if arm.settings.get("warm") else RAM_OVER_DATA) * self.tables.data_bytes)

    def pool_blocks(self, arm: Configuration) -> int:
        """Size of shared buffers in blocks of 8 KiB."""
        return pool_blocks(float(arm.settings["pool_over_data"] or 0) * self.tables.data_bytes)

    def settings(self, arm: Configuration) -> Settings:
        """The notes' own settings, as far as the server has them, and what the arm varies."""
        own = arm.settings
        common: Settings = {
            "shared_buffers": f"{self.pool_blocks(arm) * 8}kB",
            "max_connections": self.parameters.max_connections,
            "wal_compression": self.tables.wal_compression,
            "wal_buffers": "16MB",
            "checkpoint_completion_target": 0.9,
        }
        if own.get("warm"):
            return NOTE_003 | common | self._checkpoints(own)
        return restarted(int(own["workers"] or 0), own["lru_maxpages"]) | common

    def limits(self, arm: Configuration) -> DirtyLimits | None:
        """The limits of dirty data to set for a trial, scaled to its memory; None leaves the machine's own."""
        percent, background = (arm.settings.get(f"dirty_{kind}percent") for kind in ("", "background_"))
        if not self.parameters.allow_vm_settings or percent is None or background is None:
            return None
        return of_memory(self.ram_bytes(arm), float(percent), float(background))

    def slowness(self, arm: Configuration) -> Slowness:
        """The cap and the delay of the log's flushes, where the arm lies on slow storage."""
        if not arm.settings["capped"]:
            return Slowness(UNCAPPED)
        return Slowness(Cap(write_iops=self.iops), sync_ms=self.parameters.storage_latency_ms)

    def surrounded(self, stack: ExitStack, arm: Configuration) -> Mapping[str, str]:
        """The limits of dirty data, set last: so neither the restoring nor the server's start is slowed by them."""
        wanted = self.limits(arm)
        if wanted is None:
            return {"dirty_limits": "the machine's own"}
        stack.enter_context(dirty_limits.applied(wanted))
        limit, background = wanted.limit_bytes / 2**20, wanted.background_bytes / 2**20
        return {"dirty_limits": f"{limit:.0f} MiB, background {background:.0f} MiB"}

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """Filled or not, and watched while it is measured."""
        p, arm, cluster = self.parameters, planned.configuration, self.tables.cluster
        warm = bool(arm.settings.get("warm"))
        seconds = p.checkpoint_seconds if warm else p.trial_seconds
        if warm:
            self.run(self._workload(planned, p.fill_seconds, number=1))
            with cluster.connect() as connection:
                connection.execute("CHECKPOINT")
        start, waiting = self.look(), residency.dirty_bytes()
        with cluster.connect() as observer:
            before = pgbench.read_counters(observer, self.tables.binaries)
            with Watch(cluster, bound, every_s=min(1.0, max(0.25, seconds / watched.PARTS))) as watch:
                done = self.run(self._workload(planned, seconds, number=0))
            window = pgbench.read_counters(observer, self.tables.binaries) - before
        kept = stretches(done.end_s, seconds)
        in_force = self.limits(arm) or dirty_limits.current()
        memory = bound.reading()
        metrics: bench.Metrics = {
            **self.of_all(done),
            **reduce(kept),
            **watched.metrics(watch.watched, seconds, None if in_force is None else in_force.slows_from_bytes),
            **bench.of_caches(start, self.look()),
            "server_transactions": _server_count(window.commits, done),
            "checkpoints": float(window.checkpoints),
            "dirty_start_bytes": waiting,
            "dirty_limit_bytes": None if in_force is None else float(in_force.limit_bytes),
            "dirty_background_bytes": None if in_force is None else float(in_force.background_bytes),
            "pool_blocks": float(self.pool_blocks(arm)),
            "ram_bytes": float(self.ram_bytes(arm)),
            "memory_peak_bytes": None if memory is None or memory.peak_bytes is None else float(memory.peak_bytes),
            "swapped_bytes": None if memory is None else float(memory.swapped_bytes),
            "processes_killed": None if memory is None else float(memory.killed),
        }
        return metrics, {"stretch": kept}

    def _workload(self, planned: PlannedTrial, seconds: int, *, number: int) -> Workload:
        p = self.parameters
        return Workload("tpcb-like", p.clients, p.threads, seconds, seed=2 * planned.seed + number)

    def _checkpoints(self, arm: Mapping[str, Any]) -> Settings:
        p, data = self.parameters, self.tables.data_bytes
        # where only time shall start a checkpoint, the log may grow beyond the note's size
        size = data * DEFAULT_WAL_OVER_DATA / 1e6 if arm["default_wal_size"] else max(data * WAL_OVER_DATA / 1e6, 8_000)
        hour = round(3_600 * p.checkpoint_seconds / NOTE_CHECKPOINT_SECONDS)
        timeout = p.checkpoint_timeout_s if arm["default_timeout"] else max(hour, 2 * p.checkpoint_seconds)
        return {
            "max_wal_size": f"{max(SMALLEST_WAL_MB, round(size))}MB",
            "min_wal_size": f"{SMALLEST_WAL_MB}MB",
            "checkpoint_timeout": f"{max(p.checkpoint_timeout_s, timeout)}s",
        }


def _server_count(commits: int, done: Transactions) -> float | None:
    """Transactions that the server counted for pgbench's clients, its own questions left out."""
    own = pgbench.own_commits(done.workload)
    return None if own is None else float(commits - own)
