"""Trials in bounded memory: a fresh server with a pool of its own size, caches filled, one window measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from benchbook.engines import bounds
from benchbook.engines.postgres import Binaries, Cluster, counters, device, private_cluster, sessions
from benchbook.errors import BenchbookError
from benchbook.measuring.features import window
from benchbook.measuring.features.client import Client
from benchbook.measuring.features.dataset import Layout, first_feature
from benchbook.measuring.features.keys import Requests
from benchbook.measuring.features.loaded import LoadedTables, Tables
from benchbook.measuring.features.parameters import OWN
from benchbook.measuring.features.window import reduce
from benchbook.measuring.postgres import running
from benchbook.measuring.samples import Begun
from benchbook.model import READS, Configuration, PlannedTrial, Scalar, Trial
from benchbook.workloads import hash_keys

MIB = 2**20
NOTE_SHARE = 20 / 64
"""The note sets 20 GB on a cluster of 64 GB."""
CLUSTER_BYTES, RELOADED_WITHIN_S = 100_000_000, 10.0
KEYS_A_STATEMENT, CONNECTIONS = 500, 4
_LOOKUPS_ONLY = ("hashjoin", "mergejoin", "seqscan", "bitmapscan", "memoize", "material", "sort", "indexonlyscan")


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
        return Begun().ended(planned, {}, labels, {})

    def _measure(self, planned: PlannedTrial) -> Trial:
        tables, keys, server = self.tables[OWN], self.keys(planned.configuration, planned.seed), self.cluster
        begun = Begun()
        pool_mib = max(1, round(int(planned.configuration.settings["pool_percent"] or 0) * self.ram / 100 / MIB))
        with ExitStack() as stack:
            bound = stack.enter_context(self._bounded())
            stack.callback(server.stop)
            with bound.inside():
                self.start({"shared_buffers": f"{pool_mib}MB"})
            if len(keys.fill):
                if not self.direct_io:
                    with bound.inside():
                        counters.read_once(tables.paths)
                fill(server, tables.layout, keys.fill)
            stack.enter_context(self.on_client())
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
        return begun.ended(planned, metrics, labels, samples)

    def _bounded(self) -> Any:
        return bounds.memory(self.ram if self.bound else None)


def bench(base: LoadedTables, ram_percent: int, bound: bool, keys: Callable[[Configuration, int], Asked]) -> Bench:
    """On loaded tables, with so much memory in % of theirs, and what a fresh cluster says of the setting."""
    ram = (base.heap_bytes + base.index_bytes) * ram_percent // 100
    loaded = (base.parameters, base.binaries, base.cluster, base.heap_bytes, base.index_bytes)
    said = tried(base.binaries, ram)
    return Bench(*loaded, base.tables, base.statistics, ram, bound, said, keys)


def _caches(observer: counters.Connection, tables: Tables) -> dict[str, int]:
    """Distinct bytes of the relations in the pool alone, in the page cache alone, in both, and in either."""
    pool = counters.buffered_blocks(observer, tables.layout.relations())
    system = counters.os_cached_blocks(tables.paths)
    both = len(np.intersect1d(pool, system, assume_unique=True))
    found = {"in_pool_only": len(pool) - both, "in_os_cache_only": len(system) - both, "in_both": both}
    found |= {"in_pool": len(pool), "cached": len(pool) + len(system) - both}
    return {f"{name}_bytes": blocks * counters.BLOCK_BYTES for name, blocks in found.items()}


def fill(cluster: Cluster, layout: Layout, ids: np.ndarray) -> None:
    """Look up every id in every table, in their order, over several connections; BenchbookError for a wrong row."""
    parts = [ids[start : start + KEYS_A_STATEMENT] for start in range(0, len(ids), KEYS_A_STATEMENT)]
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(lambda place: _fill(cluster, layout, parts[place::CONNECTIONS]), range(CONNECTIONS)))


def _fill(cluster: Cluster, layout: Layout, parts: list[np.ndarray]) -> None:
    with cluster.connect() as connection:
        for name in _LOOKUPS_ONLY:
            connection.execute(f"SET enable_{name} = off")
        for ids in parts:
            keys = hash_keys(ids.tolist())
            for table, name in enumerate(layout.tables):
                row = connection.execute(
                    "SELECT count(*), sum(t.feature_01) FROM unnest(%s::bpchar[]) AS k(hashkey) "
                    f"JOIN {name} AS t ON t.hashkey = k.hashkey",
                    (keys,), prepare=True,
                ).fetchone()  # fmt: skip
                written = float(ids.sum()) + len(ids) * first_feature(0, table)
                if row is None or row[0] != len(ids) or row[1] != written:
                    raise BenchbookError(
                        f"table {table} answered {row!r} for {len(ids)} rows whose sum is {written!r}",
                        "the data set is damaged: run again with --fresh",
                    )
        counters.flush(connection, cluster.binaries)  # what counts later must not hold what was looked up here


def tried(binaries: Binaries, ram_bytes: int) -> dict[str, Any]:
    """What a fresh cluster says; in bytes but for ``pending``, which says whether the value waits for a restart.

    default: when nobody configures it. asked: with ALTER SYSTEM, the note's share of ``ram_bytes``. after_reload,
    after_restart: what is in force then.
    """
    with private_cluster(binaries, bytes_needed=CLUSTER_BYTES) as cluster:
        with running(cluster, {}), cluster.connect() as connection:
            default, _, source = _setting(connection)
            mib = max(1, round(NOTE_SHARE * ram_bytes / 2**20))
            mib += mib * 2**20 == default  # a value that is in force already shows nothing
            connection.execute(f"ALTER SYSTEM SET shared_buffers = '{mib}MB'")
            connection.execute("SELECT pg_reload_conf()")
            after_reload, pending = _reloaded(cluster)
        with running(cluster, {}), cluster.connect() as connection:
            after_restart, still_pending, _ = _setting(connection)
    return {
        "default_bytes": default, "default_source": source, "asked_bytes": mib * 2**20,
        "after_reload_bytes": after_reload, "pending": pending, "after_restart_bytes": after_restart,
        "pending_after_restart": still_pending,
    }  # fmt: skip


def _reloaded(cluster: Cluster) -> tuple[int, bool]:
    """Value and whether another one waits, as soon as the server says so; it reads its files a little later."""
    deadline = time.monotonic() + RELOADED_WITHIN_S
    while True:
        with cluster.connect() as connection:
            value, pending, _ = _setting(connection)
        if pending or time.monotonic() > deadline:
            return value, pending
        time.sleep(0.05)


def _setting(connection: Any) -> tuple[int, bool, str]:
    row = connection.execute(
        "SELECT pg_size_bytes(current_setting('shared_buffers')), pending_restart, source "
        "FROM pg_settings WHERE name = 'shared_buffers'"
    ).fetchone()
    return int(row[0]), bool(row[1]), str(row[2])
