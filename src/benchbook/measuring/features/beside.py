"""PostgreSQL and the stores beside it, on which trials are measured; one that is not installed is left out."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import files, temporary
from benchbook.engines import badger, probe
from benchbook.engines.badger import Build
from benchbook.engines.postgres.counters import BLOCK_BYTES
from benchbook.errors import BenchbookError, NoEngineError
from benchbook.measuring.badger.request import threshold_bytes
from benchbook.measuring.features import remote, stores
from benchbook.measuring.features.bench import Bench
from benchbook.measuring.features.dataset import coprime
from benchbook.measuring.features.window import reduce
from benchbook.measuring.samples import Begun
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.statistics import CacheState

MEMTABLE_MIB = 64


@contextmanager
def opened(parameters: stores.StoreParameters, names: Iterable[str], postgres: Bench, folder: Path) -> Iterator[Stores]:
    """PostgreSQL, which is loaded, and those of these stores that this machine has. folder: where they may lie."""
    with temporary.folder("probe", folder) as of_badger:
        own: dict[str, stores.Comparator] = {"redis": remote.Redis(), "badger": Badger(of_badger)}
        every = {store: own.get(store) or stores.Embedded(store, folder) for store in names}
        yield Stores(parameters, postgres, *present(every))


def present(every: Mapping[str, stores.Comparator]) -> tuple[dict[str, stores.Comparator], dict[str, str]]:
    """Those that this machine has, and why it lacks the others."""
    found, absent = {}, {}
    for store, each in every.items():
        try:
            each.identity()
        except NoEngineError as error:
            absent[store] = f"{error.problem}: {error.mend}"
        else:
            found[store] = each
    return found, absent


@dataclass(frozen=True)
class Stores:
    """What trials are measured on. absent: why a store is left out, by store."""

    parameters: stores.StoreParameters
    postgres: Bench
    others: Mapping[str, stores.Comparator]
    absent: Mapping[str, str]

    def provenance(self) -> dict[str, Any]:
        """PostgreSQL's, and the version and packages of each other store, or why there is none."""
        labels = stores.LABELS
        found = {store: each.identity() for store, each in self.others.items()}
        return {
            **self.postgres.provenance(),
            "stores": {labels[store]: each["version"] for store, each in found.items() if store in labels},
            "store_packages": {
                name: version for each in found.values() for name, version in each.get("packages", {}).items()
            },
            "left_out": {labels[store]: why for store, why in self.absent.items() if store in labels},
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once; without a number where its store is left out."""
        store = str(planned.configuration.settings["store"])
        if store == "postgres":
            return in_kib(self.postgres.measure(planned))
        begun = Begun()
        if store in self.absent:
            labels = {"state": f"left out: {self.absent[store]}", "cache_state": str(CacheState.NOT_CERTIFIED)}
            return begun.ended(planned, {}, labels, {})
        found = self.others[store].ask(self.parameters, planned.configuration, planned.seed)
        metrics, labels = found.metrics | reduce(found.latencies), {"state": "measured", "cache_state": found.state}
        return begun.ended(planned, metrics, labels, {"request": found.latencies})


def in_kib(trial: Trial) -> Trial:
    """With what PostgreSQL read from the device in the unit of the other stores."""
    blocks = trial.metrics.get("device_blocks_per_request")
    read = {} if blocks is None else {"device_kib_per_request": blocks * BLOCK_BYTES / 1024}
    return replace(trial, metrics={**trial.metrics, **read})


def rows_of(p: stores.StoreParameters, draw: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are warmed and rows that are measured, int64: at one stride, as the other embedded stores' are.

    The store scatters nothing: neighbours among the row numbers are neighbours in it, so a stride leads far from the
    last row.
    """
    step = coprime(int(p.store_rows * 0.6180339887498949) or 1, p.store_rows)
    keys = p.hot_set_keys if draw == "same" else p.cold_requests
    rows = np.arange(p.n_tables * keys) * (p.rows_per_table // keys) * step % p.store_rows
    if draw != "same":
        return rows[:0], rows
    warmed = p.n_tables * max(p.warmup_requests, p.hot_set_keys)
    return np.resize(rows, warmed), np.resize(rows, p.n_tables * p.measured_requests)


@dataclass(frozen=True)
class Badger:
    """Badger through its probe, opened for reading by a fresh process. folder: its own, where its store lies."""

    folder: Path

    def identity(self) -> dict[str, Any]:
        return {"store": "Badger", "version": badger.versions(Build.CURRENT)[str(Build.CURRENT)]}

    def ask(self, parameters: stores.StoreParameters, arm: Configuration, seed: int) -> stores.Asked:
        p, cold, store = parameters, arm.settings["draw"] == "disjoint", self.folder / "store"
        program = badger.find(Build.CURRENT)
        if not store.is_dir():
            filling = self.folder / "filling"
            shutil.rmtree(filling, ignore_errors=True)
            filling.mkdir()
            wanted = self._request(p, np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64), 0)
            wanted["options"] |= {"read_only": False, "compact_l0_on_close": True}
            probe.ask(program, wanted, timeout_s=stores.LIMIT_S, folder=self.folder, store=filling)
            filling.rename(store)
        if cold:
            files.evict(store)
        wanted = self._request(p, *rows_of(p, str(arm.settings["draw"])), seed)
        answer, device_bytes, cached = stores.one_turn(program, wanted, self.folder, store, cold=cold)
        lookups, made = answer.series["gets.service"], wanted["run"]["operations"]
        if len(lookups) != made:
            raise BenchbookError(f"the probe timed {len(lookups):,} of {made:,} look-ups", "measure again")
        state = stores.on_disk(cached) if cold else stores.in_memory(device_bytes, made)
        more: dict[str, float | None] = {stores.IN_OS_CACHE: cached} if cold else {}
        return stores.asked(lookups.reshape(-1, p.n_tables).sum(axis=1), made, str(state), device_bytes, **more)

    def _request(self, p: stores.StoreParameters, warm: np.ndarray, measured: np.ndarray, seed: int) -> dict[str, Any]:
        """The rows of a trace in their order, one sample a look-up."""
        trace = self.folder / "trace"
        trace.write_text("\n".join(map(str, [*warm.tolist(), *measured.tolist()])) + "\n")
        run = {"law": "trace", "trace": str(trace), "warm_operations": len(warm), "operations": len(measured)}
        options = {
            "compression": "none", "mem_table_bytes": MEMTABLE_MIB << 20, "block_cache_bytes": p.store_cache_mib << 20,
            "value_threshold_bytes": threshold_bytes(MEMTABLE_MIB), "read_only": True,
        }  # fmt: skip
        load = {"keys": p.store_rows, "value_bytes": p.value_bytes}
        return {"seed": seed, "workload": "gets", "options": options, "load": load, "run": run | {"workers": 1}}
