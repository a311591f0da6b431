"""What note 003's own raw reports show of its claims: a like-for-like number where there is one, and a sentence."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from statistics import geometric_mean

from benchbook import notes
from benchbook.claims.evidence import Reported
from benchbook.figures.prose import in_letters, listed
from benchbook.notes.nine_runs import (
    COLD,
    READ_S,
    RISING,
    ROUND_1,
    ROUND_2,
    Report,
    Runs,
    first_runs,
    reports,
    warm,
)
from benchbook.notes.nine_runs import without_reads as unread


@dataclass(frozen=True)
class Shown:
    """What note 003's reports show about one claim.

    text: a sentence or two with the numbers, the reports and the commit. contradicts: whether the reports speak against
    the claim. value: the like-for-like number in the claim's unit, one run over another and so without an interval;
    None where the counters decide by themselves.
    """

    text: str
    contradicts: bool = True
    value: float | None = None


def evidence(claim: str) -> Callable[[], Reported | None]:
    """What judges a claim before any number of ours: a number of the reports, or counters that refute it; None else."""

    def found() -> Reported | None:
        shown = REPORTED[claim](reports())
        return Reported(shown.text, shown.value) if shown.contradicts or shown.value is not None else None

    return found


def _from(*found: Report) -> str:
    names = listed(each.run_id for each in found)
    return f"({'report' if len(found) == 1 else 'reports'} {names}, {found[0].source})."


def _tps(found: Iterable[Report]) -> str:
    """Such as "6,946, 7,594 and 6,987", in transactions per second."""
    return listed(f"{each.tps:,.0f}" for each in found)


def _pages(runs: Runs) -> int:
    """Most that were written from the pool in a run."""
    return max(each.buffers_written for each in runs.values())


def other_data(
    runs: Runs, *, words: str = "", value: Callable[[Report], float] | None = None, chapter: str = "The three rounds"
) -> Shown:
    """Whether five settings did what is said of them, by two runs of different data.

    words: of value, in ms. chapter: which measures it.
    """
    one, two = runs[ROUND_1], runs[ROUND_2]
    scales, disk = f"scale {one.scale:,} and {two.scale:,}", f"{one.reads:,} and {two.reads:,}"
    if value:
        begun = f"The two {words}, {value(one):.2f} and {value(two):.2f} ms, are of runs with different data"
        begun += f", {scales}, and {disk} reads from disk."
    else:
        writes = [each.writes_per_s for each in runs.values()]
        begun = f"The two runs differ in their data, {scales}, and in their reads from disk, {disk}. The data volume"
        begun += f" had {min(writes):.1f} to {max(writes):.1f} writes a second."
    pages = _pages(runs)
    delay = notes.number("r8g_config", "value", parameter="commit_delay")
    siblings = "; commit_delay was 0 by the note's own list, with which commit_siblings does nothing" * (delay == 0)
    return Shown(
        f"{begun} {f'At most {pages:,} pages were' if pages else 'No page was'} written from the pool in any run, so "
        f"no setting of the background writer could act{siblings}; effective_io_concurrency acts in bitmap scans, of "
        f"which these statements have none. What all five do from the same cold start is measured in “{chapter}” "
        f"{_from(one, two)}",
        pages == 0 and one.scale != two.scale,
    )


def larger_pool(runs: Runs) -> Shown:
    """Whether the settings of round 3 cost 23 %."""
    large, small = first_runs(runs)
    later = [each for each in runs.values() if each.settings == small.settings and each.run_id > small.run_id]
    tps, ratio = sorted(each.tps for each in later), large.tps / small.tps
    return Shown(
        f"Round 3 was the first run after a restart and had {large.tps:,.0f} TPS. The other first run after a restart "
        f"with the same data has round 2's settings and had {small.tps:,.0f}: the ratio is {ratio:.3f}. With round 2's "
        f"settings back in force, the {in_letters(len(later))} runs after that had {tps[0]:,.0f} to {tps[-1]:,.0f} TPS "
        f"{_from(large, small, *later)}", ratio > 1, ratio,
    )  # fmt: skip


def pools(runs: Runs, *, memory: bool = False) -> Shown:
    """Whether 12 GB are too large. memory: and cause memory pressure."""
    large, small = first_runs(runs)
    ratio = large.tps / small.tps
    if memory:
        besides = f"Before the run {large.available_gib} of {large.memory_gib} GiB of memory were available; it made "
        besides += f"{large.reads:,} reads from disk, the smaller pool {small.reads:,}. Other settings were changed too"
    else:
        besides = "Other settings were changed too, so this is not the effect of the pool alone; but the reports show "
        besides += "no loss"
    return Shown(
        f"With {large.pool_gb} GB the first run after a restart had {large.tps:,.0f} TPS, with {small.pool_gb} GB "
        f"{small.tps:,.0f}: the ratio is {ratio:.3f}. {besides} {_from(large, small)}", ratio > 1, ratio,
    )  # fmt: skip


def like_for_like(runs: Runs, *, words: str, unit: str, value: Callable[[Report], float], digits: int = 2) -> Shown:
    """Round 3 over the other run that was the first after a restart, which has round 2's settings."""
    large, small = first_runs(runs)
    ratio = value(large) / value(small)
    return Shown(
        f"Round 3 was the first run after a restart; its {words} is {value(large):,.{digits}f} {unit}. The other first "
        f"run after a restart with the same data has round 2's settings and {value(small):,.{digits}f} {unit}: the "
        f"ratio is {ratio:.3f} {_from(large, small)}",
        value=ratio,
    )


