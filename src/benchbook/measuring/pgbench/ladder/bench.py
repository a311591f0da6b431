"""The session: pgbench's tables kept as a template; each trial on a copy, with counters of what its settings act on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchbook.engines import dirty_limits, huge_pages, kernel_settings, pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Transactions, WaitSampler, Workload, residency
from benchbook.engines.postgres import identity
from benchbook.engines.storage.caps import Cap
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench, storage, tables, tallies
from benchbook.measuring.pgbench.ladder import counted, plans, second
from benchbook.measuring.pgbench.ladder.arms import A, Parameters, Start, configurations, start_of
from benchbook.measuring.pgbench.ladder.conditions import Conditions
from benchbook.measuring.pgbench.ladder.course import SAMPLES, along, reduce
from benchbook.measuring.pgbench.ladder.parameters import LARGEST_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import Part, Settings
from benchbook.measuring.pgbench.storage import Slowness
from benchbook.measuring.pgbench.tables import Tables, shared_bytes
from benchbook.measuring.samples import subsample
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

LOOK_EVERY_S = 0.1
RUNS = ("", "second_", "third_")
"""Prefixes of the metrics of consecutive runs without a restart."""
SECONDS_BESIDE, CERTIFYING_S, LOOKING_S = 3.0, 5.0, 2.0
BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 400e6, 100e6 / 3
"""A trial's start, stop and looks, its certificate with and without a cap, the rates at which its data are put back,
read and looked at, and at which they are loaded: estimates from two processors and a local disk."""


def needs(parameters: Parameters) -> Needs:
    """Disk for templates, copies and log; memory for what the trials may use; a PostgreSQL; root where asked for."""
    p = parameters

    def usable() -> None:
        check(allowed=p.allow_slow_storage)
        if p.has_second:
            second.find()
        refusal = kernel_settings.refusal() if p.allow_vm_settings else None
        if p.allow_vm_settings and refusal is None:
            refusal = huge_pages.refusal(int(LARGEST_RAM_OVER_DATA / 4 * p.data_bytes) + 2**28, allowed=True)
        if refusal is not None:
            raise MachineError(
                f"dirty limits cannot be set or huge pages reserved here: {refusal}",
                "set allow_vm_settings=false to measure with the machine's own limits and ordinary pages",
            )

    beside = SECONDS_BESIDE + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE
    seconds = 0.0
    for arm in configurations(p):
        runs, warm = int(arm.settings.get("runs") or 1), start_of(arm) is Start.WARM
        length = p.restart_seconds if start_of(arm) is Start.RESTART else runs * (p.warm_seconds + 1)
        seconds += length + beside + (p.warm_fill_seconds + 1 if warm else 0)
        if p.allow_slow_storage and not arm.settings.get("second"):
            seconds += CERTIFYING_S if arm.settings.get("capped") else LOOKING_S
    loading = (2 if p.has_second else 1) * p.data_bytes / LOADED_BYTES_PER_SECOND
    return Needs(p.disk_bytes, p.memory_bytes, identity, (p.blocks * seconds + loading) / 60, usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables, and a second one; ``progress`` is told of the loading."""
    p = parameters
    with ExitStack() as stack:
        place = stack.enter_context(storage.placed(p))
        found = stack.enter_context(
            tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm", before=plans.facts, place=place)
        )
        other = stack.enter_context(second.loaded(p.scale, p.disk_bytes, progress)) if p.has_second else None
        found.cluster.start({})
        explained = plans.of_workload(found.cluster)
        found.cluster.stop()
        made = Bench(p, found, p.storage_iops, other, explained)
        if p.allow_slow_storage and "workers" in p.parts and not p.storage_iops:
            progress("making a pilot for the cap of the storage", 0.95)
            made = replace(made, iops=piloted(made))
        yield made


