"""What figures of several chapters share: points with intervals by label, and a figure that has nothing to show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchbook.figures import Figure, theme, with_interval
from benchbook.model import Estimate
from benchbook.numbers.summary import Summary

COLOURS = list(theme.COLOURS.values())
PATTERNS, BAR_COLOURS = ("", "/", "x", ".", "-", "\\", "|"), (*COLOURS, "#7a72d6")
"""Of bars: as many as a figure has kinds of, so that none is told from another by its colour alone."""
ASIDE = 1.06
"""Over rows each series stands so much to the right of the one before, or intervals would lie over each other."""
BLANK_PX = 120
"""Height of a figure that only says that it has nothing to show."""


def of_series(place: int) -> dict[str, object]:
    """The mark of a series with this place: a seventh has the first one's colour and a symbol of its own."""
    return {"color": COLOURS[place % 6], "symbol": theme.symbol(place), "size": 9}


def of_row(place: int) -> dict[str, str]:
    """What a series of points needs to stand below those before it in a label's row. place: of the series."""
    return {"orientation": "h", "offsetgroup": str(place)}


def add_dots(
    plot: go.Figure,
    place: int,
    name: str,
    marks: Mapping[str, Estimate],
    factor: float = 1.0,
    unit: str = "",
    replicates: str = "blocks",
) -> None:
    """One series of points with intervals, one for each label on the vertical axis. factor: to the axis's unit.

    unit, replicates: as in ``hover``.
    """
    plot.add_scatter(
        x=[factor * e.point for e in marks.values()], y=list(marks), mode="markers", name=name,
        marker=of_series(place),
        error_x=bars(marks.values(), factor), **of_row(place), **hover(name, marks, factor, unit, replicates),
    )  # fmt: skip


def reach(values: Iterable[float], *, log: bool = False) -> list[float]:
    """Ends of an axis on which all these values lie a little within the frame. log: in powers of ten, for those > 0."""
    known = [value for value in values if math.isfinite(value)]
    shown = [math.log10(value) for value in known if value > 0] if log else known
    low, high = min(shown), max(shown)
    size = max(abs(low), abs(high))
    aside = 0.05 * (high - low) if high - low > 1e-4 * size else 0.1 * size or 0.1
    return [low - aside, high + aside]


def hover(name: str, marks: Mapping[str, Estimate], factor: float, unit: str, replicates: str) -> dict[str, Any]:
    """What a point says under the pointer: "80 % warmed: P50 0.281 [0.236, 0.336] ms, 3 trials".

    name: of the series. marks: by label. replicates: what an estimate's n counts.
    """
    told = [
        f"{label}: {f'{name} {with_interval(e, factor)} {unit}'.strip()}{f', {e.n} {replicates}' if e.n else ''}"
        for label, e in marks.items()
    ]
    return {"customdata": told, "hovertemplate": "%{customdata}<extra></extra>"}


def add_bars(plot: go.Figure, place: int, name: str, values: Mapping[str, float], *, across: bool = True) -> None:
    """One series of bars, told apart by colour and pattern. across: from left to right, one for each label."""
    labels, lengths = list(values), list(values.values())
    along = {"x": lengths, "y": labels, "orientation": "h"} if across else {"x": labels, "y": lengths}
    pattern = {"shape": PATTERNS[place % len(PATTERNS)], "fillmode": "overlay", "fgcolor": "white", "solidity": 0.2}
    look = {"color": BAR_COLOURS[place % len(BAR_COLOURS)], "pattern": pattern}
    plot.add_bar(**along, name=name, marker=look)


def bars(estimates: Iterable[Estimate], factor: float = 1.0) -> dict[str, object]:
    """Intervals as plotly's bars around points that stand at the estimates. factor: to the axis's unit."""
    ends = [(e.point, e.point, e.point) if e.bare else (e.point, e.low, e.high) for e in estimates]
    return theme.error_bars(*([factor * each[place] for each in ends] for place in range(3)))


def by_label(plot: go.Figure, labels: Sequence[str], *, height: int, each: int) -> None:
    """The vertical axis: labels from top to bottom. height, each: of the plot without labels and of one, in pixels."""
    plot.update_yaxes(autorange="reversed", categoryorder="array", categoryarray=list(labels))
    plot.update_layout(height=height + each * len(labels))


def blank(summary: Summary, identity: str, title: str, why: str, mend: str) -> Figure:
    """A figure that says that this run has nothing to show. why, mend: half a sentence each, the first capitalised."""
    plot = go.Figure()
    plot.add_scatter(x=[0], y=[0], mode="text", text=[why], name=title)
    plot.update_xaxes(visible=False)
    plot.update_yaxes(visible=False)
    plot.update_layout(height=BLANK_PX)
    return Figure(
        identity,
        f"{title}: {why[0].lower()}{why[1:]}.",
        f"{title}: no figure. {why}; to see it, {mend}.",
        theme.apply(plot),
        pd.DataFrame([{"shown": "nothing", "why": why}]),
        summary.run.id,
        lacks=f"{why}.",
        blank=True,
        title=title,
    )
