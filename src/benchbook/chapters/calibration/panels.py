"""Small plots of shares over the number of blocks or another number: a target band, a promise, intervals."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook.chapters.calibration.shares import in_percent
from benchbook.drawing.drawn import Drawn
from benchbook.drawing.marks import COLOURS, bars
from benchbook.figures import theme
from benchbook.model import Estimate

_COLUMNS, _PANEL_PX, _MOST_TICKS, _TITLE_CHARACTERS = 2, 260, 7, 20


@dataclass(frozen=True)
class Panel:
    """A small plot: name of a line to its shares by n or whatever the horizontal axis is, with one colour in all plots.

    band: from and to in %, shaded. promise: in %, a line.
    """

    title: str
    band: tuple[float, float] | None = None
    promise: float | None = None
    curves: dict[str, dict[float, Estimate]] = field(default_factory=dict)

    def add(self, curve: str, x: float, share: Estimate) -> None:
        """One more point of a line."""
        self.curves.setdefault(curve, {})[x] = share

    @property
    def estimates(self) -> list[Estimate]:
        """Whatever is drawn with a bar."""
        return [estimate for points in self.curves.values() for estimate in points.values()]

    def reach(self, lowest: float | None) -> list[float]:
        """Ends of the vertical axis, in %. lowest: the smallest of them."""
        ends = [100 * value for e in self.estimates for value in (e.low, e.high)]
        ends += [*(self.band or ()), *([self.promise] if self.promise is not None else [])]
        low, high = min(ends if lowest is None else [*ends, lowest]), max(ends)
        return [max(-1.0, low - 0.06 * (high - low)), min(101.0, high + 0.06 * (high - low))]


def _draw(panels: Sequence[Panel], x_title: str, y_title: str, lowest: float | None, hover: str) -> go.Figure:
    """All panels in two columns. Marks of one n stand side by side, so that the bars of equal shares are told apart."""
    columns = min(_COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    plot = make_subplots(
        lines, columns, subplot_titles=["<br>".join(textwrap.wrap(each.title, _TITLE_CHARACTERS)) for each in panels],
        horizontal_spacing=0.15, vertical_spacing=0.44 / lines if lines > 1 else 0,
    )  # fmt: skip
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    unnamed = set(names)
    for index, panel in enumerate(panels):
        where = {"row": index // columns + 1, "col": index % columns + 1}
        numbers = sorted({n for points in panel.curves.values() for n in points})
        for name, points in panel.curves.items():
            place = names.index(name)
            shift = (place - (len(names) - 1) / 2) * 0.5 / max(len(names), 4)
            plot.add_scatter(
                x=[numbers.index(n) + shift for n in points], y=[100 * e.point for e in points.values()],
                mode="lines+markers", name=name, legendgroup=name, showlegend=name in unnamed,
                error_y=bars(points.values(), 100) | {"width": 3},
                line={"color": COLOURS[place % 6], "dash": theme.DASHES[place % 6], "width": 1.2},
                marker={"symbol": theme.SYMBOLS[place % 6], "size": 7},
                customdata=list(points), hovertemplate=f"{hover} = %{{customdata}}: %{{y:.2f}} %", **where,
            )  # fmt: skip
            unnamed.discard(name)
        if panel.band is not None:
            plot.add_hrect(*panel.band, fillcolor=theme.COLOURS["green"], opacity=0.15, line_width=0, **where)
        if panel.promise is not None:
            plot.add_hline(panel.promise, line={"color": theme.COLOURS["grey"], "dash": "dot", "width": 1.5}, **where)
        shown = range(0, len(numbers), 1 if len(numbers) <= _MOST_TICKS else 2)
        plot.update_xaxes(
            tickvals=list(shown), ticktext=[f"{numbers[place]:g}" for place in shown],
            range=[-0.6, len(numbers) - 0.4], title=x_title if index >= len(panels) - columns else "", **where,
        )  # fmt: skip
        plot.update_yaxes(range=panel.reach(lowest), **({"title": y_title} if index % columns == 0 else {}), **where)
    plot.update_annotations(font={"size": 12})
    theme.apply(plot)
    plot.update_layout(height=100 + lines * _PANEL_PX, margin={"t": 50, "b": 90})
    return plot


def tabulated(panels: Sequence[Panel], *headings: str) -> list[dict[str, object]]:
    """A row for each share. headings: of the plots' titles, the lines' names and the horizontal axis."""
    return [
        dict(zip(headings, (panel.title, name, x), strict=True)) | in_percent(share)
        for panel in panels
        for name, points in panel.curves.items()
        for x, share in points.items()
    ]


def plots(
    panels: Sequence[Panel], data: pd.DataFrame | list[dict[str, object]], *, x_title: str = "blocks",
    y_title: str = "coverage (%)", lowest: float | None = None, hover: str = "n", origin: str = "", **own: object,
) -> Drawn:  # fmt: skip
    """A drawing of small plots, whose axes are not shared; its words may name them.

    lowest: smallest end of the vertical axis, in %. hover: what a number of the horizontal axis is called at a point.
    """
    estimates = [estimate for panel in panels for estimate in panel.estimates]
    plot = _draw(panels, x_title, y_title, lowest, hover)
    return Drawn(plot, pd.DataFrame(data), estimates=estimates, said={"panels": panels, **own}, origin=origin)
