"""Figure of the claims that are ratios: the region that the note claims, and what was measured."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import chapter_claims, region
from benchbook.errors import BenchbookError
from benchbook.experiments.read_path.judgements import ESTIMANDS
from benchbook.experiments.read_path.marks import COLOURS, INTERVALS
from benchbook.experiments.read_path.summary import Summary
from benchbook.figures import Figure, theme, with_interval
from benchbook.model import Estimate

CLAIMED = "fig-read-path-claims"
LEFT, RIGHT = 0.01, 100.0
"""Where a region that is open to one side ends in the drawing."""


def claimed(summary: Summary) -> Figure:
    """The note's ratios as regions, ours as points with intervals."""
    claims = chapter_claims("read_path")
    rows: list[dict[str, object]] = []
    names: list[str] = []
    points: list[tuple[str, Estimate]] = []
    plot = go.Figure()
    for identity, estimand in ESTIMANDS.items():
        claim = claims[identity]
        if claim.unit != "ratio":
            continue
        label = f"{identity}: {_short(claim.quote)}"
        names.append(label)
        asked = region(claim)
        low, high = (LEFT if asked.low is None else asked.low), (RIGHT if asked.high is None else asked.high)
        plot.add_scatter(
            x=[low, high], y=[label, label], mode="lines", line={"color": COLOURS[5], "width": 14, "dash": "solid"},
            opacity=0.45, name="what the note claims", showlegend=len(names) == 1,
        )  # fmt: skip
        found: dict[str, object] = {"claim": identity, "metric": claim.metric, "claimed low": asked.low}
        found["claimed high"] = asked.high
        try:
            estimate = estimand.compute(summary, 0.95)
        except BenchbookError:
            rows.append(found)
            continue
        points.append((label, estimate))
        rows.append(found | {"measured": estimate.point, "low": estimate.low, "high": estimate.high})
    x = [e.point for _, e in points]
    plot.add_scatter(
        x=x, y=[label for label, _ in points], mode="markers", name="measured here",
        marker={"color": COLOURS[0], "symbol": "circle", "size": 9},
        error_x=theme.error_bars(x, [e.low for _, e in points], [e.high for _, e in points]),
    )  # fmt: skip
    plot.update_xaxes(**theme.decades(), title="ratio (see the claim)")
    plot.update_yaxes(autorange="reversed", categoryorder="array", categoryarray=names)
    plot.update_layout(height=170 + 40 * len(names))
    said = "; ".join(f"{label.split(':')[0]} {with_interval(estimate)}" for label, estimate in points) or "none"
    return Figure(
        CLAIMED,
        "The note's claims as ratios (bars: the region that counts as reproduced, before margins; open sides end at "
        f"the axis) and what was measured (points), logarithmic axis. {said}. {INTERVALS}, paired within blocks; "
        f"{summary.origin()}.",
        f"{len(points)} measured ratios beside {len(names)} regions claimed by the note: {said}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
    )


def _short(quote: str, most: int = 36) -> str:
    return quote if len(quote) <= most else quote[: quote.rindex(" ", 0, most)] + " …"
