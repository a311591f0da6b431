"""The figures that are no estimates by configuration: certificate, course of a trial, blocks, quantile curves."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.families.features.arms import hot_share
from benchbook.experiments.hot_cold_keys.answers import CERTIFICATE
from benchbook.experiments.hot_cold_keys.arms import (
    ALL_WARMED,
    BASELINE,
    BY_CHANCE,
    DISJOINT,
    DISJOINT_FIRST,
    EMPTY,
    MIXED,
    zipf_name,
)
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.shape.marks import COLOURS, add_bars, below_each_other, by_label, of_row, row_px
from benchbook.figures import Figure, theme

AT_START = {
    "in shared buffers": "needed_in_pool_at_start",
    "in the OS page cache": "needed_in_os_cache_at_start",
    "keys that were warmed": "warmed_keys_share",
}
STACKED = {"shared buffers": "pool_hits_per_request", "read into shared buffers": "pool_misses_per_request"}
SOURCES = {**STACKED, "read from the device (/proc/PID/io)": "device_blocks_per_request"}
SLOWER = {1.0: "all", 0.5: "half", 0.1: "1 in 10", 0.01: "1 in 100", 0.001: "1 in 1,000"}


def rungs(summary: Summary) -> list[str]:
    """The shares of warmed keys but one: they have a figure of their own, and stand in the tables of the others."""
    return [hot_share(int(share)) for share in summary.parameters.hot_shares_percent if int(share) != 80]


def _drawn(summary: Summary) -> list[str]:
    return [arm for arm in summary.reading if arm not in rungs(summary)]


def cached_at_start(summary: Summary) -> str:
    """How many of the pages that disjoint keys need were cached already, because keys share pages."""
    chance, apart = (100 * summary.mean(arm, "needed_in_pool_at_start") for arm in (BY_CHANCE, DISJOINT))
    return (
        f"Of the pages that disjoint keys taken by chance need, {chance:.1f} % were cached when measuring began, and "
        f"of those of the disjoint keys that were chosen to share none {apart:.2f} %."
    )


def certificate(summary: Summary) -> Figure:
    """What share of the pages that a trial's measured keys need was cached when measuring began."""
    shown = summary.of(summary.reading)
    labels = shown["configuration"].map(summary.label)
    drawn = shown["configuration"].isin(_drawn(summary))
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
    by_label(plot, [summary.label(arm) for arm in _drawn(summary)], height=120, each=row_px(len(AT_START)))
    io = "bypass the OS page cache" if summary.run.provenance.get("direct_io") else "pass through the OS page cache"
    return Figure(
        CERTIFICATE,
        "Cache certificate: share of the heap and index-leaf pages of a trial's measured keys that were resident when "
        "measuring began, and share of those keys that the warm-up had read. One point per trial; reads "
        f"{io}. Hot: at least 99 % in shared buffers; cold: at most 1 % in any cache; mixed: between.",
        f"Points per trial for {len(_drawn(summary))} configurations. {cached_at_start(summary)}",
        theme.apply(plot),
        pd.concat(table),
        summary.run.id,
        title="What was cached at the start",
    )


def along_trial(summary: Summary) -> Figure:
    """Hit ratio per counter window: how fast a trial warms itself."""
    found = (re.fullmatch(r"hit_ratio_until_(\d+)", column) for column in summary.run.trials.columns)
    ends = sorted(int(match.group(1)) for match in found if match)
    courses = {
        arm: {end: 100 * summary.mean(arm, name) for end in ends if summary.has(arm, name := f"hit_ratio_until_{end}")}
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
    said = (
        f"With disjoint keys it rises from {min(courses[DISJOINT].values()):.0f} % to "
        f"{max(courses[DISJOINT].values()):.0f} %."
    )
    return Figure(
        "fig-hot-cold-along-trial",
        "Hit ratio of shared buffers (heap and index) in successive windows of a trial, mean over trials. Even a trial "
        f"that reads only new keys warms its own pages. {said}",
        f"Lines of hit ratio over the course of a trial. {said}",
        theme.apply(plot),
        pd.DataFrame(
            {"configuration": summary.label(arm), "until request": end, "hit ratio (%)": value}
            for arm, course in courses.items()
            for end, value in course.items()
        ),
        summary.run.id,
        title="Hit ratio along a trial",
    )


def blocks(summary: Summary) -> Figure:
    """Where the 8 KiB blocks of a request come from."""
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    for place, (name, metric) in enumerate(SOURCES.items()):
        means = summary.of(summary.reading).groupby("configuration")[metric].mean()
        if means.isna().all():  # this kernel does not say
            continue
        shown = {summary.label(arm): float(means[arm]) for arm in summary.reading}
        if name in STACKED:
            add_bars(plot, place, name, {summary.label(arm): shown[summary.label(arm)] for arm in _drawn(summary)})
        rows += [{"configuration": label, "source": name, "blocks per request": each} for label, each in shown.items()]
    plot.update_layout(barmode="stack")
    plot.update_xaxes(title="blocks of 8 KiB per request")
    by_label(plot, [summary.label(arm) for arm in _drawn(summary)], height=120, each=30)
    both, one = (summary.mean(arm, "blocks_per_request") for arm in (DISJOINT, DISJOINT_FIRST))
    said = (
        f"A request for a key that exists in all tables touches {both:.0f} blocks; a request for a key that is only "
        f"in the first table touches {one:.0f}."
    )
    return Figure(
        "fig-hot-cold-blocks",
        "Blocks that one request touches, by where they were found, mean over trials; the table adds the kernel's "
        f"count of what the server read from the device, and {len(summary.reading) - len(_drawn(summary))} more "
        f"configurations. {said}",
        f"Stacked bars for {len(_drawn(summary))} configurations. {said}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        title="Where the blocks of a request come from",
    )


def distributions(summary: Summary) -> Figure:
    """Quantile curves: how slow the slowest half, tenth, hundredth of the requests are."""
    slower = np.geomspace(1.0, 100 / summary.parameters.measured_requests, 60)[1:]
    arms = [arm for arm in (BASELINE, MIXED, DISJOINT, ALL_WARMED, EMPTY) if arm in summary.configurations]
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
    hot, cold = (summary.latency(arm, "p50_ns").point for arm in (BASELINE, DISJOINT))
    return Figure(
        "fig-hot-cold-latency",
        "Request latency, by the keys that were warmed. Each line is the geometric mean over trials of one "
        f"configuration's quantiles, logarithmic on both axes. {summary.client_sentence()}",
        f"Quantile curves of request latency for {len(arms)} configurations. The median is {hot:.3g} ms with the "
        f"warmed keys and {cold:.3g} ms with disjoint keys.",
        theme.apply(plot),
        pd.concat(table),
        summary.run.id,
        title="How long requests take",
    )
