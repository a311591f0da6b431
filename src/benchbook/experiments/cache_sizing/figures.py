"""The figures: what a block is charged, hit ratios by setting and by size, latency, memory, and the claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchbook.claims import chapter_claims
from benchbook.experiments.cache_sizing.arms import (
    AGAIN,
    BLOCK_ONLY,
    FEWER,
    FREE,
    FREE_TUNED,
    MEDIUM,
    MINIMAL,
    NO_BLOCK_CACHE,
    PLAIN,
    SLOW,
    SLOW_TUNED,
    SNAPPY,
    STATED,
    TUNED,
    ZSTD,
    length,
)
from benchbook.experiments.cache_sizing.cache_figures import along, resident, trade
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.families.badger import notes
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Found, Given, Lines, level
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import with_interval
from benchbook.model import Estimate

SIZES = (1, 4, 16, 64, 256, 2048)
TIMES = {"mean": "burst_mean_ns", "P95": "burst_p95_ns"}
PARTS = {
    "resident, mapped files included": "peak_resident_bytes",
    "anonymous": "peak_anonymous_bytes",
    "heap of Go, garbage included": "peak_go_heap_bytes",
    "of it Badger's own, without caches": "peak_badger_heap_bytes",
}
MEND, MEMORY = Summary.MEND, "fig-cache-sizing-memory"


def _target() -> float:
    """The hit ratio that the note aims at, at least, in %."""
    return 100 * (chapter_claims("cache_sizing")["B025"].low or 0.0)


def _charges(summary: Summary, found: Found) -> str:
    [marks] = found.values()
    units = {STATED: (1e-6, "MB"), BLOCK_ONLY: (1e-6, "MB"), SNAPPY: (1e-3, "kB"), length(64): (1e-3, "kB")}
    named = {summary.label(arm): unit for arm, unit in units.items()}
    parts = [
        f"{label}: {with_interval(marks[label], unit)} {name}"
        for label, (unit, name) in named.items()
        if label in marks
    ]
    return f"{'; '.join(parts)}." if parts else ""


def _charge_lines(summary: Summary) -> Iterable[Given]:
    yield Given("the note's number", {"": notes.cost_per_key_bytes() / 1e3}, line="dash", listed=False)
    yield Given("the largest table", {"": summary.mean(STATED, "largest_table_bytes") / 1e3}, line="dot", listed=False)


def _aside(summary: Summary) -> list[str]:
    """What is like another, and all rungs of the cache that charges lengths but one, which have their own figure."""
    return [ZSTD, NO_BLOCK_CACHE, FEWER, *(each for each in summary.rungs if each != length(64))]


costs = Dots(
    rows=lambda summary: summary.suite_arms,
    table_only=_aside,
    series={"charge per key that the cache admitted": Summary.cost},
    metric=Summary.METRICS["cost_per_key_bytes"], row="setting", heading="", height=160, each=26,
    said=_charges,
    given=_charge_lines,
    nothing="No block entered a cache in this run", mend=MEND,
)  # fmt: skip


def _some_ratios(summary: Summary, found: Found) -> str:
    [marks] = found.values()
    labels = [summary.label(arm) for arm in (STATED, TUNED, SNAPPY, length(64))]
    return "; ".join(f"{label}: {with_interval(marks[label], 100)} %" for label in labels if label in marks)


hit_ratios = Dots(
    rows=lambda summary: summary.suite_arms,
    table_only=_aside,
    series={"hit ratio": Summary.hit_ratio},
    metric=Summary.METRICS["hit_ratio"], row="setting", heading="", scale="percent", height=160, each=26,
    said=_some_ratios,
    given=lambda summary: [
        Given("the note's 33 %", {"": 100 * notes.hit_ratio()}, line="dash", listed=False),
        Given("its target", {"": _target()}, line="dot", listed=False),
    ],
    nothing="No cache was used in this run", mend=MEND,
)  # fmt: skip


def _at_size(arms: Callable[[Summary], Iterable[str]]) -> Ask:
    def ask(summary: Summary, mib: float) -> Estimate:
        for arm in arms(summary):
            if summary.block_mib(arm) == mib:
                return summary.hit_ratio(arm)
        raise NotEstimableError(f"no such configuration has {mib:g} MiB", "see length_ladder_mib")

    return ask


def _ends(summary: Summary, found: Found) -> str:
    """Of each way the smallest and the largest size."""
    said = []
    for way, marks in found.items():
        ends = dict.fromkeys((next(iter(marks)), next(reversed(marks))))
        numbers = (f"{with_interval(marks[mib], 100)} % at {mib} MiB" for mib in ends)
        said.append(f"{way[0].upper()}{way[1:]}: {', '.join(numbers)}")
    return "; ".join(said)


by_size = Lines(
    over=lambda summary: sorted({summary.block_mib(arm) for arm in summary.suite_arms}),
    across="size of the block cache (MiB)", column="block cache (MiB)", rows=True, ticks=SIZES,
    series={
        "as the note ran it": _at_size(lambda summary: PLAIN),
        "charged its own length": _at_size(lambda summary: summary.rungs),
        "compressed (Snappy)": _at_size(lambda summary: (SNAPPY,)),
    },
    axis="hit ratio (%)", heading="way", factor=100, scale="percent",
    said=_ends,
    given=lambda summary: [Given("the note's target", dict.fromkeys((1, 2048), _target()), line="dot", listed=False)],
    nothing="No cache was used in this run", mend=MEND,
)  # fmt: skip


def _tuned_over_stated(summary: Summary, found: Found) -> str:
    base = (STATED, TIMES["mean"])
    tuned, again = (with_interval(summary.ratio((arm, TIMES["mean"]), base)) for arm in (TUNED, AGAIN))
    return f"The tuned setting takes {tuned} times the mean of the stated one; the stated one against itself {again}."


latencies = Dots(
    rows=lambda summary: summary.suite_arms,
    table_only=_aside,
    series={name: level(metric, 1e6) for name, metric in TIMES.items()},
    axis="latency of a save in the burst (ms)", quantity="latency (ms)", row="setting", heading="quantity",
    height=160, each=26,
    said=_tuned_over_stated,
    nothing="Nothing was timed in this run", mend=MEND,
)  # fmt: skip


def _peaking(summary: Summary) -> list[str]:
    return summary.having(summary.suite_arms, *PARTS.values())


def _totals(summary: Summary) -> list[Given]:
    totals = {TUNED: notes.budget_mb(), MEDIUM: 1500.0, MINIMAL: 512.0}
    return [Given("the note's total", {arm: totals[arm] for arm in _peaking(summary) if arm in totals})]


def _tuned_peak(summary: Summary, found: Found) -> str:
    if TUNED not in _peaking(summary):
        return "The tuned setting was not measured."
    peak = with_interval(summary.level(TUNED, "peak_resident_bytes", 1e6))
    return f"The tuned setting peaks at {peak} MB; the note budgets {notes.budget_mb():,.0f} MB."


def _tables_mb(summary: Summary) -> str:
    arms = _peaking(summary)
    return f"{sum(summary.mean(arm, 'tables_bytes') for arm in arms) / len(arms) / 1e6:,.0f}"


memory = Dots(
    rows=_peaking,
    series={name: level(metric, 1e6) for name, metric in PARTS.items()},
    axis="peak over the suite (MB)", quantity="peak (MB)", row="setting", heading="quantity", scale="zero",
    height=180, each=45,
    said=_tuned_peak,
    told=_tables_mb,
    given=_totals,
    nothing="No trial went through the whole suite", mend=MEND,
)  # fmt: skip

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
    rows=lambda summary: summary.lookup_arms,
    series={HITS: Summary.lookup_hits, WAITS: Summary.waits},
    axis="share (%)", quantity="share (%)", row="setting", heading="quantity", factor=100, scale="percent",
    height=160, each=34,
    said=_hits_and_waits,
    nothing="Nothing was looked up in this run",
)  # fmt: skip


def _mean_ratios(summary: Summary, found: Found) -> str:
    parts = []
    for top, bottom in ((SLOW_TUNED, SLOW), (FREE_TUNED, FREE)):
        if summary.has(top, "lookup_mean_ns") and summary.has(bottom, "lookup_mean_ns"):
            ratio = with_interval(summary.ratio((top, "lookup_mean_ns"), (bottom, "lookup_mean_ns")))
            parts.append(f"{summary.label(top)} takes {ratio} times the mean of {summary.label(bottom)}")
    return f"{'; '.join(parts)}." if parts else ""


times = Dots(
    rows=lambda summary: summary.lookup_arms,
    series={"mean": level("lookup_mean_ns", 1e6), "P95": level("lookup_p95_ns", 1e6)},
    axis="latency of a look-up (ms)", quantity="latency (ms)", row="setting", heading="quantity", height=160, each=34,
    said=_mean_ratios,
    nothing="Nothing was looked up in this run",
)  # fmt: skip

claims = ClaimFigure(only=lambda answer: answer.figure != MEMORY)

memory_claims = ClaimFigure(
    title="Claims about memory against measurements",
    what="The note's claims about memory, as ratios to its own numbers",
    only=lambda answer: answer.figure == MEMORY,
)

FIGURES = {
    "cost": costs,
    "hit_ratio": hit_ratios,
    "by_size": by_size,
    "along": along,
    "ladder": resident,
    "latency": latencies,
    "trade": trade,
    "lookups": lookups,
    "lookup_times": times,
    "memory": memory,
    "claims": claims,
    "memory_claims": memory_claims,
}
