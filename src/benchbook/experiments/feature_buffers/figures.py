"""The figures: hit ratio, latency and reads by size of the pool, what filling does, and the claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchbook import statistics
from benchbook.experiments.families.features.figures import by_arm, quantiles
from benchbook.experiments.families.features.summary import NS_PER_MS
from benchbook.experiments.feature_buffers.answers import CLAIMED, HITS, LATENCY, READS, WITHOUT
from benchbook.experiments.feature_buffers.arms import DIRECT, DISJOINT, MIX, pool_name
from benchbook.experiments.feature_buffers.cached_figure import cached
from benchbook.experiments.feature_buffers.summary import Summary
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Found, Lines
from benchbook.experiments.shape.regular.base import Given
from benchbook.figures import with_interval
from benchbook.model import Estimate

ACROSS, COLUMN = "shared_buffers (% of the memory)", "pool (% of memory)"
NOTHING = "This run did not measure enough sizes of the pool"
MISSES, DEVICE = "pool_misses_per_request", "device_blocks_per_request"


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
    over = float(summary.run.provenance["ram_bytes"]) / summary.data_bytes
    room = {percent: min(100.0, percent * over) for percent in _sizes(summary)}
    return (Given("share of the data that the pool has room for", room, line="dot", listed=False),)


def _doubling(summary: Summary, found: Found) -> str:
    small, large = (100 * summary.mean(pool_name(DISJOINT, each), "heap_hit_ratio") for each in _pair(summary))
    less, more = _pair(summary)
    return f"With disjoint keys it is {small:.0f} % in a pool of {less} % of the memory and {large:.0f} % in {more} %."


def _pair(summary: Summary) -> tuple[int, int]:
    return summary.base, 2 * summary.base


hits = Lines(
    id=HITS,
    title="Hit ratio by size of the buffer pool",
    over=_sizes,
    across=ACROSS, column=COLUMN, heading="keys",
    series=lambda summary: {name: _share(keys) for name, keys in _mixes(summary).items()},
    axis="heap hit ratio (%)", quantity="percent", factor=100, scale="percent",
    given=_holds,
    said=_doubling,
    nothing=NOTHING,
    caption="Heap hit ratio of the measured requests by size of the buffer pool, in the same memory, after other keys "
    "had filled it. {said} {intervals}.",
    alt="Lines of heap hit ratio over {n} sizes of the pool. {said}",
)  # fmt: skip


def _quantiles(summary: Summary) -> Mapping[str, Ask]:
    return {
        f"{name}, {summary.METRICS[metric].brief}": _level(keys, metric, NS_PER_MS)
        for name, keys in _mixes(summary).items()
        for metric in ("p50_ns", summary.tail)
    }


def _tail_doubled(summary: Summary, found: Found) -> str:
    said = []
    for name, keys in _mixes(summary).items():
        small, large = (pool_name(keys, each) for each in _pair(summary))
        said.append(f"{with_interval(summary.ratio((large, summary.tail), (small, summary.tail)))} with {name}")
    less, more = _pair(summary)
    return f"{summary.tail_heading} at {more} % over that at {less} %: {', '.join(said)}."


latency = Lines(
    id=LATENCY,
    title="Latency by size of the buffer pool",
    over=_sizes,
    across=ACROSS, column=COLUMN, heading="keys and quantile",
    series=_quantiles,
    axis="latency of a request (ms)", quantity="latency (ms)",
    said=_tail_doubled,
    nothing=NOTHING,
    caption="Median and tail of the request latency by size of the buffer pool, in one and the same memory. {said} "
    "{intervals}, logarithmic axis.",
    alt="Lines of latency quantiles over {n} sizes of the pool. {said}",
)  # fmt: skip


def _reads(summary: Summary) -> Mapping[str, Ask]:
    words = {MISSES: "misses in the pool", DEVICE: "reads from the device"}
    return {
        f"{name}, {text}": _mean(keys, metric)
        for name, keys in _mixes(summary).items()
        for metric, text in words.items()
    }


def _answered_by_os(summary: Summary, found: Found) -> str:
    said = []
    for each in _pair(summary):
        missed, read = (summary.mean(pool_name(DISJOINT, each), metric) for metric in (MISSES, DEVICE))
        said.append(f"{missed:.1f} misses and {read:.1f} reads from the device at {each} %")
    return f"With disjoint keys a request has {' and '.join(said)}."


reads = Lines(
    id=READS,
    title="Misses in the pool, and reads from the device",
    over=_sizes,
    across=ACROSS, column=COLUMN, heading="keys and count",
    series=_reads,
    axis="blocks per request", scale="zero",
    said=_answered_by_os,
    nothing=NOTHING,
    caption="Blocks of 8 KiB that a request does not find in shared buffers, and those that are then read from the "
    "device, by size of the pool; the page cache has the others. {intervals}.",
    alt="Lines of misses and device reads over {n} sizes of the pool. {said}",
)  # fmt: skip


def _pairs(summary: Summary) -> list[str]:
    percent = summary.parameters.base_percent
    return [pool_name(keys, each) for keys in (DISJOINT, DIRECT) for each in (percent, 2 * percent)]


def _both_ways(summary: Summary, found: Found) -> str:
    percent, said = summary.parameters.base_percent, []
    for keys, words in ((DISJOINT, "with a page cache"), (DIRECT, "without one")):
        small, large = (pool_name(keys, each) for each in (percent, 2 * percent))
        if summary.having((small, large), "p50_ns") == [small, large]:
            times = with_interval(summary.ratio((large, "p50_ns"), (small, "p50_ns")))
            said.append(f"{times} times the base's {words}")
    return f"With twice the pool, the median is {' and '.join(said)}." if said else ""


without = Dots(
    id=WITHOUT,
    title="A larger pool with and without a page cache",
    rows=_pairs,
    series=quantiles(by_arm),
    axis="latency of a request (ms)", quantity="latency (ms)", heading="quantile", height=120,
    said=_both_ways,
    nothing="No request was timed in this run",
    caption="Base pool and twice as much, where reads pass through the page cache and where they do not. {said} "
    "{intervals}, logarithmic axis.",
    alt="Points for {n} configurations. {said}",
)  # fmt: skip

claims = ClaimFigure(id=CLAIMED, only=lambda answer: bool(answer.row))

OPTIONAL = (DEVICE, "memory_used_bytes", "killed_processes")

FIGURES = {
    "hits": hits,
    "latency": latency,
    "cached": cached,
    "reads": reads,
    "without_page_cache": without,
    "claims": claims,
}
