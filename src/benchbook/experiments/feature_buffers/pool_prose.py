"""Sentences on the pools: what they have room for, what lies twice, what filling does, and the setting itself."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.feature_buffers.arms import DISJOINT, MIX, UNFILLED, pool_name
from benchbook.experiments.feature_buffers.estimands import base, best_of_band, doubled
from benchbook.experiments.feature_buffers.setting import NOTE_SHARE
from benchbook.experiments.feature_buffers.summary import Summary
from benchbook.experiments.feature_buffers.treatment import FULL
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval
from benchbook.model import Estimate

MIB = 2**20
NOTE_BEFORE = 8 / 64, 16 / 64
"""The note takes its present pool for 8 to 16 GB, of 64 GB of memory."""
ALIKE = 1.02
"""Amounts of cached data within 2 % are told as the same."""


def room(summary: Summary) -> Prose:
    """Hit ratios beside the share of the data for which the pools have room."""

    def of(percent: int) -> str:
        arm = pool_name(DISJOINT, percent)
        has = summary.mean(arm, "pool_bytes") / summary.data_bytes
        heap, all_blocks = (summary.mean(arm, name) for name in ("heap_hit_ratio", "hit_ratio"))
        return (
            f"A pool of {percent} % of the memory has room for {min(1.0, has):.0%} of the data; with disjoint keys it "
            f"answers {heap:.0%} of the look-ups in heaps, and {all_blocks:.0%} of those in heaps and indexes together."
        )

    def times() -> str:
        found = with_interval(
            summary.ratio(
                (pool_name(DISJOINT, 2 * summary.base), "heap_hit_ratio"),
                (pool_name(DISJOINT, summary.base), "heap_hit_ratio"),
            )
        )
        return f"Twice the pool has {found} times the heap hit ratio."

    def mixed() -> str:
        small, large = (100 * summary.mean(arm(MIX)(summary), "heap_hit_ratio") for arm in (base, doubled))
        return f"Under 80/20 the heap hit ratio goes from {small:.0f} to {large:.0f} %."

    return tell(
        lambda: of(summary.base), lambda: of(2 * summary.base), times, mixed,
        lambda: far_larger(summary), lambda: noted_step(summary),
    )  # fmt: skip


def hit(summary: Summary, percent: int) -> Estimate:
    """The heap hit ratio under 80/20 with a pool of so many percent of the memory."""
    return summary.share(pool_name(MIX, percent), "heap_hit_ratio", "heap_blocks")


def far_larger(summary: Summary) -> str:
    """How large the doubled pool is here and in the note."""
    memory = float(summary.run.provenance["ram_bytes"])
    pool = summary.mean(doubled(DISJOINT)(summary), "pool_bytes")
    held, whole = (100 * size / summary.data_bytes for size in (pool, memory))
    low, high = NOTE_BEFORE
    return (
        f"The doubled pool takes {2 * summary.base} % of the memory, which is {whole:.0f} % of the data, and has room "
        f"for {held:.0f} % of them. The note's step is another, from {100 * low:.0f}–{100 * high:.0f} to "
        f"{100 * NOTE_SHARE:.0f} % of the memory."
    )


def noted_step(summary: Summary) -> str:
    """What the note's own step gives here, at the sizes nearest to it."""
    low, high = (100 * share for share in NOTE_BEFORE)
    before = [each for each in summary.sweep(MIX) if low - 1 <= each <= high]
    after = min(summary.sweep(MIX), key=lambda each: abs(each - 100 * NOTE_SHARE))
    if not before or after in before:
        raise NotEstimableError("no pool of the note's size was measured", "give mix_pools_percent")
    first = " and ".join(f"{number(hit(summary, each), 100)} % with {each} %" for each in before)
    return (
        "In the note's range, with four fifths of the requests for hot keys, the heap hit ratio is "
        f"{first} of the memory, and {number(hit(summary, after), 100)} % with {after} %."
    )


