"""Badger through its probe: a store filled once a session, opened for reading by a fresh process, asked hot or cold."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import files, temporary
from benchbook.chapters.comparators.arms import Parameters
from benchbook.chapters.comparators.asked import Asked, cached_share, in_memory, on_disk, per_request, reads
from benchbook.chapters.comparators.embedded import FOREVER_NS, LIMIT_S, TURN_LIMIT_S
from benchbook.engines import badger, probe
from benchbook.engines.badger import Build
from benchbook.engines.prepared import prepared
from benchbook.errors import BenchbookError
from benchbook.measuring.badger.request import threshold_bytes
from benchbook.model import Configuration

BUILD = Build.CURRENT
SERIES = "gets.service"
MEMTABLE_MIB = 64


def rows_of(parameters: Parameters, draw: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are warmed and rows that are measured, int64: at one stride, as the other embedded stores' are.

    Hot: the rows of one pass, over and over. Cold: each row once, spread over all, nothing warmed. The store scatters
    nothing: neighbours among the row numbers are neighbours in it, so a stride leads far from the last row.
    """
    p = parameters
    every = p.store_rows
    scatter = _coprime_near_golden(every)
    if draw == "same":
        hot = np.arange(p.n_tables * p.hot_set_keys) * (p.rows_per_table // p.hot_set_keys) * scatter % every
        warm = np.resize(hot, p.n_tables * max(p.warmup_requests, p.hot_set_keys))
        return warm, np.resize(hot, p.n_tables * p.measured_requests)
    cold = np.arange(p.n_tables * p.cold_requests) * (p.rows_per_table // p.cold_requests) * scatter % every
    return cold[:0], cold


def _coprime_near_golden(rows: int) -> int:
    step = int(rows * 0.6180339887498949) or 1
    while np.gcd(step, rows) != 1:
        step += 1
    return step


def request_of(parameters: Parameters, trace: Path, warm: int, measured: int, seed: int) -> dict[str, Any]:
    """What the probe is asked for: the rows of a trace in their order, one sample a look-up."""
    p = parameters
    return {
        "seed": seed,
        "workload": "gets",
        "options": {
            "compression": "none",
            "mem_table_bytes": MEMTABLE_MIB << 20,
            "value_threshold_bytes": threshold_bytes(MEMTABLE_MIB),
            "block_cache_bytes": p.store_cache_mib << 20,
            "read_only": True,
        },
        "load": {"keys": p.store_rows, "value_bytes": p.value_bytes},
        "run": {"law": "trace", "trace": str(trace), "warm_operations": warm, "operations": measured, "workers": 1},
    }


@dataclass(frozen=True)
class Badger:
    """folder: of the disk on which its store lies until ``stack`` closes."""

    folder: Path
    stack: ExitStack = field(repr=False)

    @cached_property
    def _made(self) -> Path:
        return self.stack.enter_context(temporary.folder("probe", self.folder))

    def identity(self) -> dict[str, Any]:
        """Its name and version."""
        return {"store": "Badger", "version": badger.versions(BUILD)[str(BUILD)]}

    def ask(self, parameters: Parameters, arm: Configuration, seed: int) -> Asked:
        """Measure; the probe compares every value with what it wrote."""
        p, cold = parameters, arm.settings["draw"] == "disjoint"
        store, trace = self._filled(p), self._made / "trace"
        warm, measured = rows_of(p, str(arm.settings["draw"]))
        trace.write_text("\n".join(map(str, [*warm.tolist(), *measured.tolist()])) + "\n")
        asked = request_of(p, trace, len(warm), len(measured), seed)
        with ExitStack() as stack:
            if cold:
                files.evict(store)
            waiting = stack.enter_context(
                prepared(badger.find(BUILD), asked, timeout_s=LIMIT_S, folder=self.folder, store=store)
            )
            if cold:
                files.evict(store)  # what it read to open the store; what it mapped stays
            cached = cached_share(store)
            read = stack.enter_context(reads(waiting.process.pid))
            waiting.tell({"turn": {"for_ns": FOREVER_NS, "operations": len(measured)}})
            waiting.said(TURN_LIMIT_S)
            device_bytes = read()
            answer = waiting.end()
        lookups = answer.series[SERIES]
        if len(lookups) != len(measured):
            raise BenchbookError(f"the probe timed {len(lookups):,} of {len(measured):,} look-ups", "measure again")
        latencies = lookups.reshape(-1, p.n_tables).sum(axis=1)
        metrics: dict[str, float | None] = {
            "requests": float(len(latencies)),
            "checked_values": float(len(lookups)),
            "device_kib_per_request": per_request(device_bytes, len(latencies)),
        }
        if cold:
            metrics["files_in_os_cache_at_start"] = cached
        state = on_disk(cached) if cold else in_memory(device_bytes, len(lookups))
        return Asked(latencies, metrics, {"cache_state": str(state)})

    def _filled(self, p: Parameters) -> Path:
        """The store, filled when it is first asked for."""
        store, one = self._made / "store", self._made / "one"
        if store.is_dir():
            return store
        store.mkdir()
        one.write_text("0\n")
        asked = request_of(p, one, 0, 1, 0)
        asked["options"] |= {"read_only": False, "compact_l0_on_close": True}
        try:
            probe.ask(badger.find(BUILD), asked, timeout_s=LIMIT_S, folder=self.folder, store=store)
        except BaseException:
            store.rename(self._made / "failed")
            raise
        return store
