"""Curves over the number of blocks go in; small multiples with a band, a promise line and simulation bars come out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook.experiments.marks import COLOURS
from benchbook.figures import theme
from benchbook.model import Estimate

_COLUMNS = 2
_PANEL_PX = 240
_TITLE_CHARACTERS = 24


@dataclass(frozen=True)
class Curve:
    """One line of one panel: shares by n or whatever the horizontal axis is. A name has one colour in all panels."""

    name: str
    points: tuple[tuple[float, Estimate], ...]


@dataclass(frozen=True)
class Panel:
    """One of the small plots. band: from and to in %, shaded. promise: in %, a line."""

    title: str
    curves: tuple[Curve, ...]
    band: tuple[float, float] | None = None
    promise: float | None = None


def draw(
    panels: Sequence[Panel], *, x_title: str, y_title: str, lowest: float | None = None, hover: str = "n"
) -> go.Figure:
    """All panels in two columns. lowest: smallest end of the vertical axis, in %; the axes are not shared.
    hover: what a number of the horizontal axis is called beside a point.

    Marks of one n stand side by side, so that the bars of equal shares can be told apart.
    """
    columns = min(_COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    plot = make_subplots(
        lines, columns, subplot_titles=[_wrapped(panel.title) for panel in panels], horizontal_spacing=0.11,
        vertical_spacing=0.36 / lines if lines > 1 else 0,
    )  # fmt: skip
    names = list(dict.fromkeys(curve.name for panel in panels for curve in panel.curves))
    for place, panel in enumerate(panels):
        where = {"row": place // columns + 1, "col": place % columns + 1}
        numbers = sorted({n for curve in panel.curves for n, _ in curve.points})
        for curve in panel.curves:
            _add(plot, curve, numbers, names, where, hover)
        if panel.band is not None:
            plot.add_hrect(*panel.band, fillcolor=theme.COLOURS["green"], opacity=0.15, line_width=0, **where)
        if panel.promise is not None:
            plot.add_hline(panel.promise, line={"color": theme.COLOURS["grey"], "dash": "dot", "width": 1.5}, **where)
        plot.update_xaxes(tickvals=list(range(len(numbers))), ticktext=[f"{n:g}" for n in numbers], **where)
        plot.update_xaxes(range=[-0.6, len(numbers) - 0.4], **where)
        plot.update_yaxes(range=_range(panel, lowest), **where)
        if place % columns == 0:
            plot.update_yaxes(title=y_title, **where)
        plot.update_xaxes(title=x_title if place >= len(panels) - columns else "", **where)
    _name(plot, names)
    plot.update_annotations(font={"size": 12})
    theme.apply(plot)
    plot.update_layout(height=100 + lines * _PANEL_PX, margin={"t": 50, "b": 90})
    return plot


def estimates_of(panels: Iterable[Panel]) -> list[Estimate]:
    """Whatever the panels draw with a bar."""
    return [estimate for panel in panels for curve in panel.curves for _, estimate in curve.points]


def _add(
    plot: go.Figure, curve: Curve, numbers: list[float], names: list[str], where: dict[str, int], hover: str
) -> None:
    place = names.index(curve.name)
    shift = (place - (len(names) - 1) / 2) * 0.5 / max(len(names), 4)
    estimates = [estimate for _, estimate in curve.points]
    points, lows, highs = ([100 * value for value in each] for each in _ends(estimates))
    plot.add_scatter(
        x=[numbers.index(n) + shift for n, _ in curve.points], y=points, mode="lines+markers", name=curve.name,
        legendgroup=curve.name, showlegend=False, error_y=theme.error_bars(points, lows, highs) | {"width": 3},
        line={"color": COLOURS[place % len(COLOURS)], "dash": theme.DASHES[place % len(theme.DASHES)], "width": 1.2},
        marker={"symbol": theme.SYMBOLS[place % len(theme.SYMBOLS)], "size": 7},
        customdata=[n for n, _ in curve.points],
        hovertemplate=f"{hover} = %{{customdata}}: %{{y:.2f}} %<extra>%{{fullData.name}}</extra>",
        **where,
    )  # fmt: skip


def _wrapped(title: str) -> str:
    """In lines that fit over half a phone."""
    return "<br>".join(textwrap.wrap(title, _TITLE_CHARACTERS))


def _ends(estimates: list[Estimate]) -> tuple[list[float], list[float], list[float]]:
    return [e.point for e in estimates], [e.low for e in estimates], [e.high for e in estimates]


def _range(panel: Panel, lowest: float | None) -> list[float]:
    ends = [100 * value for curve in panel.curves for _, e in curve.points for value in (e.low, e.high)]
    ends += [*(panel.band or ()), *([panel.promise] if panel.promise is not None else [])]
    low, high = min(ends), max(ends)
    if lowest is not None:
        low = min(low, lowest)
    room = 0.06 * (high - low)
    return [max(-1.0, low - room), min(101.0, high + room)]


def _name(plot: go.Figure, names: list[str]) -> None:
    """Each name once in the legend, at its first curve."""
    left = set(names)
    for trace in plot.data:
        if trace.name in left:
            trace.showlegend = True
            left.remove(trace.name)
