"""What the chapter's figures share: lines with intervals over the number of rows, axes, and a figure of nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import plotly.graph_objects as go

from benchbook.experiments.marks import COLOURS, blank
from benchbook.experiments.scale.arms import short
from benchbook.experiments.scale.summary import Summary
from benchbook.figures import Figure, interval_name, theme
from benchbook.model import Estimate

Series = Mapping[int, Estimate]
BEYOND = 5.0
"""How far beyond the outermost points the axis goes at most, as a factor."""


def stated(plot: go.Figure, title: str, place: int, values: Mapping[int, float]) -> None:
    """The note's numbers: open marks without intervals, for it gives none."""
    plot.add_scatter(
        x=list(values), y=list(values.values()), mode="markers", name=title,
        marker={"color": COLOURS[place], "symbol": f"{theme.SYMBOLS[place]}-open", "size": 11, "line": {"width": 2}},
    )  # fmt: skip


def equal(plot: go.Figure, sizes: Iterable[int]) -> None:
    """The line at which neither system is faster."""
    ends = sorted(sizes)
    plot.add_scatter(
        x=[ends[0], ends[-1]], y=[1, 1], mode="lines", name="equally fast",
        line={"color": COLOURS[5], "dash": "dash", "width": 1},
    )  # fmt: skip


def axes(plot: go.Figure, sizes: Iterable[int], title: str, found: Iterable[Series]) -> str:
    """Both axes logarithmic, rows named as the note names them; a sentence if an interval leaves the axis, else "".

    An interval of two or three blocks can span powers of ten, beside which no point could be told from another.
    """
    shown = sorted(set(sizes))
    plot.update_xaxes(type="log", tickvals=shown, ticktext=[short(rows) for rows in shown], title="rows")
    points = [float(y) for trace in plot.data for y in trace.y]
    estimates = [e for series in found for e in series.values()]
    low, high = min(points) / BEYOND, max(points) * BEYOND
    bottom = max(low, min([e.low for e in estimates] + points) / 1.2)
    top = min(high, max([e.high for e in estimates] + points) * 1.2)
    plot.update_yaxes(**theme.decades(), title=title, range=[math.log10(bottom), math.log10(top)])
    left = any(e.low < bottom or e.high > top for e in estimates)
    return " Intervals that reach beyond the axis stand in the table in full." if left else ""


def interval(found: Iterable[Series]) -> str:
    """The name of the intervals of these series."""
    return interval_name(e for series in found for e in series.values())


def records(series: Series, what: str, quantity: str) -> list[dict[str, object]]:
    """Rows of the table under a figure."""
    return [
        {"rows": rows, "series": what, quantity: e.point, "low": e.low, "high": e.high, "blocks": e.n}
        for rows, e in series.items()
    ]


def note_records(values: Mapping[int, float], what: str, quantity: str) -> list[dict[str, object]]:
    """The same for the note's numbers, which have no interval."""
    return [{"rows": rows, "series": what, quantity: value} for rows, value in values.items()]


def empty(summary: Summary, identity: str, title: str, why: str) -> Figure:
    """A figure that says that this run has nothing to show."""
    return blank(summary, identity, title, why, "ask for them with the chapter's parameters")
