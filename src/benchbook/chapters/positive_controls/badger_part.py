"""Badger: a plain and an encrypted store, filled once for all trials and opened for reading by a fresh process each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchbook.chapters.positive_controls.arms import KEY_BYTES, Parameters
from benchbook.engines import badger, probe
from benchbook.engines.badger import Build
from benchbook.errors import BenchbookError
from benchbook.model import Configuration

BUILD = Build.NOTE
ROW_BYTES = 400
STORED_BYTES = 428
"""What a row takes in a table, its part of block index and Bloom filter included."""
SERIES = "gets.service"
LIMIT_S = 1_200.0
TABLE_BYTES = 8 << 20
"""MemTableSize and BaseTableSize: a small store then has several tables, each with an index of its own."""
BLOCK_CACHE_BYTES = 64 << 20


def store_bytes(parameters: Parameters) -> int:
    """Disk that both stores take: while they are filled, a part of each lies there twice."""
    return 2 * (2 * parameters.rows * STORED_BYTES + 16 * TABLE_BYTES)


def request_of(parameters: Parameters, key_bytes: int, index_bytes: int, seed: int) -> dict[str, Any]:
    """What the probe is asked for in a trial."""
    p = parameters
    return {
        "seed": seed,
        "workload": "gets",
        "options": {
            "compression": "none",
            "mem_table_bytes": TABLE_BYTES,
            "base_table_bytes": TABLE_BYTES,
            "value_threshold_bytes": TABLE_BYTES // 10,
            "block_cache_bytes": BLOCK_CACHE_BYTES,
            "index_cache_bytes": index_bytes,
            "encryption_key_bytes": key_bytes,
            "read_only": True,
        },
        "load": {"keys": p.rows, "value_bytes": ROW_BYTES},
        "run": {"law": "uniform", "warm_operations": 0, "operations": p.lookups, "workers": 1},
    }


@dataclass(frozen=True)
class Stores:
    """folder: in which both lie, each under the length of its key, and the samples of a trial meanwhile."""

    parameters: Parameters
    folder: Path

    def fill(self) -> None:
        """Fill the plain and the encrypted store, all rows in tables."""
        for key_bytes in (0, KEY_BYTES):
            asked = request_of(self.parameters, key_bytes, 64 << 20, self.parameters.seed)
            asked["options"] |= {"read_only": False, "compact_l0_on_close": True}
            asked["run"] |= {"operations": 1}
            self._store(key_bytes).mkdir()
            self._ask(asked, key_bytes)

    def measure(self, arm: Configuration, seed: int) -> tuple[dict[str, float | None], np.ndarray]:
        """Metrics of a trial and the latencies of its look-ups in ns, int64, shape (look-ups,).

        Raises BenchbookError for a store that was not opened as asked.
        """
        key_bytes, index_mib = (int(arm.settings[name] or 0) for name in ("encryption_key_bytes", "index_mib"))
        answer = self._ask(request_of(self.parameters, key_bytes, index_mib << 20, seed), key_bytes)
        if answer.record["settings"]["encryption_key_bytes"] != key_bytes:
            raise BenchbookError(f"the probe opened no store with a key of {key_bytes} bytes", "run `make probes`")
        return metrics(answer.record["counters"]), answer.series[SERIES]

    def _ask(self, request: Mapping[str, Any], key_bytes: int) -> probe.Answer:
        program, store = badger.find(BUILD), self._store(key_bytes)
        return probe.ask(program, request, timeout_s=LIMIT_S, folder=self.folder, store=store)

    def _store(self, key_bytes: int) -> Path:
        return self.folder / f"key-{key_bytes}"


def metrics(counters: Mapping[str, Any]) -> dict[str, float | None]:
    """What was counted of the index cache between opening the store and the last look-up: differences of totals."""
    before, after = counters["warm"], counters["run"]
    made = float(after["gets"] - before["gets"])
    found: dict[str, float | None] = {"operations": made, "checked_values": float(after["checked_reads"])}
    if before["index_cache"] is None or after["index_cache"] is None:
        return found
    hits, misses = (float(after["index_cache"][name] - before["index_cache"][name]) for name in ("hits", "misses"))
    return found | {
        "index_cache_lookups": hits + misses,
        "index_cache_lookups_per_operation": (hits + misses) / made,
        "index_cache_misses": misses,
        "index_cache_hit_ratio": hits / (hits + misses) if hits + misses else None,
        "index_cache_opening_lookups": float(before["index_cache"]["hits"] + before["index_cache"]["misses"]),
    }
