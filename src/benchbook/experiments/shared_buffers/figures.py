"""The figures: the note's three runs, claims, what each tier served, shares of memory, a CHECKPOINT, sizes."""

from __future__ import annotations

from functools import partial

import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import chapter_claims, region
from benchbook.experiments.families.pgbench.courses import add_course
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.notes import table
from benchbook.experiments.shape.claim_figure import ClaimFigure, named
from benchbook.experiments.shape.marks import COLOURS, add_bars, blank
from benchbook.experiments.shape.regular import Dots
from benchbook.experiments.shape.telling import told
from benchbook.experiments.shared_buffers.answers import CHECKPOINT, CLAIMED, SHARE_OF_RAM, TIERS, TIMELINES
from benchbook.experiments.shared_buffers.arms import (
    B_PREWARMED,
    BASELINE,
    NO_CHECKPOINT,
    QUARTER,
    QUARTER_HUGE,
    SCENARIO_A,
    SCENARIO_B,
    SHARES,
    THREE_EIGHTHS_HUGE,
    Part,
    share_name,
)
from benchbook.experiments.shared_buffers.estimands import EVICTIONS
from benchbook.experiments.shared_buffers.pools import MEND, cliff, latency, pools, sizes
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Figure, theme, with_interval
from benchbook.model import Effect

RUNS = {1: BASELINE, 2: SCENARIO_A, 3: SCENARIO_B}
"""The note's runs and our configurations of the same settings."""
SERVED = {
    "pool_share_of_requests": "shared buffers",
    "os_share_of_requests": "OS cache",
    "device_share_of_requests": "device",
}
BESIDE_TIERS = {
    "device reads per transaction": "device_reads_per_transaction",
    "evictions per allocation": EVICTIONS,
    "pages written by the background writer": "buffers_clean",
    "data in the pool at the end": "data_in_pool_end",
    "data in the OS cache at the start": "data_in_os_cache_start",
}
BESIDE_MEMORY = {
    "blocks of 8 KiB read per transaction": "reads_per_transaction",
    "data in either cache at the end": "resident_share_end",
    "least available memory": "least_available_share",
    "bytes in swap at most": "swapped_bytes",
    "processes killed for memory": "killed_processes",
}
"""Further columns of a figure's table: heading to the metric whose mean over trials stands there."""
PAGES = {"in the pool": "resident", "dirty": "dirty"}


def timelines(summary: Summary) -> Figure:
    """TPS of each twelfth of a trial over the mean of B, with a band over blocks, the note's runs beside it."""
    title = "Throughput along the trial"
    noted = table("c8gb_timeline")
    note_mean = float(noted.loc[noted["run"] == 3, "tps"].mean())
    x = [(place + 1) / INTERVALS for place in range(INTERVALS)]
    known = summary.having((BASELINE, SCENARIO_A, SCENARIO_B, B_PREWARMED), "interval_01_tps")
    if not {SCENARIO_A, SCENARIO_B} <= set(known):
        return blank(summary, TIMELINES, title, "This run does not have the course of both scenarios", MEND)
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
        add_course(plot, place, summary.label(arm), x, middle, (low, high), dash="solid")
    first, last = summary.timeline(SCENARIO_A)[:, 0].mean(), summary.timeline(SCENARIO_A)[:, -1].mean()
    said = f"Scenario A ends at {last / first:.2f} times where it begins"
    for place, (run, arm) in enumerate(RUNS.items()):
        part = noted[noted["run"] == run]
        shares, heights = (part["t_s"] / 60).tolist(), (part["tps"] / note_mean).tolist()
        rows += [
            {"configuration": f"the note's run {run}", "share of the trial": t, "TPS over mean of B": y}
            for t, y in zip(shares, heights, strict=True)
        ]
        plot.add_scatter(
            x=shares, y=heights, name=f"the note's run {run} ({arm.replace('_', ' ')})", mode="lines+markers",
            line={"color": COLOURS[place], "dash": "dot", "width": 1}, marker={"symbol": "x", "size": 6},
        )  # fmt: skip
    plot.update_xaxes(title="share of the trial that has passed", tickformat=".0%")
    plot.update_yaxes(title="TPS over mean of B", rangemode="tozero")
    plot.update_layout(height=theme.HEIGHT_PX + 100)  # seven names stand below it
    return Figure(
        TIMELINES,
        f"Throughput along the trial in twelfths of {summary.parameters.tpcb_seconds} s, over the mean of Scenario B: "
        "mean of the blocks with the range of all blocks as a band, and dotted the note's 60 s, one run each, over the "
        f"mean of its own run 3; {summary.origin()}.",
        f"Lines of throughput along the trial for {len(known)} configurations and the note's three runs; {said}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        title=title,
    )


