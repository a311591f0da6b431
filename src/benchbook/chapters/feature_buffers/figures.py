"""The figures: hit ratio, latency, reads and what is cached by size of the pool, the page cache, and the claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd
import plotly.graph_objects as go

from benchbook.chapters.feature_buffers.arms import DIRECT, DISJOINT, MIX, pool_name
from benchbook.chapters.feature_buffers.numbers import DEVICE, HITS, MISSES
from benchbook.chapters.feature_buffers.pools import MIB, Summary
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.marks import COLOURS, add_bars
from benchbook.drawing.regular import Ask, Dots, Given, Lines
from benchbook.measuring.features.figures import by_arm, quantiles
from benchbook.measuring.features.summary import NS_PER_MS

ACROSS, COLUMN = "shared_buffers (% of the memory)", "pool (% of memory)"
NOTHING = "This run did not measure enough sizes of the pool"
PLACES = {
    "in shared buffers alone": "in_pool_only_bytes",
    "in both": "in_both_bytes",
    "in the OS page cache alone": "in_os_cache_only_bytes",
}


def _mixes(summary: Summary) -> dict[str, str]:
    hot = summary.parameters.hot_share_percent
    return {"disjoint keys": DISJOINT, f"{hot}/{100 - hot}": MIX}


def _share(keys: str) -> Ask:
    return lambda summary, percent: summary.share(pool_name(keys, percent), HITS, "heap_blocks")


def _level(keys: str, metric: str, unit: float = 1.0) -> Ask:
    return lambda summary, percent: summary.level(pool_name(keys, percent), metric, unit)


def _mean(keys: str, metric: str) -> Ask:
    return lambda summary, percent: summary.average(pool_name(keys, percent), metric)


def _holds(summary: Summary) -> Iterable[Given]:
    """Share of the data for which a pool has room, in %."""
    over = summary.ram_bytes / summary.data_bytes
    room = {percent: min(100.0, percent * over) for percent in summary.sweep(MIX)}
    return (Given("share of the data that the pool has room for", room, line="dot", listed=False),)


hits = Lines(
    over=lambda summary: summary.sweep(MIX),
    across=ACROSS, column=COLUMN, heading="keys",
    series=lambda summary: {name: _share(keys) for name, keys in _mixes(summary).items()},
    axis="heap hit ratio (%)", quantity="percent", factor=100, scale="percent",
    given=_holds,
    nothing=NOTHING,
)  # fmt: skip


def _quantiles(summary: Summary) -> Mapping[str, Ask]:
    return {
        f"{name}, {summary.METRICS[metric].brief}": _level(keys, metric, NS_PER_MS)
        for name, keys in _mixes(summary).items()
        for metric in ("p50_ns", summary.tail)
    }


latency = Lines(
    over=lambda summary: summary.sweep(MIX),
    across=ACROSS, column=COLUMN, heading="keys and quantile",
    series=_quantiles,
    axis="latency of a request (ms)", quantity="latency (ms)",
    nothing=NOTHING,
)  # fmt: skip


def _reads(summary: Summary) -> Mapping[str, Ask]:
    words = {MISSES: "misses in the pool", DEVICE: "reads from the device"}
    return {
        f"{name}, {text}": _mean(keys, metric)
        for name, keys in _mixes(summary).items()
        for metric, text in words.items()
    }


reads = Lines(
    over=lambda summary: summary.sweep(MIX),
    across=ACROSS, column=COLUMN, heading="keys and count",
    series=_reads,
    axis="blocks per request", scale="zero",
    nothing=NOTHING,
)  # fmt: skip


def _pairs(summary: Summary) -> list[str]:
    percent = summary.parameters.base_percent
    return [pool_name(keys, each) for keys in (DISJOINT, DIRECT) for each in (percent, 2 * percent)]


without = Dots(
    rows=_pairs,
    series=quantiles(by_arm),
    axis="latency of a request (ms)", quantity="latency (ms)", heading="quantile", height=120,
    nothing="No request was timed in this run",
)  # fmt: skip


def cached(summary: Summary) -> Drawn | Blank:
    """Distinct data in either cache after the measured requests, by size of the pool."""
    shown = [each for each in summary.sweep(DISJOINT) if summary.has(pool_name(DISJOINT, each), "cached_bytes")]
    if not shown:
        return Blank("Nobody looked into the caches", "measure again")

    def by_pool(metric: str) -> dict[str, float]:
        return {f"{each} %": summary.mean(pool_name(DISJOINT, each), metric) / MIB for each in shown}

    plot = go.Figure()
    for place, (name, metric) in enumerate(PLACES.items()):
        add_bars(plot, place, name, by_pool(metric), across=False)
    plot.add_hline(
        y=summary.data_bytes / MIB, line={"dash": "dot", "color": COLOURS[5]}, annotation_text="all of the data"
    )
    plot.update_layout(barmode="stack")
    plot.update_xaxes(title=ACROSS, type="category")
    plot.update_yaxes(title="distinct data that are cached (MiB)", rangemode="tozero")
    columns = {f"{name} (MiB)": metric for name, metric in {**PLACES, "in either": "cached_bytes"}.items()}
    rows = [
        {"configuration": summary.label(arm)}
        | {column: summary.mean(arm, metric) / MIB for column, metric in columns.items()}
        for arm in summary.having(summary.swept, "cached_bytes")
    ]
    return Drawn(plot, pd.DataFrame(rows), by_pool("cached_bytes"))


claims = ClaimFigure(only=lambda answer: bool(answer.row))

FIGURES = {
    "hits": hits, "latency": latency, "cached": cached, "reads": reads, "without_page_cache": without,
    "claims": claims,
}  # fmt: skip
