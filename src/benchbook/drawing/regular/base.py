"""What figures of estimates have in common: marks that the run can fill, table, words, and the empty case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchbook.drawing.marks import blank
from benchbook.errors import BenchbookError
from benchbook.figures import Figure, interval_name, intervals_said, theme, with_interval
from benchbook.model import Estimate
from benchbook.numbers.metrics import Metric
from benchbook.numbers.quantities import Told
from benchbook.numbers.summary import Summary
from benchbook.pages.names import Template

_UNIT = re.compile(r"\(([^()=]+)\)$")
Ask = Callable[[Any, Any], Estimate]
"""A summary and a row's key, or a number, to an estimate; it may raise BenchbookError."""
Found = dict[str, dict[Any, Estimate]]
"""Name of a series to its marks by key; a key that a series lacks has no mark there."""
Words = str | Template
"""A text, in which {said}, {n} marked rows, {series} of them and {intervals} stand for what they name; a template of
the page also knows the marks as numbers, {{ marks[series][label] }} or {{ keyed[series][key] }}, such as a
configuration's name, with those that are only tabulated."""
_ALT = "Points with intervals for {n} rows. {said}."
"""Of a figure without words of its own, and of one whose words this run cannot fill."""


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
class Regular:
    """What both kinds have.

    id, title: of the figure; the title is short and stands in citations. series: name to what asks for its marks, or a
    function of the summary that gives such. metric: what is shown, if it is one metric; it gives the next three. axis:
    title of the axis of the estimates, unit included. quantity: heading of their column in the table, by default that
    title. factor: from an estimate to the axis's unit. scale: of that
    axis: "log" (ticked by what is drawn), "zero" (from 0 on), "percent" (0 to 100) or "plain".
    caption, alt: what stands under the figure, and what it says in words. words: a number in words. given: the note's
    numbers. nothing: what a run without a mark did not measure; mend: what helps. rule: a line at this value, such as 1
    for "the same". heading: of the series' names in the table; "" for a single series that needs none.
    """

    series: Mapping[str, Ask] | Callable[[Any], Mapping[str, Ask]]
    id: str = ""
    title: str = ""
    caption: Words = ""
    metric: Metric | None = None
    axis: str = ""
    alt: Words = ""
    quantity: str = ""
    heading: str = "series"
    factor: float = 1.0
    scale: str = "log"
    words: Callable[[Estimate], str] | None = None
    given: Callable[[Any], Iterable[Given]] = lambda summary: ()
    rule: float | None = None
    nothing: str = "Nothing was timed in this run"
    mend: str = "measure again with `benchbook run`"
    replicates: str = "trials"
    more: Mapping[str, Callable[[Any, Any], object]] = field(default_factory=dict)
    """Further columns of the table: heading to what gives a cell for a summary and a key."""
    table_only: Callable[[Any], Iterable[Any]] = lambda summary: ()
    """Keys that are not drawn, so that a figure has about twelve rows; the caption says how many the table adds."""

    def __post_init__(self) -> None:
        """Take axis, heading and factor from the metric. Raises BenchbookError where they are told twice, or not."""
        if self.metric is not None:
            if self.axis or self.quantity or self.factor != 1:
                raise BenchbookError(
                    f"the figure {self.id} says twice what its axis shows",
                    "leave out axis, quantity and factor, and change what differs with metric.but(...)",
                )
            given = {"axis": self.metric.axis, "quantity": self.metric.column, "factor": self.metric.factor}
            for name, value in given.items():
                object.__setattr__(self, name, value)
        if not self.axis:
            raise BenchbookError(f"the axis of the figure {self.id} has no title", "give it a metric, or an axis")

    @property
    def unit(self) -> str:
        """The unit in the axis's title; "" where it has none."""
        found = _UNIT.search(self.axis)
        return found[1] if found else ""

    def keys(self, summary: Summary) -> Mapping[Any, str]:
        """What has a mark in each series, in order, with its name."""
        raise NotImplementedError

    def draw(self, found: Found, keys: Mapping[Any, str], given: Iterable[Given]) -> go.Figure:
        """The drawing without titles and scale."""
        raise NotImplementedError

    def cells(self, key: Any, name: str) -> dict[str, object]:
        """How a table's row names what it is about."""
        raise NotImplementedError

    def __call__(self, summary: Summary) -> Figure:
        every = self.keys(summary)
        found = asked(summary, self.series(summary) if callable(self.series) else self.series, every)
        if not found:
            return blank(summary, self.id, self.title, self.nothing, self.mend)
        keys = {key: name for key, name in every.items() if any(key in marks for marks in found.values())}
        given = tuple(self.given(summary))
        aside = {*self.table_only(summary)} & {*keys}
        shown_keys = {key: name for key, name in keys.items() if key not in aside}
        drawn = {name: {key: e for key, e in marks.items() if key not in aside} for name, marks in found.items()}
        plot = self.draw(drawn, shown_keys, given)
        values = [e for marks in drawn.values() for e in marks.values()]
        every_mark = _named(found, keys)
        shown = [self.factor * end for e in values for end in (e.low, e.point, e.high)]
        shown += [value for each in given for value in each.values.values()]
        knows: dict[str, object] = {
            "said": self._say(every_mark),
            "cut": self.scaled(plot, shown),
            "n": len({label for marks in _named(drawn, shown_keys).values() for label in marks}),
            "series": len(drawn),
            "intervals": intervals_said(values),
            "marks": self._told(every_mark),
            "keyed": self._told(found),
        }
        rest = f" {len(aside)} more {'is' if len(aside) == 1 else 'are'} tabulated." if aside else ""
        return Figure(
            self.id,
            _filled(self.caption, summary, knows) + rest,
            _filled(self.alt, summary, knows) or _filled(_ALT, summary, knows),
            theme.apply(plot),
            pd.DataFrame(self._rows(summary, found, keys, given)),
            summary.run.id,
            interval=interval_name(values),
            title=self.title,
        )

    def _say(self, found: Found) -> str:
        words = self.words or (lambda e: with_interval(e, self.factor))
        each = {name: ", ".join(f"{label} {words(e)}" for label, e in marks.items()) for name, marks in found.items()}
        if len(each) == 1:
            [marks] = found.values()
            return "; ".join(f"{label}{':' if label[-1:].isdigit() else ''} {words(e)}" for label, e in marks.items())
        return "; ".join(f"{name}: {text}" for name, text in each.items())

    def _told(self, marks: Found) -> dict[str, dict[Any, Told]]:
        return {name: {key: Told(each, self.factor) for key, each in own.items()} for name, own in marks.items()}

    def scaled(self, plot: go.Figure, shown: Iterable[float]) -> str:
        """Set the axis of the estimates; a sentence where intervals leave it. shown: all that should be on it."""
        raise NotImplementedError

    def look(self, shown: Iterable[float], decades: int) -> dict[str, Any]:
        """Range and ticks of that axis. decades: so many have room for ticks between the powers of ten."""
        looks: dict[str, Callable[[], dict[str, Any]]] = {
            "log": lambda: theme.ticks([*shown, *([] if self.rule is None else [self.rule])], decades_at_most=decades),
            "zero": lambda: {"rangemode": "nonnegative" if min(shown, default=0) < 0 else "tozero"},
            "percent": lambda: {"range": [-3, 103]},
            "plain": dict,
        }
        return looks[self.scale]()

    def _rows(
        self, summary: Summary, found: Found, keys: Mapping[Any, str], given: Iterable[Given]
    ) -> list[dict[str, object]]:
        quantity = self.quantity or self.axis
        rows = [
            self.cells(key, name)
            | ({self.heading: series} if self.heading else {})
            | {heading: cell(summary, key) for heading, cell in self.more.items()}
            | {quantity: self.factor * mark.point}
            | {end: None if mark.bare else self.factor * getattr(mark, end) for end in ("low", "high")}
            | {self.replicates: mark.n}
            for key, name in keys.items()
            for series, marks in found.items()
            if (mark := marks.get(key)) is not None
        ]
        for each in given:
            if each.listed:
                rows += [
                    self.cells(key, str(keys.get(key, key)))
                    | ({self.heading: each.name} if self.heading else {})
                    | {quantity: value}
                    for key, value in each.values.items()
                ]
        return rows


def asked(summary: Summary, series: Mapping[str, Ask], keys: Iterable[Any]) -> Found:
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


def _filled(words: Words, summary: Summary, known: Mapping[str, object]) -> str:
    text = words(summary, known) if isinstance(words, Template) else words.format(**known)
    return re.sub(" {2,}", " ", text)
