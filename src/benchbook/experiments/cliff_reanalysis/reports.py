"""The raw reports of note 002 as records: one run each, its counters and its series in seconds from its start."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from benchbook.errors import BenchbookError
from benchbook.experiments import notes

REPORTS, TPS, DIRTY, WAITS, DEVICE = (f"raw/c8gb_{name}" for name in ("reports", "tps", "dirty", "waits", "devices"))
SOURCES = {
    "timelines": (REPORTS, TPS, DIRTY, WAITS, DEVICE),
    "devices": (REPORTS, DEVICE),
    "pool": (REPORTS,),
    "gain": (REPORTS, TPS),
}
"""Tables of data/notes behind each figure; their hash names the data that it shows."""
BASELINE, A, B, C, LONG = "baseline", "A", "B", "C", "C, 120 s"
PAGE_KIB = 8
KIB_PER_GIB = 2**20
PAGES_PER_GIB = KIB_PER_GIB // PAGE_KIB


@dataclass(frozen=True, eq=False)
class Report:
    """One run. Counters are of pages of 8 KiB, between the reset before the run and its end.

    allocated: pages that were given a place in the pool (buffers_alloc). cleaned, written: pages that the background
    writer and the backends wrote. configured_gib: the pool in the configuration file beside the report. available_mib,
    shared_mib: available and shared memory of the machine before the run.
    """

    name: str
    scale: int
    duration_s: int
    transactions: int
    tps: float
    allocated: int
    cleaned: int
    written: int
    configured_gib: float
    available_mib: float
    shared_mib: float

    @cached_property
    def throughput(self) -> pd.DataFrame:
        """Columns t_s, the end of 5 s, and tps."""
        return _of(TPS, self.name)

    @cached_property
    def dirty(self) -> pd.DataFrame:
        """Columns t_s and gib: the kernel's Dirty, each second."""
        found = _of(DIRTY, self.name)
        return found.assign(gib=found["dirty_kib"] / KIB_PER_GIB)

    @cached_property
    def waits(self) -> pd.DataFrame:
        """Columns t_s, wal_write, data_file_read, data_file_write, running: backends, in about every second."""
        return _of(WAITS, self.name)

    @cached_property
    def devices(self) -> pd.DataFrame:
        """Columns t_s, cpu_user_percent, device_reads, device_writes, memory_used_mib; empty where not carried over."""
        return _of(DEVICE, self.name)

    def mean_tps(self, first_s: int, last_s: int) -> float:
        """Mean of the 5 s means that end after ``first_s`` and not after ``last_s``."""
        found = self.throughput
        return float(found["tps"][(found["t_s"] > first_s) & (found["t_s"] <= last_s)].mean())


def reports() -> dict[str, Report]:
    """All runs by name, in the order in which they were made."""
    return {str(row["run"]): _report(row) for row in notes.table(REPORTS).to_dict("records")}


def _report(row: dict[Any, Any]) -> Report:
    return Report(
        name=str(row["run"]),
        scale=int(row["scale"]),
        duration_s=int(row["duration_s"]),
        transactions=int(row["transactions"]),
        tps=float(row["tps"]),
        allocated=int(row["buffers_alloc"]),
        cleaned=int(row["buffers_clean"]),
        written=int(row["buffers_backend"]),
        configured_gib=float(row["configured_pool_gib"]),
        available_mib=float(row["memory_available_mib"]),
        shared_mib=float(row["memory_shared_mib"]),
    )


def _of(name: str, run: str) -> pd.DataFrame:
    table = notes.table(name)
    if "run" not in table.columns:
        raise BenchbookError(f"data/notes/{name}.csv has no column 'run'", "restore it with `git checkout`")
    return table[table["run"] == run].drop(columns="run").reset_index(drop=True)
