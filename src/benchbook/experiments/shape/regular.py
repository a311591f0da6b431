"""Figures that are estimates with intervals, from a description: points by label, or lines over a number.

What a run cannot estimate has no mark; a figure without a mark says so. Table, alternative text and the name of the
intervals follow from what is drawn. A figure that is more than this is a plain function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchbook.errors import BenchbookError
from benchbook.experiments.shape.marks import ASIDE, COLOURS, add_dots, bars, blank, by_label
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.model import Estimate

Ask = Callable[[Any, Any], Estimate]
"""A summary and a row's key, or a number, to an estimate; it may raise BenchbookError."""
Found = dict[str, dict[Any, Estimate]]
"""Name of a series to its marks by key; a key that a series lacks has no mark there."""
CUT = " Intervals that reach beyond the axis stand in the table in full."
Words = str | Callable[[Any, Found], str]
"""A text, in which {said}, {more}, {origin}, {n} marked rows, {series} of them, {p.rows:,} of the parameters stand for
what they name; or a function of summary and marks."""


@dataclass(frozen=True)
class Given:
    """Numbers that the note prints, without intervals. values: by key. line: how a rule is dashed that stands instead
    of marks: at each value through all rows, or over numbers through the values.

    listed: whether they stand in the table too.
    """

    name: str
    values: Mapping[Any, float]
    line: str = ""
    listed: bool = True


@dataclass(frozen=True, kw_only=True)
class _Regular:
    """What both kinds have.

    id, title: of the figure; the title is short and stands in citations. series: name to what asks for its marks, or a
    function of the summary that gives such. axis: title of the axis of the estimates, unit included. quantity: heading
    of their column in the table, by default that title. factor: from an estimate to the axis's unit. scale: of that
    axis: "log", "ticks" (logarithmic, ticked by what is drawn), "zero" (from 0 on), "percent" (0 to 100) or "plain".
    caption, alt: what stands under the figure, and what it says in words. said, words: the numbers in words, and one of
    them. told: what {more} stands for. given: the note's numbers. nothing: what a run without a mark did not measure;
    mend: what helps. rule: a line at this value, such as 1 for "the same". heading: of the series' names in the table;
    "" for a single series that needs none.
    """

    id: str
    title: str
    series: Mapping[str, Ask] | Callable[[Any], Mapping[str, Ask]]
    axis: str
    caption: Words
    alt: Words = ""
    quantity: str = ""
    heading: str = "series"
    factor: float = 1.0
    scale: str = "log"
    said: Callable[[Any, Found], str] | None = None
    words: Callable[[Estimate], str] | None = None
    told: Callable[[Any], str] = lambda summary: ""
    given: Callable[[Any], Iterable[Given]] = lambda summary: ()
    rule: float | None = None
    nothing: str = "Nothing was timed in this run"
    mend: str = "measure again with `benchbook run`"
    replicates: str = "trials"
    more: Mapping[str, Callable[[Any, Any], object]] = field(default_factory=dict)
    """Further columns of the table: heading to what gives a cell for a summary and a key."""

    def keys(self, summary: Any) -> Mapping[Any, str]:
        """What has a mark in each series, in order, with its name."""
        raise NotImplementedError

    def draw(self, found: Found, keys: Mapping[Any, str], given: Iterable[Given]) -> go.Figure:
        """The drawing without titles and scale."""
        raise NotImplementedError

    def cells(self, key: Any, name: str) -> dict[str, object]:
        """How a table's row names what it is about."""
        raise NotImplementedError

    def __call__(self, summary: Any) -> Figure:
        """The figure of a summary's run."""
        every = self.keys(summary)
        found = _ask(summary, self.series(summary) if callable(self.series) else self.series, every)
        if not found:
            return blank(summary, self.id, self.title, self.nothing, self.mend)
        keys = {key: name for key, name in every.items() if any(key in marks for marks in found.values())}
        given = tuple(self.given(summary))
        plot = self.draw(found, keys, given)
        values = [e for marks in found.values() for e in marks.values()]
        said = (self.said or self._say)(summary, _named(found, keys))
        shown = [self.factor * end for e in values for end in (e.low, e.high)]
        shown += [value for each in given for value in each.values.values()]
        cut = self._scale(plot, shown)
        alt = self.alt or "Points with intervals for {n} rows. {said}."
        return Figure(
            self.id,
            self._fill(self.caption, summary, _named(found, keys), said, cut),
            self._fill(alt, summary, _named(found, keys), said, cut),
            theme.apply(plot),
            pd.DataFrame(self._rows(summary, found, keys, given)),
            summary.run.id,
            interval=interval_name(values),
            title=self.title,
        )

    def _say(self, summary: Any, found: Found) -> str:
        words = self.words or (lambda e: with_interval(e, self.factor))
        each = {name: ", ".join(f"{label} {words(e)}" for label, e in marks.items()) for name, marks in found.items()}
        if len(each) == 1:
            [marks] = found.values()
            return "; ".join(f"{label} {words(e)}" for label, e in marks.items())
        return "; ".join(f"{name}: {text}" for name, text in each.items())

    def _fill(self, words: Words, summary: Any, found: Found, said: str, cut: str) -> str:
        if callable(words):
            return words(summary, found)
        rows = {key for marks in found.values() for key in marks}
        return words.format(
            p=summary.parameters,
            said=said,
            cut=cut,
            more=self.told(summary),
            origin=summary.origin(),
            n=len(rows),
            series=len(found),
        )

    def _scale(self, plot: go.Figure, shown: Iterable[float]) -> str:
        raise NotImplementedError

    def _look(self, shown: Iterable[float]) -> dict[str, Any]:
        looks: dict[str, Callable[[], dict[str, Any]]] = {
            "log": theme.decades,
            "ticks": lambda: theme.ticks(shown),
            "zero": lambda: {"rangemode": "tozero"},
            "percent": lambda: {"range": [-3, 103]},
            "plain": dict,
        }
        return looks[self.scale]()

    def _rows(
        self, summary: Any, found: Found, keys: Mapping[Any, str], given: Iterable[Given]
    ) -> list[dict[str, object]]:
        quantity = self.quantity or self.axis
        rows = [
            self.cells(key, name)
            | ({self.heading: series} if self.heading else {})
            | {heading: cell(summary, key) for heading, cell in self.more.items()}
            | {quantity: self.factor * marks[key].point, "low": self.factor * marks[key].low}
            | {"high": self.factor * marks[key].high, self.replicates: marks[key].n}
            for key, name in keys.items()
            for series, marks in found.items()
            if key in marks
        ]
        for each in given:
            if each.listed:
                rows += [
                    self.cells(key, str(keys.get(key, key))) | {self.heading: each.name, quantity: value}
                    for key, value in each.values.items()
                ]
        return rows


