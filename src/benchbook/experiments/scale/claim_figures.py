"""Figure of the claims: the regions that count as reproduced, and what was measured."""

from __future__ import annotations

from benchbook.experiments.claim_plot import draw, open_to, quoted
from benchbook.experiments.scale.judgements import CLAIMED, ESTIMANDS
from benchbook.experiments.scale.summary import Summary
from benchbook.figures import Figure, theme

OPEN_END = 20.0
"""Where the bar of a region without an upper edge ends."""


def claimed(summary: Summary) -> Figure:
    """The note's ratios as regions, ours as points with intervals."""
    drawn = draw("scale", ESTIMANDS, summary, label=quoted, height=160, each=30, edges=open_to(1 / OPEN_END, OPEN_END))
    return Figure(
        CLAIMED,
        "The note's claims as ratios (bars: the region that counts as reproduced; an open side ends at "
        f"{OPEN_END:g}) and what was measured (points, 95 % intervals over blocks), logarithmic axis; a claim "
        f"without a point needs a size that this run does not have. {summary.origin()}.",
        f"{len(drawn.points)} measured ratios beside {len(drawn.table)} regions claimed by the note: {drawn.said}.",
        theme.apply(drawn.plot),
        drawn.table,
        summary.run.id,
        interval=drawn.interval,
        lacks=drawn.lacks,
    )
