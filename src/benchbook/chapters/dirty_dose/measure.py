"""The session: trials from a restart under limits of dirty data; what waits to be written is looked at all along."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchbook.chapters.dirty_dose import watched
from benchbook.chapters.dirty_dose.arms import FREE, MIB, Parameters, configurations
from benchbook.engines import dirty_limits, folios, kernel_settings
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.pgbench import Workload, residency
from benchbook.engines.pgbench.kernel_waits import KernelWaits
from benchbook.engines.postgres import identity
from benchbook.engines.storage.caps import Cap
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench, spent, storage, tables, tallies
from benchbook.measuring.pgbench.parameters import RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import NOTE_002, Part, Settings, pool_blocks
from benchbook.measuring.pgbench.storage import UNCAPPED, Slowness
from benchbook.measuring.samples import reduced, subsample
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SAMPLES = 200
EXPIRE_CENTISECS, WRITEBACK_CENTISECS = 3_000, 500
"""The kernel's own ages: nothing is written for its age within a trial."""
SECONDS_BESIDE, CERTIFICATE_SECONDS = 3.0, 4.5
BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 400e6, 100e6 / 3
"""A trial's start and stop, and its certificate; the rates at which data are put back, read and loaded."""


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL; root where asked for."""
    p = parameters

    def usable() -> None:
        refusal = kernel_settings.refusal() if p.allow_vm_settings else None
        if refusal is not None:
            raise MachineError(
                f"the kernel's limits of dirty data cannot be set: {refusal}",
                "set allow_vm_settings=false to measure the controls only",
            )
        check(allowed=p.allow_slow_storage)

    beside = SECONDS_BESIDE + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE + p.trial_seconds
    beside += CERTIFICATE_SECONDS if p.allow_slow_storage else 0
    minutes = (p.blocks * len(configurations(p)) * beside + p.data_bytes / LOADED_BYTES_PER_SECOND) / 60
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
    """The cap that bears the ratio of note 002's disks to the transactions that the small pool makes without one."""
    p = made.parameters.model_copy(update={"trial_seconds": storage.PILOT_SECONDS, "keep_going": False})
    arm = next(arm for arm in configurations(p) if arm.name == FREE)
    pilot = replace(made, parameters=p).measure(PlannedTrial(0, 0, arm, seed=p.seed))
    return storage.in_proportion(pilot.metrics["tps"] or 0)


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials from a restart. iops: the cap of the capped ones."""

    iops: int

    def provenance(self) -> dict[str, Any]:
        """The family's, and the cap."""
        return {**super().provenance(), "storage_iops": self.iops or None}

    def measure(self, planned: PlannedTrial) -> Trial:
        """In a bound on memory, or without one where the configuration has none."""
        if self.parameters.bound_memory and not planned.configuration.settings["bound"]:
            free = self.parameters.model_copy(update={"bound_memory": False})
            return replace(self, parameters=free).measure(planned)
        return super().measure(planned)

    def ram_bytes(self, arm: Configuration) -> int:
        """Memory that server and page cache may use together in a trial with a bound."""
        return int(RAM_OVER_DATA * self.tables.data_bytes)

    def settings(self, arm: Configuration) -> Settings:
        """PostgreSQL's own but for the pool and what the log may grow to; or with note 002's background writer."""
        own = arm.settings
        noted = NOTE_002 | {"bgwriter_lru_maxpages": 1000} if own["noted_writer"] else {}
        return noted | {
            "shared_buffers": f"{pool_blocks(float(own['pool_over_data'] or 0) * self.tables.data_bytes) * 8}kB",
            "max_connections": self.parameters.max_connections,
            "wal_compression": self.tables.wal_compression,
            "max_wal_size": "48GB",
            "checkpoint_timeout": "30min",
        }

    def limits(self, arm: Configuration) -> DirtyLimits | None:
        """Those of a trial; None leaves the machine's own."""
        if not self.parameters.allow_vm_settings:
            return None
        limit, background = (int(arm.settings[name] or 0) * MIB for name in ("dirty_mib", "dirty_background_mib"))
        return DirtyLimits(limit, background, EXPIRE_CENTISECS, WRITEBACK_CENTISECS)

    def cached(self, arm: Configuration) -> bool:
        """Whether the OS cache is filled as the family does it: read on end, so that the kernel reads ahead."""
        return bool(arm.settings["read_ahead"])

    def uncounted(self, stack: ExitStack, arm: Configuration) -> int:
        """Nothing; but the data are read page by page here, before the server starts and outside of any bound."""
        if not self.cached(arm):
            folios.read_in_pages(self.tables.paths)
        return 0

    def slowness(self, arm: Configuration) -> Slowness:
        """The cap, where the arm lies on slow storage."""
        return Slowness(Cap(write_iops=self.iops) if arm.settings["capped"] else UNCAPPED)

    def surrounded(self, stack: ExitStack, arm: Configuration) -> Mapping[str, str]:
        """The limits of dirty data, set last: so neither the restoring nor the server's start is slowed by them."""
        wanted = self.limits(arm)
        if wanted is None:
            return {"dirty_limits": "the machine's own"}
        stack.enter_context(dirty_limits.applied(wanted))
        return {
            "dirty_limits": f"{wanted.limit_bytes / MIB:.0f} MiB, background {wanted.background_bytes / MIB:.0f} MiB"
        }

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """From a restart with an empty pool, watched while it is measured."""
        p, arm, cluster = self.parameters, planned.configuration, self.tables.cluster
        start, waiting = self.look(), residency.dirty_bytes()
        inserted = tallies.transactions(cluster, Part.RESTART)
        workload = Workload("tpcb-like", p.clients, p.threads, p.trial_seconds, seed=planned.seed)
        with cluster.connect() as observer:
            tally, used = tallies.read(observer, cluster), spent.read(cluster)
            with KernelWaits(cluster) as waits:
                done = self.run(workload)
            used = spent.read(cluster) - used
            window = tallies.read(observer, cluster) - tally
        limits, evicted = self.limits(arm), window.evictions
        kept = subsample(done.latency_ns, SAMPLES)
        metrics: bench.Metrics = {
            **self.of_all(done),
            **reduce(kept),
            **spent.course(done.end_s, p.trial_seconds),
            **used.metrics(done.processed),
            **window.metrics(max(1, done.processed)),
            **watched.metrics(
                waits.seen, done.end_s, p.trial_seconds, None if limits is None else limits.slows_from_bytes
            ),
            **bench.of_caches(start, self.look()),
            "server_transactions": float(tallies.transactions(cluster, Part.RESTART) - inserted),
            "dirty_start_bytes": waiting,
            "handed_bytes": None if evicted is None else 8192.0 * (evicted + window.cleaned),
        }
        return metrics, {"transaction": kept}


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (samples,)."""
    return reduced(latencies, "sample")