def _ask(summary: Any, series: Mapping[str, Ask], keys: Iterable[Any]) -> Found:
    """The marks of each series that has one; a number that the run cannot estimate has none."""
    every, found = list(keys), {}
    for name, ask in series.items():
        marks = {}
        for key in every:
            try:
                marks[key] = ask(summary, key)
            except BenchbookError:
                continue
        if marks:
            found[name] = marks
    return found


def _named(found: Found, keys: Mapping[Any, str]) -> Found:
    return {name: {keys[key]: e for key, e in marks.items()} for name, marks in found.items()}


@dataclass(frozen=True, kw_only=True)
class Dots(_Regular):
    """A row for each label, one kind of mark per series.

    rows: what has a row, from top to bottom: key to label, or a function of the summary that gives it; a list of
    configurations stands under their own labels. row: heading of the labels' column in the table.
    height, each: of the plot without rows and of one row, in pixels.
    """

    rows: Mapping[Any, str] | Callable[[Any], Mapping[Any, str] | Iterable[str]]
    row: str = "configuration"
    height: int = 170
    each: int = 30

    def keys(self, summary: Any) -> Mapping[Hashable, str]:
        """Rows and their labels."""
        rows = self.rows(summary) if callable(self.rows) else self.rows
        return rows if isinstance(rows, Mapping) else {arm: summary.label(arm) for arm in rows}

    def draw(self, found: Found, keys: Mapping[Any, str], given: Iterable[Given]) -> go.Figure:
        """Points and intervals, then what is given."""
        plot = go.Figure()
        for place, (name, marks) in enumerate(found.items()):
            add_dots(plot, place, name, {keys[key]: marks[key] for key in keys if key in marks}, self.factor)
        labels = list(keys.values())
        for each in given:
            if each.line:
                for value in each.values.values():
                    plot.add_scatter(
                        x=[value, value], y=[labels[0], labels[-1]], mode="lines", name=each.name,
                        line={"dash": each.line, "width": 2},
                    )  # fmt: skip
            else:
                shown = {keys[key]: value for key, value in each.values.items() if key in keys}
                look = {"symbol": "line-ns", "size": 18, "line": {"width": 4, "color": COLOURS[5]}, "color": COLOURS[5]}
                plot.add_scatter(x=list(shown.values()), y=list(shown), mode="markers", name=each.name, marker=look)
        by_label(plot, labels, height=self.height, each=self.each)
        return plot

    def cells(self, key: Any, name: str) -> dict[str, object]:
        """The row's label."""
        return {self.row: name}

    def _scale(self, plot: go.Figure, shown: Iterable[float]) -> str:
        if self.rule is not None:
            plot.add_vline(x=self.rule, line={"color": COLOURS[5], "dash": "dot"})
        plot.update_xaxes(**self._look(shown), title=self.axis)
        return ""


