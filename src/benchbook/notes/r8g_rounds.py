"""What note 003's reports show of claims about two of its runs, or about pages that something wrote."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import geometric_mean

from benchbook.figures.prose import in_letters
from benchbook.notes.r8g_reports import COLD, RISING, ROUND_1, ROUND_2, Report, without_reads
from benchbook.notes.r8g_settings import Runs, Shown, first_runs, five_settings, source, throughputs

Value = Callable[[Report], float]
CLIENTS = 100
"""Of each run."""


def mean_ms(report: Report) -> float:
    """Mean latency of a run in ms."""
    return report.latency_ms


def sd_ms(report: Report) -> float:
    """Standard deviation of its latencies in ms."""
    return report.latency_sd_ms


def first_tps(report: Report) -> float:
    """Throughput of its first five seconds."""
    return float(report.course["tps"].iloc[0])


def other_data(runs: Runs, *, words: str, value: Value, digits: int = 2) -> Shown:
    """R023, R024, R029: what five settings are said to do, by two runs of different data. words: of value."""
    before, later = runs[ROUND_1], runs[ROUND_2]
    pages = max(each.buffers_written for each in runs.values())
    return Shown(
        f"The two {words}, {value(before):.{digits}f} and {value(later):.{digits}f} ms, are of runs with different "
        f"data, scale {before.scale:,} and {later.scale:,}, and {before.reads:,} and {later.reads:,} reads from disk. "
        f"{five_settings(runs)} {source([before, later])}.",
        None,
        pages == 0 and before.scale != later.scale,
    )


def like_for_like(runs: Runs, *, words: str, unit: str, value: Value, digits: int = 2) -> Shown:
    """R037 to R039: round 3 over the other run that was the first after a restart, which has round 2's settings."""
    large, small = first_runs(runs)
    ratio = value(large) / value(small)
    shown = [f"{value(each):,.{digits}f}" for each in (large, small)]
    return Shown(
        f"Round 3 was the first run after a restart; its {words} is {shown[0]} {unit}. The other first run after a "
        f"restart with the same data has round 2's settings and {shown[1]} {unit}: the ratio is {ratio:.3f} "
        f"{source([large, small])}.",
        ratio,
        True,
    )


def cold_over_warm(runs: Runs) -> Shown:
    """R049: how much slower the first run after the restart is than later ones that read nothing."""
    cold = runs[COLD]
    unread = [each for each in without_reads(runs.values()) if each.run_id > cold.run_id]
    ratio = cold.tps / geometric_mean([each.tps for each in unread])
    return Shown(
        f"The first run after the restart had {cold.tps:,.0f} TPS, the {in_letters(len(unread))} later ones that read "
        f"nothing from disk {throughputs(unread)}: over their geometric mean it is {ratio:.3f} "
        f"{source([cold, *unread])}.",
        ratio,
        True,
    )


def nothing_to_warm(runs: Runs) -> Shown:
    """R051, R094: whether a run rose because its cache warmed."""
    rising = runs[RISING]
    following = min((each for each in runs.values() if each.run_id > rising.run_id), key=lambda each: each.run_id)
    return Shown(
        f"The run read {'nothing' if not rising.reads else f'{rising.reads:,} blocks'} from disk, and on average "
        f"{rising.read_waits:.2f} of {CLIENTS} clients waited for a page from anywhere, the operating system's cache "
        f"included, so next to nothing was left to warm; the next run, with the same settings and without a restart, "
        f"had {following.tps:,.0f} TPS again {source([rising, following])}.",
        None,
        rising.reads == 0 and rising.read_waits < 1 and following.tps < rising.tps,
    )


def not_reset(runs: Runs) -> Shown:
    """R052: whether a CHECKPOINT took the cache's warmth from a run."""
    reset = next(each for each in runs.values() if each.name.startswith("Reset"))
    led = [each for each in runs.values() if each.checkpoint]
    fastest = max(led, key=lambda each: each.tps)
    return Shown(
        f"The run read {'nothing' if not reset.reads else f'{reset.reads:,} blocks'} from disk, so its cache was warm; "
        f"and a CHECKPOINT precedes the fastest run, {fastest.tps:,.0f} TPS, as well {source([reset, fastest])}.",
        None,
        reset.reads == 0 and fastest.tps > reset.tps,
    )


def no_page_written(runs: Runs, *, who: str) -> Shown:
    """R017, R033: whether a setting of the background writer changed what backends or it write. who: writes."""
    every = [*runs.values()]
    pages = max(each.buffers_written for each in every)
    return Shown(
        f"In all {in_letters(len(every))} runs, with the setting at 2, 4 and 5, {who} wrote "
        f"{'no page' if pages == 0 else f'at most {pages:,} pages'}: there was nothing to change {source(every[:1])}.",
        None,
        pages == 0,
    )


REPORTED: dict[str, Callable[[Runs], Shown]] = {
    "R017": partial(no_page_written, who="the backends"),
    "R023": partial(other_data, words="mean latencies", value=mean_ms),
    "R024": partial(other_data, words="standard deviations", value=sd_ms),
    "R029": partial(other_data, words="standard deviations", value=sd_ms),
    "R033": partial(no_page_written, who="the background writer"),
    "R037": partial(like_for_like, words="mean latency", unit="ms", value=mean_ms),
    "R038": partial(like_for_like, words="standard deviation", unit="ms", value=sd_ms),
    "R039": partial(like_for_like, words="throughput in the first five seconds", unit="TPS", value=first_tps, digits=0),
    "R049": cold_over_warm,
    "R051": nothing_to_warm,
    "R052": not_reset,
    "R094": nothing_to_warm,
}
"""By claim."""
