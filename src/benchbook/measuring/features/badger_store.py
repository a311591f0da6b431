"""Badger as a store beside PostgreSQL: filled once a session, opened by a fresh process, asked hot or cold."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import files
from benchbook.engines import badger, probe
from benchbook.engines.badger import Build
from benchbook.errors import BenchbookError
from benchbook.measuring.badger.request import threshold_bytes
from benchbook.measuring.features.stores import (
    IN_OS_CACHE,
    LIMIT_S,
    Asked,
    StoreParameters,
    asked,
    in_memory,
    on_disk,
    one_turn,
)  # fmt: skip
from benchbook.model import Configuration

MEMTABLE_MIB = 64


def rows_of(p: StoreParameters, draw: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are warmed and rows that are measured, int64: at one stride, as the other embedded stores' are.

    The store scatters nothing: neighbours among the row numbers are neighbours in it, so a stride leads far from the
    last row.
    """
    step = int(p.store_rows * 0.6180339887498949) or 1
    while np.gcd(step, p.store_rows) != 1:
        step += 1
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
        """Its name and version."""
        return {"store": "Badger", "version": badger.versions(Build.CURRENT)[str(Build.CURRENT)]}

    def ask(self, parameters: StoreParameters, arm: Configuration, seed: int) -> Asked:
        """Measure; the probe compares every value with what it wrote."""
        p, cold, store = parameters, arm.settings["draw"] == "disjoint", self.folder / "store"
        if not store.is_dir():
            filling = self.folder / "filling"
            shutil.rmtree(filling, ignore_errors=True)
            filling.mkdir()
            wanted = self._request(p, np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64), 0)
            wanted["options"] |= {"read_only": False, "compact_l0_on_close": True}
            probe.ask(badger.find(Build.CURRENT), wanted, timeout_s=LIMIT_S, folder=self.folder, store=filling)
            filling.rename(store)
        if cold:
            files.evict(store)
        wanted = self._request(p, *rows_of(p, str(arm.settings["draw"])), seed)
        answer, device_bytes, cached = one_turn(badger.find(Build.CURRENT), wanted, self.folder, store, cold=cold)
        lookups, made = answer.series["gets.service"], wanted["run"]["operations"]
        if len(lookups) != made:
            raise BenchbookError(f"the probe timed {len(lookups):,} of {made:,} look-ups", "measure again")
        state = on_disk(cached) if cold else in_memory(device_bytes, made)
        more: dict[str, float | None] = {IN_OS_CACHE: cached} if cold else {}
        return asked(lookups.reshape(-1, p.n_tables).sum(axis=1), made, str(state), device_bytes, **more)

    def _request(self, p: StoreParameters, warm: np.ndarray, measured: np.ndarray, seed: int) -> dict[str, Any]:
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
