"""Data that wait to be written along a trial, by pool and limit, and the figure that shows them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
from plotly.subplots import make_subplots

from benchbook.chapters.io_cliff import arms
from benchbook.chapters.io_cliff.trials import Summary
from benchbook.chapters.io_cliff.watched import PARTS
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.marks import COLOURS
from benchbook.figures import theme
from benchbook.measuring.pgbench.parameters import INTERVALS

MIB = 2**20
OF_PARTS = tuple(f"{name}_{part + 1:02}" for name in ("dirty_mib", "writeback_mib") for part in range(PARTS))
DIRTY = (*OF_PARTS, "dirty_slowing_bytes", "dirty_peak_bytes")
"""What a run has where its system tells of dirty data."""
WAITS, CLIFF = "dirty or being written", "a cliff begins"
LIMIT = {"dash": "dot", "color": theme.COLOURS["grey"]}


def middles(summary: Summary, arm: str, parts: int = PARTS) -> np.ndarray:
    """The second in the middle of each of so many parts of a trial, shape (parts,)."""
    return np.asarray((np.arange(parts) + 0.5) / parts * summary.seconds(arm))


def parts(summary: Summary, arm: str, name: str) -> np.ndarray:
    """A metric of each of the 24 parts of a trial, mean over trials."""
    return np.array([summary.mean(arm, f"{name}_{part + 1:02}") for part in range(PARTS)])


def amounts(summary: Summary, arm: str) -> tuple[np.ndarray, float]:
    """MiB that wait to be written or are being written in each part of a trial, and from which writers are slowed."""
    waiting = parts(summary, arm, "dirty_mib") + parts(summary, arm, "writeback_mib")
    return waiting, summary.mean(arm, "dirty_slowing_bytes") / MIB


def dirty(summary: Summary) -> Drawn | Blank:
    """Data that wait to be written along the trial by pool and limit, and where cliffs began."""
    some = (arms.A, arms.A_10_5, arms.A_80, arms.B, arms.A_FREE, arms.B_FREE)[: 5 if summary.capped else 6]
    waits = {arm: amounts(summary, arm) for arm in summary.having(some, *DIRTY)}
    if not waits:
        return Blank("This system does not report the data waiting to be written", "use Linux")
    plot = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.78, 0.22], vertical_spacing=0.05)
    tables, said = [], []
    top = max(max(float(waiting.max()), slowing) for waiting, slowing in waits.values())
    for place, (arm, (waiting, slowing)) in enumerate(waits.items()):
        at, name, colour = middles(summary, arm), summary.label(arm), COLOURS[place % len(COLOURS)]
        tables.append(pd.DataFrame({"configuration": name, "what": WAITS, "second": at, "MiB": waiting}))
        plot.add_scatter(
            x=at, y=waiting, name=name, mode="lines", row=1, col=1,
            line={"color": colour, "dash": theme.DASHES[place], "width": 2},
        )  # fmt: skip
        peak = float(summary.values(arm, "dirty_peak_bytes").max()) / MIB
        said.append({"label": name, "peak": peak, "slowing": slowing})
        begun = [float(second) for second in summary.falls_s(arm) if not np.isnan(second)]
        if begun:
            tables.append(pd.DataFrame({"configuration": name, "what": CLIFF, "second": begun}))
            part = summary.seconds(arm) / INTERVALS
            counted = Counter((second // part + 0.5) * part for second in begun)
            plot.add_scatter(
                x=[*counted], y=[-place] * len(counted), mode="markers+text", name=CLIFF, row=2, col=1,
                text=[f"{n}" for n in counted.values()], textposition="middle right", textfont={"size": 12},
                showlegend=all(trace.name != CLIFF for trace in plot.data),
                marker={"color": colour, "symbol": "triangle-up", "size": 9}, hovertext=name,
            )  # fmt: skip
    for slowing in sorted({round(slowing) for _, slowing in waits.values()}):
        plot.add_hline(y=slowing, line=LIMIT, row=1, col=1)
    plot.update_xaxes(rangemode="tozero")
    plot.update_xaxes(title="second of the trial", row=2)
    plot.update_yaxes(title="waiting to be written (MiB)", range=[0, 1.05 * top], row=1)
    plot.update_yaxes(title="cliffs", range=[-len(waits), 1], showticklabels=False, showgrid=False, row=2)
    plot.update_layout(height=theme.HEIGHT_PX + 60)
    return Drawn(plot, pd.concat(tables, ignore_index=True), said)
