"""Claims that are ratios: the claimed regions as bars, what was measured as points, on one logarithmic axis."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import Claim, Region, chapter_claims, region
from benchbook.drawing.marks import bars, by_label
from benchbook.figures import Figure, interval_name, intervals_said, theme, with_interval
from benchbook.figures.lesson import CONDITION, DECIDED, FAILED, HEADINGS, HELD, HOST, NONE, OPEN, PARTLY, heading
from benchbook.model import Estimate, Outcome
from benchbook.numbers import judging
from benchbook.numbers.answers import Answer, Answered
from benchbook.numbers.summary import Summary

NO_POINT = "None of these claims has a number in this run."
MARKS = {
    HELD: ("green", "circle"), PARTLY: ("blue", "diamond"), NONE: ("purple", "square"), FAILED: ("vermillion", "x"),
    HOST: ("purple", "triangle-up"), CONDITION: ("purple", "triangle-down"), OPEN: ("grey", "circle-open"),
}  # fmt: skip
"""Colour and symbol of a point by what became of its claim."""
BEYOND = 1.3
"""How far a bar whose region is open reaches beyond everything else on the axis."""
ROW_PX, SECOND_LINE_PX, REST_PX, LEGEND_PX = 42, 8, 150, 22
BREAK, LINE = "<br>", 52
"""Between lines of a label, and how many characters stand in one at most."""


class Entry(NamedTuple):
    """A claim with what is divided by what, its number in this run or why there is none, and its verdict.

    carried: the number with the interval that the verdict had to bear, where visits may have moved it.
    """

    claim: Claim
    words: str
    estimate: Estimate | None
    problem: str
    outcome: Outcome
    carried: Estimate | None = None

    @property
    def allowed(self) -> Region:
        return region(self.claim).demanded

    @property
    def borne(self) -> Estimate | None:
        """Its number with the interval that the verdict is given by, where it has a place on a logarithmic axis."""
        carried = None if self.place is None or self.place.bare else self.carried
        return carried if carried and carried.low > 0 else None

    @property
    def place(self) -> Estimate | None:
        """Its number where that has a place on a logarithmic axis."""
        return self.estimate if self.estimate is not None and self.estimate.low > 0 else None

    @property
    def label(self) -> str:
        """On the axis, the claim's id before the first colon, in as many lines as it takes."""
        parts = f"{self.claim.id}: {self.words.replace(': ', BREAK, 1)}".split(BREAK)
        return BREAK.join(line for part in parts for line in textwrap.wrap(part, LINE))


@dataclass(frozen=True)
class ClaimPlot:
    """The drawing, and what its words need. shown: the claims that have a point, from top to bottom.

    The drawing names its claims, so that the book can mark beside them what was measured on the reader's machine.
    table: one row per claim, with what was measured or why nothing was. interval: the name of its intervals.
    """

    plot: go.Figure
    shown: tuple[Entry, ...]
    table: pd.DataFrame
    interval: str

    @property
    def lacks(self) -> str:
        """What the run did not measure, if it is all that the figure shows."""
        return "" if self.shown else NO_POINT

    @property
    def said(self) -> str:
        """Each point with its claim's id and words; "none" without points."""
        return "; ".join(f"{each.claim.id}, {each.words}, {_number(each)}" for each in self.shown) or "none"

    @property
    def drift(self) -> str:
        """A sentence on the dotted lines, "" without any."""
        return " Dotted: as far as visits may have moved it." if any(each.borne for each in self.shown) else ""

    @property
    def rest(self) -> str:
        """A sentence on the claims without a point, "" where each has one."""
        left = len(self.table) - len(self.shown)
        return f" {left} more without a place on this axis {'is' if left == 1 else 'are'} in the table." if left else ""


@dataclass(frozen=True, kw_only=True)
class ClaimFigure:
    """A chapter's claims that are ratios, against what was measured, in the ledger's order.

    units: of the claims that are shown. only: whether an answer's claim is, beside that. what: the claims in words.
    The rest as in ``draw``.
    """

    id: str = ""
    title: str = "Claims against measurements"
    what: str = "The note's claims that are ratios"
    axis: str = "ratio"
    units: tuple[str, ...] = ("ratio",)
    only: Callable[[Answer], bool] = lambda answer: True

    def __call__(self, summary: Summary) -> Figure:
        claims = chapter_claims(summary.chapter.name)
        entries = [
            entry
            for each in judging.answered(summary)
            if each.answer is not None and claims[each.claim_id].unit in self.units and self.only(each.answer)
            for entry in _entries(claims[each.claim_id], each, each.answer.row)
        ]
        drawn = draw(entries, axis=self.axis)
        intervals = intervals_said(each.estimate for each in drawn.shown if each.estimate is not None)
        return Figure(
            self.id,
            f"{self.what}. Bars: allowed, margin included. Points: measured, by verdict. "
            f"Logarithmic axis; {intervals}.{drawn.drift}{drawn.rest}",
            f"{len(drawn.shown)} measured numbers beside what the note claims: {drawn.said}.{drawn.rest}",
            theme.apply(drawn.plot),
            drawn.table,
            summary.run.id,
            drawn.interval,
            drawn.lacks,
            title=self.title,
        )


