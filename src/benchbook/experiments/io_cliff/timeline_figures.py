"""Figures over the course of a trial: throughput, dirty data against its limit, checkpoints."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.io_cliff.arms import A_4_1, A_MACHINE, BASELINE, SMALL_POOL, A, B
from benchbook.experiments.io_cliff.course import PARTS
from benchbook.experiments.io_cliff.judgements import CHECKPOINTS, DIRTY, TIMELINES
from benchbook.experiments.io_cliff.reduction import INTERVALS
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.marks import COLOURS
from benchbook.figures import Figure, interval_name, theme
from benchbook.model import Estimate

MIB = 2**20


def timelines(summary: Summary) -> Figure:
    """TPS along the trial of the note's three runs and of the small pool, with the band over blocks."""
    arms = [BASELINE, A, B, SMALL_POOL]
    plot, rows, drawn = _courses(summary, arms)
    courses = [drawn[start : start + INTERVALS] for start in range(0, len(drawn), INTERVALS)]
    ends = "; ".join(
        f"{summary.labels[arm]}: {course[0].point:,.0f} to {course[-1].point:,.0f}"
        for arm, course in zip(arms, courses, strict=True)
    )
    return Figure(
        TIMELINES,
        "Throughput along a trial, in twelfths as the note's 60 s have intervals of 5 s. Lines are geometric means "
        f"over blocks, bands their 95 % intervals (Student t on logs); {summary.origin()}.",
        f"Lines of throughput with bands for {len(arms)} configurations. TPS of first and last twelfth: {ends}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
    )


def dirty(summary: Summary) -> Figure:
    """Data that wait to be written along the trial, the limits at which writers are slowed, and where cliffs began."""
    arms = [arm for arm in (A, SMALL_POOL, B, A_4_1, A_MACHINE) if arm in summary.labels]
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    said = []
    for place, arm in enumerate(arms):
        waiting, written = (summary.parts(arm, name) for name in ("dirty_mib", "writeback_mib"))
        if waiting is None or written is None:
            continue
        at = (np.arange(PARTS) + 0.5) / PARTS * summary.seconds(arm)
        rows += [
            {"configuration": summary.labels[arm], "what": "dirty or being written", "second": second, "MiB": value}
            for second, value in zip(at.tolist(), (waiting + written).tolist(), strict=True)
        ]
        plot.add_scatter(
            x=at, y=waiting + written, name=summary.labels[arm], mode="lines",
            line={"color": COLOURS[place % len(COLOURS)], "dash": theme.DASHES[place], "width": 2},
        )  # fmt: skip
        slowing = float(summary.trials(arm)["dirty_slowing_bytes"].mean()) / MIB
        peak = float(summary.trials(arm)["dirty_peak_bytes"].max()) / MIB
        said.append(f"{summary.labels[arm]}: at most {peak:,.0f} of {slowing:,.0f} MiB")
        if slowing < 2 * peak:
            plot.add_scatter(
                x=[0, summary.seconds(arm)], y=[slowing, slowing], mode="lines", showlegend=False, hoverinfo="skip",
                line={"color": COLOURS[place % len(COLOURS)], "dash": "dot", "width": 1},
            )  # fmt: skip
        for begun in _cliff_seconds(summary, arm):
            rows.append({"configuration": summary.labels[arm], "what": "a cliff begins", "second": begun, "MiB": None})
            plot.add_scatter(
                x=[begun], y=[0], mode="markers", showlegend=False, name=f"cliff: {summary.labels[arm]}",
                marker={"color": COLOURS[place % len(COLOURS)], "symbol": "triangle-up", "size": 11},
            )  # fmt: skip
    if not rows:
        rows = [{"configuration": summary.labels[A], "what": "not told by this system", "second": 0.0, "MiB": None}]
        plot.add_scatter(x=[0], y=[0], mode="markers", showlegend=False)
    plot.update_xaxes(title="second of the trial", rangemode="tozero")
    plot.update_yaxes(title="waiting to be written (MiB)", rangemode="tozero")
    text = "; ".join(said) or "this system does not tell"
    return Figure(
        DIRTY,
        "Data of the whole machine that wait to be written or are being written (Dirty and Writeback of the kernel), "
        "mean over trials. Dotted: where the kernel begins to slow writers, halfway between its two limits, where that "
        f"is near. Triangles: a trial's cliff begins. The most that was seen in any trial: {text}. {summary.origin()}.",
        f"Lines of dirty data over the course of a trial. The most seen against where writers are slowed: {text}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
    )


