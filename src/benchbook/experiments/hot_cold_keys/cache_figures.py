"""Figures of the cache: its certificate, hit ratios by window and since ever, blocks per request, along the trial."""

from __future__ import annotations

import re

import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.experiments.hot_cold_keys.arms import BASELINE, DISJOINT, EMPTY
from benchbook.experiments.hot_cold_keys.judgements import CERTIFICATE, HITS
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.marks import COLOURS, add_dots
from benchbook.figures import Figure, interval_name, theme
from benchbook.model import Estimate

ALONG, BLOCKS = "fig-hot-cold-along-trial", "fig-hot-cold-blocks"


def certificate(summary: Summary) -> Figure:
    """What share of the pages that a trial's measured keys need was cached when measuring began."""
    arms = [arm for arm in summary.arms if arm != EMPTY]
    trials = summary.run.trials
    series = (
        ("needed_in_pool_at_start", "in shared buffers"),
        ("needed_in_os_cache_at_start", "in the OS page cache"),
        ("warmed_keys_share", "keys that were warmed"),
    )
    rows = []
    plot = go.Figure()
    for place, (metric, name) in enumerate(series):
        shown = trials[trials["configuration"].isin(arms)]
        labels = shown["configuration"].map(summary.labels)
        rows += [
            {"configuration": label, "block": block, "share": name, "percent": 100 * value, "certified": state}
            for label, block, value, state in zip(
                labels, shown["block"], shown[metric], shown["cache_state"], strict=True
            )
        ]
        plot.add_scatter(
            x=100 * shown[metric], y=labels, mode="markers", name=name,
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 8, "opacity": 0.75},
        )  # fmt: skip
    plot.update_xaxes(title="share at the start (%)", range=[-3, 103])
    plot.update_yaxes(categoryorder="array", categoryarray=[summary.labels[arm] for arm in reversed(arms)])
    plot.update_layout(height=120 + 30 * len(arms))
    disjoint = 100 * trials.loc[trials["configuration"] == DISJOINT, "needed_in_pool_at_start"].mean()
    io = "bypass the OS page cache" if summary.run.provenance.get("direct_io") else "pass through the OS page cache"
    return Figure(
        CERTIFICATE,
        "Cache certificate: share of the heap and index-leaf pages needed by a trial's measured keys that were "
        "resident when measuring began, and share of those keys that the warm-up had asked for. One point per trial; "
        f"reads {io}. "
        "Hot means at least 99 % in shared buffers, cold at most 1 % in any cache in play; what lies between is mixed. "
        f"{summary.origin()}.",
        f"Points per trial for {len(arms)} configurations. With disjoint keys no key had been warmed, yet "
        f"{disjoint:.0f} percent of the needed pages were already in shared buffers, because keys share pages.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
    )


def hit_ratios(summary: Summary) -> Figure:
    """The note's cumulative heap hit ratio beside the one of the measured window."""
    arms = [arm for arm in summary.arms if arm != EMPTY]
    series = (
        ("note_heap_hit_ratio", "the 1,000 measured requests (difference of counters)"),
        ("cumulative_heap_hit_ratio_without_load", "since the server's start, warm-up included"),
        ("cumulative_heap_hit_ratio", "cumulative with loading, as the note computed it"),
    )
    labels = [summary.labels[arm] for arm in arms]
    rows = []
    drawn: list[Estimate] = []
    plot = go.Figure()
    for place, (metric, name) in enumerate(series):
        estimates = [
            statistics.share(summary.values(arm, metric), summary.values(arm, "note_heap_blocks")) for arm in arms
        ]
        drawn += estimates
        rows += [
            {
                "configuration": label,
                "hit ratio": name,
                "percent": 100 * e.point,
                "low": 100 * e.low,
                "high": 100 * e.high,
            }
            for label, e in zip(labels, estimates, strict=True)
        ]
        add_dots(plot, place, name, dict(zip(labels, estimates, strict=True)), 100)
    plot.update_xaxes(title="heap hit ratio (%)", range=[-3, 103])
    plot.update_yaxes(autorange="reversed")
    plot.update_layout(height=150 + 30 * len(arms))
    window, reported = (100 * float(summary.values(DISJOINT, series[place][0]).mean()) for place in (0, 2))
    said = f"With disjoint keys the window's ratio is {window:.1f} % and the cumulative one {reported:.1f} %."
    return Figure(
        HITS,
        "Three hit ratios of the table's own pages (heap, without indexes) in the same runs: of the first 1,000 "
        "measured requests alone, since the server's start, and cumulative "
        f"since the tables were made. {said} 95 % intervals (Student t on the logit); {summary.origin()}.",
        f"Points for {len(arms)} configurations and three ways to compute a hit ratio. {said}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
    )


