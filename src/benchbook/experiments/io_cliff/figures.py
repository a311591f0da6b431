"""The figures: throughput and dirty data along a trial, trials with a cliff, limits, waits, checkpoints, claims."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.claims import Claim, Region, Rule
from benchbook.errors import BenchbookError
from benchbook.experiments.families.pgbench.courses import add_course
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.io_cliff.answers import CHECKPOINTS, CLAIMED, CLIFFS, LIMITS, TIMELINES
from benchbook.experiments.io_cliff.arms import A_4_1, A_10_1, A_MACHINE, B_4_1, BASELINE, REPEATED, SMALL_POOL, A, B
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.io_cliff.watched import PARTS, WAIT_TYPES
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.marks import COLOURS, add_bars, blank
from benchbook.experiments.shape.regular import Dots, Found
from benchbook.figures import Figure, interval_name, theme
from benchbook.model import Estimate

MIB = 2**20
WORDS = {
    "C059": "TPS, dirty limit 4 % over 10 %",
    "C060": "TPS, background limit 1 % over 5 %",
    "C063": "TPS of B, limits 4/1 over 10/5",
    "R067": "TPS, large over default max_wal_size",
    "R068": "TPS, long over default checkpoint_timeout",
}
"""What a ratio of two configurations compares; the others are ratios within a trial, and their metric says it."""
COMPARED = (
    (BASELINE, A), (REPEATED, A), (A_MACHINE, A), (A_10_1, A), (A_4_1, A), (A_4_1, A_10_1), (B, A), (B_4_1, B),
    (SMALL_POOL, A),
)  # fmt: skip


def timelines(summary: Summary) -> Figure:
    """TPS along the trial of the note's three runs and of the small pool, with the band over blocks."""
    arms = [BASELINE, A, B, SMALL_POOL]
    plot, rows, courses = _courses(summary, arms)
    ends = "; ".join(f"{summary.label(arm)}: {c[0].point:,.0f} to {c[-1].point:,.0f}" for arm, c in courses.items())
    return Figure(
        TIMELINES,
        "Throughput along a trial, in twelfths as the note's 60 s have intervals of 5 s. Lines are geometric means "
        f"over blocks, bands their 95 % intervals (Student t on logs); {summary.origin()}.",
        f"Lines of throughput with bands for {len(arms)} configurations. TPS of first and last twelfth: {ends}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(e for course in courses.values() for e in course),
        title="Throughput along a trial",
    )


def _all_cliffs(summary: Summary, found: Found) -> str:
    arms = summary.having(summary.arms, "cliff")
    with_cliff, of = (sum(summary.cliffs(arm)[place] for arm in arms) for place in (0, 1))
    return f"{with_cliff} of {of} trials show one."


cliffs = Dots(
    id=CLIFFS,
    title="Trials with a cliff",
    rows=lambda summary: summary.arms,
    series={"share of the trials": lambda summary, arm: statistics.share_of_trials(*summary.cliffs(arm))},
    axis="trials with a cliff (%)", quantity="percent", heading="", factor=100, scale="percent", height=120,
    more={"trials with a cliff": lambda summary, arm: summary.cliffs(arm)[0]},
    said=_all_cliffs,
    caption="Trials with a cliff: throughput, taken over a twelfth of the trial, falls below 70 % of its height before "
    "and stays there for a sixth of the trial. {said} 95 % Wilson intervals over trials; {origin}.",
    alt="Points with intervals for {n} configurations. {said}",
)  # fmt: skip


def dirty(summary: Summary) -> Figure:
    """Data that wait to be written along the trial, the limits at which writers are slowed, and where cliffs began."""
    identity, title = "fig-io-cliff-dirty-data", "Data that wait to be written"
    needed = [f"{name}_{part + 1:02}" for name in ("dirty_mib", "writeback_mib") for part in range(PARTS)]
    arms = summary.having((A, SMALL_POOL, B, A_4_1, A_MACHINE), *needed, "dirty_slowing_bytes", "dirty_peak_bytes")
    if not arms:
        return blank(summary, identity, title, "This system does not tell what waits to be written", "use Linux")
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
        "Data of the whole machine that wait to be written or are being written (Dirty and Writeback of the kernel), "
        "mean over trials. Dotted: where the kernel begins to slow writers, halfway between its two limits, where that "
        f"is near. Triangles: a trial's cliff begins. The most that was seen in any trial: {text}. {summary.origin()}.",
        f"Lines of dirty data over the course of a trial. The most seen against where writers are slowed: {text}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        title=title,
    )


def _pairs(summary: Summary) -> Mapping[tuple[str, str], str]:
    planned = [pair for pair in COMPARED if {*pair} <= {*summary.arms}]
    return {(top, low): f"{summary.label(top)} over {summary.label(low).split(':')[0]}" for top, low in planned}


