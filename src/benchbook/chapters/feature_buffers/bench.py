"""One trial: memory bounded, a fresh server with a pool of its own size, caches filled, one window measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from benchbook.chapters.feature_buffers import filling, setting
from benchbook.chapters.feature_buffers.arms import Parameters, percent_of
from benchbook.chapters.feature_buffers.keys import asked
from benchbook.engines import bounds, cores
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.postgres import counters as pg
from benchbook.engines.postgres import device, sessions
from benchbook.measuring.features import bench as family
from benchbook.measuring.features import window
from benchbook.measuring.features.client import Client
from benchbook.measuring.features.keys import Requests
from benchbook.measuring.features.loaded import LoadedTables, Tables
from benchbook.measuring.features.parameters import OWN
from benchbook.measuring.features.reduction import reduce
from benchbook.model import READS, PlannedTrial, Scalar, Trial

MIB = 2**20


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The family's loaded tables, and what a fresh cluster says of the setting."""
    with family.session(parameters, progress) as base:
        ram = ram_bytes(parameters, base.heap_bytes + base.index_bytes)
        said = setting.tried(base.binaries, ram)
        sizes = (base.heap_bytes, base.index_bytes)
        yield Bench(parameters, base.binaries, base.cluster, *sizes, base.tables, base.statistics, said)


def ram_bytes(parameters: Parameters, data_bytes: int) -> int:
    """Memory that server and page cache may use together."""
    return data_bytes * parameters.ram_percent // 100


@dataclass(frozen=True)
class Bench(LoadedTables):
    """A loaded data set, measured trial by trial. said: what a fresh cluster says of the setting."""

    said: dict[str, Any]

    @property
    def asked_for(self) -> Parameters:
        """The chapter's parameters."""
        assert isinstance(self.parameters, Parameters)
        return self.parameters

    @property
    def ram(self) -> int:
        """Memory that server and page cache of a trial may use together, in bytes."""
        return ram_bytes(self.asked_for, self.heap_bytes + self.index_bytes)

    def settings(self) -> dict[str, Scalar]:
        """Reads by the server's own processes, past the page cache or through it."""
        chosen = super().settings()
        return chosen if self.binaries.major < 18 else chosen | {"io_method": "sync"}

    def provenance(self) -> dict[str, Any]:
        """Also the bound, and what a fresh cluster said of the setting."""
        with self._bound() as bound:
            label = bound.label
        return super().provenance() | {"ram_bytes": self.ram, "memory_bound": label, "setting": self.said}

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once; a failed trial where the server cannot read past the page cache."""
        if planned.configuration.settings.get("direct"):
            past = replace(self, parameters=self.asked_for.model_copy(update={"direct_io": True}))
            return past._measure(planned) if past.direct_io else _failed(planned)
        return self._measure(planned)

    def _measure(self, planned: PlannedTrial) -> Trial:
        p, settings = self.asked_for, planned.configuration.settings
        tables, keys = self.tables[OWN], asked(p, planned.configuration, planned.seed)
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        pool_mib = max(1, round(percent_of(settings) * self.ram / 100 / MIB))
        with ExitStack() as stack:
            bound = stack.enter_context(self._bound())
            stack.callback(self.cluster.stop)
            with bound.inside():
                self.start(pool_mib)
            if len(keys.fill):
                if not self.direct_io:
                    with bound.inside():
                        filling.read_once(tables.paths)
                filling.fill(self.cluster, tables.layout, keys.fill)
            stack.enter_context(cores.on(None if self.cores is None else self.cores.client))
            observer = stack.enter_context(self.cluster.connect())
            measured = stack.enter_context(self.cluster.connect())
            read_bytes = stack.enter_context(device.reads_of(measured.info.backend_pid))
            in_force = sessions.checked(measured)
            asking = Client(
                measured, tables.layout, serial=p.client_mode == "serial", only_first=False, empty=False,
                read_bytes=read_bytes,
            )  # fmt: skip
            before = pg.read(observer, measured, self.binaries, tables.layout.schema)
            asking.probe()
            asking.warm(keys.warm)
            requests = Requests(keys.before, keys.measured, only_first=False)
            done = window.measure(self, tables, observer, measured, asking, requests, before, empty=False)
            held = caches(observer, tables) | _memory(bound)
        metrics = done.metrics | reduce(done.latencies) | held
        metrics |= {"pool_bytes": float(pool_mib * MIB), "ram_bytes": float(self.ram)}
        metrics["heap_blocks"] = float(p.n_tables * len(keys.measured))
        samples = {"request": done.latencies} | ({} if done.reads is None else {READS: done.reads})
        labels = {"state": "measured", "settings": in_force, "memory": bound.label, **done.labels}
        return Trial(planned, started_at, time.monotonic() - clock, metrics, labels, samples)

    def _bound(self) -> Any:
        return bounds.memory(self.ram if self.asked_for.bound_memory else None)


def caches(observer: pg.Connection, tables: Tables) -> dict[str, float | None]:
    """Distinct bytes of the relations in the pool alone, in the page cache alone, in both, and in either."""
    pool = pg.buffered_blocks(observer, tables.layout.relations())
    system = pg.os_cached_blocks(tables.paths)
    both = len(np.intersect1d(pool, system, assume_unique=True))
    found = {
        "in_pool_only_bytes": len(pool) - both,
        "in_os_cache_only_bytes": len(system) - both,
        "in_both_bytes": both,
        "cached_bytes": len(pool) + len(system) - both,
        "in_pool_bytes": len(pool),
    }
    return {name: float(blocks * pg.BLOCK_BYTES) for name, blocks in found.items()}


def _failed(planned: PlannedTrial) -> Trial:
    labels = {"state": "failed: this server cannot read past the page cache", "cache_state": "not certified"}
    return Trial(planned, datetime.now(UTC).isoformat(timespec="seconds"), 0.0, {}, labels, {})


def _memory(bound: MemoryBound) -> dict[str, float | None]:
    now = bound.reading()
    if now is None:
        return {}
    return {"memory_used_bytes": float(now.used_bytes), "killed_processes": float(now.killed)}
