"""What the chapter's figures share: points with intervals by setting, rows of their tables, and a figure of nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.marks import add_dots, blank, by_label
from benchbook.figures import Figure
from benchbook.model import Estimate


def dots(series: Mapping[str, Sequence[Estimate]], labels: Sequence[str], *, factor: float) -> go.Figure:
    """One row per label, one kind of mark per series, with intervals. series: name to one estimate per label."""
    plot = go.Figure()
    for place, (name, estimates) in enumerate(series.items()):
        add_dots(plot, place, name, dict(zip(labels, estimates, strict=True)), factor)
    by_label(plot, labels, height=160, each=26)
    return plot


def powers() -> dict[str, object]:
    values = [10.0**power for power in range(-1, 8)]
    return {"type": "log", "tickvals": values, "ticktext": [f"{value:,.10g}" for value in values]}


def row(label: str, e: Estimate, name: str, factor: float) -> dict[str, object]:
    return {"setting": label, name: factor * e.point, "low": factor * e.low, "high": factor * e.high, "trials": e.n}


def empty(summary: Summary, identity: str, title: str, why: str) -> Figure:
    """A figure that says that this run has nothing to show."""
    return blank(summary, identity, title, why, "raise events, so that more of the store leaves memory")
