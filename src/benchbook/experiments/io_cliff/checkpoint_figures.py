"""Throughput along trials that are long enough for checkpoints."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.families.pgbench.courses import add_course
from benchbook.experiments.io_cliff import over_blocks
from benchbook.experiments.io_cliff.answers import CHECKPOINTS
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.io_cliff.watched import PARTS
from benchbook.experiments.shape.marks import COLOURS, blank
from benchbook.figures import Figure, interval_name, theme


def checkpoints(summary: Summary) -> Figure:
    """TPS along the long trials, and when their checkpoints began."""
    title, arms = "Throughput and checkpoints along a trial", summary.checkpoint_arms
    if not arms:
        why = "This run left out the checkpoint configurations"
        return blank(summary, CHECKPOINTS, title, why, "ask for trials of 600 s with checkpoints")
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
    return Figure(
        CHECKPOINTS,
        "Throughput along a trial with checkpoints far apart and at PostgreSQL's defaults, geometric means over blocks "
        "with 95 % intervals; marks at the top: parts of the trial in which checkpoints began. Checkpoints per "
        f"trial: {text}.",
        f"Lines of throughput for {len(arms)} configurations. Checkpoints begun per trial: {text}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
        title=title,
        origin=summary.origin(arms),
    )
