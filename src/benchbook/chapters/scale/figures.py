"""The figures: speed-ups by size, the note's column four ways, times, another SQLite, random keys, tails.

Their words stand in the page.
"""

from __future__ import annotations

from functools import partial

from benchbook.chapters.scale.arms import AFTER, RANDOM, SEQUENTIAL, SYSTEMS, UNIFORM, WELL, name, short
from benchbook.chapters.scale.summary import INSERT, QUANTILES, QUERY, Summary, effect
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.regular import Ask, Dots, Given, Lines
from benchbook.measuring.kv import note
from benchbook.model import Estimate

LAST_PRINTED = max(note.SIZES)
"""From this size on the note prints the query speed-up alone."""
BEYOND = 5.0
"""How far beyond the outermost points an axis goes at most, as a factor."""
RATIO = "times as fast as SQLite"
by_size = partial(
    Lines, over=lambda summary: summary.rows, across="rows", rows=True, aside=True, beyond=BEYOND, tick=short,
    quantity="speed-up", replicates="blocks",
)  # fmt: skip


def _of(metric: str, **which: str) -> Ask:
    """A speed-up, as ``Summary.speedup`` takes it, at a number of rows."""
    return lambda summary, rows: effect(summary, summary.speedup(metric, rows, **which))


def _as_printed(summary: Summary, rows: int) -> Estimate:
    return effect(summary, summary.speedup(QUERY, rows) if rows >= LAST_PRINTED else summary.mixed(rows))


def _equal(summary: Summary, *given: Given) -> list[Given]:
    """What is given, and the line at which neither system is faster."""
    sizes = [*summary.rows, *(rows for each in given for rows in each.values)]
    return [*given, Given("equally fast", {min(sizes): 1, max(sizes): 1}, line="dash", listed=False)]


def _system(ask: Ask) -> dict[str, Ask]:
    """A time of each system at a number of rows. ask: of a configuration."""
    return {label: partial(_of_system, ask, system) for system, label in SYSTEMS.items()}


def _of_system(ask: Ask, system: str, summary: Summary, rows: int) -> Estimate:
    return ask(summary, name(system, rows))


def _quantile(metric: str, summary: Summary, system: str) -> Estimate:
    return summary.level(name(system, summary.parameters.tail_rows, distribution=UNIFORM), metric, 1e3)


FIGURES = {
    "speedups": by_size(
        series={"query": _of(QUERY), "insert": _of(INSERT), "query, after the options": _of(QUERY, system=AFTER)},
        axis=RATIO,
        given=lambda summary: _equal(
            summary, *(Given(f"{what}, the note's report", note.behind(what)) for what in ("query", "insert"))
        ),
    ),
    "column": by_size(
        series={
            "mixed as in the note": _as_printed,
            "mean throughout": lambda summary, rows: effect(summary, summary.mixed(rows)),
            "query throughout": _of(QUERY),
            "geometric mean throughout": lambda summary, rows: effect(summary, summary.balanced(rows)),
        },
        axis="times as fast as SQLite as run",
        given=lambda summary: _equal(summary, Given("the note's column", note.printed())),
    ),
    "lookups": by_size(
        series=_system(lambda summary, arm: summary.level(arm, QUERY, 1e3)),
        axis="look-up, mean (µs)", quantity="look-up, mean (µs)",
    ),
    "inserts": by_size(
        series=_system(Summary.row_us), axis="insert (µs per row)", quantity="insert (µs per row)",
    ),
    "comparator": by_size(
        series={
            "query, SQLite as run": _of(QUERY),
            "query, SQLite used well": _of(QUERY, base=WELL),
            "insert, SQLite as run": _of(INSERT),
            "insert, SQLite used well": _of(INSERT, base=WELL),
        },
        axis=RATIO, given=_equal,
    ),
    "random": by_size(
        over=lambda summary: sorted({*summary.random_rows, *summary.rows}) if summary.random_rows else (),
        series={
            f"{what}, {keys} keys": _of(metric, keys=keys)
            for keys in (RANDOM, SEQUENTIAL) for metric, what in ((QUERY, "query"), (INSERT, "insert"))
        },
        axis=RATIO, given=_equal, nothing="This run has no trials with random keys",
    ),
    "tails": Dots(
        rows=SYSTEMS, row="system", series={title: partial(_quantile, metric) for metric, title in QUANTILES.items()},
        axis="look-up, each timed (µs)", quantity="look-up (µs)", heading="quantile", height=160, each=40,
        nothing="No quantile is estimable in this run",
    ),
    "claims": ClaimFigure(),
}  # fmt: skip
