"""What the chapter's figures share: points with intervals by setting, lines over rows, and a figure of nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.sqlite_fairness.summary import Summary
from benchbook.figures import Figure, theme
from benchbook.model import Estimate

COLOURS = list(theme.COLOURS.values())


def add_dots(plot: go.Figure, place: int, name: str, marks: Mapping[str, Estimate]) -> None:
    """One series of points with intervals, one for each label on the vertical axis."""
    x = [e.point for e in marks.values()]
    plot.add_scatter(
        x=x, y=list(marks), mode="markers", name=name,
        marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
        error_x=theme.error_bars(x, [e.low for e in marks.values()], [e.high for e in marks.values()]),
    )  # fmt: skip


def by_label(plot: go.Figure, labels: Sequence[str]) -> None:
    """The vertical axis: labels from top to bottom."""
    plot.update_yaxes(autorange="reversed", categoryorder="array", categoryarray=list(labels))
    plot.update_layout(height=180 + 28 * len(labels))


def add_line(plot: go.Figure, place: int, name: str, marks: Mapping[int, Estimate]) -> None:
    """One series over the number of rows."""
    y = [e.point for e in marks.values()]
    plot.add_scatter(
        x=list(marks), y=y, mode="lines+markers", name=name,
        line={"color": COLOURS[place], "dash": theme.DASHES[place]},
        marker={"symbol": theme.SYMBOLS[place], "size": 9},
        error_y=theme.error_bars(y, [e.low for e in marks.values()], [e.high for e in marks.values()]),
    )  # fmt: skip


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


def row(label: str, e: Estimate, name: str) -> dict[str, object]:
    """A row of a figure's table."""
    return {"use": label, name: e.point, "low": e.low, "high": e.high, "trials": e.n}


def empty(summary: Summary, identity: str, title: str, why: str) -> Figure:
    """A figure that says that this run has nothing to show."""
    plot = go.Figure()
    plot.add_scatter(x=[0], y=[0], mode="text", text=[why], name=title)
    return Figure(
        identity,
        f"{title}: {why.lower()}; {summary.origin()}.",
        f"An empty figure: {why.lower()}. Measure the chapter again to fill it.",
        theme.apply(plot),
        pd.DataFrame([{"use": "all", "value": why}]),
        summary.run.id,
    )
