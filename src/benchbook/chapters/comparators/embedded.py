"""RocksDB, LMDB and SQLite through the key-value probe: a store filled anew, closed, opened, and asked hot or cold."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook import files, temporary
from benchbook.chapters.comparators.arms import LABELS, PROBE, Parameters
from benchbook.chapters.comparators.asked import Asked, cached_share, in_memory, on_disk, per_request, reads
from benchbook.engines import kv, packages, probe
from benchbook.engines.prepared import prepared
from benchbook.errors import BenchbookError
from benchbook.measuring.kv.metrics import lookup_device_bytes
from benchbook.measuring.kv.requests import Request, request
from benchbook.model import Configuration

LIMIT_S, TURN_LIMIT_S = 1_800.0, 600.0
SERIES = "batch.service"
WRITTEN_AT_ONCE = 100_000
FOREVER_NS = 10**15
ROW_BYTES = 100
"""What a row takes beside its value in the largest of the stores, about."""


def options(store: str, parameters: Parameters) -> dict[str, Any]:
    """The engine's settings: everything in its own cache where it has one, and no more durability than a load needs."""
    cache = parameters.store_cache_mib
    room = 4 * parameters.store_rows * (parameters.value_bytes + ROW_BYTES) + (64 << 20)
    own: Mapping[str, dict[str, Any]] = {
        "rocksdb": {"block_cache_bytes": cache << 20, "level0_trigger": 64, "compression": "none"},
        "lmdb": {"map_bytes": room, "sync": False, "transaction": "read"},
        "sqlite": {
            "cache_kib": cache << 10, "journal": "off", "synchronous": "off", "prepare": "once", "transaction": "read"
        },
    }  # fmt: skip
    return {"engine": store, "index": "none", **own[store]}


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for: a batch is a request, its look-ups follow each other at one stride.

    Hot: the rows of one pass, over and over. Cold: each row once, spread over all. Empty: the loop without an engine,
    over a store that is small since nobody asks it.
    """
    p, store = parameters, str(arm.settings["store"])
    rows, run = p.store_rows, {"law": "stride", "batch_operations": p.n_tables}
    match arm.settings["draw"]:
        case "same":
            warm = p.n_tables * max(p.warmup_requests, p.hot_set_keys)
            run |= {"stride": p.rows_per_table // p.hot_set_keys, "warm_operations": warm}
            run |= {"operations": p.n_tables * p.measured_requests}
        case "disjoint":
            run |= {"stride": p.rows_per_table // p.cold_requests, "operations": p.n_tables * p.cold_requests}
        case _:
            store, rows = "lmdb", p.n_tables
            run |= {"stride": 1, "operations": p.n_tables * p.measured_requests, "without": "engine"}
    at_once = WRITTEN_AT_ONCE if store == "rocksdb" else 0
    load: dict[str, Any] = {
        "keys": "random",
        "value_bytes": p.value_bytes,
        "batch_rows": at_once,
        "settle": "compact",
        "reopen": True,
    }
    return request(seed, options(store, p), rows, run, **load)


@dataclass(frozen=True)
class Embedded:
    """One of the probe's engines, or its loop without one. folder: of the disk on which stores lie while they live."""

    store: str
    folder: Path

    def identity(self) -> dict[str, Any]:
        """Its name, its version and the packages of the engines."""
        name = LABELS["lmdb" if self.store == PROBE else self.store]
        found = kv.versions()
        return {"store": name, "version": found.get(name, "unknown"), "packages": packages.of(kv.find())}

    def ask(self, parameters: Parameters, arm: Configuration, seed: int) -> Asked:
        """Measure; the probe compares every value with what it wrote."""
        asked = request_of(parameters, arm, seed)
        return self._cold(parameters, asked) if arm.settings["draw"] == "disjoint" else self._hot(parameters, asked)

    def _hot(self, parameters: Parameters, asked: Request) -> Asked:
        """Reads from the device are counted from the end of the warm-up on."""
        with ExitStack() as stack:
            store = self._store(stack)
            answer = probe.ask(kv.find(), asked, timeout_s=LIMIT_S, folder=self.folder, store=store)
            device_bytes = lookup_device_bytes(answer.record["counters"], since="warm")
            state = in_memory(device_bytes, asked["run"]["operations"], cached_share(store))
        return self._asked(answer, parameters.measured_requests, asked, device_bytes, str(state))

    def _cold(self, parameters: Parameters, asked: Request) -> Asked:
        """The store is opened anew, nothing is warmed, and its files are dropped from the page cache; then one turn."""
        with ExitStack() as stack:
            store = self._store(stack)
            waiting = stack.enter_context(
                prepared(kv.find(), asked, timeout_s=LIMIT_S, folder=self.folder, store=store)
            )
            files.evict(store)
            cached = cached_share(store)
            read = stack.enter_context(reads(waiting.process.pid))
            waiting.tell({"turn": {"for_ns": FOREVER_NS, "operations": asked["run"]["operations"]}})
            waiting.said(TURN_LIMIT_S)
            device_bytes = read()
            answer = waiting.end()
        found = self._asked(answer, parameters.cold_requests, asked, device_bytes, str(on_disk(cached)))
        found.metrics["files_in_os_cache_at_start"] = cached
        return found

    def _store(self, stack: ExitStack) -> Path:
        return probe.store_in(stack.enter_context(temporary.folder("probe", self.folder)))

    def _asked(
        self, answer: probe.Answer, requests: int, asked: Request, device_bytes: float | None, state: str
    ) -> Asked:
        latencies, lookups = answer.series[SERIES], asked["run"]["operations"]
        checked = answer.record["counters"]["run"]["checked_reads"]
        empty = "without" in asked["run"]
        if len(latencies) != requests or checked != (0 if empty else lookups):
            raise BenchbookError(
                f"the probe timed {len(latencies):,} of {requests:,} requests and compared {checked:,} of "
                f"{lookups:,} values",
                "build it again with `make probe-kv`, or measure again",
            )
        metrics: dict[str, float | None] = {"requests": float(requests), "checked_values": float(checked)}
        if empty:
            return Asked(latencies, metrics, {"cache_state": "no data"})
        metrics["device_kib_per_request"] = per_request(device_bytes, requests)
        return Asked(latencies, metrics, {"cache_state": state})
