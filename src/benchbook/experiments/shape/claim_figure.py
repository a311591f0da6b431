"""Claims that are ratios: the claimed regions as bars, what was measured as points, on one logarithmic axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import Claim, Region, chapter_claims, region
from benchbook.experiments.shape import judging
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.marks import COLOURS, add_dots, by_label
from benchbook.experiments.shape.summary import Summary
from benchbook.figures import Figure, interval_name, intervals_said, theme, with_interval
from benchbook.model import Estimate

Edges = Callable[[Region], tuple[float, float | None]]
"""A region to the ends of its bar, above 0; without the second there is none."""

NO_POINT = "None of these claims has a number in this run."

Entry = tuple[Claim, Estimate | None, str]
"""A claim, its number in this run if there is one, else why there is none."""


@dataclass(frozen=True)
class ClaimPlot:
    """The drawing, and what its words need. points: those that have a place on a logarithmic axis, by label.

    The drawing names its claims, so that the book can mark beside them what was measured on the reader's machine.
    table: one row per claim, with what was measured or why nothing was. interval: the name of its intervals.
    """

    plot: go.Figure
    points: dict[str, Estimate]
    table: pd.DataFrame
    interval: str

    @property
    def lacks(self) -> str:
        """What the run did not measure, if it is all that the figure shows."""
        return "" if self.points else NO_POINT

    @property
    def said(self) -> str:
        """Each point with its claim's id; "none" without points."""
        return "; ".join(f"{label.split(':')[0]} {with_interval(e)}" for label, e in self.points.items()) or "none"


@dataclass(frozen=True, kw_only=True)
class ClaimFigure:
    """A chapter's claims that are ratios, against what was measured, in the ledger's order.

    units: of the claims that are shown. only: whether an answer's claim is, beside that. caption, alt: with {said} for
    the points in words, {intervals} for what theirs are, {origin}, {n} points, {regions} rows and {p.rows:,} of the
    parameters. The rest as in ``draw``.
    """

    id: str
    title: str
    caption: str
    alt: str = "{n} measured ratios beside {regions} claimed regions: {said}."
    label: Callable[[Claim], str]
    height: int = 160
    each: int = 30
    axis: str = "ratio (see the claim)"
    units: tuple[str, ...] = ("ratio",)
    edges: Edges | None = None
    only: Callable[[Answer], bool] = lambda answer: True

    def __call__(self, summary: Summary[Any]) -> Figure:
        """The figure of a summary's run."""
        claims = chapter_claims(summary.chapter.name)
        entries = [
            (claims[each.claim_id], each.estimate, each.problem)
            for each in judging.answered(summary)
            if each.answer is not None and claims[each.claim_id].unit in self.units and self.only(each.answer)
        ]
        drawn = draw(entries, label=self.label, height=self.height, each=self.each, axis=self.axis, edges=self.edges)
        texts = {"said": drawn.said, "origin": summary.origin(), "n": len(drawn.points), "regions": len(drawn.table)}
        texts["intervals"] = intervals_said(drawn.points.values())
        caption, alt = (each.format(p=summary.parameters, **texts) for each in (self.caption, self.alt))
        plot = theme.apply(drawn.plot)
        run, title = summary.run.id, self.title
        return Figure(self.id, caption, alt, plot, drawn.table, run, drawn.interval, drawn.lacks, title=title)


def draw(
    entries: Iterable[Entry],
    *,
    label: Callable[[Claim], str],
    height: int,
    each: int,
    axis: str = "ratio (see the claim)",
    edges: Edges | None = None,
) -> ClaimPlot:
    """These claims with 95 % intervals, from top to bottom.

    label: what stands behind a claim's id. height, each: of the plot without rows and of one row, in pixels. axis: its
    title. edges: without them open sides end at 0.01 and 100.
    """
    edges = edges or open_to(0.01, 100.0)
    plot = go.Figure()
    names: list[str] = []
    rows: list[dict[str, object]] = []
    points: dict[str, Estimate] = {}
    measured: list[Estimate] = []
    ends: list[float] = []
    for claim, found, problem in entries:
        names.append(f"{claim.id}: {label(claim)}")
        asked = region(claim)
        bar = edges(asked)
        ends += [end for end in bar if end is not None]
        plot.add_scatter(
            x=list(bar), y=[names[-1], names[-1]], mode="lines",
            line={"color": COLOURS[5], "width": 14, "dash": "solid"},
            opacity=0.45, name="what the note claims", showlegend=len(names) == 1,
        )  # fmt: skip
        row: dict[str, object] = {"claim": claim.id, "metric": claim.metric}
        row |= {"claimed low": asked.low, "claimed high": asked.high}
        if found is None:
            rows.append(row | {"why not": problem})
            continue
        measured.append(found)
        rows.append(row | {"measured": found.point, "low": found.low, "high": found.high, "blocks": found.n})
        if found.low > 0:
            points[names[-1]] = found
            ends += [found.low, found.high]
    add_dots(plot, 0, "measured", points)
    if not points:
        plot.add_annotation(text=NO_POINT, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    plot.update_layout(meta={"claims": {label.partition(":")[0]: label for label in names}})
    plot.update_xaxes(**theme.ticks(ends), title=axis)
    by_label(plot, names, height=height, each=each)
    table = pd.DataFrame(rows)
    if "why not" in table:
        table["why not"] = table.pop("why not")  # last, whichever claim has one
    return ClaimPlot(plot, points, table, interval_name(measured))


def open_to(left: float, right: float) -> Edges:
    """Bars that end here where a region is open, and at ``left`` where it goes on below."""
    return lambda asked: (max(asked.low or 0.0, left), right if asked.high is None else asked.high)


def quoted(claim: Claim, most: int = 36) -> str:
    """The beginning of a claim's quote, cut between words."""
    quote = claim.quote
    return quote if len(quote) <= most or " " not in quote[:most] else quote[: quote.rindex(" ", 0, most)] + " …"


def named(claim: Claim) -> str:
    """A claim's metric in words."""
    return claim.metric.replace("_", " ")
