"""The figures: throughput and dirty data along a trial, falls and when, comparisons, waits, checkpoints, claims."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.experiments.io_cliff.arms import (
    A_10_1,
    A_10_5,
    A_80,
    A_FREE,
    B_10_5,
    B_FREE,
    BASELINE,
    CHECKPOINTS,
    FREE_AGAIN,
    REPEATED,
    A,
    B,
)
from benchbook.experiments.io_cliff.checkpoint_figures import checkpoints
from benchbook.experiments.io_cliff.course_figures import dirty, timelines
from benchbook.experiments.io_cliff.numbers import first
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.io_cliff.watched import WAIT_TYPES
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.drawn import Blank, Drawn
from benchbook.experiments.shape.marks import add_bars
from benchbook.experiments.shape.regular import Dots, Found
from benchbook.model import Estimate

COMPARED = (
    (REPEATED, A), (FREE_AGAIN, A_FREE), (BASELINE, A), (B, A), (A_80, A), (A_FREE, A), (B_FREE, B), (B_FREE, A_FREE),
    (A, A_10_1), (A_10_1, A_10_5), (B, B_10_5),
)  # fmt: skip


def _all_cliffs(summary: Summary, found: Found) -> str:
    arms = summary.having(summary.arms, "cliff")
    with_cliff, of = (sum(summary.cliffs(arm)[place] for arm in arms) for place in (0, 1))
    return f"{with_cliff} of {of} trials show one."


cliffs = Dots(
    rows=lambda summary: summary.arms,
    series={"share of the trials": lambda summary, arm: statistics.share_of_trials(*summary.cliffs(arm))},
    axis="trials with a cliff (%)", quantity="percent", heading="", factor=100, scale="percent", height=120,
    more={"trials with a cliff": lambda summary, arm: summary.cliffs(arm)[0]},
    said=_all_cliffs,
)  # fmt: skip


def _pairs(summary: Summary) -> Mapping[tuple[str, str], str]:
    planned = [pair for pair in COMPARED if {*pair} <= {*summary.arms}]
    return {(top, low): f"{_short(summary, top)} / {_short(summary, low)}" for top, low in planned}


def _short(summary: Summary, arm: str) -> str:
    """A label without what its letter stands for."""
    return summary.label(arm).split(":")[0] if arm in (A, B) else summary.label(arm)


limits = Dots(
    rows=_pairs,
    series={"ratio of TPS": lambda summary, pair: summary.gain(*pair)},
    axis="ratio of TPS", row="comparison", quantity="ratio", heading="", scale="plain", rule=1,
    height=120, replicates="blocks",
)  # fmt: skip


def waits(summary: Summary) -> Drawn | Blank:
    """What the connections waited for, as shares of what was seen in all trials."""
    shares: dict[str, Mapping[str, Estimate]] = {}
    for arm in summary.having(summary.arms, *(f"waits_{kind.lower()}" for kind in WAIT_TYPES)):
        counts = {kind: int(summary.values(arm, f"waits_{kind.lower()}").sum()) for kind in WAIT_TYPES}
        if any(counts.values()):
            shares[arm] = statistics.multinomial_shares(counts)
    if not shares:
        return Blank("This run has no samples of waiting connections", "measure longer trials")
    kinds = [kind for kind in WAIT_TYPES if any(each[kind].point for each in shares.values())]
    plot = go.Figure()
    for place, kind in enumerate(kinds):
        add_bars(plot, place, kind, {summary.label(arm): 100 * each[kind].point for arm, each in shares.items()})
    rows = [
        {"configuration": summary.label(arm), "wait": kind, "percent": 100 * each[kind].point,
         "low": 100 * each[kind].low, "high": 100 * each[kind].high}
        for kind in kinds
        for arm, each in shares.items()
    ]  # fmt: skip
    plot.update_layout(barmode="stack", height=140 + 30 * len(shares))
    plot.update_xaxes(title="connections seen (%)", range=[0, 101])
    plot.update_yaxes(autorange="reversed")
    arm = first(summary)
    seen = shares.get(arm)
    most = max(seen, key=lambda kind: seen[kind].point) if seen else "nothing"
    said = f"In “{summary.label(arm)}” connections were seen most often in the state {most}."
    return Drawn(
        plot, pd.DataFrame(rows), said, [e for each in shares.values() for e in each.values()],
        own={"n": len(shares)}, within="these trials", origin=summary.origin(summary.arms),
    )  # fmt: skip


claims = ClaimFigure()


seconds = Dots(
    rows=lambda summary: {
        arm: summary.label(arm) for arm in summary.arms if arm not in CHECKPOINTS and arm not in (B, B_10_5, A_80)
    },
    series={
        "dirty data near the point that slows writers": lambda summary, arm: summary.reached_s(arm),
        "throughput falls": lambda summary, arm: summary.fell_s(arm),
    },
    axis="second of the trial", heading="what", scale="zero", height=140,
    nothing="Fewer than two trials of each configuration fell or neared a limit",
    mend="measure with allow_slow_storage=true, more blocks and the standard profile",
)  # fmt: skip


FIGURES = {
    "timelines": timelines,
    "share_of_trials": cliffs,
    "seconds": seconds,
    "dirty_data": dirty,
    "dirty_limits": limits,
    "waits": waits,
    "checkpoints": checkpoints,
    "claims": claims,
}