claims = ClaimFigure(
    id=CLAIMED,
    title="Claims on the three runs against measurements",
    label=named,
    height=140,
    each=34,
    axis="ratio of two configurations (see the claim)",
    only=lambda answer: answer.figure == CLAIMED,
    caption="The changes of note 002 between its three runs as ratios (bars: the region that counts as reproduced) and "
    "what was measured (points, 95 % intervals over blocks), logarithmic axis; {origin}.",
    alt="{n} measured ratios beside the regions claimed by the note: {said}.",
)


def _mean(metric: str, summary: Summary, arm: str) -> float | None:
    return float(summary.values(arm, metric).mean()) if summary.has(arm, metric) else None


def tiers(summary: Summary) -> Figure:
    """Which tier served the block requests of each configuration."""
    title, arms = "What shared buffers did not have", summary.having(summary.arms, *SERVED)
    if not arms:
        return blank(summary, TIERS, title, "This run did not count which tier served", MEND)
    served = {name: {arm: float(summary.values(arm, metric).mean()) for arm in arms} for metric, name in SERVED.items()}
    rows: list[dict[str, object]] = [
        {"configuration": summary.label(arm)}
        | {name: shares[arm] for name, shares in served.items()}
        | {heading: _mean(metric, summary, arm) for heading, metric in BESIDE_TIERS.items()}
        for arm in arms
    ]
    plot = go.Figure()
    for place, name in enumerate(("OS cache", "device"), start=1):
        add_bars(plot, place, name, {summary.label(arm): share for arm, share in served[name].items()})
    worst, share = min(served["shared buffers"].items(), key=lambda each: each[1])
    said = f"fewest hits in shared buffers: {summary.label(worst)} with {share:.1%}"
    plot.update_layout(barmode="stack", height=160 + 26 * len(rows))
    plot.update_xaxes(title="share of block requests that shared buffers did not serve", tickformat=".1%")
    plot.update_yaxes(autorange="reversed")
    return Figure(
        TIERS,
        "What shared buffers did not have: the share of the block requests of the measured seconds that came from the "
        "operating system's cache or from the device, mean over trials (differences of counters around the window; the "
        f"device by what the server's processes read); {summary.origin()}.",
        f"Stacked bars of the requests served by the OS cache and the device for {len(rows)} configurations; {said}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        title=title,
    )


def _by_share(summary: Summary) -> dict[str, Effect]:
    """TPS of each share of memory, and of the pools in huge pages, over that of a quarter."""
    shares = (share_name(percent) for percent in SHARES)
    others = [arm for arm in (*shares, QUARTER_HUGE, THREE_EIGHTHS_HUGE) if arm != QUARTER]
    return summary.once("by share of memory", lambda: summary.estimable(QUARTER, others))


def _bound(summary: Summary) -> str:
    return "memory not bounded" if summary.free_trials(summary.of_part(Part.WARM)) else "memory bounded"


