"""The figures that are no estimates by configuration: certificate, course of a trial, blocks, quantile curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.hot_cold_keys.arms import BASELINE, DISJOINT, MIXED, zipf_name
from benchbook.experiments.hot_cold_keys.caches import Summary
from benchbook.experiments.hot_cold_keys.numbers import CURVES
from benchbook.experiments.shape.drawn import Drawn
from benchbook.experiments.shape.marks import COLOURS, add_bars, below_each_other, by_label, of_row, row_px
from benchbook.figures import theme

AT_START = {
    "in shared buffers": "needed_in_pool_at_start",
    "in the OS page cache": "needed_in_os_cache_at_start",
    "keys that were warmed": "warmed_keys_share",
}
STACKED = {"shared buffers": "pool_hits_per_request", "read into shared buffers": "pool_misses_per_request"}
SOURCES = {**STACKED, "read from the device (/proc/PID/io)": "device_blocks_per_request"}
SLOWER = {1.0: "all", 0.5: "half", 0.1: "1 in 10", 0.01: "1 in 100", 0.001: "1 in 1,000"}


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
    courses = {
        arm: summary.course(arm)
        for arm in (BASELINE, MIXED, DISJOINT, zipf_name(0.99))
        if arm in summary.configurations
    }
    plot = go.Figure()
    for place, (arm, course) in enumerate(courses.items()):
        plot.add_scatter(
            x=list(course), y=list(course.values()), name=summary.label(arm), mode="lines+markers",
            line={"color": COLOURS[place], "dash": theme.DASHES[place]}, marker={"symbol": theme.SYMBOLS[place]},
        )  # fmt: skip
    plot.update_xaxes(title="measured requests so far", rangemode="tozero")
    plot.update_yaxes(title="hit ratio of the window (%)", range=[-3, 103])
    table = [
        {"configuration": summary.label(arm), "until request": end, "hit ratio (%)": value}
        for arm, course in courses.items()
        for end, value in course.items()
    ]
    return Drawn(plot, pd.DataFrame(table))


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
    arms = [arm for arm in CURVES if arm in summary.configurations]
    table = []
    plot = go.Figure()
    for place, arm in enumerate(arms):
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
