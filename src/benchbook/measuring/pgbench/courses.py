"""Throughput along a trial: a line with a band for each configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.drawing.marks import COLOURS
from benchbook.figures import theme
from benchbook.measuring.pgbench.spent import PARTS
from benchbook.measuring.pgbench.summary import Summary
from benchbook.model import Estimate

GROUPED = 4
"""Parts of a trial that are drawn as one."""


def add_course(
    plot: go.Figure,
    place: int,
    name: str,
    at: Sequence[float],
    middle: Sequence[float],
    band: tuple[Sequence[float], Sequence[float]],
    *,
    dash: str = "",
    row: int | None = None,
    col: int | None = None,
) -> None:
    """One configuration's. at: places of its parts. band: their lower and upper ends. dash: by default its own.

    row, col: where the plot has several.
    """
    low, high = band
    colour = COLOURS[place % len(COLOURS)]
    plot.add_scatter(
        x=[*at, *reversed(at)], y=[*high, *reversed(low)], fill="toself", mode="none", opacity=0.2, showlegend=False,
        hoverinfo="skip", fillcolor=colour, row=row, col=col,
    )  # fmt: skip
    plot.add_scatter(
        x=at, y=middle, name=name, mode="lines+markers", line={"color": colour, "dash": dash or theme.DASHES[place]},
        marker={"color": colour, "symbol": theme.SYMBOLS[place], "size": 6}, row=row, col=col,
    )  # fmt: skip


def along(summary: Summary, arm: str, names: Sequence[str], grouped: int = 1) -> list[Estimate]:
    """Means over trials of metrics of equal parts of a trial. grouped: so many parts are told as one."""
    values = np.stack([summary.values(arm, name) for name in names])
    parts = values.reshape(len(names) // grouped, grouped, -1).mean(axis=1)
    return [summary.estimated(statistics.arithmetic_mean, part) for part in parts]


def add_parts(
    plot: go.Figure, summary: Summary[Any], drawn: Mapping[str, str], heading: str, panels: Mapping[str, str]
) -> tuple[dict[str, list[Estimate]], pd.DataFrame]:
    """Draw metrics of the parts of each trial, four as one; the estimates of the first panel by name, and the table.

    drawn: configurations and their names. heading: of the names in the table. panels: what is drawn below each other,
    to the name of its metric with {} for a part's number.
    """
    shown, tables, seconds = {}, [], summary.parameters.trial_seconds
    at = ((np.arange(PARTS // GROUPED) + 0.5) * seconds * GROUPED / PARTS).tolist()
    several, [first, *_] = len(panels) > 1, panels
    for place, (arm, name) in enumerate(drawn.items()):
        for row, (what, metric) in enumerate(panels.items(), start=1):
            found = along(summary, arm, parts_of(metric), GROUPED)
            where = {"row": row, "col": 1} if several else {}
            table = add_estimates(plot, place, name, at, found, "value" if several else what, **where)
            plot.data[-1].update(showlegend=True if several and row == 1 else False if several else None)
            tables.append(table.assign(**{heading: name}, what=what))
            if row == 1:
                shown[name] = found
    columns = [heading, "what", "second", "value"] if several else [heading, "second", first]
    return shown, pd.concat(tables, ignore_index=True)[[*columns, "low", "high"]]


def parts_of(metric: str) -> list[str]:
    """The names of a metric of each part of a trial. metric: with {} for the part's number."""
    return [metric.format(f"{part + 1:03}") for part in range(PARTS)]


def add_estimates(
    plot: go.Figure, place: int, name: str, at: Sequence[float], found: Sequence[Estimate], value: str,
    *, row: int | None = None, col: int | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Draw a course of what cannot be below 0, its band too; its table. value: heading of the means."""
    middle = [each.point for each in found]
    low, high = ([each.point if each.bare else getattr(each, end) for each in found] for end in ("low", "high"))
    low = [max(0.0, each) for each in low]
    add_course(plot, place, name, at, middle, (low, high), row=row, col=col)
    return pd.DataFrame({"second": at, value: middle, "low": low, "high": high})
