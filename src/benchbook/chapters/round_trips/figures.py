"""The figures: latency by way of asking, trips counted and implied, where each way wins, gains, and the claims.

Their words stand in the page.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.chapters.round_trips.arms import cell
from benchbook.chapters.round_trips.ways import Place, Summary, line, places
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.marks import COLOURS
from benchbook.drawing.regular import Ask, Dots
from benchbook.figures import theme
from benchbook.model import Estimate

CODE = {
    "committed": "the feature server's code",
    "autocommit": "the same in autocommit mode",
    "snippet": "the note's lines",
    "own_cursors": "a cursor for each look-up",
}


def _modes(summary: Summary) -> dict[str, str]:
    return {mode: summary.words(mode) for mode in summary.parameters.modes}


def _over(trip_ms: float) -> Ask:
    return lambda summary, mode: summary.latency(cell(mode, trip_ms), "mean_ns")


ways = Dots(
    rows=_modes, row="way of asking",
    series=lambda summary: {f"+{trip_ms:g} ms": _over(trip_ms) for trip_ms in summary.trips_ms},
    heading="added round trip",
    axis="mean latency of a request for all tables (ms)", quantity="mean latency (ms)",
)  # fmt: skip


def _counted(summary: Summary, row: str) -> Estimate:
    return summary.counted(f"trips_{row}") if row in CODE else summary.trips(row)


trips = Dots(
    rows=lambda summary: _modes(summary) | CODE, row="way of asking",
    series={
        "counted on the wire": _counted,
        "implied by the latencies": lambda summary, mode: line(summary, mode).trips,
    }, heading="found by",
    axis="round trips of a request for all tables", quantity="round trips", scale="zero",
    nothing="No trip was counted in this run",
)  # fmt: skip


def wins(summary: Summary) -> Drawn | Blank:
    """A square for each number of tables and length of the way, in the colour of the fastest way."""
    found = places(summary)
    if not found:
        return Blank("Nothing was timed in this run", "measure again with `benchbook run`")
    plot = go.Figure()
    for place, mode in enumerate(summary.parameters.modes):
        own = [each for each in found if each.best == mode]
        if not own:
            continue
        symbol = f"{theme.SYMBOLS[place % 6]}{'-open' * (place >= 6)}"  # no two of eight look alike
        plot.add_scatter(
            x=[f"+{each.trip_ms:g} ms" for each in own], y=[f"{each.tables} tables" for each in own],
            mode="markers+text", name=summary.words(mode), textposition="bottom center",
            text=[f"{len(each.tied)} more" if each.tied else "" for each in own],
            marker={"symbol": symbol, "size": 22, "color": COLOURS[place % 6]},
            customdata=[_said(summary, each) for each in own], hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
    columns = [f"+{trip_ms:g} ms" for trip_ms in summary.trips_ms]
    plot.update_xaxes(title="added to each round trip", categoryorder="array", categoryarray=columns)
    sizes = [f"{size} tables" for size in summary.parameters.sizes]
    plot.update_yaxes(categoryorder="array", categoryarray=sizes, range=[-0.7, len(sizes) - 0.4])
    plot.update_layout(height=330, showlegend=True)  # one way that wins everywhere has to be named too
    estimates = [effect for each in found for effect in each.over.values()]
    rows = [
        {
            "tables": each.tables, "added round trip (ms)": each.trip_ms, "fastest": summary.words(each.best),
            "way of asking": summary.words(mode), "its latency ÷ the fastest's": effect.point,
            "low": effect.low, "high": effect.high, "trials": effect.n,
        }
        for each in found
        for mode, effect in each.over.items()
    ]  # fmt: skip
    return Drawn(plot, pd.DataFrame(rows), estimates=estimates)


def _said(summary: Summary, place: Place) -> str:
    others = ", ".join(summary.words(mode) for mode in place.tied)
    where = f"{place.tables} tables, +{place.trip_ms:g} ms: {summary.words(place.best)}"
    return f"{where}, not told from {others}" if others else where


GOTTEN = {
    "correct_rows_snippet": "right rows, the note's lines",
    "correct_rows_committed": "right rows, the feature server's code",
    "correct_rows_own_cursors": "right rows, a cursor for each look-up",
    "statements_at_once": "statements at once, one pipeline",
    "statements_at_once_control": "statements at once, four connections",
}
got = Dots(
    rows=GOTTEN, row="count",
    series={"counted": lambda summary, metric: summary.counted(metric)}, heading="",
    axis="number", scale="zero",
    nothing="Nothing was counted in this run",
)  # fmt: skip


gains = Dots(
    rows=lambda summary: {each: f"+{each:g} ms" for each in sorted(summary.parameters.disjoint_trip_ms)},
    row="added round trip",
    series={
        "warmed keys": lambda summary, trip_ms: summary.speed_up(trip_ms),
        "keys never read before": lambda summary, trip_ms: summary.speed_up(trip_ms, disjoint=True),
    }, heading="keys",
    axis="latency one by one ÷ in a pipeline (above 1: pipeline faster)", quantity="speed-up", rule=1.0,
)  # fmt: skip

claims = ClaimFigure()

FIGURES = {"ways": ways, "trips": trips, "wins": wins, "got": got, "gains": gains, "claims": claims}
