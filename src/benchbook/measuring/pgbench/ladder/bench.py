"""The session: pgbench's tables kept as a template; each trial on a copy, with counters of what its settings act on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchbook.engines import pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.pgbench import Transactions, WaitSampler, Workload, residency
from benchbook.measuring.pgbench import bench, storage, tables, tallies
from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.capped import RESERVED_OVER_POOL, Limited, check_vm, note_limits
from benchbook.measuring.pgbench.ladder import counted, plans, second
from benchbook.measuring.pgbench.ladder.arms import TRIAL, Parameters, Start, configurations, start_of
from benchbook.measuring.pgbench.ladder.course import SAMPLES, along, reduce
from benchbook.measuring.pgbench.ladder.parameters import EXTRA_BYTES, LARGEST_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import Part, Settings, pool_blocks
from benchbook.measuring.pgbench.storage import Slowness
from benchbook.measuring.pgbench.tables import Tables
from benchbook.measuring.samples import subsample
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

RUNS = ("", "second_", "third_")
"""Prefixes of the metrics of consecutive runs without a restart."""


def usable(p: Any) -> None:
    check(allowed=getattr(p, "allow_slow_storage", False))
    if p.has_second:
        second.find()
    check_vm(p, int(LARGEST_RAM_OVER_DATA / 4 * p.data_bytes) + 2**28)


def needs(parameters: Parameters) -> Needs:
    """Of all trials, some with a certificate of their storage; of the second server's loading too."""
    p = parameters

    def seconds(arm: Configuration) -> float:
        start, looked = start_of(arm), 5.0 if arm.settings.get("capped") else 2.0
        length = p.restart_seconds if start is Start.RESTART else int(arm.settings.get("runs") or 1) * p.warm_seconds
        between = 0 if start is Start.RESTART else int(arm.settings.get("runs") or 1)
        filled = p.warm_fill_seconds + 1 if start is Start.WARM else 0
        return length + between + filled + looked * (p.allow_slow_storage and not arm.settings.get("second"))

    trials = [seconds(arm) for arm in configurations(p)]
    return family.needs(p, trials, beside_s=3.0, loads=2 if p.has_second else 1, usable=lambda: usable(p))


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables, and a second one; ``progress`` is told of the loading."""
    p = parameters
    with ExitStack() as stack:
        place = stack.enter_context(storage.placed(p))
        loading = tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm", before=plans.facts, place=place)
        found = stack.enter_context(loading)
        other = stack.enter_context(second.loaded(p.scale, p.disk_bytes, progress)) if p.has_second else None
        found.cluster.start({})
        explained = plans.of_workload(found.cluster)
        found.cluster.stop()
        made = Bench(p, found, p.storage_iops, other, explained)
        yield made.with_cap(progress, lambda: pilot(p)) if "workers" in p.parts else made


def pilot(p: Parameters) -> Configuration:
    """Note 002's small pool without a cap."""
    arm = next(arm for arm in configurations(p) if arm.name == "scenario_a")
    return replace(arm, settings={**arm.settings, "capped": False})


