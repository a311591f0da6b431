"""The figures: the certificate, blocks, hit ratios, quantiles by configuration and share, the surface, the claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.chapters.hot_cold_keys import arms
from benchbook.chapters.hot_cold_keys.arms import BASELINE, DISJOINT
from benchbook.chapters.hot_cold_keys.held import Summary, first_reads
from benchbook.chapters.hot_cold_keys.numbers import CURVES, P50, ladder
from benchbook.chapters.hot_cold_keys.slower import surface
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.marks import COLOURS, add_bars, below_each_other, by_label, of_row, row_px
from benchbook.drawing.regular import Ask, Dots, Lines
from benchbook.drawing.regular.base import Found, Given
from benchbook.figures import theme
from benchbook.measuring.features import figures as family
from benchbook.measuring.features.arms import hot_share

RATIOS = {
    "the 1,000 measured requests (difference of counters)": "note_heap_hit_ratio",
    "since the server's start, warm-up included": "cumulative_heap_hit_ratio_without_load",
    "cumulative with loading, as the note computed it": "cumulative_heap_hit_ratio",
}
AT_START = {
    "in shared buffers": "needed_in_pool_at_start",
    "in the OS page cache": "needed_in_os_cache_at_start",
    "keys that were warmed": "warmed_keys_share",
}
STACKED = {"shared buffers": "pool_hits_per_request", "read into shared buffers": "pool_misses_per_request"}
SOURCES = {**STACKED, "read from the device (/proc/PID/io)": "device_blocks_per_request"}
SLOWER = {1.0: "all", 0.5: "half", 0.1: "1 in 10", 0.01: "1 in 100", 0.001: "1 in 1,000"}


def _ratio(metric: str) -> Ask:
    return lambda summary, arm: summary.share(arm, metric, "note_heap_blocks")


hit_ratios = Dots(
    rows=lambda summary: summary.reading,
    series={name: _ratio(metric) for name, metric in RATIOS.items()},
    axis="heap hit ratio (%)", quantity="percent", heading="hit ratio", factor=100, scale="percent", height=150,
    table_only=lambda summary: summary.rungs,
    nothing="No hit ratio was counted in this run",
)  # fmt: skip


def _by_median(summary: Summary) -> list[str]:
    """From the fastest to the slowest."""
    return sorted(summary.plain, key=lambda arm: summary.mean(arm, P50))


def _aside(summary: Summary) -> list[str]:
    """What the table alone holds: shares with a figure of their own, and variants of configurations that are drawn."""
    return [*summary.rungs, arms.ALIKE_ORDER, arms.PROBED, arms.SAME_FIRST, arms.DISJOINT_FIRST]


tails = Dots(
    rows=_by_median,
    series=family.quantiles(family.by_arm),
    axis="latency of a request (ms)", quantity="latency (ms)", heading="quantile", height=120,
    table_only=_aside,
    nothing="No request was timed in this run",
)  # fmt: skip


def _arm_of(summary: Summary, share: float) -> str:
    return {100: BASELINE, 0: DISJOINT}.get(int(share)) or hot_share(int(share))


def _at_share(metric: str) -> Ask:
    return lambda summary, share: summary.latency(_arm_of(summary, share), metric)


class Steps(Lines):
    """Lines over numbers that stand at equal distances: from 100 to 99 % is as wide a step as from 50 to 0 %."""

    def draw(self, found: Found, keys: Mapping[Any, str], given: Iterable[Given]) -> go.Figure:
        """The same lines, each number a place by itself."""
        plot = super().draw(found, keys, given)
        places = {number: place for place, number in enumerate(keys)}
        for trace in plot.data:
            trace.x = [places[number] for number in trace.x]
        return plot.update_xaxes(tickvals=[*places.values()], ticktext=[*keys.values()])


hot_shares = Steps(
    over=ladder,
    across="share of requests for warmed keys (%), not to scale", column="hot share (%)",
    series=family.quantiles(_at_share),
    axis="latency of a request (ms)", quantity="latency (ms)", heading="quantile",
    more={"configuration": lambda summary, share: summary.label(_arm_of(summary, share))},
    nothing="No request was timed in this run",
)  # fmt: skip
claims = ClaimFigure(only=lambda answer: bool(answer.row))


def certificate(summary: Summary) -> Drawn:
    """What share of the pages that a trial's measured keys need was cached when measuring began."""
    shown = summary.of(summary.reading)
    labels = shown["configuration"].map(summary.label)
    drawn = shown["configuration"].isin(summary.drawn)
    table = []
    plot = go.Figure()
    for place, (name, metric) in enumerate(AT_START.items()):
        table.append(
            pd.DataFrame({"configuration": labels, "block": shown["block"], "share": name,
                          "percent": 100 * shown[metric], "certified": shown["cache_state"]})
        )  # fmt: skip
        plot.add_scatter(
            x=100 * shown[metric][drawn], y=labels[drawn], mode="markers", name=name,
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 8, "opacity": 0.75},
            **of_row(place),
        )  # fmt: skip
    below_each_other(plot)
    plot.update_xaxes(title="share at the start (%)", range=[-3, 103])
    by_label(plot, [summary.label(arm) for arm in summary.drawn], height=120, each=row_px(len(AT_START)))
    return Drawn(plot, pd.concat(table))


