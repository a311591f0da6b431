"""Throughput along a trial: a line with a band for each configuration."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from benchbook.drawing.marks import COLOURS
from benchbook.figures import theme
from benchbook.measuring.pgbench.spent import PARTS
from benchbook.model import Estimate


def add_course(
    plot: go.Figure,
    place: int,
    name: str,
    at: Sequence[float],
    middle: Sequence[float],
    band: tuple[Sequence[float], Sequence[float]] | None,
    *,
    dash: str = "",
    row: int | None = None,
    col: int | None = None,
) -> None:
    """One configuration's. at: places of its parts. band: their lower and upper ends. dash: by default its own.

    row, col: where the plot has several.
    """
    colour = COLOURS[place % len(COLOURS)]
    if band is not None:
        low, high = band
        plot.add_scatter(
            x=[*at, *reversed(at)], y=[*high, *reversed(low)], fill="toself", mode="none", opacity=0.2,
            showlegend=False, hoverinfo="skip", fillcolor=colour, row=row, col=col,
        )  # fmt: skip
    plot.add_scatter(
        x=at, y=middle, name=name, mode="lines+markers", line={"color": colour, "dash": dash or theme.DASHES[place]},
        marker={"color": colour, "symbol": theme.SYMBOLS[place], "size": 6}, row=row, col=col,
    )  # fmt: skip


def parts_of(metric: str) -> list[str]:
    """The names of a metric of each part of a trial. metric: with {} for the part's number."""
    return [metric.format(f"{part + 1:03}") for part in range(PARTS)]


def add_estimates(
    plot: go.Figure, place: int, name: str, at: Sequence[float], found: Sequence[Estimate], value: str,
    *, band: bool = True, row: int | None = None, col: int | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Draw a course of what cannot be below 0, and its band; its table. value: heading of the means."""
    middle = [each.point for each in found]
    low, high = ([each.point if each.bare else getattr(each, end) for each in found] for end in ("low", "high"))
    low = [max(0.0, each) for each in low]
    add_course(plot, place, name, at, middle, (low, high) if band else None, row=row, col=col)
    return pd.DataFrame({"second": at, value: middle, "low": low, "high": high})
