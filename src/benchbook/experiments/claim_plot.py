"""Claims that are ratios: the claimed regions as bars, what was measured as points, on one logarithmic axis."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import plotly.graph_objects as go

from benchbook.figures import theme, with_interval
from benchbook.model import Estimate

COLOURS = list(theme.COLOURS.values())


@dataclass(frozen=True)
class Bar:
    """One claim. label: its id, a colon, words. low, high: the ends of its bar, above 0; without high there is none."""

    label: str
    low: float
    high: float | None


@dataclass(frozen=True)
class ClaimPlot:
    """The drawing, and what its words need. points: those that have a place on a logarithmic axis, by label."""

    plot: go.Figure
    points: dict[str, Estimate]

    @property
    def said(self) -> str:
        """Each point with its claim's id; "none" without points."""
        return "; ".join(f"{label.split(':')[0]} {with_interval(e)}" for label, e in self.points.items()) or "none"


def draw(bars: Iterable[Bar], measured: dict[str, Estimate], title: str, *, height: int, each: int) -> ClaimPlot:
    """measured: by label. height, each: of the plot without rows and of one row, in pixels."""
    plot, names = go.Figure(), []
    for bar in bars:
        names.append(bar.label)
        plot.add_scatter(
            x=[bar.low, bar.high], y=[bar.label, bar.label], mode="lines",
            line={"color": COLOURS[5], "width": 14, "dash": "solid"},
            opacity=0.45, name="what the note claims", showlegend=len(names) == 1,
        )  # fmt: skip
    points = {label: estimate for label, estimate in measured.items() if estimate.low > 0}
    x = [e.point for e in points.values()]
    plot.add_scatter(
        x=x, y=[*points], mode="markers", name="measured here",
        marker={"color": COLOURS[0], "symbol": "circle", "size": 9},
        error_x=theme.error_bars(x, [e.low for e in points.values()], [e.high for e in points.values()]),
    )  # fmt: skip
    plot.update_xaxes(**theme.decades(), title=title)
    plot.update_yaxes(autorange="reversed", categoryorder="array", categoryarray=names)
    plot.update_layout(height=height + each * len(names))
    return ClaimPlot(plot, points)


def short(quote: str, most: int = 36) -> str:
    """The beginning of a quote, cut between words."""
    return quote if len(quote) <= most or " " not in quote[:most] else quote[: quote.rindex(" ", 0, most)] + " …"
