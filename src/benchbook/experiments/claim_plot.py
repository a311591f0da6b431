"""Claims that are ratios: the claimed regions as bars, what was measured as points, on one logarithmic axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import Claim, Region, region
from benchbook.errors import BenchbookError
from benchbook.experiments.marks import COLOURS, add_dots, by_label
from benchbook.figures import interval_name, theme, with_interval
from benchbook.model import Estimate

Edges = Callable[[Region], tuple[float, float | None]]
"""A region to the ends of its bar, above 0; without the second there is none."""


@dataclass(frozen=True)
class ClaimPlot:
    """The drawing, and what its words need. points: those that have a place on a logarithmic axis, by label.

    table: one row per claim, with what was measured or why nothing was. interval: the name of its intervals.
    """

    plot: go.Figure
    points: dict[str, Estimate]
    table: pd.DataFrame
    interval: str

    @property
    def said(self) -> str:
        """Each point with its claim's id; "none" without points."""
        return "; ".join(f"{label.split(':')[0]} {with_interval(e)}" for label, e in self.points.items()) or "none"


def draw(
    claims: Iterable[Claim],
    compute: Callable[[Claim], Estimate],
    title: str,
    *,
    label: Callable[[Claim], str],
    edges: Edges,
    height: int,
    each: int,
) -> ClaimPlot:
    """compute: a claim's number; it may say that there is none. label: what stands behind a claim's id.

    title: of the axis. height, each: of the plot without rows and of one row, in pixels.
    """
    plot = go.Figure()
    names: list[str] = []
    rows: list[dict[str, object]] = []
    points: dict[str, Estimate] = {}
    measured: list[Estimate] = []
    for claim in claims:
        names.append(f"{claim.id}: {label(claim)}")
        asked = region(claim)
        plot.add_scatter(
            x=list(edges(asked)), y=[names[-1], names[-1]], mode="lines",
            line={"color": COLOURS[5], "width": 14, "dash": "solid"},
            opacity=0.45, name="what the note claims", showlegend=len(names) == 1,
        )  # fmt: skip
        row: dict[str, object] = {"claim": claim.id, "metric": claim.metric}
        row |= {"claimed low": asked.low, "claimed high": asked.high}
        try:
            found = compute(claim)
        except BenchbookError as error:
            rows.append(row | {"why not": error.problem})
            continue
        measured.append(found)
        rows.append(row | {"measured": found.point, "low": found.low, "high": found.high, "blocks": found.n})
        if found.low > 0:
            points[names[-1]] = found
    add_dots(plot, 0, "measured here", points)
    plot.update_xaxes(**theme.decades(), title=title)
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
