"""The figures: look-ups that visit the heap, and the latency of a request, by share of rows updated."""

from __future__ import annotations

from benchbook.chapters.index_only.arms import POOLS, SMALL, at, doses, not_covered, share
from benchbook.chapters.index_only.numbers import FETCHED, HIDDEN, MEAN, METRICS, P95, Summary
from benchbook.drawing.regular import Ask, Dots

MORE = -1
"""Row of the look-ups that ask for a column which the index lacks."""


def _doses(summary: Summary) -> dict[int, str]:
    return {each: share(each) for each in doses(summary.parameters)}


def _rows(summary: Summary) -> dict[int, str]:
    return _doses(summary) | {MORE: "a column more"}


def _level(pool: str, metric: str) -> Ask:
    return lambda summary, dose: summary.level(not_covered(pool) if dose == MORE else at(pool, dose), metric)


def _share(metric: str) -> Ask:
    return lambda summary, dose: summary.average(at(SMALL, dose), metric)


latencies = Dots(
    rows=_rows, row="rows updated", series={label: _level(pool, MEAN) for pool, label in POOLS.items()},
    heading="pool", metric=METRICS[MEAN],
)  # fmt: skip
visits = Dots(
    rows=_doses, row="rows updated",
    series={"pages not marked": _share(HIDDEN), "look-ups that visit the heap": _share(FETCHED)},
    heading="share", axis="share (%)", factor=100, scale="percent",
)  # fmt: skip
tails = Dots(
    rows=_rows, row="rows updated", series={label: _level(pool, P95) for pool, label in POOLS.items()},
    heading="pool", metric=METRICS[P95],
)  # fmt: skip

FIGURES = {"latencies": latencies, "visits": visits, "tails": tails}