def piloted(made: Bench) -> int:
    """The cap in note 002's proportion to the transactions that its small pool makes here without one."""
    p = made.parameters.model_copy(update={"restart_seconds": storage.PILOT_SECONDS, "keep_going": False})
    arm = next(arm for arm in configurations(p) if arm.name == A)
    free = replace(arm, settings={**arm.settings, "capped": False})
    pilot = replace(made, parameters=p).measure(PlannedTrial(0, 0, free, seed=p.seed))
    return storage.in_proportion(pilot.metrics["tps"] or 0)


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials from a restart, cold, or warm. iops: the cap of the capped ones. second: tables on another server.

    explained: plans of the workload's statements under settings that only the planner reads.
    """

    iops: int = 0
    second: Tables | None = None
    explained: Mapping[str, str] | None = None

    def provenance(self) -> dict[str, Any]:
        """The family's, the cap, the second server and the plans."""
        return {
            **super().provenance(),
            "storage_iops": self.iops or None,
            "second_engine_version": None if self.second is None else self.second.binaries.version,
            "plans": dict(self.explained or {}),
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """On the server that the configuration names."""
        if planned.configuration.settings.get("second") and self.second is not None and self.tables is not self.second:
            return replace(self, tables=self.second).measure(planned)
        return super().measure(planned)

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
        """Huge pages, which are no part of what a control group counts."""
        if not self.of(arm).huge_pages:
            return 0
        shared = shared_bytes(self.tables.cluster, self.settings(arm))
        stack.enter_context(huge_pages.reserved(shared))
        return max(shared, self.of(arm).reserved_bytes)

    def slowness(self, arm: Configuration) -> Slowness:
        """The cap of a configuration on capped storage, or the delay of one on slow flushes."""
        p = self.parameters
        if arm.settings.get("slow_flush"):
            return Slowness(sync_ms=p.flush_ms)
        if not arm.settings.get("capped"):
            return Slowness()
        return Slowness(Cap(write_iops=self.iops), p.storage_latency_ms, p.storage_latency_ms)

    def cached(self, arm: Configuration) -> bool:
        """Whether the OS page cache is filled with the data before the server starts."""
        return start_of(arm) is not Start.COLD

    def surrounded(self, stack: ExitStack, arm: Configuration) -> Mapping[str, str]:
        """The limits of dirty data, set last: so neither the restoring nor the server's start is slowed by them."""
        wanted = self.of(arm).limits
        if wanted is None:
            return {"dirty_limits": "the machine's own"}
        stack.enter_context(dirty_limits.applied(wanted))
        limit, background = wanted.limit_bytes / 2**20, wanted.background_bytes / 2**20
        return {"dirty_limits": f"{limit:.0f} MiB, background {background:.0f} MiB"}

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """Filled or not, measured once or several times without a restart, its balances checked in the end."""
        arm = planned.configuration
        metrics: bench.Metrics = {"dirty_start_bytes": residency.dirty_bytes()}
        kept = np.zeros(0, dtype=np.int64)
        if start_of(arm) is Start.WARM:
            metrics |= self._fill(planned)
        for number in range(int(arm.settings.get("runs") or 1)):
            if start_of(arm) is not Start.RESTART:
                self._checkpoint()
            found, done = self._window(planned, number)
            metrics |= {f"{RUNS[number]}{name}": value for name, value in found.items()}
            if number == 0:
                kept = subsample(done.latency_ns, SAMPLES)
                metrics |= reduce(kept)
        metrics["pool_blocks"] = float(self.of(arm).pool_blocks)
        with pgbench.connect(self.tables.cluster) as connection:
            counted.check_balances(connection)
        return metrics, {"transaction": kept}

    def _window(self, planned: PlannedTrial, number: int) -> tuple[bench.Metrics, Transactions]:
        """The measured seconds of one run, and what was counted around them."""
        p, cluster, arm = self.parameters, self.tables.cluster, planned.configuration
        seconds = p.restart_seconds if start_of(arm) is Start.RESTART else p.warm_seconds
        workload = Workload("tpcb-like", p.clients, p.threads, seconds, seed=len(RUNS) * planned.seed + number)
        start = self.look()
        inserted, vacuumed = tallies.transactions(cluster, Part.WARM), tallies.autovacuums(cluster)
        with cluster.connect() as observer:
            tally, before, clock = tallies.read(observer, cluster), counted.read(observer, cluster), time.monotonic()
            with WaitSampler(cluster.connect, LOOK_EVERY_S) as sampler:
                done = self.run(workload)
            spent = time.monotonic() - clock
            window = tallies.read(observer, cluster) - tally
            after = counted.read(observer, cluster)
        transactions = max(1, done.processed)
        beside = counted.metrics(
            before, after, transactions, os.cpu_count() or 1, spent, float(window.common.wal_bytes)
        )  # fmt: skip
        return {
            **self.of_all(done),
            **along(done),
            **window.metrics(transactions),
            **beside,
            **counted.of_waits(sampler.waits, p.clients),
            **bench.of_caches(start, self.look()),
            "cleaned_per_transaction": window.cleaned / transactions,
            "server_transactions": float(tallies.transactions(cluster, Part.WARM) - inserted),
            "autovacuums": tallies.autovacuums(cluster) - vacuumed,
        }, done

    def _fill(self, planned: PlannedTrial) -> bench.Metrics:
        """Fill the pool: pg_prewarm, then a discarded TPC-B run."""
        p, cluster = self.parameters, self.tables.cluster
        with pgbench.connect(cluster) as connection:
            residency.prewarm(connection)
        seed = len(RUNS) * planned.seed + len(RUNS) - 1
        if p.warm_fill_seconds:
            self.run(Workload("tpcb-like", p.clients, p.threads, p.warm_fill_seconds, seed=seed, log=False))
        with pgbench.connect(cluster) as connection:
            resident, _ = residency.pool_pages(connection)
        return {"pool_used_share": resident / self.of(planned.configuration).pool_blocks}

    def _checkpoint(self) -> None:
        with pgbench.connect(self.tables.cluster) as connection:
            connection.execute("CHECKPOINT")
