"""The chapter's sentences with numbers, computed from the raw reports."""

from __future__ import annotations

from benchbook.experiments import notes
from benchbook.experiments.r8g_reported import listed, number, throughputs
from benchbook.experiments.r8g_reports import PROCESSORS, RISING, ROUND_1, extra_processors
from benchbook.experiments.rounds_reanalysis.summary import Summary
from benchbook.figures import Prose


def answer(summary: Summary) -> Prose:
    """What was found, in a few sentences."""
    warm, slow, fast = summary.warm, summary.slow, summary.fast
    large, small = summary.first_runs
    extra = [extra_processors(each, fast) for each in slow]
    return Prose(
        f"{number(len(warm)).capitalize()} of the nine runs read next to nothing from disk, and had "
        f"{throughputs(warm)} TPS. So the cache is not what separates 7,000 from 9,000. What differs is the "
        f"processor time of a transaction: {fast.user_us:.0f} + {fast.system_us:.0f} µs (user + system) in the fastest "
        f"run, {slow[0].user_us:.0f} + {slow[0].system_us:.0f} µs in a slow one. In the slow warm runs the difference "
        f"comes to {min(extra):.2f} to {max(extra):.2f} of the machine's {number(PROCESSORS)} processors. What uses "
        "that time, the reports do not say. No page was written from the pool in any run. The note's two comparisons "
        "of rounds are not of settings: +29 % compares two sizes of data, and −23 % the first run after a restart with "
        f"a later one. Against the other first run after a restart, {large.pool_gb} GB has "
        f"{large.tps / small.tps:.3f} times the throughput."
    )


def unmentioned(summary: Summary) -> Prose:
    """The runs that the note leaves out."""
    found = summary.unmentioned
    return Prose(
        f"The note does not mention {number(len(found))} of the runs, those of "
        f"{listed(each.clock for each in found)}, with {throughputs(found)} TPS. The first of them comes between "
        "rounds 1 and 2, on the data of round 2; which settings were in force, it does not say. The other is warm and "
        "slow. The note also has a run of 6,996 TPS without a report."
    )


def cache(summary: Summary) -> Prose:
    """Why the cache is not the difference."""
    runs = summary.runs
    rising, later = runs[RISING], [each for each in runs.values() if each.run_id > RISING]
    course, waits = rising.course["tps"], max(each.read_waits for each in summary.warm)
    return Prose(
        "The note explains about 7,000 TPS by a cold cache and 9,000 by a warm one, which the CHECKPOINT at the start "
        f"resets. A CHECKPOINT precedes all {number(len(runs))} runs, the fastest too. The run at {rising.clock} "
        f"rises from {course.iloc[0]:,.0f} to {course.iloc[-1]:,.0f} TPS without a single read from disk, so it does "
        f"not rise because a cache fills. The next one, at {listed(each.clock for each in later)}, has the same data "
        f"and reads nothing either, and is back at {throughputs(later)} TPS. Pages do not come from the kernel's cache "
        f"in large numbers: in the warm runs {waits:.2f} of 100 clients at most wait for a read of a data file, on "
        "average over the samples of a second."
    )


def processors(summary: Summary) -> Prose:
    """What a transaction takes, and when that changes."""
    slow, rising, first = summary.slow, summary.runs[RISING].course, summary.runs[ROUND_1].course
    dips = summary.unmentioned[0]
    used = dips.course["user_us"]
    edges = max(each.outside_percent for each in slow)
    return Prose(
        f"In the warm runs the processors are {100 - max(each.idle_percent for each in summary.warm):.0f} % busy or "
        f"more, so throughput is what a transaction takes of them. In the run at {dips.clock} user time is "
        f"{used.min():.0f} µs at best, and above 350 µs in {number(int((used > 350).sum()))} stretches of 5 s, about "
        f"20 s apart. At {summary.runs[RISING].clock} it falls from {rising['user_us'].iloc[8]:.0f} to "
        f"{rising['user_us'].iloc[10]:.0f} µs in ten seconds. In round 1 it climbs from {first['user_us'].iloc[3]:.0f} "
        f"to {first['user_us'].iloc[11]:.0f} µs between seconds 20 and 60. In the slow runs "
        f"at {listed(each.clock for each in slow)} it is high from the first seconds to the last; and right before and "
        f"after these, the processors are at most {edges:.1f} % in use."
    )


def writes(summary: Summary) -> Prose:
    """That nothing was written from the pool, and when it was."""
    runs = list(summary.runs.values())
    pages, rates = max(each.buffers_written for each in runs), [each.writes_per_s for each in runs]
    written = max(each.written_kb_per_s for each in runs)
    later = [each.checkpoint_s for each in runs if not each.first and each.checkpoint_s > 1]
    return Prose(
        f"In all {number(len(runs))} runs checkpoints, background writer and backends together wrote {pages:,} pages. "
        "The count of the backends comes late, but the disks say the same: the data "
        f"volume had {min(rates):.1f} to {max(rates):.1f} writes a second, {written:,.0f} kB at most, where 7,000 "
        "transactions change some 7,000 pages. So neither of the two settings of the background writer that round 2 "
        "changes could act. The changed pages stayed in the pool. The CHECKPOINT of the next report wrote them, in "
        f"about {min(later)} to {max(later)} s each time, and no measured minute contains it."
    )


def rounds(summary: Summary) -> Prose:
    """The two comparisons of the note, and what is alike in them."""
    first, fast, gb = summary.runs[ROUND_1], summary.fast, notes.number("r8g_runs", "data_gb", round=1)
    large, small = summary.first_runs
    repeats = [each for each in summary.runs.values() if each.settings == fast.settings and each is not fast]
    mean = sum(each.tps for each in repeats) / len(repeats)
    return Prose(
        f"**+29 %.** Round 1 ran on scale {first.scale:,} and round 2 on scale {fast.scale:,}, "
        f"{first.scale / fast.scale:.1f} times less data: about {gb * fast.scale / first.scale:.0f} instead "
        f"of {gb:.0f} GB, about as much as the pool of {fast.pool_gb} GB holds. Reads from disk fell from "
        f"{first.reads:,} to {fast.reads}. Before round 1 began, the data volume already had {first.reads_before} "
        f"reads a second from something else. {number(len(repeats)).capitalize()} repeats of round 2's settings, on "
        f"round 2's data, have {throughputs(repeats)} TPS, {mean:,.0f} on average; none has {fast.tps:,.0f}.\n\n"
        f"**−23 %.** Round 3 was the first run after a restart, which a pool of {large.pool_gb} GB requires. Back at "
        f"{small.pool_gb} GB, again after a restart, the server had {small.tps:,.0f} TPS. Like against like, "
        f"{large.tps:,.0f} / {small.tps:,.0f} = {large.tps / small.tps:.3f}. These are two single runs with other "
        "settings changed as well, so they do not show that 12 GB are better; but the loss stayed when they were "
        f"gone. Memory was not short: {large.available_gib} of {large.memory_gib} GiB were available."
    )