def along_trial(summary: Summary) -> Drawn:
    """Hit ratio per counter window: how fast a trial warms itself."""
    plot, rows = go.Figure(), []
    shown = (BASELINE, arms.MIXED, DISJOINT, arms.zipf_name(0.99))
    for place, arm in enumerate(arm for arm in shown if arm in summary.configurations):
        course, label = summary.course(arm), summary.label(arm)
        plot.add_scatter(
            x=list(course), y=list(course.values()), name=label, mode="lines+markers",
            line={"color": COLOURS[place], "dash": theme.DASHES[place]}, marker={"symbol": theme.SYMBOLS[place]},
        )  # fmt: skip
        rows += [{"configuration": label, "until request": e, "hit ratio (%)": value} for e, value in course.items()]
    plot.update_xaxes(title="measured requests so far", rangemode="tozero")
    plot.update_yaxes(title="hit ratio of the window (%)", range=[-3, 103])
    return Drawn(plot, pd.DataFrame(rows))


def blocks(summary: Summary) -> Drawn:
    """Where the 8 KiB blocks of a request come from."""
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    for place, (name, metric) in enumerate(SOURCES.items()):
        means = summary.of(summary.reading).groupby("configuration")[metric].mean()
        if means.isna().all():  # this kernel does not say
            continue
        shown = {summary.label(arm): float(means[arm]) for arm in summary.reading}
        if name in STACKED:
            add_bars(plot, place, name, {summary.label(arm): shown[summary.label(arm)] for arm in summary.drawn})
        rows += [{"configuration": label, "source": name, "blocks per request": each} for label, each in shown.items()]
    plot.update_layout(barmode="stack")
    plot.update_xaxes(title="blocks of 8 KiB per request")
    by_label(plot, [summary.label(arm) for arm in summary.drawn], height=120, each=30)
    return Drawn(plot, pd.DataFrame(rows))


def distributions(summary: Summary) -> Drawn:
    """Quantile curves: how slow the slowest half, tenth, hundredth of the requests are."""
    slower = np.geomspace(1.0, 100 / summary.parameters.measured_requests, 60)[1:]
    table = []
    plot = go.Figure()
    for place, arm in enumerate(arm for arm in CURVES if arm in summary.configurations):
        trials = summary.samples([arm]).groupby("trial")["latency_ns"]
        per_trial = np.array([np.quantile(each, 1 - slower) for _, each in trials])
        curve, label = np.exp(np.log(per_trial).mean(axis=0)) / 1e6, summary.label(arm)
        columns = {"configuration": label, "share of requests that are slower": slower, "latency (ms)": curve}
        table.append(pd.DataFrame(columns))
        line = {"color": COLOURS[place], "dash": theme.DASHES[place], "width": 2}
        plot.add_scatter(x=slower, y=curve, name=label, mode="lines", line=line)
    ticks = {share: text for share, text in SLOWER.items() if share >= slower[-1] * 0.999}
    plot.update_xaxes(
        type="log", range=[0, np.log10(slower[-1]) - 0.1], title="share of requests that are slower",
        tickvals=[*ticks], ticktext=[*ticks.values()],
    )  # fmt: skip
    plot.update_yaxes(**theme.decades(), title="latency of a request (ms)")
    return Drawn(plot, pd.concat(table))


def reads(summary: Summary) -> Drawn | Blank:
    """How many of the first 1,000 requests read so many blocks."""
    counted = {arm: first_reads(summary, arm) for arm in (BASELINE, DISJOINT, arms.BY_CHANCE, arms.ALIKE_ORDER)}
    counted = {arm: found for arm, found in counted.items() if found.size}
    if not counted:
        return Blank("Nobody counted the blocks of each request", "measure on Linux")
    plot, rows = go.Figure(), []
    for place, (arm, found) in enumerate(counted.items()):
        blocks, times = np.unique(found, return_counts=True)
        percent = 100 * times / found.size
        plot.add_scatter(
            x=blocks, y=percent, name=summary.label(arm), mode="lines+markers",
            line={"color": COLOURS[place], "dash": theme.DASHES[place], "width": 1},
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 7},
        )  # fmt: skip
        rows += [
            {"configuration": summary.label(arm), "blocks read": block, "requests": count, "percent": share}
            for block, count, share in zip(blocks.tolist(), times.tolist(), percent.tolist(), strict=True)
        ]
    plot.update_xaxes(title="blocks of 8 KiB that a request reads from the device")
    shares = [row["percent"] for row in rows]
    plot.update_yaxes(title="requests that read<br>so many blocks (%)", **theme.ticks([*shares, 100.0]))
    said = [{"arm": arm, "cached": int((e == 0).sum()), "requests": e.size} for arm, e in counted.items()]
    return Drawn(plot, pd.DataFrame(rows), said)


FIGURES = {
    "certificate": certificate, "reads": reads, "latency": distributions, "tails": tails, "hit_ratio": hit_ratios,
    "along_trial": along_trial, "blocks": blocks, "hot_share": hot_shares, "surface": surface, "claims": claims,
}  # fmt: skip