def cold_over_warm(runs: Runs) -> Shown:
    """How much slower the first run after the restart is than later ones that read nothing."""
    cold = runs[COLD]
    later = [each for each in unread(runs.values()) if each.run_id > cold.run_id]
    ratio = cold.tps / geometric_mean([each.tps for each in later])
    return Shown(
        f"The first run after the restart had {cold.tps:,.0f} TPS, the {in_letters(len(later))} later ones that read "
        f"nothing from disk {_tps(later)}: over their geometric mean it is {ratio:.3f}. It was not quite cold: "
        f"{cold.read_kb_per_s * READ_S / 2**20:.2f} GiB came from disk {_from(cold, *later)}",
        value=ratio,
    )


def nothing_to_warm(runs: Runs) -> Shown:
    """Whether a run rose because its cache warmed."""
    rising = runs[RISING]
    later = min((each for each in runs.values() if each.run_id > rising.run_id), key=lambda each: each.run_id)
    return Shown(
        f"{_read(rising)} from disk, and on average {rising.read_waits:.2f} of 100 clients waited for a page from "
        "anywhere, the operating system's cache included, so next to nothing was left to warm; the next run, with the "
        f"same settings and without a restart, had {later.tps:,.0f} TPS again {_from(rising, later)}",
        rising.reads == 0 and rising.read_waits < 1 and later.tps < rising.tps,
    )


def not_reset(runs: Runs) -> Shown:
    """Whether a CHECKPOINT took the cache's warmth from a run."""
    reset = next(each for each in runs.values() if each.name.startswith("Reset"))
    fastest = max((each for each in runs.values() if each.checkpoint), key=lambda each: each.tps)
    return Shown(
        f"{_read(reset)} from disk, so its cache was warm; and a CHECKPOINT precedes the fastest run, "
        f"{fastest.tps:,.0f} TPS, as well {_from(reset, fastest)}",
        reset.reads == 0 and fastest.tps > reset.tps,
    )


def never_full(runs: Runs) -> Shown:
    """Whether round 1 waited for reads since its pool was smaller than its data."""
    run = runs[ROUND_1]
    made = run.transactions
    read, touched = run.read_kb_per_s * READ_S / 2**20, 2 * 8 * made / 2**20
    return Shown(
        f"Round 1 was the first run after a restart. Its {made:,.0f} transactions can have brought two pages each into "
        f"the pool, a row's and its index entry's: {touched:.1f} GiB. From the data volume {read:.1f} GiB were read. "
        f"So pgbench did not fill the pool of {run.pool_gb} GB: one as large as the data would have waited for the "
        f"same reads. What other backends left in the pool before is not counted {_from(run)}",
        run.first and max(read, touched) < run.pool_gb,
    )


def _read(run: Report) -> str:
    return f"The run read {f'{run.reads:,} blocks' if run.reads else 'nothing'}"


def other_database(runs: Runs) -> Shown:
    """Whether the hit ratio of round 1 is that of its transactions."""
    run = runs[ROUND_1]
    first, last = (notes.reading(f"round_1_watched_transactions_{when}") for when in ("first", "last"))
    low, high = (notes.number("r8g_cpu_hit", "value", metric=f"hit_ratio_{when}") for when in ("start", "end"))
    return Shown(
        f"The {low:g} and {high:g} % are of the database in which the script itself sat: it had made {first:,.0f} "
        f"transactions at the start and {last:,.0f} at the end, while pgbench made {run.transactions:,} in its own "
        f"{_from(run)}",
        last < 0.01 * run.transactions,
    )


def cold_level(runs: Runs) -> Shown:
    """Whether 7,000 TPS are those of a cold cache."""
    slow, _ = warm(runs)
    return Shown(
        f"Runs at this level were not cold: {_tps(slow)} TPS were reached without one read from disk in the minute "
        f"{_from(*slow)} One report with these settings is of a first run after a restart, too few to say how stable "
        "cold runs are.",
        False,
    )


