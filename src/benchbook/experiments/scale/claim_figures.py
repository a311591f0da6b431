"""Figure of the claims: the regions that count as reproduced, and what was measured."""

from __future__ import annotations

import pandas as pd

from benchbook.claims import chapter_claims, region
from benchbook.errors import BenchbookError
from benchbook.experiments.claim_plot import Bar, draw, short
from benchbook.experiments.scale.judgements import CLAIMED, ESTIMANDS
from benchbook.experiments.scale.summary import Summary
from benchbook.figures import Figure, interval_name, theme
from benchbook.model import Estimate

OPEN_END = 20.0
"""Where the bar of a region without an upper edge ends."""


def claimed(summary: Summary) -> Figure:
    """The note's ratios as regions, ours as points with intervals."""
    claims = chapter_claims("scale")
    rows: list[dict[str, object]] = []
    bars: list[Bar] = []
    measured: dict[str, Estimate] = {}
    for identity, estimand in ESTIMANDS.items():
        claim = claims[identity]
        label = f"{identity}: {short(claim.quote)}"
        asked = region(claim)
        low = asked.low if asked.low is not None else 1 / OPEN_END
        high = asked.high if asked.high is not None else OPEN_END
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
    drawn = draw(bars, measured, "ratio (see the claim)", height=160, each=30)
    return Figure(
        CLAIMED,
        "The note's claims as ratios (bars: the region that counts as reproduced; an open side ends at "
        f"{OPEN_END:g}) and what was measured (points, 95 % intervals over blocks), logarithmic axis; a claim "
        f"without a point needs a size that this run does not have. {summary.origin()}.",
        f"{len(drawn.points)} measured ratios beside {len(bars)} regions claimed by the note: {drawn.said}.",
        theme.apply(drawn.plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(measured.values()),
    )
