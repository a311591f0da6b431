"""What the chapter's figures share: points with intervals by setting, rows of their tables, and a figure of nothing."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.figures import Figure, theme
from benchbook.model import Estimate

COLOURS = list(theme.COLOURS.values())


def dots(series: list[list[Estimate]], labels: list[str], names: list[str], *, factor: float) -> go.Figure:
    plot = go.Figure()
    for place, name in enumerate(names):
        estimates = [row[place] for row in series]
        x = [factor * e.point for e in estimates]
        plot.add_scatter(
            x=x, y=labels, mode="markers", name=name,
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
            error_x=theme.error_bars(x, [factor * e.low for e in estimates], [factor * e.high for e in estimates]),
        )  # fmt: skip
    plot.update_yaxes(autorange="reversed", categoryorder="array", categoryarray=labels)
    plot.update_layout(height=160 + 26 * len(labels))
    return plot


def powers() -> dict[str, object]:
    values = [10.0**power for power in range(-1, 8)]
    return {"type": "log", "tickvals": values, "ticktext": [f"{value:,.10g}" for value in values]}


def row(label: str, e: Estimate, name: str, factor: float) -> dict[str, object]:
    return {"setting": label, name: factor * e.point, "low": factor * e.low, "high": factor * e.high, "trials": e.n}


def empty(summary: Summary, identity: str, title: str, why: str) -> Figure:
    """A figure that says that this run has nothing to show, as one whose store never left memory."""
    plot = go.Figure()
    plot.add_scatter(x=[0], y=[0], mode="text", text=[why], name=title)
    return Figure(
        identity,
        f"{title}: {why.lower()}; {summary.origin()}.",
        f"An empty figure. {why}: raise the number of events.",
        theme.apply(plot),
        pd.DataFrame([{"setting": "all", "value": why}]),
        summary.run.id,
    )