def along_trial(summary: Summary) -> Figure:
    """Hit ratio per counter window: how fast a trial warms itself."""
    found = [re.fullmatch(r"hit_ratio_until_(\d+)", column) for column in summary.run.trials.columns]
    ends = sorted(int(match.group(1)) for match in found if match)
    arms = [arm for arm in (BASELINE, "hot_share_80", DISJOINT, "true_cold", "zipf_0_99") if arm in summary.labels]
    rows = []
    plot = go.Figure()
    for place, arm in enumerate(arms):
        means = [100 * float(summary.values(arm, f"hit_ratio_until_{end}").mean()) for end in ends]
        rows += [
            {"configuration": summary.labels[arm], "until request": end, "hit ratio (%)": value}
            for end, value in zip(ends, means, strict=True)
        ]
        plot.add_scatter(
            x=ends, y=means, name=summary.labels[arm], mode="lines+markers",
            line={"color": COLOURS[place], "dash": theme.DASHES[place]}, marker={"symbol": theme.SYMBOLS[place]},
        )  # fmt: skip
    plot.update_xaxes(title="measured requests so far", rangemode="tozero")
    plot.update_yaxes(title="hit ratio of the window (%)", range=[-3, 103])
    first, last = (
        100 * float(summary.values(DISJOINT, f"hit_ratio_until_{end}").mean()) for end in (ends[0], ends[-1])
    )
    said = f"With disjoint keys it goes from {first:.0f} % in the first window to {last:.0f} % in the last."
    return Figure(
        ALONG,
        "Hit ratio of shared buffers (heap and index) in successive windows of a trial, mean over trials. A trial that "
        f"asks for new keys only still warms its own pages. {said} {summary.origin()}.",
        f"Lines of hit ratio over the course of a trial. {said}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
    )


def blocks(summary: Summary) -> Figure:
    """Where the 8 KiB blocks of a request come from."""
    arms = [arm for arm in summary.arms if arm != EMPTY]
    labels = [summary.labels[arm] for arm in arms]
    metrics = (("pool_hits_per_request", "shared buffers"), ("pool_misses_per_request", "read into shared buffers"))
    rows = []
    plot = go.Figure()
    for place, (metric, name) in enumerate(metrics):
        means = [float(summary.values(arm, metric).mean()) for arm in arms]
        rows += [
            {"configuration": label, "source": name, "blocks per request": value}
            for label, value in zip(labels, means, strict=True)
        ]
        plot.add_bar(
            x=means, y=labels, orientation="h", name=name,
            marker={"color": COLOURS[place], "pattern": {"shape": ("", "/")[place]}},
        )  # fmt: skip
    device = summary.run.trials["device_blocks_per_request"]
    if device.notna().any():
        rows += [
            {
                "configuration": summary.labels[arm],
                "source": "read from the device (/proc/PID/io)",
                "blocks per request": float(device[summary.run.trials["configuration"] == arm].mean()),
            }
            for arm in arms
        ]
    plot.update_layout(barmode="stack", height=120 + 30 * len(arms))
    plot.update_xaxes(title="blocks of 8 KiB per request")
    plot.update_yaxes(autorange="reversed")
    both, one = (float(summary.values(arm, "blocks_per_request").mean()) for arm in (DISJOINT, "disjoint_first_table"))
    said = (
        f"A request for a key that exists in all tables touches {both:.0f} blocks, one for a key of the first table "
        f"only {one:.0f}."
    )
    return Figure(
        BLOCKS,
        "Blocks that one request touches, by where they were found, mean over trials; the table adds what the kernel "
        f"says the server read from the device. {said} {summary.origin()}.",
        f"Stacked bars for {len(arms)} configurations. {said}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
    )
