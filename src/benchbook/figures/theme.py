"""The book's look for plotly figures: one template for every chapter.

Paper and plot are transparent, and the page's script sets the colours of text and grid, so that a figure is
readable in light and dark mode. Marks never differ by colour alone: each further trace also has its own symbol.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import plotly.graph_objects as go

COLOURS: dict[str, str] = {
    "blue": "#2179b5",
    "vermillion": "#d55e00",
    "green": "#0f9872",
    "purple": "#b8659a",
    "ochre": "#a47a00",
    "grey": "#7d7d7d",
}
"""Okabe and Ito's hues, darkened or lightened to a contrast of at least 3 to 1 on white and on near-black."""

SYMBOLS: tuple[str, ...] = ("circle", "diamond", "square", "triangle-up", "x", "cross")
DASHES: tuple[str, ...] = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
FURTHER: tuple[str, ...] = ("star", "triangle-down", "hexagon", "pentagon", "hourglass", "bowtie")
"""Symbols of a seventh mark and those after it, whose colours come again."""
HEIGHT_PX = 420
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', sans-serif"


def symbol(place: int) -> str:
    """The symbol of the mark with this place, from 0 on."""
    every = (*SYMBOLS, *FURTHER)
    return every[place % len(every)]


def template() -> go.layout.Template:
    """The book's plotly template."""
    axis = {
        "automargin": True,
        "ticklabeloverflow": "allow",  # by default the last label goes where it is longer than the margin is wide
        "showline": True,
        "linewidth": 1,
        "linecolor": COLOURS["grey"],
        "gridcolor": "rgba(125, 125, 125, 0.25)",
        "zeroline": False,
        "ticks": "outside",
        "separatethousands": True,
        "exponentformat": "none",
        "ticklen": 4,
        "title": {"standoff": 8},
    }
    layout = go.Layout(
        autosize=True,
        height=HEIGHT_PX,
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        colorway=list(COLOURS.values()),
        font={"family": FONT, "size": 14},
        margin={"l": 56, "r": 16, "t": 36, "b": 48},
        xaxis=axis,
        yaxis=axis,
        hoverlabel={"font": {"family": FONT}, "namelength": -1},
        legend={
            "orientation": "h",
            "xref": "container",
            "x": 0,
            "xanchor": "left",
            "yref": "container",
            "y": 0,
            "yanchor": "bottom",
            "title": {"text": ""},
        },
    )
    scatter = [
        go.Scatter(marker={"symbol": symbol, "size": 9}, line={"width": 2, "dash": dash})
        for symbol, dash in zip(SYMBOLS, DASHES, strict=True)
    ]
    return go.layout.Template(layout=layout, data={"scatter": scatter})


def apply(plot: go.Figure) -> go.Figure:
    """Give the figure the book's template; what the figure itself sets stays. Returns the same figure."""
    plot.update_layout(template=template())
    return plot


def decades() -> dict[str, object]:
    """Ticks at 1, 2 and 5 of every decade of a logarithmic axis, written out: plotly alone would write 0.5 as 5."""
    return _log([digit * 10.0**power for power in range(-4, 6) for digit in (1, 2, 5)])


def ticks(values: Iterable[float], *, decades_at_most: int = 2) -> dict[str, object]:
    """The same for an axis on which these values are read, those above 0.

    Equal steps where they lie within a factor of four; the powers of ten alone where they span more decades than a line
    has room for, of which no more than seven, and 1 among them where it lies between.
    """
    shown = [value for value in values if 0 < value < math.inf]
    if not shown:
        return decades()
    low, high = min(shown), max(shown)
    if high > 10.0**decades_at_most * low:
        least, most = math.floor(math.log10(low)), math.ceil(math.log10(high))
        apart = math.ceil((most - least) / 6)
        return _log([10.0**power for power in range(least + -least % apart, most + 1, apart)])
    if high > 4 * low:
        return decades()
    decade = 10.0 ** math.floor(math.log10(low))
    sizes = [size * decade for size in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)]
    step = next(size for size in sizes if high - low <= 8 * size)
    first, last = math.floor(low / step), math.ceil(high / step)
    return _log([round(place * step, 12) for place in range(max(first, 1), last + 1)])


def _log(values: list[float]) -> dict[str, object]:
    return {"type": "log", "tickvals": values, "ticktext": [_written(value) for value in values]}


def _written(value: float) -> str:
    """In full where it has few zeros, else as a power of ten."""
    if 1e-4 <= value <= 1e6:
        return f"{value:,.10g}"
    return f"10<sup>{round(math.log10(value)):d}</sup>".replace("-", "−")


def error_bars(points: list[float], lows: list[float], highs: list[float]) -> dict[str, object]:
    """``error_x`` or ``error_y`` of a trace that shows points with their intervals, from the intervals' ends.

    Plotly takes two arrays for unequal sides by itself; saying so would make a page with hundreds of traces heavier.
    """
    return {
        "array": [high - point for point, high in zip(points, highs, strict=True)],
        "arrayminus": [point - low for point, low in zip(points, lows, strict=True)],
        "width": 5,
    }
