"""The figure of the performance record: the main ratios of all parts with their intervals."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.bench.record import Comparison, Part, Performance
from benchbook.figures import Figure, theme
from benchbook.statistics.intervals import PAIRED_LOG_T

ID = "fig-performance-ratios"
_ROW_PX, _FRAME_PX = 46, 140
_LETTERS_PX = 12
"""Of the rows' names, each of two lines."""


def ratios(performance: Performance) -> Figure | None:
    """Times divided by their peers' on a logarithmic axis, a row each; None where no part has a ratio to show."""
    shown = [(part, each) for part in performance.parts for each in part.comparisons if each.main]
    if not shown:
        return None
    data = pd.DataFrame([_row(part, each) for part, each in shown])
    short = [{timing.name: timing.short for timing in part.timings} for part, _ in shown]
    names = [f"{own[each.name]}<br>/ {own[each.peer]}" for own, (_, each) in zip(short, shown, strict=True)]
    title = "Times relative to peers"
    return Figure(ID, _caption(shown), _alt(data), _plot(data, names), data, "", PAIRED_LOG_T, title=title)


def _row(part: Part, each: Comparison) -> dict[str, object]:
    labels = {timing.name: timing.label for timing in part.timings}
    return {
        "part": part.title,
        "timed": labels[each.name],
        "peer": labels[each.peer],
        "ratio": each.ratio,
        "low": each.low,
        "high": each.high,
    }


def _caption(shown: list[tuple[Part, Comparison]]) -> str:
    repeats = sorted({len(timing.seconds) for part, _ in shown for timing in part.timings})
    number = f"{repeats[0]}" if len(repeats) == 1 else f"{repeats[0]} to {repeats[-1]}"
    return (
        f"Time of one operation divided by that of its named peer, {number} interleaved repeats, with 95 % intervals "
        "(Student t on paired log differences). Left of 1, it took less time than the peer."
    )


def _alt(data: pd.DataFrame) -> str:
    """Each part in a clause: some have a dozen ratios, and the table has them all."""
    words = []
    for part, rows in data.groupby("part", sort=False):
        least, most = rows["ratio"].min(), rows["ratio"].max()
        faster, slower = int((rows["high"] < 1).sum()), int((rows["low"] > 1).sum())
        words.append(
            f"{part}: {len(rows)} from {least:.3g} to {most:.3g}, {faster} with the whole interval below 1 and "
            f"{slower} above"
        )
    return f"{len(data)} ratios of times as points with intervals on a logarithmic axis. {'; '.join(words)}."


def _plot(data: pd.DataFrame, names: list[str]) -> go.Figure:
    """names: of the rows."""
    plot = go.Figure()
    for place, (part, own) in enumerate(data.groupby("part", sort=False)):
        colour = list(theme.COLOURS.values())[place % len(theme.COLOURS)]
        points, lows, highs = (own[name].tolist() for name in ("ratio", "low", "high"))
        plot.add_scatter(
            x=points,
            y=own.index.tolist(),
            mode="markers",
            name=str(part),
            marker={"color": colour, "symbol": theme.SYMBOLS[place % len(theme.SYMBOLS)]},
            error_x={**theme.error_bars(points, lows, highs), "color": colour},
        )
    plot.add_vline(x=1, line={"color": theme.COLOURS["grey"], "dash": "dash", "width": 1})
    values = [*data["low"], *data["high"], 1.0]
    plot.update_xaxes(title="time / peer's time", **theme.ticks(values))
    rows = data.index.tolist()
    plot.update_yaxes(tickvals=rows, ticktext=names, tickfont={"size": _LETTERS_PX}, autorange="reversed")
    plot.update_layout(height=_FRAME_PX + _ROW_PX * len(data))
    return theme.apply(plot)
