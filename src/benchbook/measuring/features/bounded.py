"""Trials in bounded memory: a fresh server with a pool of its own size, caches filled, one window measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from benchbook.engines import bounds, cores
from benchbook.engines.postgres import counters, device, sessions
from benchbook.measuring.features import filling, pool_setting, window
from benchbook.measuring.features.client import Client
from benchbook.measuring.features.keys import Requests
from benchbook.measuring.features.loaded import LoadedTables, Tables
from benchbook.measuring.features.parameters import OWN
from benchbook.measuring.features.reduction import reduce
from benchbook.model import READS, Configuration, PlannedTrial, Scalar, Trial

MIB = 2**20
NOTE_SHARE = pool_setting.NOTE_SHARE


class Asked(NamedTuple):
    """Ids of rows, int64, in the order in which they are asked for. fill: as joins; warm: by the client."""

    fill: np.ndarray
    warm: np.ndarray
    measured: np.ndarray


@dataclass(frozen=True)
class Bench(LoadedTables):
    """A loaded data set. ram: bytes of server and page cache. bound: whether they are bounded. said: of the setting.

    keys: what a configuration asks for in a trial of a seed.
    """

    ram: int
    bound: bool
    said: dict[str, Any]
    keys: Callable[[Configuration, int], Asked]

    def settings(self) -> dict[str, Scalar]:
        """Reads by the server's own processes, past the page cache or through it."""
        return super().settings() | ({} if self.binaries.major < 18 else {"io_method": "sync"})

    def provenance(self) -> dict[str, Any]:
        """Also the bound, and what a fresh cluster said of the setting."""
        with self._bounded() as bound:
            label = bound.label
        return super().provenance() | {"ram_bytes": self.ram, "memory_bound": label, "setting": self.said}

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once; a failed trial where the server cannot read past the page cache."""
        if not planned.configuration.settings.get("direct"):
            return self._measure(planned)
        past = replace(self, parameters=self.parameters.model_copy(update={"direct_io": True}))
        if past.direct_io:
            return past._measure(planned)
        labels = {"state": "failed: this server cannot read past the page cache", "cache_state": "not certified"}
        return Trial(planned, datetime.now(UTC).isoformat(timespec="seconds"), 0.0, {}, labels, {})

    def _measure(self, planned: PlannedTrial) -> Trial:
        tables, keys, server = self.tables[OWN], self.keys(planned.configuration, planned.seed), self.cluster
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        pool_mib = max(1, round(int(planned.configuration.settings["pool_percent"] or 0) * self.ram / 100 / MIB))
        with ExitStack() as stack:
            bound = stack.enter_context(self._bounded())
            stack.callback(server.stop)
            with bound.inside():
                self.start(pool_mib)
            if len(keys.fill):
                if not self.direct_io:
                    with bound.inside():
                        filling.read_once(tables.paths)
                filling.fill(server, tables.layout, keys.fill)
            stack.enter_context(cores.on(None if self.cores is None else self.cores.client))
            observer, measured = (stack.enter_context(server.connect()) for _ in range(2))
            read_bytes = stack.enter_context(device.reads_of(measured.info.backend_pid))
            in_force, serial = sessions.checked(measured), self.parameters.client_mode == "serial"
            asking = Client(
                measured, tables.layout, serial=serial, only_first=False, empty=False, read_bytes=read_bytes
            )  # fmt: skip
            before = counters.read(observer, measured, self.binaries, tables.layout.schema)
            asking.probe()
            asking.warm(keys.warm)
            requests = Requests(np.concatenate([keys.fill, keys.warm]), keys.measured, only_first=False)
            done = window.measure(self, tables, observer, measured, asking, requests, before, empty=False)
            held, memory = _caches(observer, tables), bound.reading()
        sizes = {"pool_bytes": pool_mib * MIB, "ram_bytes": self.ram}
        sizes["heap_blocks"] = self.parameters.n_tables * len(keys.measured)
        if memory is not None:
            sizes |= {"memory_used_bytes": memory.used_bytes, "killed_processes": memory.killed}
        metrics = done.metrics | reduce(done.latencies) | {name: float(each) for name, each in (held | sizes).items()}
        samples = {"request": done.latencies} | ({} if done.reads is None else {READS: done.reads})
        labels = {"state": "measured", "settings": in_force, "memory": bound.label, **done.labels}
        return Trial(planned, started_at, time.monotonic() - clock, metrics, labels, samples)

    def _bounded(self) -> Any:
        return bounds.memory(self.ram if self.bound else None)


def bench(base: LoadedTables, ram_percent: int, bound: bool, keys: Callable[[Configuration, int], Asked]) -> Bench:
    """On loaded tables, with so much memory in % of theirs, and what a fresh cluster says of the setting."""
    ram = (base.heap_bytes + base.index_bytes) * ram_percent // 100
    loaded = (base.parameters, base.binaries, base.cluster, base.heap_bytes, base.index_bytes)
    said = pool_setting.tried(base.binaries, ram)
    return Bench(*loaded, base.tables, base.statistics, ram, bound, said, keys)


def _caches(observer: counters.Connection, tables: Tables) -> dict[str, int]:
    """Distinct bytes of the relations in the pool alone, in the page cache alone, in both, and in either."""
    pool = counters.buffered_blocks(observer, tables.layout.relations())
    system = counters.os_cached_blocks(tables.paths)
    both = len(np.intersect1d(pool, system, assume_unique=True))
    found = {"in_pool_only": len(pool) - both, "in_os_cache_only": len(system) - both, "in_both": both}
    found |= {"in_pool": len(pool), "cached": len(pool) + len(system) - both}
    return {f"{name}_bytes": blocks * counters.BLOCK_BYTES for name, blocks in found.items()}
