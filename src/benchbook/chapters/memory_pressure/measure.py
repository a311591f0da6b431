"""The session: trials on a pool that settled beside a page cache, in a memory that both share; reads are capped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchbook.chapters.memory_pressure import looks
from benchbook.chapters.memory_pressure.arms import PRESSING, QUARTER, Parameters, configurations
from benchbook.engines import pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import WaitSampler, Workload, residency
from benchbook.engines.postgres import identity
from benchbook.engines.storage import devices, throttle
from benchbook.engines.storage.caps import SMALLEST_IOPS, Cap
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench, spent, storage, tables, tallies
from benchbook.measuring.pgbench.ladder import counted
from benchbook.measuring.pgbench.pressure import Pressure
from benchbook.measuring.pgbench.settings import BLOCK_BYTES, NOTE_003, Part, Settings, pool_blocks
from benchbook.measuring.pgbench.storage import Slowness
from benchbook.measuring.samples import reduced, subsample
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial, Scalar
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SAMPLES = 200
"""Transactions of a trial that are stored: some twenty trials a block would else be too many to publish."""
LOOK_EVERY_S = 0.25
PASSED = 0.5
"""Of the reads that are made without a cap, those that it lets pass."""
SECONDS_BESIDE, CERTIFYING_S, LOOKING_S = 3.0, 5.0, 2.0
BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 400e6, 100e6 / 3
"""A trial's start, stop and looks, its certificate with and without a cap, the rates at which its data are put back and
read, and at which they are loaded: estimates of two processors and a local disk."""


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL; root where asked for."""
    p = parameters
    beside = SECONDS_BESIDE + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE + p.fill_seconds + p.trial_seconds
    looked = (CERTIFYING_S, LOOKING_S) if p.allow_slow_storage else (0.0, 0.0)
    each = [beside + (looked[0] if arm.settings["capped"] else looked[1]) for arm in configurations(p)]
    pilot = p.fill_seconds + storage.PILOT_SECONDS if p.allow_slow_storage and not p.storage_iops else 0
    minutes = (pilot + p.blocks * sum(each) + p.data_bytes / LOADED_BYTES_PER_SECOND) / 60
    return Needs(p.disk_bytes, p.memory_bytes, identity, minutes, lambda: check(allowed=p.allow_slow_storage))


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    p = parameters
    with storage.placed(p) as place:
        if place.volume is not None:
            devices.set_read_ahead(devices.Device(place.volume.device, place.volume.number), p.read_ahead_kib)
        with tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm", place=place) as found:
            made = Bench(p, found, p.storage_iops)
            if p.allow_slow_storage and not p.storage_iops:
                progress("making a pilot for the cap of the reads", 0.95)
                made = replace(made, iops=piloted(made))
            yield made


