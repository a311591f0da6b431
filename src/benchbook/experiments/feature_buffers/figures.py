"""The figures: hit ratio, latency and reads by size of the pool, what filling does, and the claims.

Their words stand in page.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchbook import statistics
from benchbook.experiments.families.features.figures import by_arm, quantiles
from benchbook.experiments.families.features.summary import NS_PER_MS
from benchbook.experiments.feature_buffers.arms import DIRECT, DISJOINT, MIX, pool_name
from benchbook.experiments.feature_buffers.cached_figure import cached
from benchbook.experiments.feature_buffers.numbers import DEVICE, MISSES
from benchbook.experiments.feature_buffers.pools import Summary
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Lines
from benchbook.experiments.shape.regular.base import Given
from benchbook.model import Estimate

ACROSS, COLUMN = "shared_buffers (% of the memory)", "pool (% of memory)"
NOTHING = "This run did not measure enough sizes of the pool"


def _mixes(summary: Summary) -> dict[str, str]:
    hot = summary.parameters.hot_share_percent
    return {"disjoint keys": DISJOINT, f"{hot}/{100 - hot}": MIX}


def _sizes(summary: Summary) -> list[int]:
    return summary.sweep(MIX)


def _share(keys: str) -> Ask:
    return lambda summary, percent: summary.share(pool_name(keys, percent), "heap_hit_ratio", "heap_blocks")


def _level(keys: str, metric: str, unit: float = 1.0) -> Ask:
    return lambda summary, percent: summary.level(pool_name(keys, percent), metric, unit)


def _mean(keys: str, metric: str) -> Ask:
    """The mean of a count that may be 0."""

    def ask(summary: Summary, percent: int) -> Estimate:
        return statistics.arithmetic_mean(summary.values(pool_name(keys, percent), metric), sessions=summary.sessions)

    return ask


def _holds(summary: Summary) -> Iterable[Given]:
    """Share of the data for which a pool has room, in %."""
    over = summary.ram_bytes / summary.data_bytes
    room = {percent: min(100.0, percent * over) for percent in _sizes(summary)}
    return (Given("share of the data that the pool has room for", room, line="dot", listed=False),)


hits = Lines(
    over=_sizes,
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
    over=_sizes,
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
    over=_sizes,
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

claims = ClaimFigure(only=lambda answer: bool(answer.row))

FIGURES = {
    "hits": hits,
    "latency": latency,
    "cached": cached,
    "reads": reads,
    "without_page_cache": without,
    "claims": claims,
}
