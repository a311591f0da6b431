"""Points with intervals, a row for each label."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from benchbook.drawing.marks import COLOURS, add_dots, by_label, of_row, reach
from benchbook.drawing.regular.base import Found, Given, Regular
from benchbook.numbers.summary import Summary

SERIES_PX = 11
"""Of a row for each of its series."""


@dataclass(frozen=True, kw_only=True)
class Dots(Regular):
    """A row for each label, one kind of mark per series.

    rows: what has a row, from top to bottom: key to label, or a function of the summary that gives it; a list of
    configurations stands under their own labels. row: heading of the labels' column in the table.
    height, each: of the plot without rows and of one row, in pixels; a row of many series is higher.
    """

    rows: Mapping[Any, str] | Callable[[Any], Mapping[Any, str] | Iterable[str]]
    row: str = "configuration"
    height: int = 170
    each: int = 30

    def keys(self, summary: Summary) -> Mapping[Hashable, str]:
        rows = self.rows(summary) if callable(self.rows) else self.rows
        return rows if isinstance(rows, Mapping) else {arm: summary.label(arm) for arm in rows}

    def draw(self, found: Found, keys: Mapping[Any, str], given: Iterable[Given]) -> go.Figure:
        plot = go.Figure()
        several = any(sum(key in marks for marks in found.values()) > 1 for key in keys)
        for place, (name, marks) in enumerate(found.items()):
            own = {keys[key]: marks[key] for key in keys if key in marks}
            add_dots(plot, place, name, own, self.factor, self.unit, self.replicates)
        lines = len(found) if several else 1
        if several:  # Plotly then moves aside what lacks of_row, and without a reach cuts off intervals
            plot.update_layout(scattermode="group", scattergap=0.3)
        for each in given:
            if each.line:
                for place, value in enumerate(each.values.values()):
                    look = {"dash": each.line, "width": 2, "color": COLOURS[5]}
                    plot.add_vline(x=value, line=look, name=each.name, showlegend=place == 0)
            else:  # as high as all series of a row, and in its middle: that of two series is between them
                shown = {keys[key]: value for key, value in each.values.items() if key in keys}
                look = {"symbol": "line-ns", "size": max(18, 9 * lines), "line": {"width": 4, "color": COLOURS[5]}}
                plot.add_scatter(
                    x=list(shown.values()), y=list(shown), mode="markers", name=each.name, legendrank=1_001,
                    marker=look | {"color": COLOURS[5]}, **of_row(lines // 2 if lines % 2 else lines),
                )  # fmt: skip
        if lines % 2 == 0:  # places in a row are given in the order of the traces
            plot.data = [*plot.data[: lines // 2], *plot.data[lines:], *plot.data[lines // 2 : lines]]
        by_label(plot, list(keys.values()), height=self.height, each=max(self.each, SERIES_PX * (lines + 1)))
        return plot

    def cells(self, key: Any, name: str) -> dict[str, object]:
        return {self.row: name}

    def scaled(self, plot: go.Figure, shown: Iterable[float]) -> str:
        every = [*shown]
        look = self.look(every, decades=2)
        plot.update_xaxes(**look, title=self.axis)
        if self.rule is not None:
            plot.add_vline(x=self.rule, line={"color": COLOURS[5], "dash": "dot"})
            lowest = min(every) ** 2 / self.rule  # what lies below the rule has a tick there, if one is near
            every += [self.rule, *[tick for tick in look.get("tickvals", ()) if lowest < tick < self.rule][-1:]]
        if self.scale != "percent":
            low, high = reach(every, log=self.scale == "log")
            plot.update_xaxes(range=[-0.02 * high if self.scale == "zero" else low, high])
        return ""
