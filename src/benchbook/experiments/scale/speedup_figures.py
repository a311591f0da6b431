"""Figures of speed-ups: insert and query apart, the note's mixed column both ways, another SQLite, random keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.marks import add_line
from benchbook.experiments.scale import notes
from benchbook.experiments.scale.arms import AFTER, AS_RUN, BEFORE, RANDOM, SEQUENTIAL, WELL, name, short
from benchbook.experiments.scale.judgements import COLUMN, SPEEDUPS
from benchbook.experiments.scale.marks import axes, empty, equal, interval, note_records, records, stated
from benchbook.experiments.scale.speedups import INSERT, QUERY, balanced, effect, mixed, of
from benchbook.experiments.scale.summary import Summary
from benchbook.figures import Figure, theme, with_interval
from benchbook.model import Estimate

COMPARATOR, KEYS = "fig-scale-comparator", "fig-scale-random"
QUANTITY = "speed-up"
LAST_PRINTED = max(notes.SIZES)
"""From this size on the note prints the query speed-up alone."""


def having(summary: Summary, sizes: Iterable[int], *systems: str, keys: str = SEQUENTIAL) -> list[int]:
    """The sizes at which every trial of these systems has both of its times."""
    return [rows for rows in sizes if all(summary.has(name(each, rows, keys), QUERY, INSERT) for each in systems)]


def series(sizes: Iterable[int], per_block: Callable[[int], np.ndarray]) -> dict[int, Estimate]:
    """An effect with its interval at each size."""
    return {rows: effect(per_block(rows)) for rows in sizes}


def ends(found: dict[int, Estimate]) -> str:
    """The first and the last of a series in words."""
    first, last = min(found), max(found)
    return f"{with_interval(found[first])} at {short(first)} and {with_interval(found[last])} at {short(last)} rows"


def speedups(summary: Summary) -> Figure:
    """Insert and query speed-up of the note's engine over SQLite as it was run, by size."""
    sizes = having(summary, summary.rows, BEFORE, AFTER, AS_RUN)
    if not sizes:
        return empty(summary, SPEEDUPS, "Speed-ups by size", "Nothing was timed in this run")
    query, insert = (series(sizes, partial(of, summary, metric)) for metric in (QUERY, INSERT))
    after = series(sizes, partial(of, summary, QUERY, system=AFTER))
    plot = go.Figure()
    rows: list[dict[str, object]] = []
    shown = (("query", query), ("insert", insert), ("query, after the options", after))
    for place, (title, found) in enumerate(shown):
        add_line(plot, place, title, found, short)
        rows += records(found, title, QUANTITY)
    for place, what in enumerate(("query", "insert")):
        stated(plot, f"{what}, the note's report", place, notes.behind(what))
        rows += note_records(notes.behind(what), f"{what}, the note's report", QUANTITY)
    equal(plot, [*sizes, *notes.SIZES])
    cut = axes(plot, [*sizes, *notes.SIZES], "SQLite's time / ALEX and RocksDB's", [found for _, found in shown])
    said = f"Queries: {ends(query)}. Inserts: {ends(insert)}."
    return Figure(
        SPEEDUPS,
        "How many times as fast ALEX before RocksDB is as SQLite used as the note used it, sequential keys, by number "
        "of rows, both axes logarithmic; before the note's RocksDB options if nothing else is said. "
        f"{said} Open marks: the report that the note sums up. 95 % intervals (Student t on paired logs).{cut} "
        f"{summary.origin()}.",
        f"Three lines of speed-up over {len(sizes)} numbers of rows, with the note's numbers as open marks. {said}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval(found for _, found in shown),
    )


