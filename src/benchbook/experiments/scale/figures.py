"""The figures: speed-ups by size, the note's column four ways, times, another SQLite, random keys, tails."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchbook.experiments.families.kv import note
from benchbook.experiments.scale.answers import CLAIMED, COLUMN, SPEEDUPS
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
from benchbook.experiments.scale.speedups import INSERT, QUERY, at_rows, balanced, effect, ends, mixed, of
from benchbook.experiments.scale.summary import Summary
from benchbook.experiments.shape import by_host, telling
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Found, Given, Lines
from benchbook.experiments.shape.tables import NOT_ESTIMABLE
from benchbook.figures import intervals_said, with_interval
from benchbook.model import Estimate

QUANTILES = {"uniform_p50_ns": "P50", "uniform_p99_ns": "P99", "uniform_p999_ns": "P99.9"}
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
    """A speed-up, as ``speedups.of`` takes it, at a number of rows."""
    return lambda summary, rows: effect(summary, of(summary, metric, rows, **which))


def _mixed(summary: Summary, rows: int) -> Estimate:
    return effect(summary, mixed(summary, rows))


def _as_printed(summary: Summary, rows: int) -> Estimate:
    return effect(summary, of(summary, QUERY, rows) if rows >= LAST_PRINTED else mixed(summary, rows))


def _equal(summary: Summary, *given: Given) -> list[Given]:
    """What is given, and the line at which neither system is faster."""
    sizes = [*summary.rows, *(rows for each in given for rows in each.values)]
    return [*given, Given("equally fast", {min(sizes): 1, max(sizes): 1}, line="dash", listed=False)]


def _each(summary: Summary, found: Found) -> str:
    return " ".join(f"{title[0].upper()}{title[1:]}: {ends(marks)}." for title, marks in found.items())


def _two(first: str, second: str, words: str) -> Callable[[Summary, Found], str]:
    """The ends of two series. words: with {} where each stands."""
    return lambda summary, found: words.format(
        *(ends(found[each]) if each in found else NOT_ESTIMABLE for each in (first, second))
    )


def _kinds(summary: Summary) -> str:
    """That the intervals reach over kinds of host, where these lie apart at the most rows."""

    def said() -> str:
        differ = by_host.apart(summary, at_rows(QUERY, max(summary.rows)))
        return "Intervals reach over kinds of host that differ. " if differ else ""

    return "".join(telling.told(said))


speedups = by_size(
    id=SPEEDUPS,
    title="Speed-ups by size",
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
    told=_kinds,
    caption="Speed-up of ALEX in front of RocksDB over SQLite used as in the note, sequential keys, by number of "
    "rows, both axes logarithmic; before the note's RocksDB options unless stated otherwise. Open marks: the "
    "report that the note summarizes. {more}{intervals}.{cut}",
    alt="Three lines of speed-up over {n} numbers of rows, with the note's numbers as open marks. {said}",
)  # fmt: skip

column = by_size(
    id=COLUMN,
    title="The note's column computed in four ways",
    series={
        "mixed as in the note": _as_printed,
        "mean throughout": _mixed,
        "query throughout": _of(QUERY),
        "geometric mean throughout": lambda summary, rows: effect(summary, balanced(summary, rows)),
    },
    axis="speed-up over SQLite as run",
    given=lambda summary: _equal(summary, Given("the note's column", note.printed())),
    said=_two("mean throughout", "query throughout", "Mean of insert and query: {}; query alone: {}."),
    caption="The note's speed-up column, measured here and computed in four ways, both axes logarithmic. The note's "
    "own (open marks) is the mean of insert and query speed-up in all rows but the last, and the query speed-up alone "
    "in the last. {intervals}.{cut}",
    alt="Four lines of speed-up over {n} numbers of rows and the note's four numbers. {said}",
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


times = partial(
    by_size, said=_from_to, alt="Four lines over {n} numbers of rows. {said}.",
)  # fmt: skip
TIMES = ", sequential keys, by number of rows, both axes logarithmic. {intervals}.{cut}"

lookups = times(
    id="fig-scale-lookups",
    title="Mean time of a look-up by size",
    series=_system(QUERY, 1e3),
    axis="look-up, mean (µs)", quantity="look-up, mean (µs)",
    caption=f"Mean time of a look-up{TIMES}",
)  # fmt: skip

inserts = times(
    id="fig-scale-inserts",
    title="Time to insert a row by size",
    series=_system(INSERT),
    axis="insert (µs per row)", quantity="insert (µs per row)",
    caption=f"Time to insert a row, all rows in one go{TIMES}",
)  # fmt: skip

comparator = by_size(
    id="fig-scale-comparator",
    title="Speed-ups over two uses of SQLite",
    series={
        "query, SQLite as run": _of(QUERY),
        "query, SQLite used well": _of(QUERY, base=WELL),
        "insert, SQLite as run": _of(INSERT),
        "insert, SQLite used well": _of(INSERT, base=WELL),
    },
    axis=RATIO,
    given=_equal,
    said=_each,
    caption="The same engine against two uses of the same SQLite, sequential keys, before the note's options, both "
    "axes logarithmic; below 1 SQLite is faster. {intervals}.{cut}",
    alt="Four lines of speed-up over {n} numbers of rows. {said}",
)

random_keys = by_size(
    id="fig-scale-random",
    title="Speed-ups with random keys",
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
    caption="Speed-up over SQLite as run with random and with sequential keys, before the note's options, both axes "
    "logarithmic. {intervals}.{cut}",
    alt="Lines of speed-up over up to {n} numbers of rows. {said}",
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


def _not_shown(summary: Summary) -> str:
    arm = name(BEFORE, summary.parameters.tail_rows, distribution=UNIFORM)
    few = not summary.has(arm, *QUANTILES)
    return " Quantiles with fewer than 100 look-ups beyond are not shown." if few else ""


tails = Dots(
    id="fig-scale-tails",
    title="Tails of single look-ups",
    rows=SYSTEMS,
    series={title: partial(_quantile, metric) for metric, title in QUANTILES.items()},
    axis="look-up, each timed (µs)", quantity="look-up (µs)", row="system", heading="quantile",
    height=160, each=40,
    said=_of_two,
    nothing="No quantile is estimable in this run",
    caption=lambda summary, found: (
        f"Single look-ups of uniformly drawn keys among {short(summary.parameters.tail_rows)} rows, "
        f"{summary.parameters.tail_lookups:,} per trial after {summary.parameters.tail_warm_lookups:,} for warm-up, "
        "logarithmic axis. Each includes one reading of the clock, so these times differ from those of the other "
        f"figures.{_not_shown(summary)} "
        f"{intervals_said(e for marks in found.values() for e in marks.values())}."
    ),
    alt="Points of {series} quantiles for {n} systems. {said}.",
)  # fmt: skip

claims = ClaimFigure(id=CLAIMED)

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