_shares = Dots(
    id=SHARE_OF_RAM,
    title="Throughput by the pool's share of memory",
    rows=lambda summary: [*_by_share(summary)],
    series={"measured": lambda summary, arm: _by_share(summary)[arm]},
    axis="TPS over TPS with a pool of 25 % of memory", quantity="TPS over 25 % of memory", heading="", scale="plain",
    rule=1,
    replicates="blocks",
    more={heading: partial(_mean, metric) for heading, metric in BESIDE_MEMORY.items()},
    nothing="This run did not measure pools of several shares of memory", mend=MEND,
    told=_bound,
    caption="Throughput by the pool's share of memory against a quarter of it, TPC-B after a warm start and a "
    "CHECKPOINT, data 1/1.6 of memory, {more}; intervals hold together with 95 % (paired over blocks, Bonferroni); the "
    "band is what counts as the note's −23 % at 37.5 %; {origin}.",
    alt="Points with intervals of throughput ratios against a pool of a quarter of memory. {said}.",
)  # fmt: skip


def share_of_ram(summary: Summary) -> Figure:
    """These ratios, with the region that the note's -23 % stands for."""
    figure = _shares(summary)
    if figure.lacks:
        return figure
    asked = region(chapter_claims(summary.chapter.name)["R077"])
    figure.plot.add_vrect(x0=asked.low, x1=asked.high, fillcolor=COLOURS[5], opacity=0.3, line_width=0)
    figure.plot.add_scatter(  # a shape has no entry in the legend
        x=[None], y=[None], name="what counts as the note's −23 %", mode="markers",
        marker={"color": COLOURS[5], "symbol": "square", "size": 14, "opacity": 0.4},
    )  # fmt: skip
    return figure


def checkpoint(summary: Summary) -> Figure:
    """Pages in the pool and dirty pages, before and after a CHECKPOINT, and what it does to throughput."""
    title = "Pages in shared buffers around a CHECKPOINT"
    rows: list[dict[str, object]] = []
    means: dict[str, dict[str, float]] = {"before": {}, "after": {}}
    for moment, found in means.items():
        for kind, which in PAGES.items():
            metric = f"{which}_{moment}_checkpoint"
            if summary.has(QUARTER, metric):
                values = summary.values(QUARTER, metric)
                found[kind] = float(values.mean())
                row = {"moment": f"{moment} the CHECKPOINT", "pages": kind, "mean": found[kind]}
                rows.append(row | {"least": values.min(), "most": values.max(), "trials": len(values)})
    if not rows:
        why = "This run did not count the pool's pages around a CHECKPOINT"
        return blank(summary, CHECKPOINT, title, why, MEND)
    plot = go.Figure()
    for place, (moment, found) in enumerate(means.items()):
        add_bars(plot, place, f"{moment} the CHECKPOINT", found, across=False)
    both = [kind for kind in PAGES if kind in means["before"] and kind in means["after"]]
    said = "; ".join(
        f"{kind}: {means['before'][kind]:,.0f} pages before, {means['after'][kind]:,.0f} after" for kind in both
    )
    cost = "".join(told(lambda: _cost(summary)))
    plot.update_layout(barmode="group")
    plot.update_yaxes(title="pages of 8 KiB")
    origin = summary.origin()
    return Figure(
        CHECKPOINT,
        "Pages of pgbench's tables in shared buffers right before and right after a CHECKPOINT, nobody else connected "
        f"(pg_buffercache, mean over trials, pool of 25 % of memory).{cost} {origin[0].upper()}{origin[1:]}.",
        f"Two groups of bars; {said or 'not all of the pages were counted in this run'}.{cost}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        title=title,
    )


def _cost(summary: Summary) -> str:
    effect = with_interval(summary.gain(QUARTER, NO_CHECKPOINT))
    arms, metric = (QUARTER, NO_CHECKPOINT), "full_images_per_transaction"
    against = ""
    if all(summary.has(arm, metric) for arm in arms):
        images = " against ".join(f"{summary.values(arm, metric).mean():.2f}" for arm in arms)
        against = f", with {images} full page images a transaction"
    return f" Throughput right after a CHECKPOINT is {effect} times that without one{against}."


FIGURES = {
    "timelines": timelines,
    "claims": claims,
    "pools": pools,
    "latency": latency,
    "cliff": cliff,
    "tiers": tiers,
    "share_of_ram": share_of_ram,
    "checkpoint": checkpoint,
    "sizes": sizes,
}
