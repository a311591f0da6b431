"""The figures: speed-ups by size, the note's column four ways, times, another SQLite, random keys, tails.

Their words stand in page.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from benchbook.experiments.families.kv import note
from benchbook.experiments.scale.arms import (
    AFTER,
    AS_RUN,
    BEFORE,
    RANDOM,
    SEQUENTIAL,
    SYSTEMS,
    UNIFORM,
    WELL,
    name,
    short,
)
from benchbook.experiments.scale.numbers import QUANTILES, Summary
from benchbook.experiments.scale.sizes import INSERT, QUERY, effect, mixed, of
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Found, Given, Lines
from benchbook.experiments.shape.tables import NOT_ESTIMABLE
from benchbook.figures import with_interval
from benchbook.model import Estimate

LAST_PRINTED = max(note.SIZES)
"""From this size on the note prints the query speed-up alone."""
BEYOND = 5.0
"""How far beyond the outermost points an axis goes at most, as a factor."""
RATIO = "SQLite's time / ALEX and RocksDB's"
by_size = partial(
    Lines, over=lambda summary: summary.rows, across="rows", rows=True, aside=True, beyond=BEYOND, tick=short,
    quantity="speed-up", replicates="blocks",
)  # fmt: skip


def _of(metric: str, **which: str) -> Ask:
    """A speed-up, as ``sizes.of`` takes it, at a number of rows."""
    return lambda summary, rows: effect(summary, of(summary, metric, rows, **which))


def _mixed(summary: Summary, rows: int) -> Estimate:
    return effect(summary, mixed(summary, rows))


def balanced(summary: Summary, rows: int) -> Estimate:
    """Geometric mean of insert and query speed-up, which does not depend on which system is the divisor."""
    return effect(summary, np.sqrt(of(summary, INSERT, rows) * of(summary, QUERY, rows)))


def _as_printed(summary: Summary, rows: int) -> Estimate:
    return effect(summary, of(summary, QUERY, rows) if rows >= LAST_PRINTED else mixed(summary, rows))


def _equal(summary: Summary, *given: Given) -> list[Given]:
    """What is given, and the line at which neither system is faster."""
    sizes = [*summary.rows, *(rows for each in given for rows in each.values)]
    return [*given, Given("equally fast", {min(sizes): 1, max(sizes): 1}, line="dash", listed=False)]


def _ends(found: Mapping[str, Estimate]) -> str:
    """The first and the last of a series in words. found: by number of rows in few signs."""
    each = [f"{with_interval(e)} at {rows}" for rows, e in found.items()]
    return f"{each[0]} and {each[-1]} rows"


def _each(summary: Summary, found: Found) -> str:
    return " ".join(f"{title[0].upper()}{title[1:]}: {_ends(marks)}." for title, marks in found.items())


def _two(first: str, second: str, words: str) -> Callable[[Summary, Found], str]:
    """The ends of two series. words: with {} where each stands."""
    return lambda summary, found: words.format(
        *(_ends(found[each]) if each in found else NOT_ESTIMABLE for each in (first, second))
    )


speedups = by_size(
    series={
        "query": _of(QUERY),
        "insert": _of(INSERT),
        "query, after the options": _of(QUERY, system=AFTER),
    },
    axis=RATIO,
    given=lambda summary: _equal(
        summary, *(Given(f"{what}, the note's report", note.behind(what)) for what in ("query", "insert"))
    ),
    said=_two("query", "insert", "Queries: {}. Inserts: {}."),
)  # fmt: skip

column = by_size(
    series={
        "mixed as in the note": _as_printed,
        "mean throughout": _mixed,
        "query throughout": _of(QUERY),
        "geometric mean throughout": balanced,
    },
    axis="speed-up over SQLite as run",
    given=lambda summary: _equal(summary, Given("the note's column", note.printed())),
    said=_two("mean throughout", "query throughout", "Mean of insert and query: {}; query alone: {}."),
)  # fmt: skip


def _system(metric: str, unit: float | None = None) -> dict[str, Ask]:
    """A time of each system at a number of rows, in µs: in a unit of ns, or of a row where all are inserted."""

    def ask(system: str, summary: Summary, rows: int) -> Estimate:
        arm = name(system, rows)
        return summary.row_us(arm) if unit is None else summary.level(arm, metric, unit)

    return {label: partial(ask, system) for system, label in SYSTEMS.items()}


def _from_to(summary: Summary, found: Found) -> str:
    said = []
    for label, marks in found.items():
        each = [f"{with_interval(e)} µs at {rows}" for rows, e in marks.items()]
        said.append(f"{label}: {each[0]} and {each[-1]} rows")
    return "; ".join(said)


lookups = by_size(
    said=_from_to,
    series=_system(QUERY, 1e3),
    axis="look-up, mean (µs)", quantity="look-up, mean (µs)",
)  # fmt: skip

inserts = by_size(
    said=_from_to,
    series=_system(INSERT),
    axis="insert (µs per row)", quantity="insert (µs per row)",
)  # fmt: skip

comparator = by_size(
    series={
        "query, SQLite as run": _of(QUERY),
        "query, SQLite used well": _of(QUERY, base=WELL),
        "insert, SQLite as run": _of(INSERT),
        "insert, SQLite used well": _of(INSERT, base=WELL),
    },
    axis=RATIO,
    given=_equal,
    said=_each,
)

random_keys = by_size(
    over=lambda summary: sorted({*summary.random_rows, *summary.rows}) if summary.random_rows else (),
    series={
        f"{what}, {keys} keys": _of(metric, keys=keys)
        for keys in (RANDOM, SEQUENTIAL)
        for metric, what in ((QUERY, "query"), (INSERT, "insert"))
    },
    axis=RATIO,
    given=_equal,
    said=_each,
    nothing="This run has no trials with random keys",
)


def _quantile(metric: str, summary: Summary, system: str) -> Estimate:
    return summary.level(name(system, summary.parameters.tail_rows, distribution=UNIFORM), metric, 1e3)


def _of_two(summary: Summary, found: Found) -> str:
    labels = [SYSTEMS[BEFORE], SYSTEMS[AS_RUN]]
    each = {
        label: [f"{title} {with_interval(marks[label])} µs" for title, marks in found.items() if label in marks]
        for label in labels
    }
    return "; ".join(f"{label}: {', '.join(said)}" for label, said in each.items() if said)


tails = Dots(
    rows=SYSTEMS,
    series={title: partial(_quantile, metric) for metric, title in QUANTILES.items()},
    axis="look-up, each timed (µs)", quantity="look-up (µs)", row="system", heading="quantile",
    height=160, each=40,
    said=_of_two,
    nothing="No quantile is estimable in this run",
)  # fmt: skip

claims = ClaimFigure()

FIGURES = {
    "speedups": speedups,
    "column": column,
    "lookups": lookups,
    "inserts": inserts,
    "comparator": comparator,
    "random": random_keys,
    "tails": tails,
    "claims": claims,
}
