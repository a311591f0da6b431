"""The figures: throughput and dirty data along a trial, falls and when, comparisons, waits, checkpoints, claims."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.experiments.io_cliff.answers import CLAIMED, CLIFFS, LIMITS, first
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
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.io_cliff.watched import WAIT_TYPES
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.marks import add_bars, blank
from benchbook.experiments.shape.regular import Dots, Found
from benchbook.figures import Figure, interval_name, theme
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
    id=CLIFFS,
    title="Trials with a cliff",
    rows=lambda summary: summary.arms,
    series={"share of the trials": lambda summary, arm: statistics.share_of_trials(*summary.cliffs(arm))},
    axis="trials with a cliff (%)", quantity="percent", heading="", factor=100, scale="percent", height=120,
    more={"trials with a cliff": lambda summary, arm: summary.cliffs(arm)[0]},
    said=_all_cliffs,
    caption="Trials with a cliff: throughput, taken over a twelfth of the trial, falls below 70 % of its earlier level "
    "and stays there for a sixth of the trial. {said} 95 % Wilson intervals over trials.",
    alt="Points with intervals for {n} configurations. {said}",
)  # fmt: skip


def _pairs(summary: Summary) -> Mapping[tuple[str, str], str]:
    planned = [pair for pair in COMPARED if {*pair} <= {*summary.arms}]
    return {(top, low): f"{_short(summary, top)} / {_short(summary, low)}" for top, low in planned}


def _short(summary: Summary, arm: str) -> str:
    """A label without what its letter stands for."""
    return summary.label(arm).split(":")[0] if arm in (A, B) else summary.label(arm)


limits = Dots(
    id=LIMITS,
    title="Pools, storage, limits and workers compared",
    rows=_pairs,
    series={"ratio of TPS": lambda summary, pair: summary.gain(*pair)},
    axis="ratio of TPS", row="comparison", quantity="ratio", heading="", scale="plain", rule=1,
    height=120, replicates="blocks",
    caption="Throughput of configurations as a ratio, paired within blocks. Dirty-data limits are written as "
    "limit/background in % of the memory of server and page cache. Individual 95 % intervals.",
    alt="Points with intervals for {n} comparisons: {said}.",
)  # fmt: skip


def waits(summary: Summary) -> Figure:
    """What the connections waited for, as shares of what was seen in all trials."""
    identity, title = "fig-io-cliff-waits", "What connections waited for"
    shares: dict[str, Mapping[str, Estimate]] = {}
    for arm in summary.having(summary.arms, *(f"waits_{kind.lower()}" for kind in WAIT_TYPES)):
        counts = {kind: int(summary.values(arm, f"waits_{kind.lower()}").sum()) for kind in WAIT_TYPES}
        if any(counts.values()):
            shares[arm] = statistics.multinomial_shares(counts)
    if not shares:
        return blank(
            summary, identity, title, "This run has no samples of waiting connections", "measure longer trials"
        )
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
    return Figure(
        identity,
        "What pgbench's connections were waiting for when sampled (pg_stat_activity), pooled over trials; running "
        f"means no wait. {said} The intervals in the table are multinomial and hold only within these trials.",
        f"Stacked bars of wait kinds for {len(shares)} configurations. {said}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=f"{interval_name(e for each in shares.values() for e in each.values())}, within these trials",
        title=title,
        origin=summary.origin(summary.arms),
    )


claims = ClaimFigure(id=CLAIMED)


seconds = Dots(
    id="fig-io-cliff-seconds",
    title="When throughput falls, and when dirty data reaches its limit",
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
    caption="The second in which dirty data comes within a tenth of the point where the kernel slows writers, and that "
    "in which throughput, in half seconds, falls below 60 % of its peak. Medians over trials that had either (means of "
    "fewer than six), {intervals}.",
    alt="Points with intervals for {n} configurations: {said}.",
)  # fmt: skip


FIGURES = {
    "timelines": timelines,
    "cliffs": cliffs,
    "seconds": seconds,
    "dirty": dirty,
    "limits": limits,
    "waits": waits,
    "checkpoints": checkpoints,
    "claims": claims,
}
