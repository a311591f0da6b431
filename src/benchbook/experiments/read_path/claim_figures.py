"""Figure of the claims that are ratios: the region that the note claims, and what was measured."""

from __future__ import annotations

import pandas as pd

from benchbook.claims import chapter_claims, region
from benchbook.errors import BenchbookError
from benchbook.experiments.claim_plot import Bar, draw, short
from benchbook.experiments.read_path.judgements import ESTIMANDS
from benchbook.experiments.read_path.marks import INTERVALS
from benchbook.experiments.read_path.summary import Summary
from benchbook.figures import Figure, interval_name, theme
from benchbook.model import Estimate

CLAIMED = "fig-read-path-claims"
LEFT, RIGHT = 0.01, 100.0
"""Where a region that is open to one side ends in the drawing."""


def claimed(summary: Summary) -> Figure:
    """The note's ratios as regions, ours as points with intervals."""
    claims = chapter_claims("read_path")
    rows: list[dict[str, object]] = []
    bars: list[Bar] = []
    measured: dict[str, Estimate] = {}
    for identity, estimand in ESTIMANDS.items():
        claim = claims[identity]
        if claim.unit != "ratio":
            continue
        label = f"{identity}: {short(claim.quote)}"
        asked = region(claim)
        low, high = (LEFT if asked.low is None else asked.low), (RIGHT if asked.high is None else asked.high)
        bars.append(Bar(label, low, high))
        found: dict[str, object] = {"claim": identity, "metric": claim.metric, "claimed low": asked.low}
        found["claimed high"] = asked.high
        try:
            estimate = estimand.compute(summary, 0.95)
        except BenchbookError:
            rows.append(found)
            continue
        measured[label] = estimate
        rows.append(found | {"measured": estimate.point, "low": estimate.low, "high": estimate.high})
    drawn = draw(bars, measured, "ratio (see the claim)", height=170, each=40)
    return Figure(
        CLAIMED,
        "The note's claims as ratios (bars: the region that counts as reproduced, before margins; open sides end at "
        f"the axis) and what was measured (points), logarithmic axis. {drawn.said}. {INTERVALS}, paired within blocks; "
        f"{summary.origin()}.",
        f"{len(drawn.points)} measured ratios beside {len(bars)} regions claimed by the note: {drawn.said}.",
        theme.apply(drawn.plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(measured.values()),
    )