def double_buffering(summary: Summary) -> Prose:
    """How much of the memory holds the same pages twice."""

    def held(arm: str) -> str:
        both, either = (summary.mean(arm, name) / MIB for name in ("in_both_bytes", "cached_bytes"))
        return (
            f"With a pool of {summary.configurations[arm].settings['pool_percent']} % of the memory, {either:,.0f} MiB "
            f"of the data are cached somewhere, {both:,.0f} MiB of them twice"
        )

    def most() -> str:
        sweep = [pool_name(DISJOINT, each) for each in summary.sweep(DISJOINT)]
        least = min(sweep, key=lambda arm: summary.mean(arm, "cached_bytes"))
        best = max(sweep, key=lambda arm: summary.mean(arm, "cached_bytes"))
        if summary.mean(best, "cached_bytes") < ALIKE * summary.mean(least, "cached_bytes"):
            return "All sizes cache about as much of the data."
        return (
            f"Of all sizes, {summary.configurations[least].settings['pool_percent']} % caches least and "
            f"{summary.configurations[best].settings['pool_percent']} % most."
        )

    return tell(lambda: f"{held(base(DISJOINT)(summary))}. {held(doubled(DISJOINT)(summary))}.", most)


def unfilled(summary: Summary) -> Prose:
    """What the pool's size does before the pool has filled."""
    percent = summary.parameters.base_percent

    def hits() -> str:
        small, large = (pool_name(UNFILLED, each) for each in (percent, 2 * percent))
        less, more = (100 * summary.mean(arm, "note_heap_hit_ratio") for arm in (small, large))
        return (
            f"Right after a start and the note's warm-up, the heap hit ratio of the requests is {less:.1f} % with a "
            f"pool of {percent} % of the memory and {more:.1f} % with twice as much."
        )

    def filled() -> str:
        less, more = (
            100 * summary.mean(pool_name(DISJOINT, each), "note_heap_hit_ratio") for each in (percent, 2 * percent)
        )
        return f"Of as many requests with filled pools it is {less:.1f} and {more:.1f} %."

    def used() -> str:
        arm = pool_name(UNFILLED, percent)
        share = summary.mean(arm, "in_pool_bytes") / summary.mean(arm, "pool_bytes")
        full = "so it had evicted nothing" if share < FULL else "so it had filled"
        return f"At the end the data took {share:.0%} of the smaller of these pools, {full}."

    return tell(hits, filled, used)


def rule_of_thumb(summary: Summary) -> Prose:
    """Which size has the lowest tail under 80/20, and how near the note's band comes."""

    def best() -> str:
        arms = {each: pool_name(MIX, each) for each in summary.sweep(MIX)}
        levels_ms = {each: summary.latency(arm, summary.tail).point for each, arm in arms.items()}
        lowest = min(levels_ms, key=lambda each: levels_ms[each])
        return (
            f"Under 80/20 the lowest {summary.tail_heading}, {levels_ms[lowest]:.3g} ms, belongs to a pool of {lowest} "
            f"% of the memory, the highest, {max(levels_ms.values()):.3g} ms, to one of "
            f"{max(levels_ms, key=lambda each: levels_ms[each])} %."
        )

    def band() -> str:
        return (
            "The best of the note's 25 to 40 % has a P99 "
            f"{with_interval(best_of_band(summary, 0.95))} times the lowest of all."
        )

    return tell(best, band)


def setting(summary: Summary) -> pd.DataFrame:
    """The setting on a fresh cluster, step by step."""
    said = summary.run.provenance.get("setting")
    if not said:
        raise NotEstimableError("this run did not try the setting", "measure again")

    def mib(name: str) -> str:
        return f"{said[name] / MIB:,.0f} MiB"

    waits = {True: "waits for a restart", False: "nothing waits"}
    rows = [
        ("after initdb and a start", mib("default_bytes"), "nothing waits"),
        (
            f"ALTER SYSTEM to {mib('asked_bytes')}, then a reload",
            mib("after_reload_bytes"),
            waits[bool(said["pending"])],
        ),
        ("after a restart", mib("after_restart_bytes"), waits[bool(said["pending_after_restart"])]),
    ]
    return pd.DataFrame(rows, columns=["step", "shared_buffers in force", "new value"]).set_index("step")
