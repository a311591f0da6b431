"""Figures of the three runs of note 002 again: along the trial, claim by claim, and the size of the data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.claim_plot import draw, named
from benchbook.experiments.marks import COLOURS, blank
from benchbook.experiments.notes import table
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.shared_buffers.arms import B_PREWARMED, BASELINE, SCENARIO_A, SCENARIO_B
from benchbook.experiments.shared_buffers.judgements import (
    CLAIMED,
    ESTIMANDS,
    NOTE_POOL_GIB,
    NOTE_SCALE,
    SIZES,
    TIMELINES,
    size_at_note_scale_gib,
)
from benchbook.experiments.shared_buffers.parameters import INTERVALS
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Figure, theme

_RUNS = {1: BASELINE, 2: SCENARIO_A, 3: SCENARIO_B}
"""The note's runs and our configurations of the same settings."""


def timelines(summary: Summary) -> Figure:
    """TPS of each twelfth of a trial over the mean of B, with a band over blocks, the note's runs beside it."""
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    noted = table("c8gb_timeline")
    note_mean = float(noted.loc[noted["run"] == 3, "tps"].mean())
    x = [(place + 1) / INTERVALS for place in range(INTERVALS)]
    known = [arm for arm in (BASELINE, SCENARIO_A, SCENARIO_B, B_PREWARMED) if summary.has(arm, "interval_01_tps")]
    if not {SCENARIO_A, SCENARIO_B} <= set(known):
        why = "This run does not have the course of both scenarios"
        return blank(summary, TIMELINES, "Throughput along the trial", why, "measure the standard profile")
    reference = summary.timeline(SCENARIO_B).mean()
    for place, arm in enumerate(known):
        course = summary.timeline(arm) / reference
        middle, low, high = course.mean(axis=0), course.min(axis=0), course.max(axis=0)
        rows += [
            {
                "configuration": summary.label(arm), "share of the trial": share, "TPS over mean of B": m,
                "least": lo, "most": hi,
            }
            for share, m, lo, hi in zip(x, middle.tolist(), low.tolist(), high.tolist(), strict=True)
        ]  # fmt: skip
        _band(plot, x, low, high, place)
        line = {"color": COLOURS[place], "dash": "solid", "width": 2}
        plot.add_scatter(x=x, y=middle, name=summary.label(arm), mode="lines", line=line)
    first, last = summary.timeline(SCENARIO_A)[:, 0].mean(), summary.timeline(SCENARIO_A)[:, -1].mean()
    said = f"Scenario A ends at {last / first:.2f} times where it begins"
    for place, (run, arm) in enumerate(_RUNS.items()):
        part = noted[noted["run"] == run]
        shares, heights = part["t_s"] / 60, part["tps"] / note_mean
        rows += [
            {"configuration": f"the note's run {run}", "share of the trial": t, "TPS over mean of B": y}
            for t, y in zip(shares.tolist(), heights.tolist(), strict=True)
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
    )


def claimed(summary: Summary) -> Figure:
    """The note's ratios as regions, ours as points with intervals."""
    shown = {name: estimand for name, estimand in ESTIMANDS.items() if estimand.figure_id == CLAIMED}
    drawn = draw(
        "shared_buffers",
        shown,
        summary,
        label=named,
        height=140,
        each=34,
        title="ratio of two configurations (see the claim)",
    )
    return Figure(
        CLAIMED,
        "The changes of note 002 between its three runs as ratios (bars: the region that counts as reproduced) and "
        f"what was measured (points, 95 % intervals over blocks), logarithmic axis; {summary.origin()}.",
        f"{len(drawn.points)} measured ratios beside the regions claimed by the note: {drawn.said}.",
        theme.apply(drawn.plot),
        drawn.table,
        summary.run.id,
        interval=drawn.interval,
        lacks=drawn.lacks,
    )


def sizes(summary: Summary) -> Figure:
    """Size of a fresh pgbench database by scale: measured at small ones, read off the line at the note's."""
    measured = {int(k): int(v) for k, v in (summary.run.provenance.get("size_bytes_by_scale") or {}).items()}
    if "data_bytes" in summary.run.provenance:
        measured[summary.parameters.scale] = int(summary.run.provenance["data_bytes"])
    rows: list[dict[str, object]] = [
        {"scale": scale, "size (GiB)": size / 2**30, "how": "measured"} for scale, size in sorted(measured.items())
    ]
    said = "this run did not measure two small data sets"
    try:
        gib = size_at_note_scale_gib(summary)
    except NotEstimableError:
        gib = None
    if gib is not None:
        rows.append({"scale": NOTE_SCALE, "size (GiB)": gib, "how": "on the line through the two smallest"})
        share = gib / NOTE_POOL_GIB
        said = f"scale {NOTE_SCALE:,} comes to {gib:.2f} GiB, {share:.3f} of the note's {NOTE_POOL_GIB:g} GiB"
    frame = pd.DataFrame(rows or [{"scale": summary.parameters.scale, "how": "not measured"}])
    plot = go.Figure()
    for place, (how, part) in enumerate(frame.groupby("how", sort=False)):
        plot.add_scatter(
            x=part["scale"], y=part.get("size (GiB)"), name=str(how), mode="markers",
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 10},
        )  # fmt: skip
    plot.add_scatter(
        x=[1, 2 * NOTE_SCALE], y=[NOTE_POOL_GIB] * 2, name=f"the note's pool of {NOTE_POOL_GIB:g} GiB", mode="lines",
        line={"color": COLOURS[5], "dash": "dot"},
    )  # fmt: skip
    plot.update_xaxes(**theme.decades(), title="pgbench scale")
    plot.update_yaxes(**theme.decades(), title="tables and indexes (GiB)")
    return Figure(
        SIZES,
        "Size of a fresh pgbench database (tables, indexes, maps) by scale, logarithmic axes: "
        f"{said}; {summary.origin()}.",
        f"Points of size against scale beside a line at the note's pool of {NOTE_POOL_GIB:g} GiB; {said}.",
        theme.apply(plot),
        frame,
        summary.run.id,
    )


def _band(plot: go.Figure, x: list[float], low: np.ndarray, high: np.ndarray, place: int) -> None:
    plot.add_scatter(
        x=[*x, *reversed(x)], y=[*high, *reversed(low)], fill="toself", mode="none", opacity=0.2, showlegend=False,
        hoverinfo="skip", fillcolor=COLOURS[place],
    )  # fmt: skip
