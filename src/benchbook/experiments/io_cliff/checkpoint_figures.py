"""Throughput along trials that are long enough for checkpoints."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.families.pgbench.courses import add_course
from benchbook.experiments.io_cliff import over_blocks
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.io_cliff.watched import PARTS
from benchbook.experiments.shape.drawn import Blank, Drawn
from benchbook.experiments.shape.marks import COLOURS
from benchbook.figures import theme


def checkpoints(summary: Summary) -> Drawn | Blank:
    """TPS along the long trials, and when their checkpoints began."""
    arms = summary.checkpoint_arms
    if not arms:
        return Blank("This run left out the checkpoint configurations", "ask for trials of 600 s with checkpoints")
    plot, rows, drawn = go.Figure(), [], []
    ceiling = 1.3 * max(float(summary.courses(arm).max()) for arm in arms)
    said = []
    for place, arm in enumerate(arms):
        name, (seconds, course) = summary.label(arm), over_blocks.course(summary, arm)
        drawn += course
        points, low, high = ([getattr(e, end) for e in course] for end in ("point", "low", "high"))
        add_course(plot, place, name, seconds, points, (low, high))
        rows += [
            {"configuration": name, "second": second, "TPS": e.point, "low": e.low, "high": e.high, "trials": e.n}
            for second, e in zip(seconds, course, strict=True)
        ]
        if not summary.has(arm, *(f"checkpoints_{part + 1:02}" for part in range(PARTS))):
            continue
        begun, at = summary.parts(arm, "checkpoints"), over_blocks.middles(summary, arm, PARTS)
        said.append(f"{name} {begun.sum():.1f}")
        rows += [
            {"configuration": name, "second": second, "checkpoints begun per trial": count}
            for second, count in zip(at.tolist(), begun.tolist(), strict=True)
            if count > 0
        ]
        plot.add_scatter(
            x=at[begun > 0], y=np.full(int((begun > 0).sum()), ceiling * (0.97 - 0.04 * place)),
            mode="markers", showlegend=False, name=f"checkpoints: {name}",
            text=[f"{count:.1f} per trial" for count in begun[begun > 0]],
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 7},
        )  # fmt: skip
    plot.update_xaxes(title="second of the trial", rangemode="tozero")
    # with two or three blocks the bands reach far beyond anything that was measured
    plot.update_yaxes(title="transactions per second", range=[0, ceiling])
    text = ", ".join(said) or "unknown"
    return Drawn(plot, pd.DataFrame(rows), text, drawn, own={"n": len(arms)}, origin=summary.origin(arms))
