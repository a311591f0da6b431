"""The figures: time and reads of a look-up by read-ahead, and mapped files over calls by memory; words in the page."""

from __future__ import annotations

from functools import partial

from benchbook.chapters.mapped_files.arms import SQLITE_CALLS, at, sized
from benchbook.chapters.mapped_files.numbers import COMPARED, KIB, METRICS, TIME, Summary
from benchbook.drawing.regular import Ask, Dots
from benchbook.model import Estimate


def _sizes(summary: Summary) -> dict[int, str]:
    """Each read-ahead in words, the smallest on top."""
    return {kib: sized(kib) for kib in summary.parameters.sizes}


def _level(engine: str) -> Ask:
    return lambda summary, kib: summary.level(at(engine, kib, summary.parameters.middle), TIME)


def _read(engine: str) -> Ask:
    return lambda summary, kib: summary.average(at(engine, kib, summary.parameters.middle), KIB)


ROW = "read-ahead"
times = Dots(
    rows=_sizes, row=ROW, series={label: _level(engine) for engine, label in COMPARED.items()}, heading="engine",
    metric=METRICS[TIME],
)  # fmt: skip
reads = Dots(
    rows=_sizes, row=ROW, series={label: _read(engine) for engine, label in COMPARED.items()}, heading="engine",
    metric=METRICS[KIB], scale="zero",
)  # fmt: skip


def _shares(summary: Summary) -> dict[tuple[int, int], str]:
    p = summary.parameters
    return {(kib, share): f"{share} % in memory, {sized(kib)}" for kib in p.sizes for share in p.memory_percent}


def _over(engine: str, summary: Summary, row: tuple[int, int]) -> Estimate:
    kib, share = row
    return summary.ratio((at(engine, kib, share), TIME), (at(SQLITE_CALLS, kib, share), TIME))


memory = Dots(
    rows=_shares, row="share in memory, read-ahead",
    series={label: partial(_over, engine) for engine, label in COMPARED.items() if engine != SQLITE_CALLS},
    heading="engine", axis="time of a look-up over that in SQLite by calls (below 1: faster)",
    quantity="time over SQLite's by calls", scale="log", rule=1, replicates="blocks",
)  # fmt: skip

FIGURES = {"times": times, "reads": reads, "memory": memory}
