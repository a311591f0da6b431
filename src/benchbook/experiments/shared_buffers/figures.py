"""The figures: the note's three runs, claims, what each tier served, rounds, shares of memory, a CHECKPOINT, sizes."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.families.pgbench.courses import add_course
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.notes import table
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.marks import COLOURS, add_bars, blank
from benchbook.experiments.shared_buffers.answers import CLAIMED, TIERS, TIMELINES
from benchbook.experiments.shared_buffers.arms import A_LOCAL, B_PREWARMED, BASELINE, SCENARIO_A, SCENARIO_B
from benchbook.experiments.shared_buffers.memory_figures import checkpoint, means_of, share_of_ram
from benchbook.experiments.shared_buffers.pools import MEND, latency, pools, sizes
from benchbook.experiments.shared_buffers.rounds import reverted
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Figure, theme

RUNS = {1: BASELINE, 2: SCENARIO_A, 3: SCENARIO_B}
SHORT = {BASELINE: "baseline", SCENARIO_A: "A", SCENARIO_B: "B"}
"""The note's runs and our configurations of the same settings."""
SERVED = {
    "pool_share_of_requests": "shared buffers",
    "os_share_of_requests": "OS cache",
    "device_share_of_requests": "device",
}
BESIDE_TIERS = (
    "device_reads_per_transaction", "evictions", "evictions_per_allocation", "buffers_clean", "data_in_pool_end",
    "data_in_os_cache_start", "dirty_most_bytes", "dirty_limit_bytes",
)  # fmt: skip
"""Metrics whose means over trials stand in further columns of the figure's table."""


def timelines(summary: Summary) -> Figure:
    """TPS of each twelfth of a trial over the mean of B, with a band over blocks, the note's runs beside it."""
    title = "Throughput along the trial"
    noted = table("c8gb_timeline")
    note_mean = float(noted.loc[noted["run"] == 3, "tps"].mean())
    x = [(place + 1) / INTERVALS for place in range(INTERVALS)]
    known = summary.having((BASELINE, SCENARIO_A, SCENARIO_B, A_LOCAL, B_PREWARMED), "interval_01_tps")
    if not {SCENARIO_A, SCENARIO_B} <= set(known):
        return blank(summary, TIMELINES, title, "This run lacks the timeline of one or both scenarios", MEND)
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    reference = summary.timeline(SCENARIO_B).mean()
    for place, arm in enumerate(known):
        course = summary.timeline(arm) / reference
        middle, low, high = (
            values.tolist() for values in (course.mean(axis=0), course.min(axis=0), course.max(axis=0))
        )
        rows += [
            {
                "configuration": summary.label(arm), "share of the trial": share, "TPS over mean of B": m,
                "least": lo, "most": hi,
            }
            for share, m, lo, hi in zip(x, middle, low, high, strict=True)
        ]  # fmt: skip
        add_course(plot, place, summary.label(arm).partition(", 1,250")[0], x, middle, (low, high), dash="solid")
    first, last = summary.timeline(SCENARIO_A)[:, 0].mean(), summary.timeline(SCENARIO_A)[:, -1].mean()
    said = f"A ends at {last / first:.2f} times its initial throughput"
    for place, (run, arm) in enumerate(RUNS.items()):
        part = noted[noted["run"] == run]
        shares, heights = (part["t_s"] / 60).tolist(), (part["tps"] / note_mean).tolist()
        rows += [
            {"configuration": f"the note's run {run}", "share of the trial": t, "TPS over mean of B": y}
            for t, y in zip(shares, heights, strict=True)
        ]
        plot.add_scatter(
            x=shares, y=heights, name=f"the note's run {run} ({SHORT[arm]})", mode="lines+markers",
            line={"color": COLOURS[place], "dash": "dot", "width": 1}, marker={"symbol": "x", "size": 6},
        )  # fmt: skip
    plot.update_xaxes(
        title="share of the trial that has passed",
        tickvals=[0, 0.25, 0.5, 0.75, 1],
        ticktext=["0 %", "25 %", "50 %", "75 %", "100 %"],
    )
    plot.update_yaxes(title="TPS over mean of B", rangemode="tozero")
    plot.update_layout(height=theme.HEIGHT_PX + 100)  # eight names stand below it
    return Figure(
        TIMELINES,
        f"Throughput in twelfths of the trial of {summary.parameters.tpcb_seconds} s, over the mean of B: "
        "mean of the blocks, with the range of all blocks as a band. Dotted: the note's 60 s, one run each, over the "
        f"mean of its own run 3.",
        f"Lines of throughput along the trial for {len(known)} configurations and the note's three runs; {said}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        title=title,
    )


claims = ClaimFigure(
    id=CLAIMED,
    title="Claims on the three runs against measurements",
    what="The changes of note 002 between its three runs",
    only=lambda answer: answer.figure == CLAIMED,
)


DRAWN = 12
"""Configurations in the figure of the tiers."""


def tiers(summary: Summary) -> Figure:
    """Which tier served the block requests of each configuration."""
    title, arms = "Block requests that missed shared buffers", summary.having(summary.arms, *SERVED)
    if not arms:
        return blank(summary, TIERS, title, "This run did not count which tier served the requests", MEND)
    served = {name: {arm: float(summary.values(arm, metric).mean()) for arm in arms} for metric, name in SERVED.items()}
    rows: list[dict[str, object]] = [
        {"configuration": summary.label(arm)}
        | {name: shares[arm] for name, shares in served.items()}
        | {heading: mean(summary, arm) for heading, mean in means_of(*BESIDE_TIERS).items()}
        for arm in arms
    ]
    fewest_hits = sorted(arms, key=served["shared buffers"].__getitem__)[:DRAWN]
    drawn = [arm for arm in arms if arm in fewest_hits]
    plot = go.Figure()
    for place, name in enumerate(("OS cache", "device"), start=1):
        add_bars(plot, place, name, {summary.label(arm): 100 * served[name][arm] for arm in drawn})
    worst, share = min(served["shared buffers"].items(), key=lambda each: each[1])
    said = f"fewest hits in shared buffers: {summary.label(worst)} with {share:.1%}"
    plot.update_layout(barmode="stack", height=160 + 26 * len(drawn))
    plot.update_xaxes(title="block requests that shared buffers did not serve (%)")
    plot.update_yaxes(autorange="reversed")
    return Figure(
        TIERS,
        "Block requests that missed shared buffers: the share of the requests of the measured seconds that came from "
        "the operating system's cache or from the device, mean over trials (change of the counters over the window; "
        f"the device by what the server's processes read). The table has more than these {len(drawn)}.",
        f"Stacked bars of the requests served by the OS cache and the device for {len(drawn)} configurations; {said}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        title=title,
    )


FIGURES = {
    "timelines": timelines,
    "claims": claims,
    "pools": pools,
    "latency": latency,
    "tiers": tiers,
    "reverted": reverted,
    "share_of_ram": share_of_ram,
    "checkpoint": checkpoint,
    "sizes": sizes,
}