def checkpoints(summary: Summary) -> Figure:
    """TPS along the long trials, and when their checkpoints began."""
    arms = summary.checkpoint_arms or [A, B]
    plot, rows, drawn = _courses(summary, arms)
    said = []
    ceiling = float(plot.layout.yaxis.range[1])
    for place, arm in enumerate(arms):
        begun = summary.parts(arm, "checkpoints")
        if begun is None:
            continue
        at = (np.arange(PARTS) + 0.5) / PARTS * summary.seconds(arm)
        said.append(f"{summary.labels[arm]} {begun.sum():.1f}")
        for second, count in zip(at.tolist(), begun.tolist(), strict=True):
            if count > 0:
                rows.append(
                    {"configuration": summary.labels[arm], "second": second, "checkpoints begun per trial": count}
                )
        plot.add_scatter(
            x=at[begun > 0], y=np.full(int((begun > 0).sum()), ceiling * (0.97 - 0.04 * place)),
            mode="markers", showlegend=False,
            name=f"checkpoints: {summary.labels[arm]}", text=[f"{count:.1f} a trial" for count in begun[begun > 0]],
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 7},
        )  # fmt: skip
    text = ", ".join(said) or "unknown"
    left = "" if summary.checkpoint_arms else " This run left out the checkpoint configurations."
    return Figure(
        CHECKPOINTS,
        "Throughput along a trial with checkpoints far apart and at PostgreSQL's defaults, geometric means over blocks "
        f"with 95 % intervals; marks at the top: parts of the trial in which checkpoints began. Checkpoints per "
        f"trial: {text}.{left} {summary.origin(arms)}.",
        f"Lines of throughput for {len(arms)} configurations. Checkpoints begun per trial: {text}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
    )


def _courses(summary: Summary, arms: list[str]) -> tuple[go.Figure, list[dict[str, object]], list[Estimate]]:
    """The drawing, the rows of its table, and everything in it that has a band."""
    rows: list[dict[str, object]] = []
    drawn: list[Estimate] = []
    plot = go.Figure()
    highest = 0.0
    for place, arm in enumerate(arms):
        at = (np.arange(INTERVALS) + 0.5) / INTERVALS * summary.seconds(arm)
        courses = summary.courses(arm)
        highest = max(highest, float(courses.max()))
        estimates = [_estimate(values) for values in courses.T]
        drawn += estimates
        colour = COLOURS[place % len(COLOURS)]
        low, high = [e.low for e in estimates], [e.high for e in estimates]
        plot.add_scatter(
            x=[*at, *at[::-1]], y=[*high, *low[::-1]], fill="toself", mode="lines", showlegend=False, hoverinfo="skip",
            line={"width": 0, "color": colour}, opacity=0.18, fillcolor=colour,
        )  # fmt: skip
        plot.add_scatter(
            x=at, y=[e.point for e in estimates], name=summary.labels[arm], mode="lines+markers",
            line={"color": colour, "dash": theme.DASHES[place]}, marker={"symbol": theme.SYMBOLS[place], "size": 6},
        )  # fmt: skip
        rows += [
            {
                "configuration": summary.labels[arm],
                "second": second,
                "TPS": e.point,
                "low": e.low,
                "high": e.high,
                "trials": e.n,
            }
            for second, e in zip(at.tolist(), estimates, strict=True)
        ]
    plot.update_xaxes(title="second of the trial", rangemode="tozero")
    # with two or three blocks the bands reach far beyond anything that was measured
    plot.update_yaxes(title="transactions per second", range=[0, 1.3 * highest])
    return plot, rows, drawn


def _estimate(values: np.ndarray) -> Estimate:
    """Of one twelfth over trials; a standstill in some trial leaves the logs, and then the values' own mean is used."""
    try:
        return statistics.geometric_mean(values)
    except BenchbookError:
        if values.size < 2:
            return statistics.exact(float(values[0]))
        return statistics.arithmetic_mean(values)


def _cliff_seconds(summary: Summary, arm: str) -> list[float]:
    found = summary.trials(arm)["cliff_slot"].dropna().to_numpy(dtype=float)
    return [float(slot) / 60 * summary.seconds(arm) for slot in found]
