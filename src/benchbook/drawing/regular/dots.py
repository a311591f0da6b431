"""Points with intervals, a row for each label."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from benchbook.drawing.marks import COLOURS, add_dots, below_each_other, by_label, of_row, reach, row_px
from benchbook.drawing.regular.base import Found, Given, Regular
from benchbook.numbers.summary import Summary


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
        """Rows and their labels."""
        rows = self.rows(summary) if callable(self.rows) else self.rows
        return rows if isinstance(rows, Mapping) else {arm: summary.label(arm) for arm in rows}

    def draw(self, found: Found, keys: Mapping[Any, str], given: Iterable[Given]) -> go.Figure:
        """Points and intervals, then what is given."""
        plot = go.Figure()
        several = any(sum(key in marks for marks in found.values()) > 1 for key in keys)
        for place, (name, marks) in enumerate(found.items()):
            own = {keys[key]: marks[key] for key in keys if key in marks}
            add_dots(plot, place, name, own, self.factor, self.unit, self.replicates)
        labels, lines = list(keys.values()), 1
        if several:
            below_each_other(plot)
            lines = len(found)
        for each in given:
            if each.line:
                for place, value in enumerate(each.values.values()):
                    look = {"dash": each.line, "width": 2} | ({"color": COLOURS[5]} if len(each.values) > 1 else {})
                    plot.add_scatter(
                        x=[value, value], y=[labels[0], labels[-1]], mode="lines", name=each.name, line=look,
                        showlegend=place == 0, **of_row(0),
                    )  # fmt: skip
            else:
                shown = {keys[key]: value for key, value in each.values.items() if key in keys}
                look = {"symbol": "line-ns", "size": 18, "line": {"width": 4, "color": COLOURS[5]}, "color": COLOURS[5]}
                plot.add_scatter(
                    x=list(shown.values()),
                    y=list(shown),
                    mode="markers",
                    name=each.name,
                    marker=look,
                    **of_row(len(found) if several else 0),  # below several series, on the line of a single one
                )
                lines = len(found) + 1 if several else 1
        by_label(plot, labels, height=self.height, each=row_px(lines, self.each))
        return plot

    def cells(self, key: Any, name: str) -> dict[str, object]:
        """The row's label."""
        return {self.row: name}

    def scaled(self, plot: go.Figure, shown: Iterable[float]) -> str:
        """The horizontal axis, with its rule."""
        if self.rule is not None:
            plot.add_vline(x=self.rule, line={"color": COLOURS[5], "dash": "dot"})
        every = [*shown]
        plot.update_xaxes(**self.look(every, decades=2), title=self.axis)
        every += [] if self.rule is None else [self.rule]
        if self.scale != "percent":
            low, high = reach(every, log=self.scale == "log")
            plot.update_xaxes(range=[-0.02 * high if self.scale == "zero" else low, high])
        return ""