def column(summary: Summary) -> Figure:
    """The note's column as printed, and with one definition in all of its rows."""
    sizes = having(summary, summary.rows, BEFORE, AS_RUN)
    if not sizes:
        return empty(summary, COLUMN, "The note's column", "Nothing was timed in this run")
    query = series(sizes, partial(of, summary, QUERY))
    means = series(sizes, partial(mixed, summary))
    geometric = series(sizes, partial(balanced, summary))
    as_printed = {rows: query[rows] if rows >= LAST_PRINTED else means[rows] for rows in sizes}
    plot = go.Figure()
    table: list[dict[str, object]] = []
    shown = (
        ("mixed as the note", as_printed),
        ("mean throughout", means),
        ("query throughout", query),
        ("geometric mean throughout", geometric),
    )
    for place, (title, found) in enumerate(shown):
        add_line(plot, place, title, found, short)
        table += records(found, title, QUANTITY)
    stated(plot, "the note's column", 0, notes.printed())
    table += note_records(notes.printed(), "the note's column", QUANTITY)
    equal(plot, [*sizes, *notes.SIZES])
    cut = axes(plot, [*sizes, *notes.SIZES], "speed-up over SQLite as run", [found for _, found in shown])
    said = f"Mean of insert and query: {ends(means)}; query alone: {ends(query)}."
    return Figure(
        COLUMN,
        "The note's speed-up column, measured here and put together in four ways, both axes logarithmic. The note's "
        "own (open marks) is the mean of insert and query speed-up in all rows but the last, and the query's alone in "
        f"the last. {said} 95 % intervals (Student t on paired logs).{cut} {summary.origin()}.",
        f"Four lines of speed-up over {len(sizes)} numbers of rows and the note's four numbers. {said}",
        theme.apply(plot),
        pd.DataFrame(table),
        summary.run.id,
        interval=interval(found for _, found in shown),
    )


def comparator(summary: Summary) -> Figure:
    """Query and insert speed-up over SQLite as run and over SQLite used well, by size."""
    sizes = having(summary, summary.rows, BEFORE, AS_RUN, WELL)
    if not sizes:
        return empty(summary, COMPARATOR, "Speed-ups over two uses of SQLite", "Nothing was timed in this run")
    plot = go.Figure()
    table: list[dict[str, object]] = []
    found: dict[str, dict[int, Estimate]] = {}
    shown = (
        ("query, SQLite as run", QUERY, AS_RUN),
        ("query, SQLite used well", QUERY, WELL),
        ("insert, SQLite as run", INSERT, AS_RUN),
        ("insert, SQLite used well", INSERT, WELL),
    )
    for place, (title, metric, base) in enumerate(shown):
        found[title] = series(sizes, partial(of, summary, metric, base=base))
        add_line(plot, place, title, found[title], short)
        table += records(found[title], title, QUANTITY)
    equal(plot, sizes)
    cut = axes(plot, sizes, "SQLite's time / ALEX and RocksDB's", found.values())
    said = " ".join(f"{title[0].upper()}{title[1:]}: {ends(each)}." for title, each in found.items())
    return Figure(
        COMPARATOR,
        "The same engine against two uses of the same SQLite, sequential keys, before the note's options, both axes "
        f"logarithmic; below 1 SQLite is faster. {said} 95 % intervals (Student t on paired logs).{cut} "
        f"{summary.origin()}.",
        f"Four lines of speed-up over {len(sizes)} numbers of rows. {said}",
        theme.apply(plot),
        pd.DataFrame(table),
        summary.run.id,
        interval=interval(found.values()),
    )


def random_keys(summary: Summary) -> Figure:
    """Query and insert speed-up with sequential and with random keys, by size."""
    sizes = having(summary, summary.random_rows, BEFORE, AS_RUN, keys=RANDOM)
    if not sizes:
        return empty(summary, KEYS, "Random keys", "There are no trials with random keys in this run")
    plot = go.Figure()
    table: list[dict[str, object]] = []
    said = []
    drawn: list[dict[int, Estimate]] = []
    for keys, members in ((RANDOM, sizes), (SEQUENTIAL, having(summary, summary.rows, BEFORE, AS_RUN))):
        for metric, what in ((QUERY, "query"), (INSERT, "insert")):
            found = series(members, partial(of, summary, metric, keys=keys))
            if not found:
                continue
            title = f"{what}, {keys} keys"
            add_line(plot, len(drawn), title, found, short)
            drawn.append(found)
            table += records(found, title, QUANTITY)
            said.append(f"{title[0].upper()}{title[1:]}: {ends(found)}.")
    equal(plot, [*sizes, *summary.rows])
    cut = axes(plot, [*sizes, *summary.rows], "SQLite's time / ALEX and RocksDB's", drawn)
    text = " ".join(said)
    return Figure(
        KEYS,
        "Speed-up over SQLite as run with random and with sequential keys, before the note's options, both axes "
        f"logarithmic. {text} 95 % intervals (Student t on paired logs).{cut} {summary.origin()}.",
        f"Lines of speed-up over up to {len(summary.rows)} numbers of rows. {text}",
        theme.apply(plot),
        pd.DataFrame(table),
        summary.run.id,
        interval=interval(drawn),
    )
