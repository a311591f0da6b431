"""Small multiples of curves over the number of blocks: a target band, a nominal line and simulation bars."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook.experiments.shape.drawn import Drawn
from benchbook.experiments.shape.marks import COLOURS, bars
from benchbook.figures import theme
from benchbook.model import Estimate

_COLUMNS = 2
_PANEL_PX = 260
_MOST_TICKS = 7
_TITLE_CHARACTERS = 20


Curves = Mapping[str, Mapping[Any, Estimate]]
"""Name of a line to its shares by n or whatever the horizontal axis is; a name has one colour in all panels."""


@dataclass(frozen=True)
class Panel:
    """One of the small plots. band: from and to in %, shaded. promise: in %, a line."""

    title: str
    curves: Curves
    band: tuple[float, float] | None = None
    promise: float | None = None

    @property
    def estimates(self) -> list[Estimate]:
        """Whatever is drawn with a bar."""
        return [estimate for points in self.curves.values() for estimate in points.values()]


def drawn(
    panels: Sequence[Panel], data: pd.DataFrame, said: str, *, n: int = 0, x_title: str = "blocks",
    y_title: str = "coverage (%)", lowest: float | None = None, hover: str = "n", origin: str = "",
) -> Drawn:  # fmt: skip
    """A drawing of small plots. lowest: smallest end of the vertical axis, in %; the axes are not shared.

    n: what the words call so. hover: what a number of the horizontal axis is called beside a point.
    """
    plot = draw(panels, x_title=x_title, y_title=y_title, lowest=lowest, hover=hover)
    estimates = [estimate for panel in panels for estimate in panel.estimates]
    return Drawn(plot, data, said, estimates, own={"n": n}, origin=origin)


def draw(panels: Sequence[Panel], *, x_title: str, y_title: str, lowest: float | None, hover: str) -> go.Figure:
    """All panels in two columns.

    Marks of one n stand side by side, so that the bars of equal shares can be told apart.
    """
    columns = min(_COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    plot = make_subplots(
        lines, columns, subplot_titles=[_wrapped(panel.title) for panel in panels], horizontal_spacing=0.15,
        vertical_spacing=0.44 / lines if lines > 1 else 0,
    )  # fmt: skip
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    for place, panel in enumerate(panels):
        where = {"row": place // columns + 1, "col": place % columns + 1}
        numbers = sorted({n for points in panel.curves.values() for n in points})
        for name, points in panel.curves.items():
            _add(plot, name, points, numbers, names, where, hover)
        if panel.band is not None:
            plot.add_hrect(*panel.band, fillcolor=theme.COLOURS["green"], opacity=0.15, line_width=0, **where)
        if panel.promise is not None:
            plot.add_hline(panel.promise, line={"color": theme.COLOURS["grey"], "dash": "dot", "width": 1.5}, **where)
        shown = range(0, len(numbers), 1 if len(numbers) <= _MOST_TICKS else 2)
        plot.update_xaxes(tickvals=list(shown), ticktext=[f"{numbers[place]:g}" for place in shown], **where)
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


def _add(
    plot: go.Figure, name: str, points: Mapping[float, Estimate], numbers: list[float], names: list[str],
    where: dict[str, int], hover: str,
) -> None:  # fmt: skip
    place = names.index(name)
    shift = (place - (len(names) - 1) / 2) * 0.5 / max(len(names), 4)
    plot.add_scatter(
        x=[numbers.index(n) + shift for n in points], y=[100 * e.point for e in points.values()], mode="lines+markers",
        name=name, legendgroup=name, showlegend=False, error_y=bars(points.values(), 100) | {"width": 3},
        line={"color": COLOURS[place % len(COLOURS)], "dash": theme.DASHES[place % len(theme.DASHES)], "width": 1.2},
        marker={"symbol": theme.SYMBOLS[place % len(theme.SYMBOLS)], "size": 7},
        customdata=list(points),
        hovertemplate=f"{hover} = %{{customdata}}: %{{y:.2f}} %",
        **where,
    )  # fmt: skip


def _wrapped(title: str) -> str:
    """In lines that fit over half a phone."""
    return "<br>".join(textwrap.wrap(title, _TITLE_CHARACTERS))


def _range(panel: Panel, lowest: float | None) -> list[float]:
    ends = [100 * value for e in panel.estimates for value in (e.low, e.high)]
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