def warm_level(runs: Runs) -> Shown:
    """Whether a warm cache gives 9,000 TPS."""
    (slow, fast), cold = warm(runs), runs[COLD]
    ratios = listed(f"{each.tps / cold.tps:.2f}" for each in slow)
    ratio = geometric_mean([each.tps for each in slow]) / cold.tps
    return Shown(
        f"{in_letters(len(slow)).capitalize()} runs with the same settings read nothing from disk in the minute and "
        f"had {_tps(slow)} TPS, {ratios} times the first run after the restart, {ratio:.3f} times by their geometric "
        f"mean; {_tps(fast)} was reached once {_from(*slow, *fast, cold)}",
        value=ratio,
    )


def prewarmed(runs: Runs) -> Shown:
    """Whether buffers warmed by round 1 made round 2 fast."""
    one, two, slow = runs[ROUND_1], runs[ROUND_2], warm(runs)[0]
    loaded = "It read nothing from disk: loading its own data, or a run that the note leaves out, had warmed the "
    loaded = f"{loaded}caches. " * (two.reads == 0)
    return Shown(
        f"Round 1 ran on scale {one.scale:,} and round 2 on {two.scale:,}, so the tables were made anew between them "
        f"and no page of round 1 was left. {loaded}Later runs that read nothing from disk had {_tps(slow)} TPS "
        f"{_from(one, two, *slow)}",
        one.scale != two.scale,
    )


def checkpoint(runs: Runs) -> Shown:
    """Whether CHECKPOINT resets a cache's warmth."""
    found, led = unread(runs.values()), sum(each.checkpoint for each in runs.values())
    return Shown(
        f"A CHECKPOINT precedes {'all ' * (led == len(runs))}{in_letters(led)} runs, the fastest too. "
        f"{in_letters(len(found)).capitalize()} of them then read nothing from disk, and on average at most "
        f"{max(each.read_waits for each in found):.2f} of 100 clients waited for a page. One of these runs had "
        f"{max(each.tps for each in found):,.0f} TPS. So the CHECKPOINT did not make the cache cold {_from(*found)}",
        led == len(runs) and bool(found),
    )


def realistic(runs: Runs) -> Shown:
    """Whether the range from 7,000 to 9,000 is one from cold to warm."""
    (slow, fast), low, rising = warm(runs), runs[COLD], runs[RISING].course["tps"]
    high = max(each.tps for each in fast)
    return Shown(
        f"The range is in the reports, {low.tps:,.0f} to {high:,.0f} TPS, a ratio of {high / low.tps:.2f}. It does not "
        f"lead from cold to warm: without a read from disk there were {_tps(slow)} TPS as well as {_tps(fast)}, and "
        f"the run that rose within the minute, from {rising.iloc[0]:,.0f} to {rising.iloc[-1]:,.0f}, read nothing "
        f"either {_from(low, *slow, *fast)}"
    )


def no_page_written(runs: Runs, *, who: str) -> Shown:
    """Whether a setting of the background writer changed what backends or it write. who: writes."""
    every, pages = [*runs.values()], _pages(runs)
    writes = [each.writes_per_s for each in every]
    return Shown(
        f"In all {in_letters(len(every))} runs, with the setting at 2, 4 and 5, {who} wrote "
        f"{f'at most {pages:,} pages' if pages else 'no page'}, and the data volume had {min(writes):.1f} to "
        f"{max(writes):.1f} writes a second: there was nothing to change {_from(*every)}",
        pages == 0,
    )


_sd = partial(other_data, words="standard deviations", value=lambda run: run.latency_sd_ms, chapter="Cold starts")
REPORTED: dict[str, Callable[[Runs], Shown]] = {
    "R022": other_data, "R036": larger_pool, "R042": pools, "R054": cold_level, "R055": warm_level, "R056": prewarmed,
    "R057": checkpoint, "R058": realistic, "R077": partial(pools, memory=True),
    "R017": partial(no_page_written, who="the backends"),
    "R023": partial(other_data, words="mean latencies", value=lambda run: run.latency_ms),
    "R024": _sd, "R029": _sd, "R033": partial(no_page_written, who="the background writer"),
    "R037": partial(like_for_like, words="mean latency", unit="ms", value=lambda run: run.latency_ms),
    "R038": partial(like_for_like, words="standard deviation", unit="ms", value=lambda run: run.latency_sd_ms),
    "R039": partial(
        like_for_like, words="throughput in the first five seconds", unit="TPS", digits=0,
        value=lambda run: float(run.course["tps"].iloc[0]),
    ),
    "R012": other_database, "R087": never_full,
    "R049": cold_over_warm, "R051": nothing_to_warm, "R052": not_reset, "R094": nothing_to_warm,
}  # fmt: skip
"""By claim. R046 is not here: the reports have one other pool, in one run, with four more settings changed."""
