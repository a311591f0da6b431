"""Lines with marks and intervals over a number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from benchbook.drawing.marks import ASIDE, COLOURS, bars, hover, of_series
from benchbook.drawing.regular.base import Found, Given, Regular
from benchbook.figures import theme
from benchbook.model import Estimate
from benchbook.numbers.summary import Summary

CUT = " Intervals that reach beyond the axis stand in the table in full."


@dataclass(frozen=True, kw_only=True)
class Lines(Regular):
    """Estimates over a number, one line with marks and intervals per series.

    over: the numbers, or a function of the summary that gives them. across: title of their axis. column: heading of
    their column in the table, by default the same. rows: whether they are numbers of rows, or other sizes, on a
    logarithmic axis. tick: such a number in words. ticks: those that have a tick, by default all of them. aside:
    whether each series stands a little to the right of the one before, so that their intervals do not lie over each
    other. beyond: as a factor, how far the axis, which is then logarithmic, goes at most beyond the outermost points:
    an interval of two blocks can span powers of ten, beside which no point could be told from another; {cut} is then
    a sentence.
    """

    over: Callable[[Any], Iterable[float]]
    across: str
    column: str = ""
    rows: bool = False
    tick: Callable[[Any], str] = "{:,g}".format
    ticks: Iterable[float] = ()
    aside: bool = False
    beyond: float = 0.0

    def keys(self, summary: Summary) -> Mapping[Any, str]:
        return {number: self.tick(number) for number in self.over(summary)}

    def draw(self, found: Found, keys: Mapping[Any, str], given: Iterable[Given]) -> go.Figure:
        plot = go.Figure()
        for place, (name, marks) in enumerate(found.items()):
            shift = ASIDE**place if self.aside else 1
            plot.add_scatter(
                x=[shift * number for number in marks], y=[self.factor * e.point for e in marks.values()],
                mode="lines+markers", name=name,
                **hover(name, self._named(marks, keys), self.factor, self.unit, self.replicates),
                line={"color": COLOURS[place % 6], "dash": theme.DASHES[place % 6], "width": 2},
                marker=of_series(place),
                error_y=bars(marks.values(), self.factor),
            )  # fmt: skip
        for place, each in enumerate(given, start=len(found)):
            points = {"x": list(each.values), "y": list(each.values.values()), "name": each.name}
            if each.line:
                plot.add_scatter(**points, mode="lines", line={"color": COLOURS[5], "dash": each.line, "width": 2})
                continue
            symbol = f"{theme.SYMBOLS[place % 6]}-open"
            look = {"color": COLOURS[place % 6], "symbol": symbol, "size": 11, "line": {"width": 2}}
            plot.add_scatter(**points, mode="markers", marker=look)
        ticks = sorted(self.ticks or {*keys, *(number for each in given for number in each.values)})
        plot.update_xaxes(title=self.across, tickvals=ticks, ticktext=[self.tick(number) for number in ticks])
        if self.rows:
            plot.update_xaxes(type="log")
        return plot

    def _named(self, marks: Mapping[Any, Estimate], keys: Mapping[Any, str]) -> dict[str, Estimate]:
        return {f"{self.across} {keys[number]}": e for number, e in marks.items()}

    def cells(self, key: Any, name: str) -> dict[str, object]:
        return {self.column or self.across: key}

    def scaled(self, plot: go.Figure, shown: Iterable[float]) -> str:
        """The vertical axis, with its rule; a sentence where an interval leaves it."""
        if self.rule is not None:
            plot.add_hline(y=self.rule, line={"color": COLOURS[5], "dash": "dot"})
        every = list(shown)
        plot.update_yaxes(**self.look(every, decades=3), title=self.axis)
        if not self.beyond:
            return ""
        points = [float(y) for trace in plot.data for y in trace.y]
        bottom = max(min(points) / self.beyond, min(every + points) / 1.2)
        top = min(max(points) * self.beyond, max(every + points) * 1.2)
        plot.update_yaxes(range=[math.log10(bottom), math.log10(top)])
        return CUT if min(every) < bottom or max(every) > top else ""
