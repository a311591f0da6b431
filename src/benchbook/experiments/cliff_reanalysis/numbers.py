"""What the chapter's words name, from the raw reports and the simulated pool, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

from benchbook.experiments import notes
from benchbook.experiments.cliff_reanalysis import readings, tables
from benchbook.experiments.cliff_reanalysis.pool import BOOKKEEPING_BYTES
from benchbook.experiments.cliff_reanalysis.reports import BASELINE, A, B
from benchbook.experiments.cliff_reanalysis.summary import Summary
from benchbook.experiments.shape.named import Number

__all__ = ["NUMBERS", "TABLES", "WORDS", "Summary"]
FALLING = (BASELINE, A)


def _fallen(name: str, summary: Summary) -> SimpleNamespace:
    """A run that falls: its report, the pool that fits its counters, when it fell, and where its Dirty stops rising."""
    return SimpleNamespace(
        report=summary.reports[name], fit=summary.fits[name], fell_s=summary.fell_s(name), plateau=summary.plateau(name)
    )


def _writes(name: str, after_s: int, summary: Summary) -> float:
    """Median of all disks' writes per second, from then on."""
    found = summary.reports[name].devices
    return float(found[(found["t_s"] > after_s) & (found["t_s"] <= 60)]["device_writes"].median())


def _gain(summary: Summary) -> SimpleNamespace:
    """B over A before A's fall, after it, in all, and of single 5 s after it the least and the most."""
    split = summary.parted_s
    a, b = (summary.reports[name].throughput for name in (A, B))
    ratio = b["tps"] / a["tps"]
    return SimpleNamespace(
        split_s=split, before=summary.gain(0, split), after=summary.gain(split, 60), all=summary.gain(0, 60),
        least=float(ratio[a["t_s"] > split].min()), most=float(ratio.max()),
    )  # fmt: skip


def _levels(summary: Summary) -> list[str]:
    """The plateaus in % of the available memory, each once."""
    return [*dict.fromkeys(f"{summary.plateau(name).percent_of_memory:.1f}" for name in FALLING)]


def _memory_gib(summary: Summary) -> float:
    """Available memory when A is at its plateau."""
    held = summary.plateau(A)
    return 100 * held.limit_gib / held.percent


NUMBERS: Mapping[str, Number] = {}
WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "baseline": partial(_fallen, BASELINE),
    "a": partial(_fallen, A),
    "b": lambda summary: summary.reports[B],
    "gain": _gain,
    "levels": _levels,
    "apart_s": lambda summary: max(abs(summary.plateau(name).second - summary.fell_s(name)) for name in FALLING),
    "filled_s": lambda summary: summary.filled[0],
    "memory_gib": _memory_gib,
    "untuned": lambda summary: notes.reading("runs_with_os_tuning_off"),
    "log_writes": partial(_writes, B, 2),
    "full_writes": lambda summary: _writes(A, summary.filled[0], summary),
    "late_writes": lambda summary: {name: _writes(name, 15, summary) for name in (BASELINE, A, B)},
    "before_throttling_tps": lambda summary: summary.reports[A].mean_tps(15, 25),
    "bookkeeping_bytes": lambda summary: BOOKKEEPING_BYTES,
}
TABLES = {
    "falls": tables.falls,
    "counters": tables.counters,
    "pools": tables.pools,
    "readings": readings.readings,
    "sources": tables.sources,
}
