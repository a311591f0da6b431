"""What note 003's own raw reports show about its claims: a like-for-like number where there is one, and a sentence."""

from __future__ import annotations

from collections.abc import Callable

from benchbook.claims.evidence import Reported
from benchbook.errors import BenchbookError
from benchbook.figures.prose import in_letters, listed
from benchbook.notes import r8g_reports, r8g_rounds
from benchbook.notes.r8g_reports import COLD, RISING, ROUND_1, ROUND_2, Report
from benchbook.notes.r8g_settings import (
    Runs,
    Shown,
    after,
    first_runs,
    five_settings,
    source,
    spread,
    throughputs,
    warm,
)


def reported(claim: str) -> Shown:
    """What the reports show about a claim of the ledger; raises BenchbookError where they do not decide it."""
    if claim not in REPORTED:
        raise BenchbookError(f"note 003's reports do not decide {claim}", f"choose one of: {', '.join(REPORTED)}")
    return REPORTED[claim](r8g_reports.reports())


def evidence(claim: str) -> Callable[[], Reported | None]:
    """What judges a claim before any number of ours: a number of the reports, or counters that refute it; None else."""

    def found() -> Reported | None:
        shown = reported(claim)
        return Reported(shown.text, shown.value) if shown.contradicts or shown.value is not None else None

    return found


def settings(runs: Runs) -> Shown:
    """R022: whether five settings gave 29 %."""
    before, after = runs[ROUND_1], runs[ROUND_2]
    writes = [each.writes_per_s for each in runs.values()]
    pages = max(each.buffers_written for each in runs.values())
    return Shown(
        f"The two runs differ in their data, scale {before.scale:,} and {after.scale:,}, and in their reads from disk, "
        f"{before.reads:,} and {after.reads:,}. The data volume had {min(writes):.1f} to {max(writes):.1f} writes a "
        f"second. {five_settings(runs)} {source([before, after])}.",
        None,
        pages == 0 and before.scale != after.scale,
    )


def larger_pool(runs: Runs) -> Shown:
    """R036: whether the settings of round 3 cost 23 %."""
    large, small = first_runs(runs)
    ratio, later = large.tps / small.tps, after(runs, small)
    return Shown(
        f"Round 3 was the first run after a restart and had {large.tps:,.0f} TPS. The other first run after a restart "
        f"with the same data has round 2's settings and had {small.tps:,.0f}: the ratio is {ratio:.3f}. With round 2's "
        f"settings back in force, the {in_letters(len(later))} runs after that had {spread(later)} "
        f"{source([large, small, *later])}.",
        ratio,
        ratio > 1,
    )


def pool_alone(runs: Runs) -> Shown:
    """R042: whether 12 GB are too large."""
    large, small = first_runs(runs)
    return _of_pools(
        large,
        small,
        "Other settings were changed too, so this is not the effect of the pool alone; but the reports show no loss",
    )


def memory_pressure(runs: Runs) -> Shown:
    """R077: whether 12 GB caused memory pressure and cost 23 %."""
    large, small = first_runs(runs)
    return _of_pools(
        large,
        small,
        f"Before the run {large.available_gib} of {large.memory_gib} GiB of memory were available; it made "
        f"{large.reads:,} reads from disk, the smaller pool {small.reads:,}. Other settings were changed too",
    )


def _of_pools(large: Report, small: Report, besides: str) -> Shown:
    """The first run after a restart with one pool over that with the other. besides: what must be said with it."""
    ratio = large.tps / small.tps
    return Shown(
        f"With {large.pool_gb} GB the first run after a restart had {large.tps:,.0f} TPS, with {small.pool_gb} GB "
        f"{small.tps:,.0f}: the ratio is {ratio:.3f}. {besides} {source([large, small])}.",
        ratio,
        ratio > 1,
    )


def cold_level(runs: Runs) -> Shown:
    """R054: whether 7,000 TPS are those of a cold cache."""
    slow, _ = warm(runs)
    return Shown(
        f"Runs at this level were not cold: {throughputs(slow)} TPS were reached without one read from disk in the "
        f"minute {source(slow)}. One report with these settings is of a first run after a restart, too few to "
        "say how stable cold runs are.",
        None,
        False,
    )


def warm_level(runs: Runs) -> Shown:
    """R055: whether a warm cache gives 9,000 TPS."""
    slow, fast = warm(runs)
    cold = runs[COLD]
    ratios = [f"{each.tps / cold.tps:.2f}" for each in slow]
    return Shown(
        f"{in_letters(len(slow)).capitalize()} runs with the same settings read nothing from disk in the minute and "
        f"had {throughputs(slow)} TPS, {listed(ratios)} times the first run after the restart; {throughputs(fast)} was "
        f"reached once. So a warm cache does not give 9,000 {source([*slow, *fast, cold])}.",
        None,
        True,
    )


def prewarmed(runs: Runs) -> Shown:
    """R056: whether buffers warmed by round 1 made round 2 fast."""
    before, after = runs[ROUND_1], runs[ROUND_2]
    slow, _ = warm(runs)
    return Shown(
        f"Round 1 ran on scale {before.scale:,} and round 2 on {after.scale:,}, so the tables were made anew between "
        f"them and no page of round 1 was left. {_loaded(after)}Later runs that read nothing from disk had "
        f"{throughputs(slow)} TPS {source([before, after, *slow])}.",
        None,
        before.scale != after.scale,
    )


def _loaded(report: Report) -> str:
    """What warmed a run on data that had just been loaded; "" where it read from disk."""
    return "" if report.reads else "It read nothing from disk: loading its own data had warmed the caches. "


def checkpoint(runs: Runs) -> Shown:
    """R057: whether CHECKPOINT resets a cache's warmth."""
    every, unread = list(runs.values()), r8g_reports.without_reads(runs.values())
    led = sum(each.checkpoint for each in every)
    return Shown(
        f"A CHECKPOINT precedes {'all ' if led == len(every) else ''}{in_letters(led)} runs, the fastest too. "
        f"{in_letters(len(unread)).capitalize()} of them then read nothing from disk, and on average at most "
        f"{max(each.read_waits for each in unread):.2f} of 100 clients waited for a page. One of these runs had "
        f"{max(each.tps for each in unread):,.0f} TPS. So the CHECKPOINT did not make the cache cold "
        f"{source(unread)}.",
        None,
        led == len(every) and bool(unread),
    )


def realistic(runs: Runs) -> Shown:
    """R058: whether the range from 7,000 to 9,000 is one from cold to warm."""
    slow, fast = warm(runs)
    low, high = runs[COLD], max(fast, key=lambda each: each.tps)
    rising = runs[RISING].course["tps"]
    return Shown(
        f"The range is in the reports, {low.tps:,.0f} to {high.tps:,.0f} TPS, a ratio of {high.tps / low.tps:.2f}. It "
        f"does not lead from cold to warm: without a read from disk there were {throughputs(slow)} TPS as well as "
        f"{throughputs(fast)}, and the run that rose within the minute, from {rising.iloc[0]:,.0f} to "
        f"{rising.iloc[-1]:,.0f}, read nothing either "
        f"{source([low, *slow, *fast])}.",
        None,
        True,
    )


REPORTED: dict[str, Callable[[Runs], Shown]] = {
    "R022": settings,
    "R036": larger_pool,
    "R042": pool_alone,
    "R054": cold_level,
    "R055": warm_level,
    "R056": prewarmed,
    "R057": checkpoint,
    "R058": realistic,
    "R077": memory_pressure,
    **r8g_rounds.REPORTED,
}
"""By claim. R046 is not here: the reports have one other pool, in one run, with four more settings changed."""
