"""What the chapter's figures share: points with intervals by setting, rows of their tables, and a figure of nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.marks import COLOURS, add_dots, bars, blank, by_label
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.model import Estimate

Series = Mapping[str, Mapping[str, Estimate]]
"""Name of a series to its estimates by label; a label that a series lacks has no point there."""


def spoken(time: Estimate) -> str:
    """A time given in ns with its interval, in ns below a microsecond and in µs from there."""
    return f"{with_interval(time)} ns" if time.point < 1_000 else f"{with_interval(time, 1e-3)} µs"


def dots(series: Series, labels: Sequence[str], *, factor: float = 1.0) -> go.Figure:
    """One row per label, one kind of mark per series, with intervals."""
    plot = go.Figure()
    for place, (name, found) in enumerate(series.items()):
        add_dots(plot, place, name, {label: found[label] for label in labels if label in found}, factor)
    by_label(plot, labels, height=170, each=30)
    return plot


def lines(series: Mapping[str, Mapping[float, Estimate]]) -> go.Figure:
    """Estimates over numbers of rows, one line with marks and intervals per series, both axes logarithmic."""
    plot = go.Figure()
    for place, (name, found) in enumerate(series.items()):
        plot.add_scatter(
            x=list(found), y=[e.point for e in found.values()], mode="lines+markers", name=name,
            line={"color": COLOURS[place % 6], "dash": theme.DASHES[place % 6]},
            marker={"symbol": theme.SYMBOLS[place % 6]},
            error_y=bars(found.values()),
        )  # fmt: skip
    powers = [10.0**power for power in range(2, 10)]
    plot.update_xaxes(type="log", tickvals=powers, ticktext=[f"{value:,.0f}" for value in powers], title="rows")
    plot.update_yaxes(**theme.decades())
    return plot


def interval(series: Mapping[str, Mapping[Any, Estimate]]) -> str:
    """The name of the intervals that ``dots`` and ``lines`` draw."""
    return interval_name(e for found in series.values() for e in found.values())


def rows(series: Series, labels: Sequence[str], first: str, quantity: str, *, factor: float = 1.0) -> pd.DataFrame:
    """The table behind ``dots``: one row per mark."""
    return pd.DataFrame(
        [
            {first: label, "series": name, quantity: factor * e.point, "low": factor * e.low, "high": factor * e.high,
             "trials": e.n}
            for label in labels
            for name, found in series.items()
            for e in ([found[label]] if label in found else [])
        ]
    )  # fmt: skip


def empty(summary: Summary, identity: str, title: str, why: str) -> Figure:
    """A figure that says that this run has nothing to show."""
    return blank(summary, identity, title, why, "measure again with `benchbook run`")
