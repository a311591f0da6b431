"""The map of the fastest way of asking, by number of tables and added round trip; ties are named."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.round_trips.ways import Place, Summary, places
from benchbook.experiments.shape.drawn import Blank, Drawn
from benchbook.experiments.shape.marks import COLOURS
from benchbook.figures import theme

_HEIGHT_PX = 330


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
            mode="markers+text", name=summary.words(mode), text=[_tied(summary, each) for each in own],
            textposition="bottom center",
            marker={"symbol": symbol, "size": 22, "color": COLOURS[place % 6]},
            customdata=[_said(summary, each) for each in own], hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
    columns = [f"+{trip_ms:g} ms" for trip_ms in summary.trips_ms]
    plot.update_xaxes(title="added to each round trip", categoryorder="array", categoryarray=columns)
    rows = [f"{size} tables" for size in summary.parameters.sizes]
    plot.update_yaxes(categoryorder="array", categoryarray=rows, range=[-0.7, len(rows) - 0.4])
    plot.update_layout(height=_HEIGHT_PX, showlegend=True)  # one way that wins everywhere has to be named too
    estimates = [effect for each in found for effect in each.over.values()]
    return Drawn(plot, pd.DataFrame(_rows(summary, found)), estimates=estimates)


def _tied(summary: Summary, place: Place) -> str:
    return f"{len(place.tied)} more" if place.tied else ""


def _said(summary: Summary, place: Place) -> str:
    others = ", ".join(summary.words(mode) for mode in place.tied)
    where = f"{place.tables} tables, +{place.trip_ms:g} ms: {summary.words(place.best)}"
    return f"{where}, not told from {others}" if others else where


def _rows(summary: Summary, found: list[Place]) -> list[dict[str, object]]:
    return [
        {
            "tables": each.tables, "added round trip (ms)": each.trip_ms, "fastest": summary.words(each.best),
            "way of asking": summary.words(mode), "its latency ÷ the fastest's": effect.point,
            "low": effect.low, "high": effect.high, "trials": effect.n,
        }
        for each in found
        for mode, effect in each.over.items()
    ]  # fmt: skip