limits = Dots(
    id=LIMITS,
    title="Limits of dirty data, workers, pools compared",
    rows=_pairs,
    series={"ratio of TPS": lambda summary, pair: summary.gain(*pair)},
    axis="ratio of TPS", row="comparison", quantity="ratio", heading="", scale="plain", rule=1,
    height=120, replicates="blocks",
    caption="Throughput of configurations as a ratio, paired within blocks. Limits of dirty data are written as limit/"
    "background in % of the memory of server and page cache. 95 % intervals, each for itself; {origin}.",
    alt="Points with intervals for {n} comparisons: {said}.",
)  # fmt: skip


def waits(summary: Summary) -> Figure:
    """What the connections waited for, as shares of what was seen in all trials."""
    identity, title = "fig-io-cliff-waits", "What connections waited for"
    shares: dict[str, Mapping[str, Estimate]] = {}
    for arm in summary.having(summary.arms, *(f"waits_{kind.lower()}" for kind in WAIT_TYPES)):
        counts = {kind: int(summary.values(arm, f"waits_{kind.lower()}").sum()) for kind in WAIT_TYPES}
        if any(counts.values()):
            shares[arm] = statistics.multinomial_shares(counts)
    if not shares:
        return blank(summary, identity, title, "Nobody saw a connection wait in this run", "measure longer trials")
    kinds = [kind for kind in WAIT_TYPES if any(each[kind].point for each in shares.values())]
    plot = go.Figure()
    for place, kind in enumerate(kinds):
        add_bars(plot, place, kind, {summary.label(arm): 100 * each[kind].point for arm, each in shares.items()})
    rows = [
        {"configuration": summary.label(arm), "wait": kind, "percent": 100 * each[kind].point,
         "low": 100 * each[kind].low, "high": 100 * each[kind].high}
        for kind in kinds
        for arm, each in shares.items()
    ]  # fmt: skip
    plot.update_layout(barmode="stack", height=140 + 30 * len(shares))
    plot.update_xaxes(title="connections seen (%)", range=[0, 101])
    plot.update_yaxes(autorange="reversed")
    first = shares.get(A)
    most = max(first, key=lambda kind: first[kind].point) if first else "nothing"
    said = f"In Scenario A connections were most often seen in: {most}."
    return Figure(
        identity,
        "What pgbench's connections were waiting for when looked at (pg_stat_activity), pooled over trials; running "
        f"means no wait. {said} The intervals in the table are multinomial and hold within these trials only; "
        f"{summary.origin(summary.arms)}.",
        f"Stacked bars of wait kinds for {len(shares)} configurations. {said}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=f"{interval_name(e for each in shares.values() for e in each.values())}, within these trials",
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
            text=[f"{count:.1f} a trial" for count in begun[begun > 0]],
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


def _compared(claim: Claim) -> str:
    return WORDS.get(claim.id, claim.metric.removesuffix("_tps").replace("_", " "))


def _edges(asked: Region) -> tuple[float, float]:
    """The region with its margin, from 0.2 or to 2 where it is open."""
    low = asked.bound if asked.rule is Rule.GREATER else asked.low
    return low or 0.2, asked.high or 2.0


claims = ClaimFigure(
    id=CLAIMED,
    title="Claims against measurements",
    label=_compared,
    height=140,
    edges=_edges,
    caption="The claims that are ratios (bars: the region that counts as reproduced, drawn to 2 where it is open) and "
    "what was measured (points, 95 % intervals over trials or blocks), logarithmic axis; {origin}.",
    alt="{n} measured ratios beside the claimed regions: {said}.",
)


def _courses(summary: Summary, arms: list[str]) -> tuple[go.Figure, list[dict[str, object]], dict[str, list[Estimate]]]:
    """The drawing, the rows of its table, and what is drawn of each configuration."""
    rows: list[dict[str, object]] = []
    plot, drawn, highest = go.Figure(), {}, 0.0
    for place, arm in enumerate(arms):
        courses, at, name = summary.courses(arm), _middles(summary, arm, INTERVALS).tolist(), summary.label(arm)
        highest = max(highest, float(courses.max()))
        drawn[arm] = [_estimate(values) for values in courses.T]
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


def _estimate(values: np.ndarray) -> Estimate:
    """Of one twelfth over trials; a standstill in some trial leaves the logs, and then the values' own mean is used."""
    try:
        return statistics.geometric_mean(values)
    except BenchbookError:
        if values.size < 2:
            return statistics.exact(float(values[0]))
        return statistics.arithmetic_mean(values)


FIGURES = {
    "timelines": timelines,
    "cliffs": cliffs,
    "dirty": dirty,
    "limits": limits,
    "waits": waits,
    "checkpoints": checkpoints,
    "claims": claims,
}
