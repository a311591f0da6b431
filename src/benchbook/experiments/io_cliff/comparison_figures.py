"""Figures that compare configurations: trials with a cliff, limits of dirty data, waits, claims against data."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.claims import Claim, Region, Rule
from benchbook.experiments.claim_plot import draw
from benchbook.experiments.io_cliff.arms import A_4_1, A_10_1, A_MACHINE, B_4_1, BASELINE, REPEATED, SMALL_POOL, A, B
from benchbook.experiments.io_cliff.course import WAIT_TYPES
from benchbook.experiments.io_cliff.judgements import CLAIMED, CLIFFS, ESTIMANDS, LIMITS, WAITS
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.marks import COLOURS, bars
from benchbook.figures import Figure, interval_name, theme, with_interval

WORDS = {
    "C059": "TPS, dirty limit 4 % over 10 %",
    "C060": "TPS, background limit 1 % over 5 %",
    "C063": "TPS of B, limits 4/1 over 10/5",
    "R067": "TPS, large over default max_wal_size",
    "R068": "TPS, long over default checkpoint_timeout",
}
"""What a ratio of two configurations compares; the others are ratios within a trial, and their metric says it."""


def cliffs(summary: Summary) -> Figure:
    """Share of the trials that fell for good, per configuration."""
    arms = [arm for arm in summary.arms if summary.has(arm, "cliff")]
    estimates = [statistics.share_of_trials(*summary.cliffs(arm)) for arm in arms]
    labels = [summary.labels[arm] for arm in arms]
    rows = [
        {
            "configuration": label,
            "trials with a cliff": summary.cliffs(arm)[0],
            "trials": e.n,
            "percent": 100 * e.point,
            "low": 100 * e.low,
            "high": 100 * e.high,
        }
        for arm, label, e in zip(arms, labels, estimates, strict=True)
    ]
    plot = go.Figure()
    plot.add_scatter(
        x=[100 * e.point for e in estimates], y=labels, mode="markers", showlegend=False,
        marker={"color": COLOURS[0], "size": 9}, error_x=bars(estimates, 100),
    )  # fmt: skip
    plot.update_xaxes(title="trials with a cliff (%)", range=[-3, 103])
    plot.update_yaxes(autorange="reversed")
    plot.update_layout(height=120 + 30 * len(labels))
    total = sum(summary.cliffs(arm)[0] for arm in arms)
    said = f"{total} of {sum(e.n for e in estimates)} trials show one."
    return Figure(
        CLIFFS,
        "Trials with a cliff: throughput, taken over a twelfth of the trial, falls below 70 % of its height before and "
        f"stays there for a sixth of the trial. {said} 95 % Wilson intervals over trials; {summary.origin()}.",
        f"Points with intervals for {len(arms)} configurations. {said}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(estimates),
    )


def limits(summary: Summary) -> Figure:
    """TPS against Scenario A's: limits of dirty data, workers, pools."""
    pairs = [
        (BASELINE, A), (REPEATED, A), (A_MACHINE, A), (A_10_1, A), (A_4_1, A), (A_4_1, A_10_1), (B, A), (B_4_1, B),
        (SMALL_POOL, A),
    ]  # fmt: skip
    shown = [(top, bottom) for top, bottom in pairs if top in summary.labels and bottom in summary.labels]
    shown = [(top, bottom) for top, bottom in shown if summary.has(top, "tps") and summary.has(bottom, "tps")]
    estimates = [summary.against(top, bottom) for top, bottom in shown]
    labels = [f"{summary.labels[top]} over {summary.labels[bottom].split(':')[0]}" for top, bottom in shown]
    plot = go.Figure()
    plot.add_scatter(
        x=[e.point for e in estimates], y=labels, mode="markers", showlegend=False,
        marker={"color": COLOURS[0], "size": 9}, error_x=bars(estimates),
    )  # fmt: skip
    plot.add_vline(x=1, line={"color": COLOURS[5], "dash": "dot"})
    plot.update_xaxes(title="ratio of TPS")
    plot.update_yaxes(autorange="reversed")
    plot.update_layout(height=120 + 30 * max(1, len(labels)))
    said = "; ".join(f"{label} {with_interval(e)}" for label, e in zip(labels, estimates, strict=True))
    return Figure(
        LIMITS,
        "Throughput of configurations as a ratio, paired within blocks. Limits of dirty data are written as limit/"
        f"background in % of the memory of server and page cache. 95 % intervals, each for itself; {summary.origin()}.",
        f"Points with intervals for {len(shown)} comparisons: {said}.",
        theme.apply(plot),
        pd.DataFrame(
            [
                {"comparison": label, "ratio": e.point, "low": e.low, "high": e.high, "blocks": e.n}
                for label, e in zip(labels, estimates, strict=True)
            ]
        ),
        summary.run.id,
        interval=interval_name(estimates),
    )


