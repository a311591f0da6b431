"""What the chapter's figures share: points with intervals by configuration, and a figure of nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.marks import COLOURS, add_dots, blank, by_label
from benchbook.experiments.read_path.summary import Summary
from benchbook.figures import Figure, interval_name
from benchbook.model import Estimate

INTERVALS = "95 % intervals (Student t on logs)"


def dots(labels: Sequence[str], series: Mapping[str, Sequence[Estimate | None]], factor: float) -> go.Figure:
    """One row per label, one symbol per series; an estimate that is missing has no point."""
    plot = go.Figure()
    for place, (name, estimates) in enumerate(series.items()):
        marks = {label: e for label, e in zip(labels, estimates, strict=True) if e is not None}
        add_dots(plot, place, name, marks, factor)
    by_label(plot, labels, height=170, each=30)
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
    return blank(summary, identity, title, why, "the trials lack the numbers for it")
