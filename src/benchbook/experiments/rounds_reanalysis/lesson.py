"""What the chapter teaches."""

from __future__ import annotations

from benchbook.experiments.r8g_reported import number, throughputs
from benchbook.experiments.r8g_reports import PROCESSORS, ROUND_1, extra_processors
from benchbook.experiments.rounds_reanalysis.places import READS
from benchbook.experiments.rounds_reanalysis.summary import Summary
from benchbook.experiments.shape.lessons import Teaching


def warm(summary: Summary) -> str:
    """Throughput without reads."""
    found = summary.warm
    return (
        f"{number(len(found)).capitalize()} of nine runs read at most {max(each.reads for each in found)} times from "
        f"disk in their minute, and had {throughputs(found)} TPS: warm runs are slow as well as fast."
    )


def taken(summary: Summary) -> str:
    """What a slow transaction takes more."""
    fast, slow = summary.fast, summary.slow[0]
    return (
        f"A transaction takes {fast.user_us:.0f} + {fast.system_us:.0f} µs of processor time (user + system) in the "
        f"fastest run and {slow.user_us:.0f} + {slow.system_us:.0f} µs in a slow, equally warm one: "
        f"{extra_processors(slow, fast):.2f} of {number(PROCESSORS)} processors, for a reason that the reports do not "
        "show."
    )


def alike(summary: Summary) -> str:
    """The two comparisons of the note."""
    first, fast = summary.runs[ROUND_1], summary.fast
    large, small = summary.first_runs
    return (
        f"The note's +29 % compares scale {first.scale:,} with scale {fast.scale:,}; its −23 % for a pool of "
        f"{large.pool_gb} GB is {100 * (large.tps / small.tps - 1):+.1f} % where both runs are the first after a "
        "restart."
    )


LESSON = Teaching(
    "By the note's own reports the cache does not separate 7,000 from 9,000 transactions per second, and no setting is "
    "shown to: slow runs take more processor time for each transaction, and why is not known",
    figure=READS,
    claimed="Note 003: changed settings gave 29 % more, a pool of 12 GB cost 23 %, and throughput is 7,000 with a cold "
    "cache and 9,000 with a warm one.",
    advice="Before a change is credited, run the old settings again, on the same data and from the same start; and put "
    "reads from disk and processor time per transaction beside throughput.",
    numbers=(warm, taken, alike),
    besides=(warm, taken, alike),
)
