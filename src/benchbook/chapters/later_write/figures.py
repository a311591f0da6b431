"""The figures: a look-up by rows, state and options, and the lead over SQLite. Words in the page."""

from __future__ import annotations

from benchbook.chapters.later_write.arms import LABELS, OPTIONS, STATES, at, millions, sqlite
from benchbook.chapters.later_write.numbers import METRICS, TIME, Summary
from benchbook.drawing.regular import Ask, Dots
from benchbook.model import Estimate


def _rows(summary: Summary) -> dict[int, str]:
    return {rows: f"{millions(rows)} rows" for rows in summary.parameters.rows}


def _level(state: str, use: str) -> Ask:
    return lambda summary, rows: summary.level(at(state, use, rows), TIME)


def _sqlite(summary: Summary, rows: int) -> Estimate:
    return summary.level(sqlite(rows), TIME)


times = Dots(
    rows=_rows, row="size",
    series={
        **{f"{STATES[state]}, {LABELS[use]}": _level(state, use) for state in STATES for use in OPTIONS},
        "SQLite as run": _sqlite,
    },
    heading="store", metric=METRICS[TIME],
)  # fmt: skip

FIGURES = {"times": times}