@dataclass(frozen=True)
class Bench(Limited[Parameters]):
    """Trials from a restart, cold, or warm. second: tables on another server.

    explained: plans of the workload's statements under settings that only the planner reads.
    """

    second: Tables | None = None
    explained: Mapping[str, str] | None = None
    LENGTH = "restart_seconds"

    def provenance(self) -> dict[str, Any]:
        version = None if self.second is None else self.second.binaries.version
        return {**super().provenance(), "second_engine_version": version, "plans": dict(self.explained or {})}

    def measure(self, planned: PlannedTrial) -> Trial:
        if planned.configuration.settings.get("second") and self.second is not None and self.tables is not self.second:
            return replace(self, tables=self.second).measure(planned)
        return super().measure(planned)

    def ram_bytes(self, arm: Configuration) -> int:
        own = int(float(arm.settings["ram_over_data"] or 0) * self.tables.data_bytes)
        return own if start_of(arm) is Start.RESTART else own + EXTRA_BYTES

    def pool_blocks(self, arm: Configuration) -> int:
        return pool_blocks(float(arm.settings["pool_over_data"] or 0) * self.tables.data_bytes)

    def huge(self, arm: Configuration) -> tuple[bool, int]:
        used = start_of(arm) is not Start.RESTART and self.parameters.allow_vm_settings
        return used, int(RESERVED_OVER_POOL * self.pool_blocks(arm) * 8192) if used else 0

    def limits(self, arm: Configuration) -> DirtyLimits | None:
        noted = start_of(arm) is Start.RESTART and self.parameters.allow_vm_settings
        return note_limits(self.ram_bytes(arm)) if noted else None

    def settings(self, arm: Configuration) -> Settings:
        """The server's: those of the configuration as they are, and those that follow from sizes and lengths."""
        own, p = arm.settings, self.parameters
        given = {name: value for name, value in own.items() if name not in TRIAL} | {
            "shared_buffers": f"{self.pool_blocks(arm) * 8}kB",
            "max_connections": p.max_connections,
            "huge_pages": "on" if self.huge(arm)[0] else "off",
            "effective_cache_size": f"{int(float(own['cache_over_data'] or 0) * self.tables.data_bytes) // 1024}kB",
        }
        if given.get("wal_compression") is None:
            given["wal_compression"] = self.tables.wal_compression
        if "naptime_trials" in own:
            given["autovacuum_naptime"] = f"{int(own['naptime_trials'] or 0) * p.warm_seconds}s"
        return given

    def slowness(self, arm: Configuration) -> Slowness:
        return Slowness(sync_ms=self.parameters.flush_ms) if arm.settings.get("slow_flush") else super().slowness(arm)

    def cached(self, arm: Configuration) -> bool:
        return start_of(arm) is not Start.COLD

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
        metrics["pool_blocks"] = float(self.pool_blocks(arm))
        with pgbench.connect(self.tables.cluster) as connection:
            counted.check_balances(connection)
        return metrics, {"transaction": kept}

    def _window(self, planned: PlannedTrial, number: int) -> tuple[bench.Metrics, Transactions]:
        """The measured seconds of one run, and what was counted around them."""
        cluster, work, start = self.tables.cluster, self._work(planned, number), self.look()
        inserted, vacuumed = tallies.transactions(cluster, Part.WARM), tallies.autovacuums(cluster)
        with cluster.connect() as observer:
            tally, before, clock = tallies.read(observer, cluster), counted.read(observer, cluster), time.monotonic()
            with self.watched(planned.configuration, start) as seen:
                done = self.run(work)
            spent = time.monotonic() - clock
            window, after = tallies.read(observer, cluster) - tally, counted.read(observer, cluster)
        made, log_bytes = max(1, done.processed), float(window.common.wal_bytes)
        return {
            **self.of_all(done),
            **along(done),
            **window.metrics(made),
            **counted.metrics(before, after, made, os.cpu_count() or 1, spent, log_bytes),
            **seen(made),
            **bench.of_caches(start, self.look()),
            "cleaned_per_transaction": window.cleaned / made,
            "server_transactions": float(tallies.transactions(cluster, Part.WARM) - inserted),
            "autovacuums": tallies.autovacuums(cluster) - vacuumed,
        }, done

    @contextmanager
    def watched(self, arm: Configuration, start: residency.Residency) -> Iterator[Callable[[int], bench.Metrics]]:
        """Clients are looked at while a run lasts; gives their metrics when so many transactions are made.

        start: what the caches held.
        """
        with WaitSampler(self.tables.cluster.connect, 0.1) as sampler:
            yield lambda made: counted.of_waits(sampler.waits, self.parameters.clients)

    def _work(self, planned: PlannedTrial, number: int, seconds: int | None = None) -> Workload:
        """A run of the trial, from 0; the one before them has the number of all runs less one."""
        p, restarted = self.parameters, start_of(planned.configuration) is Start.RESTART
        if seconds is None:
            seconds = p.restart_seconds if restarted else p.warm_seconds
        return Workload("tpcb-like", p.clients, p.threads, seconds, seed=len(RUNS) * planned.seed + number)

    def _fill(self, planned: PlannedTrial) -> bench.Metrics:
        self.fill(self._work(planned, len(RUNS) - 1, 1), self.parameters.warm_fill_seconds)
        return {"pool_used_share": self.used_pages() / self.pool_blocks(planned.configuration)}

    def _checkpoint(self) -> None:
        with pgbench.connect(self.tables.cluster) as connection:
            connection.execute("CHECKPOINT")