def piloted(made: Bench) -> int:
    """The cap: a part of what a pool of a quarter reads in a second without one, of data that press."""
    p = made.parameters.model_copy(update={"trial_seconds": storage.PILOT_SECONDS, "keep_going": False})
    arm = next(arm for arm in configurations(p) if arm.name == QUARTER)
    data: dict[str, Scalar] = {"data_over_ram": PRESSING, "pool_over_data": 0.25 / PRESSING, "capped": False}
    pressed = replace(arm, settings={**arm.settings, **data})
    found = replace(made, parameters=p).measure(PlannedTrial(0, 0, pressed, seed=p.seed)).metrics
    return max(SMALLEST_IOPS, round(PASSED * (found["tps"] or 0) * (found["disk_reads_per_transaction"] or 0)))


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials in memories of several sizes, the data being the same. iops: the cap of the capped ones."""

    iops: int = 0

    def provenance(self) -> dict[str, Any]:
        """The family's, the cap of the reads, and what is given to the server on top of the shared memory."""
        p = self.parameters
        iops, ahead = (self.iops, p.read_ahead_kib) if p.allow_slow_storage else (None, None)
        return {**super().provenance(), "storage_iops": iops, "read_ahead_kib": ahead, "own_bytes": p.own_bytes}

    def shared_by_both(self, arm: Configuration) -> int:
        """Memory that pool and page cache share in a trial, in bytes."""
        return int(self.tables.data_bytes / float(arm.settings["data_over_ram"] or 1))

    def ram_bytes(self, arm: Configuration) -> int:
        """The same, and what the server takes beside."""
        return self.shared_by_both(arm) + self.parameters.own_bytes

    def pool_blocks(self, arm: Configuration) -> int:
        """Shared buffers in blocks of 8 KiB."""
        return pool_blocks(float(arm.settings["pool_over_ram"] or 0) * self.shared_by_both(arm))

    def settings(self, arm: Configuration) -> Settings:
        """Note 003's of its second round, in ordinary pages and without compression of the log."""
        p = self.parameters
        return NOTE_003 | {
            "shared_buffers": f"{self.pool_blocks(arm) * 8}kB",
            "huge_pages": "off",
            "max_connections": p.max_connections,
            "wal_compression": "off",
            "wal_buffers": "16MB",
            "checkpoint_timeout": "1h",
            "max_wal_size": "50GB",
            "min_wal_size": "32MB",
            "autovacuum_naptime": f"{p.fill_seconds + p.trial_seconds}s",
        }

    def slowness(self, arm: Configuration) -> Slowness:
        """The cap of the reads of a configuration on slow storage."""
        return Slowness(Cap(read_iops=self.iops)) if arm.settings["capped"] else Slowness()

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """On caches that settled in a discarded run, with what counts the pressure around the measured seconds."""
        p, cluster, arm = self.parameters, self.tables.cluster, planned.configuration
        blocks, ram = self.pool_blocks(arm), self.shared_by_both(arm)
        with self._lifted(arm):
            with pgbench.connect(cluster) as connection:
                residency.prewarm(connection)
            if p.fill_seconds:
                self.run(self._workload(planned, p.fill_seconds, number=1))
        with pgbench.connect(cluster) as connection:
            resident, dirty = residency.pool_pages(connection)
        start, waiting = self.look(), residency.dirty_bytes()
        inserted, vacuumed = tallies.transactions(cluster, Part.WARM), tallies.autovacuums(cluster)
        with cluster.connect() as observer, Pressure(bound).watching() as pressure:
            tally, refaulted, used = tallies.read(observer, cluster), looks.refaults(bound), spent.read(cluster)
            with WaitSampler(cluster.connect, LOOK_EVERY_S) as sampler:
                done = self.run(self._workload(planned, p.trial_seconds, number=0))
            used, again = spent.read(cluster) - used, looks.refaults(bound)
            window = tallies.read(observer, cluster) - tally
        end, made = self.look(), max(1, done.processed)
        kept = subsample(done.latency_ns, SAMPLES)
        metrics: bench.Metrics = {
            **self.of_all(done),
            **reduce(kept),
            **spent.course(done.end_s, p.trial_seconds),
            **used.metrics(made),
            **window.metrics(made),
            **counted.of_waits(sampler.waits, p.clients),
            **bench.of_caches(start, end),
            **pressure.metrics(self.ram_bytes(arm)),
            "bytes_per_read": _over(used.disk_read_bytes, used.disk_reads),
            "refaults_per_transaction": None if refaulted is None or again is None else (again - refaulted) / made,
            "own_bytes": looks.own_bytes(bound, blocks * BLOCK_BYTES),
            "server_transactions": float(tallies.transactions(cluster, Part.WARM) - inserted),
            "autovacuums": tallies.autovacuums(cluster) - vacuumed,
            "dirty_start_bytes": waiting,
            "dirty_pool_start": float(dirty),
            "pool_used_share": resident / blocks,
            "pool_blocks": float(blocks),
            "ram_blocks": float(ram // BLOCK_BYTES),
            "data_blocks": float(end.data),
            "data_in_os_cache_end": None if end.os is None else end.os / end.data,
            "resident_share_end": None if end.either is None else end.either / end.data,
            "held_twice_share_end": (
                None if end.os is None or end.either is None else (end.pool + end.os - end.either) / end.data
            ),
        }
        return metrics, {"transaction": kept}

    @contextmanager
    def _lifted(self, arm: Configuration) -> Iterator[None]:
        """Lift the cap of a trial meanwhile, so that the caches settle sooner; whoever capped removes it in the end."""
        volume, cap = self.tables.place.volume, self.slowness(arm).cap
        if volume is None or not cap:
            yield
            return
        rules = throttle.find()
        rules.put(volume.number, Cap())
        yield
        rules.put(volume.number, cap)
        if (found := rules.rule(volume.number)) != cap:
            raise MachineError(f"the kernel made {found} of a cap of {cap}", "measure again")

    def _workload(self, planned: PlannedTrial, seconds: int, *, number: int) -> Workload:
        p = self.parameters
        return Workload("tpcb-like", p.clients, p.threads, seconds, seed=2 * planned.seed + number)


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (samples,)."""
    return reduced(latencies, "sample")


def _over(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None
