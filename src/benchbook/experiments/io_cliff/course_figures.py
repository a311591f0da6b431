"""Figures over the seconds of a trial: throughput with dirty data under it, dirty data by limit, checkpoints."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.families.pgbench.courses import add_course
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.io_cliff.answers import CHECKPOINTS, TIMELINES
from benchbook.experiments.io_cliff.arms import A_10_5, A_80, A_FREE, B_FREE, A, B
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.io_cliff.watched import PARTS
from benchbook.experiments.shape.marks import COLOURS, blank
from benchbook.figures import Figure, interval_name, intervals_said, theme
from benchbook.model import Estimate

MIB = 2**20
WAITING = tuple(f"{name}_{part + 1:02}" for name in ("dirty_mib", "writeback_mib") for part in range(PARTS))
DIRTY = (*WAITING, "dirty_slowing_bytes", "dirty_peak_bytes")
COLUMNS = {
    A: "pool 20 %, capped", A_FREE: "pool 20 %, not capped", B: "pool 100 %, capped",
    B_FREE: "pool 100 %, not capped",
}  # fmt: skip
CLIFF = "a cliff begins"
NEAR = 0.9
"""From this share of the amount on, what waits on the mean over trials is drawn as close to it."""


def timelines(summary: Summary) -> Figure:
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
        at, course = _course(summary, arm)
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
    text = "; ".join(said)
    return Figure(
        TIMELINES,
        "Throughput along a trial (top) and data that wait to be written (bottom), with dirty limits of 4 and 1 % of "
        "memory. Dotted: the amount at which the kernel begins to slow writers; vertical: when trials come close to "
        f"it, on average. TPS: geometric means over blocks, {intervals_said(estimates)}.",
        f"Columns of throughput and dirty data for {len(arms)} configurations. TPS of first and last twelfth: {text}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(estimates),
        title="Throughput and dirty data, with and without the cause",
    )


def _add_waiting(summary: Summary, plot: go.Figure, rows: list[dict[str, object]], arm: str, column: int) -> float:
    """The lower panel of a configuration, as far as the run has it; the highest value drawn."""
    if not summary.has(arm, *DIRTY):
        return 0.0
    waiting, slowing, at = _waiting(summary, arm), _slowing(summary, arm), _middles(summary, arm, PARTS)
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


def dirty(summary: Summary) -> Figure:
    """Data that wait to be written along the trial by pool and limit, and where cliffs began."""
    identity, title = "fig-io-cliff-dirty-data", "Data that wait to be written, by pool and limit"
    arms = summary.having((A, A_10_5, A_80, B, A_FREE, B_FREE)[: 5 if summary.capped else 6], *DIRTY)
    if not arms:
        return blank(
            summary, identity, title, "This system does not report the data waiting to be written", "use Linux"
        )
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    said = []
    courses = {arm: (_waiting(summary, arm), _slowing(summary, arm)) for arm in arms}
    top = max(max(float(waiting.max()), slowing) for waiting, slowing in courses.values())
    strip = 0.06 * top
    for place, (arm, (waiting, slowing)) in enumerate(courses.items()):
        at, name, colour = _middles(summary, arm, PARTS), summary.label(arm), COLOURS[place % len(COLOURS)]
        rows += [
            {"configuration": name, "what": "dirty or being written", "second": second, "MiB": value}
            for second, value in zip(at.tolist(), waiting.tolist(), strict=True)
        ]
        plot.add_scatter(
            x=at, y=waiting, name=name, mode="lines", line={"color": colour, "dash": theme.DASHES[place], "width": 2}
        )
        peak = float(summary.values(arm, "dirty_peak_bytes").max()) / MIB
        said.append(f"{name}: at most {peak:,.0f} of {slowing:,.0f} MiB")
        begun = [float(slot) / 60 * summary.seconds(arm) for slot in summary.in_blocks(arm)["cliff_slot"].dropna()]
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
    for slowing in sorted({round(slowing) for _, slowing in courses.values()}):
        plot.add_hline(y=slowing, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.update_xaxes(title="second of the trial", rangemode="tozero")
    plot.update_yaxes(title="waiting to be written (MiB)", range=[-strip * (len(arms) + 1), 1.05 * top])
    text = "; ".join(said)
    return Figure(
        identity,
        "Data on the whole machine that is waiting to be written or being written (the kernel's Dirty and Writeback), "
        "mean over trials. Dotted: the points halfway between two limits where the kernel begins to slow writers. "
        "Triangles below zero: so many trials' cliffs begin in that twelfth, a row for each configuration.",
        "Lines of dirty data over the course of a trial. The maximum against the point where writers are slowed: "
        f"{text}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        title=title,
    )


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
        name, (seconds, course) = summary.label(arm), _course(summary, arm)
        drawn += course
        points, low, high = ([getattr(e, end) for e in course] for end in ("point", "low", "high"))
        add_course(plot, place, name, seconds, points, (low, high))
        rows += [
            {"configuration": name, "second": second, "TPS": e.point, "low": e.low, "high": e.high, "trials": e.n}
            for second, e in zip(seconds, course, strict=True)
        ]
        if not summary.has(arm, *(f"checkpoints_{part + 1:02}" for part in range(PARTS))):
            continue
        begun, at = summary.parts(arm, "checkpoints"), _middles(summary, arm, PARTS)
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


def _course(summary: Summary, arm: str) -> tuple[list[float], list[Estimate]]:
    """The middles of a trial's twelfths, and TPS in each over trials."""
    courses, sessions = summary.courses(arm), summary.course_sessions(arm)
    return _middles(summary, arm, INTERVALS).tolist(), [_estimate(values, sessions) for values in courses.T]


def _waiting(summary: Summary, arm: str) -> np.ndarray:
    """MiB that wait to be written or are being written, in each part of a trial."""
    waiting: np.ndarray = summary.parts(arm, "dirty_mib") + summary.parts(arm, "writeback_mib")
    return waiting


def _slowing(summary: Summary, arm: str) -> float:
    """MiB from which the kernel slows writers."""
    return float(summary.values(arm, "dirty_slowing_bytes").mean()) / MIB


def _middles(summary: Summary, arm: str, parts: int) -> np.ndarray:
    """The second in the middle of each part of a trial."""
    middles: np.ndarray = (np.arange(parts) + 0.5) / parts * summary.seconds(arm)
    return middles


def _estimate(values: np.ndarray, sessions: np.ndarray) -> Estimate:
    """Of one twelfth over trials; a standstill in some trial leaves the logs, and then the values' own mean is used."""
    try:
        return statistics.geometric_mean(values, sessions=sessions)
    except BenchbookError:
        if values.size < 2:
            return statistics.exact(float(values[0]))
        return statistics.arithmetic_mean(values, sessions=sessions)