def _entries(claim: Claim, answered: Answered, row: str) -> list[Entry]:
    """The entry of a claim; one for each kind of host, or condition, where these lie apart."""
    verdict = answered.verdict
    apart = ((each, each.outcome if each.outcome in DECIDED else verdict.outcome) for each in verdict.hosts)
    return [Entry(claim, f"{row} ({each.name})", each.estimate, "", outcome) for each, outcome in apart] or [
        Entry(claim, row, answered.estimate, answered.problem, verdict.outcome, verdict.carried)
    ]


def draw(entries: Iterable[Entry], *, axis: str = "ratio") -> ClaimPlot:
    """These claims with 95 % intervals, from top to bottom; those without a place on the axis in the table alone."""
    given = [*entries]
    shown = tuple(each for each in given if each.place is not None)
    # Open sides end a little beyond all that has an end of its own, so that no point is squeezed.
    known = [e for each in shown if (e := each.borne or each.place) is not None]
    edges = [end for e in known for end in ((e.point,) if e.bare else (e.low, e.high)) if end > 0]
    edges += [end for each in shown for end in (each.allowed.low, each.allowed.high) if end]
    left, right = min(edges, default=1.0) / BEYOND, max(edges, default=1.0) * BEYOND
    plot = go.Figure()
    ends: list[float] = []
    limits: list[tuple[float, str]] = []
    for place, each in enumerate(shown):
        bar = max(each.allowed.low or 0.0, left), each.allowed.high or right
        ends += bar
        limits += [(end, each.label) for end in (each.allowed.low, each.allowed.high) if end]
        plot.add_scatter(
            x=list(bar), y=[each.label, each.label], mode="lines",
            line={"color": theme.COLOURS["ochre"], "width": 14, "dash": "solid"},
            opacity=0.45, name="what the claim allows", showlegend=place == 0, hoverinfo="skip",
        )  # fmt: skip
    if limits:  # a bar is pale, so that points are seen on it; where it ends is not
        plot.add_scatter(
            x=[end for end, _ in limits], y=[label for _, label in limits], mode="markers",
            marker={"symbol": "line-ns", "size": 14, "line": {"color": theme.COLOURS["ochre"], "width": 2}},
            name="where it ends", showlegend=False, hoverinfo="skip",
        )  # fmt: skip
    if wide := [(each.label, borne) for each in shown if (borne := each.borne) is not None]:
        ends += [end for _, borne in wide for end in (borne.low, borne.high)]
        plot.add_scatter(
            x=[x for _, borne in wide for x in (borne.low, borne.high, None)],
            y=[y for label, _ in wide for y in (label, label, None)], mode="lines",
            line={"color": theme.COLOURS["grey"], "width": 2, "dash": "dot"},
            name="as far as visits may have moved it", hoverinfo="skip",
        )  # fmt: skip
    for name in HEADINGS:
        own = [each for each in shown if heading(each.outcome) == name]
        found = [e for each in own if (e := each.place) is not None]
        if not found:
            continue
        ends += [end for e in found for end in ((e.point,) if e.bare else (e.low, e.high))]
        colour, symbol = MARKS[name]
        plot.add_scatter(
            x=[e.point for e in found], y=[each.label for each in own], mode="markers", name=name.lower(),
            marker={"color": theme.COLOURS[colour], "symbol": symbol, "size": 10,
                    "line": {"width": 2, "color": theme.COLOURS[colour]}},
            error_x=bars(found),
            customdata=[f"{each.claim.id}, {each.words}: {_number(each)}, {name.lower()}" for each in own],
            hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
    if shown:
        drawn = [end for end in ends if end > 0]
        reach = [math.log10(min([left, *drawn])), math.log10(max([right, *drawn]))]  # what is open ends at the frame
        plot.update_xaxes(**theme.ticks(ends), title=axis, range=reach)
    else:
        plot.add_annotation(text=NO_POINT, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    plot.update_layout(meta={"claims": {each.claim.id: each.label for each in shown}})
    legend = sum(trace.showlegend is not False for trace in plot.data)
    height = REST_PX + LEGEND_PX * max(0, legend - 2)  # a row of its own for each further entry
    row = ROW_PX + SECOND_LINE_PX * max((each.label.count(BREAK) for each in shown), default=0)
    by_label(plot, [each.label for each in shown], height=height, each=row)
    table = pd.DataFrame([_row(each) for each in given])
    if "why not" in table:
        table["why not"] = table.pop("why not")  # last, whichever claim has one
    return ClaimPlot(plot, shown, table, interval_name([e for each in given if (e := each.estimate) is not None]))


def _row(entry: Entry) -> dict[str, object]:
    asked, found = region(entry.claim), entry.estimate
    row: dict[str, object] = {"claim": entry.claim.id, "what": entry.words or entry.claim.metric}
    row |= {"verdict": str(entry.outcome), "claimed low": asked.low, "claimed high": asked.high}
    if found is None:
        return row | {"why not": entry.problem}
    low, high = (None, None) if found.bare else (found.low, found.high)
    return row | {"measured": found.point, "low": low, "high": high, "blocks": found.n}


def _number(entry: Entry) -> str:
    return "" if entry.estimate is None else with_interval(entry.estimate)
