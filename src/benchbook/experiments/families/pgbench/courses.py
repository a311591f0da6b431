"""Throughput along a trial: a line with a band for each configuration."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from benchbook.experiments.shape.marks import COLOURS
from benchbook.figures import theme


def add_course(
    plot: go.Figure,
    place: int,
    name: str,
    at: Sequence[float],
    middle: Sequence[float],
    band: tuple[Sequence[float], Sequence[float]],
    *,
    dash: str = "",
    row: int | None = None,
    col: int | None = None,
) -> None:
    """One configuration's. at: places of its parts. band: their lower and upper ends. dash: by default its own.

    row, col: where the plot has several.
    """
    low, high = band
    colour = COLOURS[place % len(COLOURS)]
    plot.add_scatter(
        x=[*at, *reversed(at)], y=[*high, *reversed(low)], fill="toself", mode="none", opacity=0.2, showlegend=False,
        hoverinfo="skip", fillcolor=colour, row=row, col=col,
    )  # fmt: skip
    plot.add_scatter(
        x=at, y=middle, name=name, mode="lines+markers", line={"color": colour, "dash": dash or theme.DASHES[place]},
        marker={"color": colour, "symbol": theme.SYMBOLS[place], "size": 6}, row=row, col=col,
    )  # fmt: skip
