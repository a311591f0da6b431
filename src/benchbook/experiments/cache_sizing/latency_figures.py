"""Figures of latency: per setting, against the hit ratio, and the note's claims as ratios."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.experiments.cache_sizing.arms import AGAIN, FEWER, SMALL_TABLES, SNAPPY, STATED, TUNED, ZSTD
from benchbook.experiments.cache_sizing.judgements import CLAIMED, ESTIMANDS, LATENCY
from benchbook.experiments.cache_sizing.marks import dots, empty, row
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.claim_plot import draw, quoted
from benchbook.experiments.marks import COLOURS, bars
from benchbook.figures import Figure, interval_name, theme, with_interval

TRADE = "fig-cache-sizing-hits-and-latency"
NAMES = {"burst_mean_ns": "mean", "burst_p95_ns": "P95"}


def latencies(summary: Summary) -> Figure:
    """Mean and P95 of a save in the burst, per setting."""
    metrics = [metric for metric in NAMES if summary.has(STATED, metric)]
    arms = summary.having(*metrics) if metrics else []
    if not arms:
        return empty(summary, LATENCY, "Burst latency", "Nothing was timed in this run")
    labels = [summary.labels[arm] for arm in arms]
    series = [[summary.latency(arm, metric) for metric in metrics] for arm in arms]
    columns = zip(*series, strict=True)
    named = {NAMES[metric]: found for metric, found in zip(metrics, columns, strict=True)}
    plot = dots(named, labels, factor=1.0)
    plot.update_xaxes(**theme.decades(), title="latency of a save in the burst (ms)")
    effect = statistics.ratio(summary.values(TUNED, metrics[0]), summary.values(STATED, metrics[0]))
    again = statistics.ratio(summary.values(AGAIN, metrics[0]), summary.values(STATED, metrics[0]))
    said = (
        f"The tuned setting takes {with_interval(effect)} times the mean of the stated one; the stated one against "
        f"itself {with_interval(again)}."
    )
    missing = "" if len(metrics) == len(NAMES) else " P95 is not shown: it needs 2,000 saves a trial."
    return Figure(
        LATENCY,
        "Latency of a save in the burst (the call alone), by block and index cache size in MiB, logarithmic axis. "
        f"{said} 95 % intervals (Student t on logs).{missing} {summary.origin()}.",
        f"Points with intervals for {len(arms)} configurations. {said}",
        theme.apply(plot),
        pd.DataFrame(
            [
                {"quantity": NAMES[metric], **row(label, e, "latency (ms)", 1.0)}
                for label, estimates in zip(labels, series, strict=True)
                for metric, e in zip(metrics, estimates, strict=True)
            ]
        ),
        summary.run.id,
        interval=interval_name(e for estimates in series for e in estimates),
    )


def trade(summary: Summary) -> Figure:
    """Does a higher hit ratio make a save faster? One point per configuration, relative to the stated setting."""
    arms = [arm for arm in summary.having("hit_ratio", "burst_mean_ns") if arm not in (STATED, FEWER, SMALL_TABLES)]
    if not arms or not summary.has(STATED, "hit_ratio"):
        return empty(summary, TRADE, "Hit ratio and latency", "No cache was asked in this run")
    base = summary.values(STATED, "burst_mean_ns")
    effects = [statistics.ratio(summary.values(arm, "burst_mean_ns"), base) for arm in arms]
    ratios = [summary.hit_ratio(arm) for arm in arms]
    x, y = [100 * e.point for e in ratios], [e.point for e in effects]
    plot = go.Figure()
    for place, (kind, members) in enumerate(_kinds(arms).items()):
        chosen = [arms.index(arm) for arm in members]
        plot.add_scatter(
            x=[x[i] for i in chosen], y=[y[i] for i in chosen],
            mode="markers", name=kind, text=[summary.labels[arm] for arm in members],
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
            hovertemplate="%{text}<br>%{x:.1f} %, %{y:.2f}",
            error_x=bars((ratios[i] for i in chosen), 100),
            error_y=bars(effects[i] for i in chosen),
        )  # fmt: skip
    plot.add_scatter(
        x=[0, 100], y=[1, 1], mode="lines", name="as the stated setting", line={"dash": "dash", "color": COLOURS[5]}
    )
    plot.update_xaxes(title="block cache hit ratio (%)", range=[-3, 103])
    ends = [end for effect in effects for end in (effect.low, effect.high)]
    plot.update_yaxes(**theme.ticks(ends), title="burst mean / that of 64 / 32")
    best = max(zip(x, effects, arms, strict=True), key=lambda each: each[0])
    said = (
        f"The highest ratio, {best[0]:.1f} % ({summary.labels[best[2]]}), comes with {with_interval(best[1])} times "
        "the latency of the stated setting"
    )
    return Figure(
        TRADE,
        "Burst latency against hit ratio: each point is one configuration, its mean latency divided by that of the "
        f"stated setting in the same block. {said}. 95 % intervals; {summary.origin()}.",
        f"{len(arms)} points from {min(x):.0f} to {max(x):.0f} percent hits. {said}.",
        theme.apply(plot),
        pd.DataFrame(
            [
                {"configuration": summary.labels[arm], "hit ratio (%)": px, "latency ratio": e.point, "low": e.low,
                 "high": e.high, "blocks": e.n}
                for arm, px, e in zip(arms, x, effects, strict=True)
            ]
        ),
        summary.run.id,
        interval=interval_name([*ratios, *effects]),
    )  # fmt: skip


def _kinds(arms: list[str]) -> dict[str, list[str]]:
    """Configurations by what a block is charged: its table, its unpacked bytes, its length."""
    kinds: dict[str, list[str]] = {"charged its table": [], "compressed": [], "own length": []}
    for arm in arms:
        kind = "compressed" if arm in (SNAPPY, ZSTD) else "own length" if arm.startswith("own_length") else None
        kinds[kind or "charged its table"].append(arm)
    return {kind: members for kind, members in kinds.items() if members}


def claimed(summary: Summary) -> Figure:
    """The note's ratios as regions, ours as points with intervals, for every claim that is a ratio."""
    drawn = draw("cache_sizing", ESTIMANDS, summary, label=quoted, height=160, each=30)
    return Figure(
        CLAIMED,
        "The note's claims as ratios (bars: the region that counts as reproduced, before margins; open sides end at "
        "the axis) and what was measured (points, 95 % intervals over blocks), logarithmic axis. Values at or below 0 "
        f"have no place on it and stand in the table. {summary.origin()}.",
        f"{len(drawn.points)} measured ratios beside {len(drawn.table)} regions claimed by the note: {drawn.said}.",
        theme.apply(drawn.plot),
        drawn.table,
        summary.run.id,
        interval=drawn.interval,
        lacks=drawn.lacks,
    )
