"""Look-ups in bounded memory: whether a cache that hits more often saves a read, and what a look-up takes."""

from __future__ import annotations

from benchbook.experiments.cache_sizing.answers import LOOKUP_TIMES, LOOKUPS
from benchbook.experiments.cache_sizing.arms import FREE, FREE_TUNED, SLOW, SLOW_TUNED
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.shape.regular import Dots, Found, level
from benchbook.figures import with_interval

HITS, WAITS = "block cache hits", "look-ups that wait for the device"


def _hits_and_waits(summary: Summary, found: Found) -> str:
    parts = []
    for arm in (SLOW, SLOW_TUNED, FREE_TUNED):
        label = summary.label(arm)
        marks = [found.get(name, {}).get(label) for name in (HITS, WAITS)]
        if all(marks):
            hits, waits = (with_interval(mark, 100) for mark in marks if mark is not None)
            parts.append(f"{label}: {hits} % hits, {waits} % wait")
    return f"{'; '.join(parts)}." if parts else ""


lookups = Dots(
    id=LOOKUPS,
    title="More hits, no fewer reads",
    rows=lambda summary: summary.lookup_arms,
    series={HITS: Summary.lookup_hits, WAITS: Summary.waits},
    axis="share (%)", quantity="share (%)", row="setting", heading="quantity", factor=100, scale="percent",
    height=160, each=34,
    said=_hits_and_waits,
    nothing="Nothing was looked up in this run",
    caption="Look-ups of {p.workers} workers in a store of {p.lookup_rows:,} rows, {p.lookup_memory_mib} MiB of memory "
    "for process and page cache: how many hit the block cache, and how many waited for the device. {intervals}.",
    alt="Two kinds of points with intervals for {n} configurations. {said}",
)  # fmt: skip


def _mean_ratios(summary: Summary, found: Found) -> str:
    parts = []
    for top, bottom in ((SLOW_TUNED, SLOW), (FREE_TUNED, FREE)):
        if summary.has(top, "lookup_mean_ns") and summary.has(bottom, "lookup_mean_ns"):
            ratio = with_interval(summary.ratio((top, "lookup_mean_ns"), (bottom, "lookup_mean_ns")))
            parts.append(f"{summary.label(top)} takes {ratio} times the mean of {summary.label(bottom)}")
    return f"{'; '.join(parts)}." if parts else ""


def _above_p95(summary: Summary) -> str:
    """What a mean far above the P95 says: of a mean twice as large, the slowest twentieth takes more than half."""

    def few(arm: str) -> bool:
        mean, p95 = (summary.values(arm, each) for each in ("lookup_mean_ns", "lookup_p95_ns"))
        return bool((mean > 2 * p95).all())

    above = [arm for arm in summary.having(summary.lookup_arms, "lookup_p95_ns") if few(arm)]
    if not above:
        return ""
    longest = max(float(summary.values(arm, "lookup_max_ns").max()) for arm in above)
    return (
        "Where the mean lies above the P95, fewer than one look-up in twenty takes most of the time: the capped disk "
        f"holds it back for up to {longest / 1e6:,.0f} ms. "
    )


times = Dots(
    id=LOOKUP_TIMES,
    title="What a look-up takes",
    rows=lambda summary: summary.lookup_arms,
    series={"mean": level("lookup_mean_ns", 1e6), "P95": level("lookup_p95_ns", 1e6)},
    axis="latency of a look-up (ms)", quantity="latency (ms)", row="setting", heading="quantity", height=160, each=34,
    said=_mean_ratios,
    nothing="Nothing was looked up in this run",
    told=_above_p95,
    caption="Latency of a look-up by block and index cache size, which are in the note's proportion to the data, "
    "logarithmic axis. {more}{intervals}.",
    alt="Points with intervals for {n} configurations. {said}",
)  # fmt: skip
