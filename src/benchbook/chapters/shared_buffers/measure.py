"""The session: pgbench's tables kept as a template; each trial on a copy, its caches looked at before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from benchbook.chapters.shared_buffers.arms import A_LOCAL, SHARES, Parameters, configurations, part_of
from benchbook.chapters.shared_buffers.conditions import Conditions
from benchbook.chapters.shared_buffers.course import SAMPLES, along, reduce
from benchbook.chapters.shared_buffers.parameters import ROUND_2_RAM_OVER_DATA
from benchbook.engines import dirty_limits, huge_pages, kernel_settings, pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Workload, residency
from benchbook.engines.postgres import Cluster, identity
from benchbook.engines.storage.caps import Cap
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench, storage, tables, tallies
from benchbook.measuring.pgbench.pressure import Pressure
from benchbook.measuring.pgbench.settings import BLOCK_BYTES, Part, Settings
from benchbook.measuring.pgbench.storage import Slowness
from benchbook.measuring.pgbench.tables import shared_bytes
from benchbook.measuring.samples import subsample
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SIZE_SCALES = (2, 10)
"""Two small data sets whose sizes give the size per unit of scale."""
HUGE_PAGE_SPARE_BYTES = 128 * 2**20
"""Shared memory beside the pool, for the check before the start: the log's buffers, the descriptions of the pages."""
SECONDS_BESIDE, CERTIFYING_S, LOOKING_S = 1.2, 5.0, 2.0
BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 800e6, 100e6 / 3
"""A trial's start and stop, its certificate with and without a cap, the rates at which its data are put back and read
and at which they are loaded: estimates from two processors and a local disk."""


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL; root where asked for."""
    p = parameters

    def usable() -> None:
        check(allowed=p.allow_slow_storage)
        refusal = kernel_settings.refusal() if p.allow_vm_settings else None
        if p.needs_huge_pages and refusal is None:
            largest = max(SHARES) / 100 * ROUND_2_RAM_OVER_DATA * p.data_bytes
            refusal = huge_pages.refusal(int(largest) + HUGE_PAGE_SPARE_BYTES, allowed=True)
        if refusal is not None:
            raise MachineError(
                f"dirty limits cannot be set or huge pages reserved here: {refusal}",
                "set allow_vm_settings=false to measure with the machine's own limits and ordinary pages",
            )

    spent = {
        Part.RESTART: p.tpcb_seconds,
        Part.READS: p.read_fill_seconds + p.read_seconds,
        Part.WARM: p.warm_fill_seconds + p.warm_seconds,
    }
    looked = [CERTIFYING_S if arm.settings.get("capped") else LOOKING_S for arm in configurations(p)]
    beside = SECONDS_BESIDE + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE
    each = [spent[part_of(arm)] + beside for arm in configurations(p)]
    seconds = p.blocks * (sum(each) + (sum(looked) if p.allow_slow_storage else 0))
    return Needs(
        p.disk_bytes, p.memory_bytes, identity, (seconds + p.data_bytes / LOADED_BYTES_PER_SECOND) / 60, usable
    )


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    p = parameters
    with (
        storage.placed(p) as place,
        tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm", before=_facts, place=place) as found,
    ):
        made = Bench(p, found, p.storage_iops)
        if p.allow_slow_storage and not p.storage_iops:
            progress("making a pilot for the cap of the storage", 0.95)
            made = replace(made, iops=piloted(made))
        yield made


def piloted(made: Bench) -> int:
    """The cap in note 002's proportion to the transactions that its small pool makes here without one."""
    p = made.parameters.model_copy(update={"tpcb_seconds": storage.PILOT_SECONDS, "keep_going": False})
    arm = next(arm for arm in configurations(p) if arm.name == A_LOCAL)
    pilot = replace(made, parameters=p).measure(PlannedTrial(0, 0, arm, seed=p.seed))
    return storage.in_proportion(pilot.metrics["tps"] or 0)


