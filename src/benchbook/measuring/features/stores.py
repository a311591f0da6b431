"""Stores beside PostgreSQL that are part of the program that asks: filled, and asked through their probes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from benchbook import files, temporary
from benchbook.engines import kv, packages, probe
from benchbook.engines.postgres import device
from benchbook.engines.prepared import prepared
from benchbook.errors import BenchbookError
from benchbook.measuring.features.parameters import Features
from benchbook.measuring.kv.metrics import lookup_device_bytes
from benchbook.measuring.kv.requests import Request, request
from benchbook.model import Configuration
from benchbook.parameters.base import param
from benchbook.statistics import CacheState

LABELS = {"rocksdb": "RocksDB", "lmdb": "LMDB", "sqlite": "SQLite", "badger": "Badger", "redis": "Redis"}
"""In the order of the figures."""
LIMIT_S, TURN_LIMIT_S, FOREVER_NS = 1_800.0, 600.0, 10**15
FULL, EMPTY = 0.99, 0.01
PAGE_BYTES = 4096
"""Of the page cache, in which these stores read."""
ROW_BYTES = 100
"""What a row takes beside its value in the largest of the stores, about."""
IN_OS_CACHE = "files_in_os_cache_at_start"


class StoreParameters(Features):
    """What such stores are filled and asked by."""

    store_cache_mib: int = param(
        1024, 8, 1_000_000, "own cache in MiB of each embedded store that has one; should hold all rows"
    )
    cold_requests: int = param(
        200, 20, 1_000_000, "measured requests of a cold embedded store, few, since what is read is soon cached"
    )

    @property
    def store_rows(self) -> int:
        """Rows of each store beside PostgreSQL: one for each key and table."""
        return self.n_tables * self.rows_per_table

    @property
    def value_bytes(self) -> int:
        """A row's features, serialised."""
        return 8 * self.n_features


@dataclass(frozen=True)
class Asked:
    """latencies: of the requests in ns, int64, shape (requests,). metrics: beside these. state: of the cache."""

    latencies: np.ndarray
    metrics: dict[str, float | None]
    state: str


class Comparator(Protocol):
    """A store that answers requests of one value for each of many keys, every value of which it checks."""

    def identity(self) -> dict[str, Any]:
        """Its name, version and packages, if it is from any; raises NoEngineError where it is not installed."""

    def ask(self, parameters: Any, arm: Configuration, seed: int) -> Asked:
        """Make it ready as the configuration says, and measure."""


def asked(latencies: np.ndarray, compared: int, state: str, device_bytes: float | None, **more: float | None) -> Asked:
    """What was measured. compared: values. device_bytes: read meanwhile; None where the kernel does not count."""
    requests = len(latencies)
    read = None if device_bytes is None else device_bytes / 1024 / requests
    metrics = {"requests": float(requests), "checked_values": float(compared), "device_kib_per_request": read}
    return Asked(latencies, metrics | more, state)


def in_memory(device_bytes: float | None, lookups: int, cached: float = 0.0) -> CacheState:
    """The state of a store that was warmed: hot where at most one look-up in a hundred can have read a page.

    cached: the share of its files in the page cache afterwards; all of them there are as good.
    """
    if cached >= FULL:
        return CacheState.HOT
    if device_bytes is None:
        return CacheState.NOT_CERTIFIED
    return CacheState.HOT if device_bytes <= (1 - FULL) * PAGE_BYTES * lookups else CacheState.MIXED


def on_disk(cached: float) -> CacheState:
    """The state of a store whose own cache is empty, by the share of its files in the page cache."""
    return CacheState.COLD if cached <= EMPTY else CacheState.MIXED


def cached_share(folder: Path) -> float:
    """The share of the pages of a folder's files that the page cache holds."""
    pages = [files.cached_pages(path) for path in folder.rglob("*") if path.is_file()]
    everything = sum(len(each) for each in pages)
    return float(sum(int(each.sum()) for each in pages)) / everything if everything else 0.0


@contextmanager
def reads(pid: int) -> Iterator[Callable[[], float | None]]:
    """What says how many bytes a process has read from the device since now; None where the kernel does not count."""
    with device.reads_of(pid) as count:
        before = 0 if count is None else count()
        yield lambda: None if count is None else float(count() - before)


