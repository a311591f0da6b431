"""The figures: time of a look-up and what it reads, by memory, compression and block cache. Words in the page."""

from __future__ import annotations

from benchbook.chapters.beyond_memory.arms import CACHES, COMPRESSIONS, at
from benchbook.chapters.beyond_memory.numbers import METRICS, READ, TIME, Summary
from benchbook.drawing.regular import Ask, Dots

KINDS = {
    (compression, cache): f"{label}, {cache} cache" for compression, label in COMPRESSIONS.items() for cache in CACHES
}


def _rows(summary: Summary) -> dict[int, str]:
    return {percent: f"{percent} % of the store" for percent in summary.parameters.memory_percent}


def _level(compression: str, cache: str) -> Ask:
    return lambda summary, percent: summary.level(at(compression, percent, cache), TIME)


def _read(compression: str, cache: str) -> Ask:
    return lambda summary, percent: summary.average(at(compression, percent, cache), READ)


times = Dots(
    rows=_rows, row="memory", series={label: _level(*kind) for kind, label in KINDS.items()}, heading="store",
    metric=METRICS[TIME],
)  # fmt: skip
reads = Dots(
    rows=_rows, row="memory", series={label: _read(*kind) for kind, label in KINDS.items()}, heading="store",
    metric=METRICS[READ], scale="zero",
)  # fmt: skip

FIGURES = {"times": times, "reads": reads}
