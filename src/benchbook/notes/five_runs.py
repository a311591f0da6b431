"""Note 002's five raw reports as records: counters and series of each run, when it falls, when its Dirty stops."""

import math
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import pandas as pd

from benchbook import notes
from benchbook.statistics.shapes import FALLEN

REPORTS, TPS, DIRTY, WAITS, DEVICE = (f"raw/c8gb_{name}" for name in ("reports", "tps", "dirty", "waits", "devices"))
BASELINE, A, B, C, LONG = "baseline", "A", "B", "C", "C, 120 s"
KIB_PER_GIB = 2**20
PAGES_PER_GIB = KIB_PER_GIB // 8
STEP_S = 5
FLAT = 0.98
"""Dirty is on its plateau from the first second in which it has this share of its highest value."""
LEAST_GIB = 0.1
"""Less than this is what a system writes anyway, and no plateau."""


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
    allocated: int
    cleaned: int
    written: int
    configured_gib: float
    available_mib: float
    shared_mib: float

    @property
    def allocated_gib(self) -> float:
        return self.allocated / PAGES_PER_GIB

    @cached_property
    def throughput(self) -> pd.DataFrame:
        """Columns t_s, the end of 5 s, and tps."""
        return notes.rows(TPS, run=self.name)

    @cached_property
    def dirty(self) -> pd.DataFrame:
        """Columns t_s and gib: the kernel's Dirty, each second."""
        found = notes.rows(DIRTY, run=self.name)
        return found.assign(gib=found["dirty_kib"] / KIB_PER_GIB)

    @cached_property
    def waits(self) -> pd.DataFrame:
        """Columns t_s, wal_write, data_file_read, data_file_write, running: backends, in about every second."""
        return notes.rows(WAITS, run=self.name)

    @cached_property
    def devices(self) -> pd.DataFrame:
        """Columns t_s, cpu_user_percent, device_reads, device_writes, memory_used_mib; empty where not carried over."""
        return notes.rows(DEVICE, run=self.name)

    def mean_tps(self, first_s: int, last_s: int) -> float:
        """Mean of the 5 s means that end after ``first_s`` and not after ``last_s``."""
        found = self.throughput
        return float(found["tps"][(found["t_s"] > first_s) & (found["t_s"] <= last_s)].mean())

    def limit_gib(self, second: int, percent: float) -> float:
        """A share of the memory that is available in a second: before the run, less what is used since."""
        grown = 0.0
        if len(self.devices):
            series = self.devices.set_index("t_s")["memory_used_mib"]
            grown = float(series.get(second, math.nan)) - float(series.iloc[0])
        return percent / 100 * (self.available_mib - (0.0 if math.isnan(grown) else grown)) / 1024


_SHORT = {
    "run": "name", "buffers_alloc": "allocated", "buffers_clean": "cleaned", "buffers_backend": "written",
    "configured_pool_gib": "configured_gib", "memory_available_mib": "available_mib",
    "memory_shared_mib": "shared_mib",
}  # fmt: skip


def reports() -> dict[str, Report]:
    """All runs by name, in the order in which they were made."""
    found = notes.table(REPORTS).rename(columns=_SHORT)[[each.name for each in fields(Report)]]
    return {str(row[0]): Report(*row) for row in found.itertuples(index=False, name=None)}


@dataclass(frozen=True)
class Plateau:
    """Where Dirty stops rising. second, gib: when and how high. limit_gib: the dirty limit then. percent: that limit's,
    of the available memory. rise_s, low_gib: when Dirty was lowest before, and how much it was. Seconds from the start.
    """

    second: int
    gib: float
    limit_gib: float
    percent: float
    rise_s: int
    low_gib: float

    @property
    def memory_gib(self) -> float:
        """The memory that was available then."""
        return 100 * self.limit_gib / self.percent

    @property
    def percent_of_memory(self) -> float:
        """Its height in % of the memory that was available."""
        return self.percent * self.gib / self.limit_gib


@dataclass(frozen=True)
class Fall:
    """Of one run, in seconds from its start; None where there is none.

    tps_s: when throughput falls, from the 5 s means. cpu_s: first second with less than 85 % of the user time of the
    seconds before. highest_gib: of Dirty.
    """

    tps_s: float | None
    cpu_s: int | None
    plateau: Plateau | None
    highest_gib: float


def fall(report: Report, percent: float) -> Fall:
    """Everything of one run. percent: the dirty limit, of the available memory."""
    dirty = report.dirty[report.dirty["t_s"].between(0, report.duration_s)]
    seconds, gib = dirty["t_s"].to_numpy(), dirty["gib"].to_numpy()
    top, plateau = float(gib.max()), None
    if top >= LEAST_GIB:
        place = int(np.argmax(gib >= FLAT * top))
        # It rises from where it is last above its lowest by no more than a hundredth of its highest value.
        before = gib[: place + 1]
        lowest = int(np.flatnonzero(before <= before.min() + 0.01 * before[-1])[-1])
        at = int(seconds[place])
        limit = report.limit_gib(at, percent)
        plateau = Plateau(at, top, limit, percent, int(seconds[lowest]), float(gib[lowest]))
    return Fall(tps_fall(report), cpu_fall(report), plateau, top)


def tps_fall(report: Report) -> float | None:
    """When throughput changed from one level to the next, by its 5 s means; None where it never lost 30 % of its peak.

    The first interval below 95 % of the peak so far is a mixture of before and after; the level after it is taken to
    be that of the next interval, which places the change within the 5 s.
    """
    ends, tps = (report.throughput[name].to_numpy() for name in ("t_s", "tps"))
    peak = np.maximum.accumulate(tps)
    if not (tps < FALLEN * peak).any():
        return None
    place = int(np.argmax(tps < 0.95 * peak))
    before, mixed, after = peak[place], tps[place], min(tps[place : place + 2])
    return float(ends[place] - STEP_S * (before - mixed) / (before - after))


def cpu_fall(report: Report) -> int | None:
    """First second in which user time is below 85 % of the median of the seconds before; None without one."""
    found = report.devices
    running = found[(found["t_s"] > 2) & (found["t_s"] < report.duration_s)]
    used = running["cpu_user_percent"].to_numpy()
    fallen = (place for place in range(STEP_S, len(used)) if used[place] < 0.85 * np.median(used[:place]))
    place = next(fallen, None)
    return None if place is None else int(running["t_s"].iloc[place])