def one_turn(
    program: Path, wanted: Request, folder: Path, store: Path, *, cold: bool
) -> tuple[probe.Answer, float | None, float]:
    """The answer after a turn of all look-ups, bytes read meanwhile, and the share of the store's files cached before.

    cold: what the probe read to open the store is dropped from the page cache before; what it mapped stays.
    """
    with ExitStack() as stack:
        waiting = stack.enter_context(prepared(program, wanted, timeout_s=LIMIT_S, folder=folder, store=store))
        if cold:
            files.evict(store)
        cached = cached_share(store)
        read = stack.enter_context(reads(waiting.process.pid))
        waiting.tell({"turn": {"for_ns": FOREVER_NS, "operations": wanted["run"]["operations"]}})
        waiting.said(TURN_LIMIT_S)
        device_bytes = read()
        return waiting.end(), device_bytes, cached


def request_of(p: StoreParameters, arm: Configuration, seed: int) -> Request:
    """What the key-value probe is asked for: a batch is a request, its look-ups follow each other at one stride.

    Hot: the rows of one pass, over and over. Cold: each row once, spread over all. Empty: the loop without an engine,
    over a store that is small since nobody asks it. The engine has everything in its own cache where it has one, and
    no more durability than a load needs.
    """
    store, rows, stride, requests = str(arm.settings["store"]), p.store_rows, 1, p.measured_requests
    run: dict[str, Any] = {"law": "stride", "batch_operations": p.n_tables}
    match arm.settings["draw"]:
        case "same":
            stride = p.rows_per_table // p.hot_set_keys
            run |= {"warm_operations": p.n_tables * max(p.warmup_requests, p.hot_set_keys)}
        case "disjoint":
            stride, requests = p.rows_per_table // p.cold_requests, p.cold_requests
        case _:
            store, rows = "lmdb", p.n_tables
            run |= {"without": "engine"}
    run |= {"stride": stride, "operations": p.n_tables * requests}
    room = 4 * p.store_rows * (p.value_bytes + ROW_BYTES) + (64 << 20)
    own: Mapping[str, dict[str, Any]] = {
        "rocksdb": {"block_cache_bytes": p.store_cache_mib << 20, "level0_trigger": 64, "compression": "none"},
        "lmdb": {"map_bytes": room, "sync": False, "transaction": "read"},
        "sqlite": {"cache_kib": p.store_cache_mib << 10, "journal": "off", "synchronous": "off", "prepare": "once",
                   "transaction": "read"},
    }  # fmt: skip
    options, at_once = {"engine": store, "index": "none", **own[store]}, 100_000 if store == "rocksdb" else 0
    load: dict[str, Any] = {"keys": "random", "batch_rows": at_once, "settle": "compact", "reopen": True}
    return request(seed, options, rows, run, value_bytes=p.value_bytes, **load)


@dataclass(frozen=True)
class Embedded:
    """RocksDB, LMDB or SQLite, filled for each trial, or the probe's loop without one. folder: where stores lie."""

    store: str
    folder: Path

    def identity(self) -> dict[str, Any]:
        name, found = LABELS.get(self.store, LABELS["lmdb"]), kv.versions()
        return {"store": name, "version": found.get(name, "unknown"), "packages": packages.of(kv.find())}

    def ask(self, parameters: StoreParameters, arm: Configuration, seed: int) -> Asked:
        wanted, more = request_of(parameters, arm, seed), dict[str, float | None]()
        lookups, empty = int(wanted["run"]["operations"]), "without" in wanted["run"]
        with temporary.folder("probe", self.folder) as made:
            store = probe.store_in(made)
            if arm.settings["draw"] == "disjoint":
                answer, device_bytes, cached = one_turn(kv.find(), wanted, self.folder, store, cold=True)
                state, more[IN_OS_CACHE] = str(on_disk(cached)), cached
            else:
                answer = probe.ask(kv.find(), wanted, timeout_s=LIMIT_S, folder=self.folder, store=store)
                device_bytes = lookup_device_bytes(answer.record["counters"], since="warm")
                state = str(in_memory(device_bytes, lookups, cached_share(store)))
        latencies, compared = answer.series["batch.service"], answer.record["counters"]["run"]["checked_reads"]
        if len(latencies) * parameters.n_tables != lookups or compared != (0 if empty else lookups):
            raise BenchbookError(
                f"the probe timed {len(latencies):,} requests and compared {compared:,} of {lookups:,} values",
                "build it again with `make probe-kv`, or measure again",
            )
        if empty:
            return Asked(latencies, {"requests": float(len(latencies)), "checked_values": float(compared)}, "no data")
        return asked(latencies, compared, state, device_bytes, **more)
