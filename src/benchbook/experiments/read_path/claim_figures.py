"""Figure of the claims that are ratios: the region that the note claims, and what was measured."""

from __future__ import annotations

from benchbook.experiments.claim_plot import draw, quoted
from benchbook.experiments.read_path.judgements import ESTIMANDS
from benchbook.experiments.read_path.marks import INTERVALS
from benchbook.experiments.read_path.summary import Summary
from benchbook.figures import Figure, theme

CLAIMED = "fig-read-path-claims"


def claimed(summary: Summary) -> Figure:
    """The note's ratios as regions, ours as points with intervals."""
    drawn = draw("read_path", ESTIMANDS, summary, label=quoted, height=170, each=40)
    return Figure(
        CLAIMED,
        "The note's claims as ratios (bars: the region that counts as reproduced, before margins; open sides end at "
        f"the axis) and what was measured (points), logarithmic axis. {drawn.said}. {INTERVALS}, paired within blocks; "
        f"{summary.origin()}.",
        f"{len(drawn.points)} measured ratios beside {len(drawn.table)} regions claimed by the note: {drawn.said}.",
        theme.apply(drawn.plot),
        drawn.table,
        summary.run.id,
        interval=drawn.interval,
        lacks=drawn.lacks,
    )
