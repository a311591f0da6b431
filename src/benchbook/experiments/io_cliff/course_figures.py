"""Figures over the seconds of a trial: throughput, data that wait to be written, checkpoints."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.families.pgbench.courses import add_course
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.io_cliff.answers import CHECKPOINTS, TIMELINES
from benchbook.experiments.io_cliff.arms import A_4_1, A_MACHINE, BASELINE, SMALL_POOL, A, B
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.io_cliff.watched import PARTS
from benchbook.experiments.shape.marks import COLOURS, blank
from benchbook.figures import Figure, interval_name, intervals_said, theme
from benchbook.model import Estimate

MIB = 2**20


def timelines(summary: Summary) -> Figure:
    """TPS along the trial of the note's three runs and of the small pool, with the band over blocks."""
    arms = [BASELINE, A, B, SMALL_POOL]
    plot, rows, courses = _courses(summary, arms)
    ends = "; ".join(f"{summary.label(arm)}: {c[0].point:,.0f} to {c[-1].point:,.0f}" for arm, c in courses.items())
    return Figure(
        TIMELINES,
        "Throughput along a trial, in twelfths, which correspond to the 5 s intervals of the note's 60 s. Lines are "
        f"geometric means over blocks, bands their "
        f"{intervals_said(e for course in courses.values() for e in course)}; {summary.origin()}.",
        f"Lines of throughput with bands for {len(arms)} configurations. TPS of first and last twelfth: {ends}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(e for course in courses.values() for e in course),
        title="Throughput along a trial",
    )


def dirty(summary: Summary) -> Figure:
    """Data that wait to be written along the trial, the limits at which writers are slowed, and where cliffs began."""
    identity, title = "fig-io-cliff-dirty-data", "Data that wait to be written"
    needed = [f"{name}_{part + 1:02}" for name in ("dirty_mib", "writeback_mib") for part in range(PARTS)]
    arms = summary.having((A, SMALL_POOL, B, A_4_1, A_MACHINE), *needed, "dirty_slowing_bytes", "dirty_peak_bytes")
    if not arms:
        return blank(
            summary, identity, title, "This system does not report the data waiting to be written", "use Linux"
        )
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    said = []
    for place, arm in enumerate(arms):
        waiting = summary.parts(arm, "dirty_mib") + summary.parts(arm, "writeback_mib")
        at, name, colour = _middles(summary, arm, PARTS), summary.label(arm), COLOURS[place % len(COLOURS)]
        rows += [
            {"configuration": name, "what": "dirty or being written", "second": second, "MiB": value}
            for second, value in zip(at.tolist(), waiting.tolist(), strict=True)
        ]
        plot.add_scatter(
            x=at, y=waiting, name=name, mode="lines", line={"color": colour, "dash": theme.DASHES[place], "width": 2}
        )
        slowing = float(summary.values(arm, "dirty_slowing_bytes").mean()) / MIB
        peak = float(summary.values(arm, "dirty_peak_bytes").max()) / MIB
        said.append(f"{name}: at most {peak:,.0f} of {slowing:,.0f} MiB")
        if slowing < 2 * peak:
            plot.add_scatter(
                x=[0, summary.seconds(arm)], y=[slowing, slowing], mode="lines", showlegend=False, hoverinfo="skip",
                line={"color": colour, "dash": "dot", "width": 1},
            )  # fmt: skip
        for slot in summary.in_blocks(arm)["cliff_slot"].dropna():
            begun = float(slot) / 60 * summary.seconds(arm)
            rows.append({"configuration": name, "what": "a cliff begins", "second": begun, "MiB": None})
            plot.add_scatter(
                x=[begun], y=[0], mode="markers", showlegend=False, name=f"cliff: {name}",
                marker={"color": colour, "symbol": "triangle-up", "size": 11},
            )  # fmt: skip
    plot.update_xaxes(title="second of the trial", rangemode="tozero")
    plot.update_yaxes(title="waiting to be written (MiB)", rangemode="tozero")
    text = "; ".join(said)
    return Figure(
        identity,
        "Data on the whole machine that is waiting to be written or being written (the kernel's Dirty and Writeback), "
        "mean over trials. Dotted: the point halfway between its two limits where the kernel begins to slow writers, "
        f"if it is near. Triangles: the start of a trial's cliff. The maximum in any trial: {text}. "
        f"{summary.origin()}.",
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
        return blank(summary, CHECKPOINTS, title, why, "give checkpoint_seconds above 0")
    plot, rows, courses = _courses(summary, arms)
    said = []
    ceiling = float(plot.layout.yaxis.range[1])
    for place, arm in enumerate(summary.having(arms, *(f"checkpoints_{part + 1:02}" for part in range(PARTS)))):
        begun, at, name = summary.parts(arm, "checkpoints"), _middles(summary, arm, PARTS), summary.label(arm)
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
    text = ", ".join(said) or "unknown"
    return Figure(
        CHECKPOINTS,
        "Throughput along a trial with checkpoints far apart and at PostgreSQL's defaults, geometric means over blocks "
        "with 95 % intervals; marks at the top: parts of the trial in which checkpoints began. Checkpoints per "
        f"trial: {text}. {summary.origin(arms)}.",
        f"Lines of throughput for {len(arms)} configurations. Checkpoints begun per trial: {text}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(e for course in courses.values() for e in course),
        title=title,
    )


def _courses(summary: Summary, arms: list[str]) -> tuple[go.Figure, list[dict[str, object]], dict[str, list[Estimate]]]:
    """The drawing, the rows of its table, and what is drawn of each configuration."""
    rows: list[dict[str, object]] = []
    plot, drawn, highest = go.Figure(), {}, 0.0
    for place, arm in enumerate(arms):
        courses, at, name = summary.courses(arm), _middles(summary, arm, INTERVALS).tolist(), summary.label(arm)
        highest = max(highest, float(courses.max()))
        sessions = summary.course_sessions(arm)
        drawn[arm] = [_estimate(values, sessions) for values in courses.T]
        points, low, high = ([getattr(e, end) for e in drawn[arm]] for end in ("point", "low", "high"))
        add_course(plot, place, name, at, points, (low, high))
        rows += [
            {"configuration": name, "second": second, "TPS": e.point, "low": e.low, "high": e.high, "trials": e.n}
            for second, e in zip(at, drawn[arm], strict=True)
        ]
    plot.update_xaxes(title="second of the trial", rangemode="tozero")
    # with two or three blocks the bands reach far beyond anything that was measured
    plot.update_yaxes(title="transactions per second", range=[0, 1.3 * highest])
    return plot, rows, drawn


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
