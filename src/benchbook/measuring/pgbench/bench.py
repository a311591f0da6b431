"""Trials on restored copies of pgbench's tables: memory bounded, a fresh server, and what is recorded of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from benchbook.engines import bounds, huge_pages, pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Transactions, Workload, failure, residency
from benchbook.engines.pgbench.residency import Residency
from benchbook.engines.postgres import counters, sessions
from benchbook.measuring.pgbench import spent, tallies
from benchbook.measuring.pgbench.parameters import PAGES_PER_SCALE, RAM_OVER_DATA, Parameters
from benchbook.measuring.pgbench.settings import Part, Settings
from benchbook.measuring.pgbench.storage import Slow, Slowness
from benchbook.measuring.pgbench.tables import Tables, shared_bytes
from benchbook.measuring.pgbench.tallies import Tally
from benchbook.measuring.samples import Begun
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.statistics import describe, littles_ratio

P = TypeVar("P", bound=Parameters)
Metrics = dict[str, float | None]
Measured = tuple[Metrics, Mapping[str, np.ndarray]]
"""What a trial gave: its metrics, and its samples by series."""


@dataclass(frozen=True)
class Bench(ABC, Generic[P]):
    """A template of loaded tables, on whose copies trials are measured."""

    parameters: P
    tables: Tables
    RAM: ClassVar[float] = RAM_OVER_DATA
    """Memory that server and page cache may use together, over the data: of most trials, and on the run's record."""

    def ram_bytes(self, arm: Configuration) -> int:
        """That of a trial."""
        return int(self.RAM * self.tables.data_bytes)

    @abstractmethod
    def settings(self, arm: Configuration) -> Settings:
        """Server settings of a trial."""

    @abstractmethod
    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> Measured:
        """Measure on the server that has just been started."""

    def huge(self, arm: Configuration) -> tuple[bool, int]:
        """Whether the pool lies in huge pages, and the bytes of them that are kept from everything else."""
        return False, 0

    def uncounted(self, stack: ExitStack, arm: Configuration) -> int:
        """Memory that is set aside for the trial in bytes: huge pages, used or idle, which no control group counts."""
        used, kept = self.huge(arm)
        if not used:
            return kept
        shared = shared_bytes(self.tables.cluster, self.settings(arm))
        stack.enter_context(huge_pages.reserved(shared))
        return max(shared, kept)

    def slowness(self, arm: Configuration) -> Slowness:
        """How slow the storage is made while the server runs."""
        return Slowness()

    def cached(self, arm: Configuration) -> bool:
        """Whether the OS page cache is filled with the data before the server starts."""
        return True

    def surrounded(self, stack: ExitStack, arm: Configuration) -> Mapping[str, str]:
        """What else holds for the trial's length, set when the server runs, as labels of the trial."""
        return {}

    def provenance(self) -> dict[str, Any]:
        """The engine, the data set and what the machine allowed, for the run's record."""
        with bounds.memory(self._limit(int(self.RAM * self.tables.data_bytes))) as bound:
            label = bound.label
        return {
            **self.tables.binaries.identity(),
            **self.tables.facts,
            "data_bytes": self.tables.data_bytes,
            "wal_compression": self.tables.wal_compression,
            "memory_bound": label,
            "storage": "local disk" if self.tables.place.volume is None else "a volume of their own",
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once. A server or pgbench that dies makes a failed trial, or ends the run."""
        begun = Begun()
        arm, cluster = planned.configuration, self.tables.cluster
        slow = Slow(self.slowness(arm), self.tables.place.volume)
        metrics: Metrics = {}
        samples: Mapping[str, np.ndarray] = {}
        with ExitStack() as stack:
            self.tables.template.restore()
            slow.prepare(cluster)
            limit = self.ram_bytes(arm) - self.uncounted(stack, arm)
            bound = stack.enter_context(bounds.memory(self._limit(limit)))
            with bound.inside():
                if self.cached(arm):
                    counters.read_once(self.tables.paths)
                cluster.start(self.settings(arm) | dict(slow.settings), slow.environment)
            stack.callback(cluster.stop)
            with pgbench.connect(cluster) as connection:
                labels = {"settings": sessions.checked(connection), "memory": bound.label, "state": "measured"}
            if self.tables.place.volume is not None:
                labels["storage"] = str(slow.slowness.cap)
            labels |= self.surrounded(stack, arm)
            try:
                certificate = slow.cap(stack)  # lifted before the server stops, which writes its pool
                measured, samples = self.trial(planned, bound)
                metrics = {**measured, **certificate, **slow.delays()}
            except failure.FAILURES as error:
                problem = failure.recorded(cluster, error, keep_going=self.parameters.keep_going)
                labels["state"] = f"failed: {problem}"
        return begun.ended(planned, metrics, labels, samples)

    def fill(self, workload: Workload, seconds: int) -> int:
        """Fill the pool: pg_prewarm, then so many seconds of a discarded run. How many transactions it made."""
        with pgbench.connect(self.tables.cluster) as connection:
            residency.prewarm(connection)
        return self.run(replace(workload, duration_s=seconds, log=False)).processed if seconds else 0

    def used_pages(self) -> int:
        """Pages of the pool that hold something."""
        with pgbench.connect(self.tables.cluster) as connection:
            return residency.pool_pages(connection)[0]

    def run(self, workload: Workload) -> Transactions:
        """Run a workload, its log of transactions on another disk than a slow one."""
        return pgbench.run(self.tables.cluster, workload, logs=self.tables.place.beside)

    def tpcb(self, planned: PlannedTrial, seconds: int, number: int = 0) -> Workload:
        """TPC-B of all clients. number: of the run within the trial, for a seed of its own."""
        p = self.parameters
        return Workload("tpcb-like", p.clients, p.threads, seconds, seed=2 * planned.seed + number)

    def counted(
        self, work: Workload, watching: AbstractContextManager[Any], part: Part = Part.WARM
    ) -> tuple[Transactions, Tally, Metrics]:
        """Run a workload that is watched meanwhile; what the server and the machine counted and spent in it."""
        cluster, start, waiting = self.tables.cluster, self.look(), residency.dirty_bytes()
        inserted = tallies.transactions(cluster, part)
        with cluster.connect() as observer:
            tally, used = tallies.read(observer, cluster), spent.read(cluster)
            with watching:
                done = self.run(work)
            used, window = spent.read(cluster) - used, tallies.read(observer, cluster) - tally
        made = tallies.transactions(cluster, part) - inserted
        return (
            done,
            window,
            {
                **self.of_all(done),
                **spent.course(done.end_s, work.duration_s),
                **used.metrics(done.processed),
                **window.metrics(max(1, done.processed)),
                **of_caches(start, self.look()),
                "server_transactions": float(made),
                "dirty_start_bytes": waiting,
            },
        )

    def look(self) -> Residency:
        """What the two caches hold now."""
        with pgbench.connect(self.tables.cluster) as connection:
            return residency.look(connection, self.tables.paths)

    def of_all(self, done: Transactions) -> Metrics:
        """Metrics of all transactions of a trial, and of the accounts' pages that they could touch."""
        latency = {f"latency_{name}": value for name, value in describe(done.latency_ns).items()}
        mean_ns = latency["latency_mean_ns"]
        assert mean_ns is not None
        return latency | {
            "tps": done.tps,
            "transactions": float(done.processed),
            "failed_transactions": None if done.failed is None else float(done.failed),
            "littles_ratio": littles_ratio(done.clients, done.tps, mean_ns) if mean_ns > 0 else None,
            "transactions_per_account_page": len(done.latency_ns) / (self.parameters.scale * PAGES_PER_SCALE),
        }

    def _limit(self, limit: int) -> int | None:
        return limit if self.parameters.bound_memory else None


def at_end(end: Residency) -> Metrics:
    """The size of the data, and its shares in the OS cache and in either cache, when a trial has ended."""
    return {
        "data_blocks": float(end.data),
        "data_in_os_cache_end": None if end.os is None else end.os / end.data,
        "resident_share_end": None if end.either is None else end.either / end.data,
    }


def of_caches(start: Residency, end: Residency) -> Metrics:
    """Shares of the data in the pool at both ends of a trial, and in the OS cache when it began."""
    return {
        "data_in_pool_start": start.pool / start.data,
        "data_in_os_cache_start": None if start.os is None else start.os / start.data,
        "data_in_pool_end": end.pool / end.data,
    }
