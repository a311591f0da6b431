"""Figures over the number of rows: speed-up of look-ups and of inserts over SQLite, by how SQLite was used."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.claim_plot import draw, named
from benchbook.experiments.marks import COLOURS, add_line
from benchbook.experiments.sqlite_fairness import notes
from benchbook.experiments.sqlite_fairness.arms import note
from benchbook.experiments.sqlite_fairness.judgements import CLAIMED, CLAIMED_ROWS, ESTIMANDS, INSERTS, SPEEDUP
from benchbook.experiments.sqlite_fairness.marks import add_given, by_rows, empty
from benchbook.experiments.sqlite_fairness.summary import Summary
from benchbook.experiments.sqlite_fairness.uses import AFTER, AS_RUN, BEFORE, BEST, LOOKUPS, ONCE
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.model import Effect

Curve = dict[int, Effect]


def curve(summary: Summary, sqlite: str, omendb: str, metric: str = "query_mean_ns") -> Curve:
    """Rows to the speed-up: a time of SQLite in one use over that of the note's engine with one set of options."""
    return {
        rows: summary.ratio(note(sqlite, rows), note(omendb, rows), metric)
        for rows in summary.parameters.sizes
        if summary.has(note(sqlite, rows), metric) and summary.has(note(omendb, rows), metric)
    }


def speedups(summary: Summary) -> Figure:
    """Look-ups of the note's benchmark: how many times as fast as SQLite, for three uses of SQLite."""
    curves = {LOOKUPS[use].label: curve(summary, use, AFTER) for use in (AS_RUN, ONCE, BEST)}
    curves["as run, options before"] = curve(summary, AS_RUN, BEFORE)
    given = {
        "the note, before": notes.speedups("query"),
        "the note, after": {CLAIMED_ROWS: notes.speedup_after()},
    }
    what = "SQLite's look-up / OmenDB's"
    said = _ends(curves)
    return _over_rows(
        summary, SPEEDUP, "Speed-ups", curves, given, what,
        f"Mean look-up of SQLite divided by that of the note's engine (index, then RocksDB; options after unless said "
        f"otherwise), at the note's look-ups, against rows; both axes logarithmic. {said} The note's own numbers have "
        f"no interval. 95 % intervals (Student t on paired logs); {summary.origin()}.",
        f"Lines of speed-up over the number of rows for {len(curves)} comparisons, with the note's numbers as points. "
        f"{said}",
    )  # fmt: skip


def inserts(summary: Summary) -> Figure:
    """Inserts of the note's benchmark: all rows in one transaction against all rows in one batch and the index."""
    metric = "insert_ns_per_row"
    curves = {LOOKUPS[use].label: curve(summary, use, AFTER, metric) for use in (AS_RUN, ONCE)}
    what = "SQLite's insert / OmenDB's"
    said = _ends(curves)
    return _over_rows(
        summary, INSERTS, "Inserts", curves, {"the note, before": notes.speedups("insert")}, what,
        f"Time to insert all rows into SQLite in one transaction, divided by that into the note's engine (one batch "
        f"whose log is not synced, then the index), against rows; both axes logarithmic. {said} 95 % intervals "
        f"(Student t on paired logs); {summary.origin()}.",
        f"Lines of the insert speed-up over the number of rows for {len(curves)} uses of SQLite. {said}",
    )  # fmt: skip


def _over_rows(
    summary: Summary,
    identity: str,
    title: str,
    curves: dict[str, Curve],
    given: dict[str, dict[int, float]],
    axis: str,
    caption: str,
    alt: str,
) -> Figure:
    if not any(curves.values()):
        return empty(summary, identity, title, "Nothing was timed in this run")
    plot = go.Figure()
    rows: list[dict[str, object]] = []
    for place, (name, effects) in enumerate(curves.items()):
        add_line(plot, place, name, effects, "{:,}".format)
        rows += [
            {"comparison": name, "rows": size, axis: e.point, "low": e.low, "high": e.high, "blocks": e.n}
            for size, e in effects.items()
        ]
    for place, (name, points) in enumerate(given.items(), start=len(curves)):
        add_given(plot, place % len(COLOURS), name, points)
        rows += [{"comparison": name, "rows": size, axis: value} for size, value in points.items()]
    shown = {*summary.parameters.sizes, *(size for points in given.values() for size in points)}
    by_rows(plot, sorted(shown), axis)
    name = interval_name(e for effects in curves.values() for e in effects.values())
    return Figure(identity, caption, alt, theme.apply(plot), pd.DataFrame(rows), summary.run.id, name)


def _ends(curves: dict[str, Curve]) -> str:
    """The values at the largest number of rows, in words."""
    parts = [
        f"{name} {with_interval(effects[max(effects)])} at {max(effects):,} rows"
        for name, effects in curves.items()
        if effects
    ]
    return "; ".join(parts) + "." if parts else "Nothing was timed."


def claimed(summary: Summary) -> Figure:
    """The chapter's two claims that are ratios: what counts as reproduced, and what was measured."""
    drawn = draw("sqlite_fairness", ESTIMANDS, summary, label=named, height=180, each=28)
    return Figure(
        CLAIMED,
        "The chapter's claims that are ratios (bars: the region that counts as reproduced) and what was measured "
        "(points, 95 % intervals over blocks), logarithmic axis: SQLite's look-up prepared for every query over "
        f"prepared once at {CLAIMED_ROWS:,} rows, and the speed-up over SQLite prepared once over all sizes: "
        f"{drawn.said}. {summary.origin()}.",
        f"{len(drawn.points)} measured ratios beside {len(drawn.table)} claimed regions: {drawn.said}.",
        theme.apply(drawn.plot),
        drawn.table,
        summary.run.id,
        interval=drawn.interval,
        lacks=drawn.lacks,
    )