def _facts(cluster: Cluster) -> Mapping[str, Any]:
    """Sizes of two small data sets, and when two settings can be changed."""
    sizes: dict[str, int] = {}
    for scale in SIZE_SCALES:
        pgbench.initialise(cluster, scale)
        sizes[str(scale)] = sum(tables.sizes(cluster))
        with cluster.connect() as connection:
            connection.execute(f"DROP DATABASE {pgbench.DATABASE}")
    with cluster.connect() as connection:
        asked = "SELECT name, context FROM pg_settings WHERE name IN ('shared_buffers', 'bgwriter_lru_maxpages')"
        return {"size_bytes_by_scale": sizes, "contexts": dict(connection.execute(asked).fetchall())}


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials from a restart, of reads alone, and after a warm start. iops: the cap of the capped ones."""

    iops: int = 0

    @property
    def direct_io(self) -> bool:
        """Whether the read-only trials read past the OS page cache."""
        return self.tables.cluster.direct_io_possible

    def provenance(self) -> dict[str, Any]:
        """The family's, and whether reads bypass the OS page cache."""
        return {**super().provenance(), "direct_io": self.direct_io, "storage_iops": self.iops or None}

    def of(self, arm: Configuration) -> Conditions:
        """What holds in a trial of a configuration."""
        return Conditions(self.parameters, self.tables, arm)

    def ram_bytes(self, arm: Configuration) -> int:
        """Memory that server and page cache may use together in a trial of this configuration."""
        return self.of(arm).ram_bytes

    def settings(self, arm: Configuration) -> Settings:
        """Server settings of a trial of this configuration."""
        return self.of(arm).settings

    def uncounted(self, stack: ExitStack, arm: Configuration) -> int:
        """Huge pages, used or idle, which are no part of what a control group counts."""
        idle = self.of(arm).reserved_bytes
        if not arm.settings.get("huge_pages"):
            return idle
        shared = shared_bytes(self.tables.cluster, self.settings(arm))
        stack.enter_context(huge_pages.reserved(shared))
        return max(shared, idle)

    def slowness(self, arm: Configuration) -> Slowness:
        """The cap of a configuration on slow storage."""
        p = self.parameters
        if not arm.settings.get("capped"):
            return Slowness()
        return Slowness(Cap(write_iops=self.iops), p.storage_latency_ms, p.storage_latency_ms)

    def cached(self, arm: Configuration) -> bool:
        """Whether the OS page cache is filled with the data before the server starts."""
        return self.of(arm).os_cache

    def surrounded(self, stack: ExitStack, arm: Configuration) -> Mapping[str, str]:
        """The limits of dirty data, set last: so neither the restoring nor the server's start is slowed by them."""
        wanted = self.of(arm).limits
        if wanted is None:
            return {"dirty_limits": "the machine's own"}
        stack.enter_context(dirty_limits.applied(wanted))
        limit, background = wanted.limit_bytes / 2**20, wanted.background_bytes / 2**20
        return {"dirty_limits": f"{limit:.0f} MiB, background {background:.0f} MiB"}

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """Filled or not, measured, its caches looked at before and after."""
        arm, part, cluster = planned.configuration, part_of(planned.configuration), self.tables.cluster
        metrics: bench.Metrics = {"dirty_start_bytes": residency.dirty_bytes()}
        if arm.settings.get("prewarm") or part is Part.READS:
            self._prewarm()
        if part is Part.WARM and not arm.settings.get("cold"):
            metrics |= self._fill(planned)
        start = self.look()
        with cluster.connect() as observer, Pressure(bound).watching() as pressure:
            counted = tallies.transactions(cluster, part)
            before = tallies.read(observer, cluster)
            done = self.run(self._workload(part, planned.seed))
            window = tallies.read(observer, cluster) - before
        end = self.look()
        kept = subsample(done.latency_ns, SAMPLES)
        limits, blocks = self.of(arm).limits, self.of(arm).pool_blocks
        ram = self.ram_bytes(arm)
        metrics |= self.of_all(done) | along(done) | reduce(kept) | window.metrics(max(1, done.processed))
        metrics |= bench.of_caches(start, end) | pressure.metrics(ram)
        metrics |= {
            "server_transactions": float(tallies.transactions(cluster, part) - counted),
            "pool_blocks": float(blocks),
            "ram_blocks": float(ram // BLOCK_BYTES),
            "data_blocks": float(end.data),
            "data_in_os_cache_end": None if end.os is None else end.os / end.data,
            "resident_share_end": None if end.either is None else end.either / end.data,
            "dirty_limit_bytes": None if limits is None else float(limits.limit_bytes),
            "huge_page_bytes": float(huge_pages.taken_bytes()),
            "autovacuums": tallies.autovacuums(cluster),
        }
        return metrics, {"transaction": kept}

    def _workload(self, part: Part, seed: int) -> Workload:
        p = self.parameters
        if part is Part.READS:
            return Workload(
                "select-only", p.clients, p.threads, p.read_seconds, warm_up_s=p.read_fill_seconds, seed=seed
            )
        seconds = p.warm_seconds if part is Part.WARM else p.tpcb_seconds
        return Workload("tpcb-like", p.clients, p.threads, seconds, seed=seed)

    def _fill(self, planned: PlannedTrial) -> bench.Metrics:
        """Fill the pool (pg_prewarm, then a discarded TPC-B run); then a CHECKPOINT, unless the arm has none.

        Returns pages of pgbench's relations in the pool, and the dirty ones, on both sides of it. Nobody else is
        connected.
        """
        p, cluster = self.parameters, self.tables.cluster
        self._prewarm()
        discarded = Workload("tpcb-like", p.clients, p.threads, p.warm_fill_seconds, seed=planned.seed + 1, log=False)
        self.run(discarded)
        with pgbench.connect(cluster) as connection:
            resident, dirty = residency.pool_pages(connection)
            metrics: bench.Metrics = {
                "pool_used_share": resident / self.of(planned.configuration).pool_blocks,
                "resident_before_checkpoint": float(resident),
                "dirty_before_checkpoint": float(dirty),
            }
            if planned.configuration.settings["checkpoint"]:
                connection.execute("CHECKPOINT")
                resident, dirty = residency.pool_pages(connection)
                metrics |= {"resident_after_checkpoint": float(resident), "dirty_after_checkpoint": float(dirty)}
        return metrics

    def _prewarm(self) -> None:
        with pgbench.connect(self.tables.cluster) as connection:
            residency.prewarm(connection)