@dataclass(frozen=True, kw_only=True)
class Lines(_Regular):
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
    reverse: bool = False
    aside: bool = False
    beyond: float = 0.0

    def keys(self, summary: Any) -> Mapping[Any, str]:
        """The numbers in words."""
        return {number: self.tick(number) for number in self.over(summary)}

    def draw(self, found: Found, keys: Mapping[Any, str], given: Iterable[Given]) -> go.Figure:
        """Lines and intervals, then what is given."""
        plot = go.Figure()
        for place, (name, marks) in enumerate(found.items()):
            shift = ASIDE**place if self.aside else 1
            plot.add_scatter(
                x=[shift * number for number in marks], y=[self.factor * e.point for e in marks.values()],
                mode="lines+markers", name=name, text=[keys[number] for number in marks],
                hovertemplate=f"%{{text}} {self.across}: %{{y:.3g}}",
                line={"color": COLOURS[place % 6], "dash": theme.DASHES[place % 6], "width": 2},
                marker={"color": COLOURS[place % 6], "symbol": theme.SYMBOLS[place % 6], "size": 9},
                error_y=bars(marks.values(), self.factor),
            )  # fmt: skip
        for place, each in enumerate(given, start=len(found)):
            points = {"x": list(each.values), "y": list(each.values.values()), "name": each.name}
            if each.line:
                plot.add_scatter(**points, mode="lines", line={"color": COLOURS[5], "dash": each.line, "width": 2})
                continue
            look = {"color": COLOURS[place % 6], "symbol": f"{theme.SYMBOLS[place % 6]}-open", "size": 11}
            plot.add_scatter(**points, mode="markers", marker=look)
        ticks = sorted(self.ticks or {*keys, *(number for each in given for number in each.values)})
        plot.update_xaxes(title=self.across, tickvals=ticks, ticktext=[self.tick(number) for number in ticks])
        if self.rows:
            plot.update_xaxes(type="log")
        if self.reverse:
            plot.update_xaxes(autorange="reversed")
        return plot

    def cells(self, key: Any, name: str) -> dict[str, object]:
        """The number."""
        return {self.column or self.across: key}

    def _scale(self, plot: go.Figure, shown: Iterable[float]) -> str:
        if self.rule is not None:
            plot.add_hline(y=self.rule, line={"color": COLOURS[5], "dash": "dot"})
        every = list(shown)
        plot.update_yaxes(**self._look(every), title=self.axis)
        if not self.beyond:
            return ""
        points = [float(y) for trace in plot.data for y in trace.y]
        bottom = max(min(points) / self.beyond, min(every + points) / 1.2)
        top = min(max(points) * self.beyond, max(every + points) * 1.2)
        plot.update_yaxes(range=[math.log10(bottom), math.log10(top)])
        return CUT if min(every) < bottom or max(every) > top else ""
