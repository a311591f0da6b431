"""What the chapter's figures share: points with intervals by configuration, and a figure of nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.read_path.summary import Summary
from benchbook.figures import Figure, interval_name, theme
from benchbook.model import Estimate

COLOURS = list(theme.COLOURS.values())
INTERVALS = "95 % intervals (Student t on logs)"


def dots(labels: Sequence[str], series: Mapping[str, Sequence[Estimate | None]], factor: float) -> go.Figure:
    """One row per label, one symbol per series; an estimate that is missing has no point."""
    plot = go.Figure()
    for place, (name, estimates) in enumerate(series.items()):
        shown = [(label, e) for label, e in zip(labels, estimates, strict=True) if e is not None]
        x = [factor * e.point for _, e in shown]
        plot.add_scatter(
            x=x, y=[label for label, _ in shown], mode="markers", name=name,
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
            error_x=theme.error_bars(x, [factor * e.low for _, e in shown], [factor * e.high for _, e in shown]),
        )  # fmt: skip
    plot.update_yaxes(autorange="reversed", categoryorder="array", categoryarray=list(labels))
    plot.update_layout(height=170 + 30 * len(labels))
    return plot


def mark(plot: go.Figure, value: float, labels: Sequence[str], name: str, dash: str) -> None:
    """A line across all rows at a number of the note."""
    plot.add_scatter(
        x=[value, value], y=[labels[0], labels[-1]], mode="lines", name=name,
        line={"dash": dash, "width": 2, "color": COLOURS[5]},
    )  # fmt: skip


def interval(series: Mapping[str, Sequence[Estimate | None]]) -> str:
    """The name of the intervals that ``dots`` draws."""
    return interval_name(e for estimates in series.values() for e in estimates if e is not None)


def table(
    labels: Sequence[str], series: Mapping[str, Sequence[Estimate | None]], quantity: str, factor: float
) -> pd.DataFrame:
    """The table behind ``dots``: one row per point."""
    return pd.DataFrame(
        [
            {
                "configuration": label,
                "what": name,
                quantity: factor * e.point,
                "low": factor * e.low,
                "high": factor * e.high,
                "trials": e.n,
            }
            for name, estimates in series.items()
            for label, e in zip(labels, estimates, strict=True)
            if e is not None
        ]
    )


def empty(summary: Summary, identity: str, title: str, why: str) -> Figure:
    """A figure that says that this run has nothing to show."""
    plot = go.Figure()
    plot.add_scatter(x=[0], y=[0], mode="text", text=[why], name=title)
    return Figure(
        identity,
        f"{title}: {why[0].lower()}{why[1:]}; {summary.origin()}.",
        f"An empty figure, because the trials lack the numbers for it. {why}.",
        theme.apply(plot),
        pd.DataFrame([{"configuration": "all", "value": why}]),
        summary.run.id,
    )