def waits(summary: Summary) -> Figure:
    """What the connections waited for, as shares of what was seen in all trials."""
    arms = [arm for arm in summary.arms if all(summary.has(arm, f"waits_{kind.lower()}") for kind in WAIT_TYPES)]
    counts = {
        arm: {kind: int(summary.values(arm, f"waits_{kind.lower()}").sum()) for kind in WAIT_TYPES} for arm in arms
    }
    counts = {arm: seen for arm, seen in counts.items() if sum(seen.values())}
    kinds = [kind for kind in WAIT_TYPES if any(seen[kind] for seen in counts.values())]
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    shares = {arm: statistics.multinomial_shares(seen) for arm, seen in counts.items()}
    for place, kind in enumerate(kinds):
        estimates = [shares[arm][kind] for arm in shares]
        labels = [summary.labels[arm] for arm in shares]
        rows += [
            {"configuration": label, "wait": kind, "percent": 100 * e.point, "low": 100 * e.low, "high": 100 * e.high}
            for label, e in zip(labels, estimates, strict=True)
        ]
        plot.add_bar(
            x=[100 * e.point for e in estimates], y=labels, orientation="h", name=kind,
            marker={"color": COLOURS[place % len(COLOURS)], "pattern": {"shape": ["", "/", "x", "."][place % 4]}},
        )  # fmt: skip
    if not rows:
        rows = [{"configuration": "none", "wait": "nothing was seen", "percent": None}]
        plot.add_bar(x=[0], y=["none"], orientation="h")
    plot.update_layout(barmode="stack", height=140 + 30 * max(1, len(shares)))
    plot.update_xaxes(title="connections seen (%)", range=[0, 101])
    plot.update_yaxes(autorange="reversed")
    first = shares.get(A)
    most = max(first, key=lambda kind: first[kind].point) if first else "nothing"
    said = f"In Scenario A connections were most often seen in: {most}."
    interval = interval_name(e for each in shares.values() for e in each.values())
    return Figure(
        WAITS,
        "What pgbench's connections were waiting for when looked at (pg_stat_activity), pooled over trials; running "
        f"means no wait. {said} The intervals in the table are multinomial and hold within these trials only; "
        f"{summary.origin(summary.arms)}.",
        f"Stacked bars of wait kinds for {len(shares)} configurations. {said}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=f"{interval}, within these trials" if interval else "",
    )


def claimed(summary: Summary) -> Figure:
    """The note's ratios as regions, ours as points with intervals."""
    drawn = draw("io_cliff", ESTIMANDS, summary, label=_compared, height=140, each=30, edges=_edges)
    return Figure(
        CLAIMED,
        "The claims that are ratios (bars: the region that counts as reproduced, drawn to 2 where it is open) and what "
        f"was measured (points, 95 % intervals over trials or blocks), logarithmic axis; {summary.origin()}.",
        f"{len(drawn.points)} measured ratios beside the claimed regions: {drawn.said}.",
        theme.apply(drawn.plot),
        drawn.table,
        summary.run.id,
        interval=drawn.interval,
        lacks=drawn.lacks,
    )


def _compared(claim: Claim) -> str:
    return WORDS.get(claim.id, claim.metric.removesuffix("_tps").replace("_", " "))


def _edges(asked: Region) -> tuple[float, float]:
    """The region with its margin, from 0.2 or to 2 where it is open."""
    low = asked.bound if asked.rule is Rule.GREATER else asked.low
    return low or 0.2, asked.high or 2.0
