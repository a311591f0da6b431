"""What the chapter's figures share: points with intervals by setting, lines over rows, and a figure of nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from benchbook.experiments.marks import COLOURS, blank
from benchbook.experiments.sqlite_fairness.summary import Summary
from benchbook.figures import Figure, theme
from benchbook.model import Estimate


def add_given(plot: go.Figure, place: int, name: str, points: Mapping[int, float]) -> None:
    """Numbers that others printed, without intervals."""
    plot.add_scatter(
        x=list(points), y=list(points.values()), mode="markers", name=name,
        marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 11, "opacity": 0.8},
    )  # fmt: skip


def by_rows(plot: go.Figure, rows: Sequence[int], title: str) -> None:
    """A logarithmic axis of rows, a logarithmic one of ratios, and a line at "as fast as"."""
    plot.add_scatter(
        x=[min(rows), max(rows)], y=[1, 1], mode="lines", name="as fast as SQLite",
        line={"color": COLOURS[5], "dash": "dot", "width": 2},
    )  # fmt: skip
    values = sorted({10**power for power in range(3, 10)} | set(rows))
    plot.update_xaxes(type="log", tickvals=values, ticktext=[f"{value:,}" for value in values], title="rows")
    plot.update_yaxes(**theme.decades(), title=title)
    plot.update_layout(height=560)


def row(label: str, e: Estimate, name: str) -> dict[str, object]:
    """A row of a figure's table."""
    return {"use": label, name: e.point, "low": e.low, "high": e.high, "trials": e.n}


def empty(summary: Summary, identity: str, title: str, why: str) -> Figure:
    """A figure that says that this run has nothing to show."""
    return blank(summary, identity, title, why, "measure the chapter again")
