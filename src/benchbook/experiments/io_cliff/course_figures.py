"""Figures over the seconds of a trial: throughput with dirty data under it, and dirty data by limit."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook.errors import BenchbookError
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.io_cliff import over_blocks
from benchbook.experiments.io_cliff.arms import A_10_5, A_80, A_FREE, B_FREE, A, B
from benchbook.experiments.io_cliff.over_blocks import MIB
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.io_cliff.watched import PARTS
from benchbook.experiments.shape.drawn import Blank, Drawn
from benchbook.experiments.shape.marks import COLOURS
from benchbook.figures import theme
from benchbook.model import Estimate

WAITING = tuple(f"{name}_{part + 1:02}" for name in ("dirty_mib", "writeback_mib") for part in range(PARTS))
DIRTY = (*WAITING, "dirty_slowing_bytes", "dirty_peak_bytes")
COLUMNS = {
    A: "pool 20 %, capped", A_FREE: "pool 20 %, not capped", B: "pool 100 %, capped",
    B_FREE: "pool 100 %, not capped",
}  # fmt: skip
CLIFF = "a cliff begins"
NEAR = 0.9
"""From this share of the amount on, what waits on the mean over trials is drawn as close to it."""


def timelines(summary: Summary) -> Drawn:
    """One column per pool and storage: TPS, and under it what waits to be written and the point that slows writers."""
    arms = [arm for arm in COLUMNS if arm in summary.configurations]
    plot = make_subplots(
        rows=2, cols=len(arms), shared_xaxes=True, shared_yaxes="rows", vertical_spacing=0.08,
        horizontal_spacing=0.02, column_titles=[COLUMNS[arm].replace(", ", "<br>") for arm in arms],
    )  # fmt: skip
    rows: list[dict[str, object]] = []
    estimates: list[Estimate] = []
    tops, said = [0.0, 0.0], []
    for column, arm in enumerate(arms, start=1):
        name = COLUMNS[arm]
        at, course = over_blocks.course(summary, arm)
        estimates += course
        rows += [
            {"configuration": name, "what": "TPS", "second": second, "value": e.point, "low": e.low, "high": e.high}
            for second, e in zip(at, course, strict=True)
        ]
        tops[0] = max(tops[0], float(summary.courses(arm).max()))
        cell = {"row": 1, "col": column}
        plot.add_scatter(
            x=[*at, *reversed(at)], y=[*(e.high for e in course), *reversed([e.low for e in course])], fill="toself",
            mode="none", opacity=0.2, showlegend=False, hoverinfo="skip", fillcolor=COLOURS[0], **cell,
        )  # fmt: skip
        plot.add_scatter(
            x=at, y=[e.point for e in course], name="throughput", showlegend=column == 1, mode="lines+markers",
            line={"color": COLOURS[0], "dash": "solid"}, marker={"color": COLOURS[0], "size": 5, "symbol": "circle"},
            **cell,
        )  # fmt: skip
        said.append(f"{name} {course[0].point:,.0f} to {course[-1].point:,.0f}")
        tops[1] = max(tops[1], _add_waiting(summary, plot, rows, arm, column))
    plot.update_annotations(font_size=13)
    seconds = summary.parameters.trial_seconds
    plot.update_xaxes(range=[0, seconds], tickvals=[0, seconds / 3, 2 * seconds / 3], tickformat=".3~g")
    plot.update_xaxes(title="second", row=2)
    for row, (title, factor) in enumerate((("TPS", 1.15), ("to be written (MiB)", 1.1)), start=1):
        plot.update_yaxes(range=[0, factor * tops[row - 1] or 1], row=row)
        plot.update_yaxes(title=title, row=row, col=1)
    plot.update_layout(height=520)
    return Drawn(plot, pd.DataFrame(rows), "; ".join(said), estimates, own={"n": len(arms)})


def _add_waiting(summary: Summary, plot: go.Figure, rows: list[dict[str, object]], arm: str, column: int) -> float:
    """The lower panel of a configuration, as far as the run has it; the highest value drawn."""
    if not summary.has(arm, *DIRTY):
        return 0.0
    waiting, slowing, at = (
        over_blocks.waiting(summary, arm),
        over_blocks.slowing(summary, arm),
        over_blocks.middles(summary, arm, PARTS),
    )
    cell = {"row": 2, "col": column}
    plot.add_scatter(
        x=at, y=waiting, name="waiting to be written", showlegend=column == 1, mode="lines",
        line={"color": COLOURS[1], "dash": "solid"}, **cell,
    )  # fmt: skip
    limit = {"dash": "dot", "color": theme.COLOURS["grey"]}
    plot.add_hline(y=slowing, line=limit, **cell)
    try:
        reached = summary.reached_s(arm)
        if waiting.max() >= NEAR * slowing and summary.in_blocks(arm)["limit_reached_at"].notna().mean() > 0.5:
            for row in (1, 2):
                plot.add_vline(x=reached.point, line=limit, row=row, col=column)
    except BenchbookError:
        pass  # neared in one trial at most
    rows += [
        {"configuration": COLUMNS[arm], "what": "waiting to be written (MiB)", "second": second, "value": value}
        for second, value in zip(at.tolist(), waiting.tolist(), strict=True)
    ]
    return max(slowing, float(waiting.max()))


def dirty(summary: Summary) -> Drawn | Blank:
    """Data that wait to be written along the trial by pool and limit, and where cliffs began."""
    arms = summary.having((A, A_10_5, A_80, B, A_FREE, B_FREE)[: 5 if summary.capped else 6], *DIRTY)
    if not arms:
        return Blank("This system does not report the data waiting to be written", "use Linux")
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    said = []
    waits = {arm: (over_blocks.waiting(summary, arm), over_blocks.slowing(summary, arm)) for arm in arms}
    top = max(max(float(waiting.max()), slowing) for waiting, slowing in waits.values())
    strip = 0.06 * top
    for place, (arm, (waiting, slowing)) in enumerate(waits.items()):
        at, name, colour = over_blocks.middles(summary, arm, PARTS), summary.label(arm), COLOURS[place % len(COLOURS)]
        rows += [
            {"configuration": name, "what": "dirty or being written", "second": second, "MiB": value}
            for second, value in zip(at.tolist(), waiting.tolist(), strict=True)
        ]
        plot.add_scatter(
            x=at, y=waiting, name=name, mode="lines", line={"color": colour, "dash": theme.DASHES[place], "width": 2}
        )
        peak = float(summary.values(arm, "dirty_peak_bytes").max()) / MIB
        said.append(f"{name}: at most {peak:,.0f} of {slowing:,.0f} MiB")
        begun = [float(second) for second in summary.falls_s(arm) if not np.isnan(second)]
        if begun:
            rows += [{"configuration": name, "what": CLIFF, "second": second, "MiB": None} for second in begun]
            part = summary.seconds(arm) / INTERVALS
            counted = Counter((second // part + 0.5) * part for second in begun)
            plot.add_scatter(
                x=[*counted], y=[-strip * (place + 1)] * len(counted), mode="markers+text", name=CLIFF,
                text=[f"{n}" for n in counted.values()], textposition="middle right", textfont={"size": 12},
                showlegend=all(trace.name != CLIFF for trace in plot.data),
                marker={"color": colour, "symbol": "triangle-up", "size": 9}, hovertext=name,
            )  # fmt: skip
    for slowing in sorted({round(slowing) for _, slowing in waits.values()}):
        plot.add_hline(y=slowing, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.update_xaxes(title="second of the trial", rangemode="tozero")
    plot.update_yaxes(title="waiting to be written (MiB)", range=[-strip * (len(arms) + 1), 1.05 * top])
    return Drawn(plot, pd.DataFrame(rows), "; ".join(said))
