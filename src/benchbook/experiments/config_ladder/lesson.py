"""What the chapter teaches beside its answers: which of the settings moved anything, and what did instead."""

from __future__ import annotations

from benchbook.experiments.config_ladder import singles
from benchbook.experiments.config_ladder.arms import FLUSHES, ROUND_1_COLD, ROUND_2, ROUND_2_AGAIN, ROUND_2_FITS
from benchbook.experiments.config_ladder.figure_ids import SCREENING
from benchbook.experiments.config_ladder.summary import Summary
from benchbook.experiments.shape.lessons import TOO_SHORT, Teaching
from benchbook.experiments.shape.numbers import compared, number
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate


def title(summary: Summary) -> str:
    """Which of the fifteen settings that were changed together moved throughput, and how many did not."""
    found, each = singles.combined(summary, together=True), singles.combined(summary)
    if not found.every:
        return TOO_SHORT
    moved, still = [f"{name} ({_way(effect)})" for name, effect in found.moved.items()], len(each.within(singles.SOLD))
    open_ = len(found.every) - len({*found.moved} | {*each.within(singles.SOLD)})
    rest = f"the intervals of {still} lie within {singles.SOLD:.0%}, {open_} are open"
    together = f"When {len(found.every)} settings are varied together"
    if not moved:
        return f"{together}, no interval excludes 1; {rest}"
    names = moved[0] if len(moved) == 1 else f"{', '.join(moved[:-1])} and {moved[-1]}"
    has = "has an interval that excludes" if len(moved) == 1 else "have intervals that exclude"
    return f"{together}, only {names} {has} 1; {rest}"


def _way(effect: Estimate) -> str:
    return f"{abs(effect.point - 1):.0%} {'less' if effect.high < 1 else 'more'} throughput"


def moved(summary: Summary) -> str:
    """Which settings moved throughput, the three largest with their numbers."""
    found = singles.sort(summary)
    if not found.every:
        raise NotEstimableError("this run did not measure the settings one at a time", "measure all parts")
    if not found.moved:
        return f"None of {len(found.every)} changes of a single setting has an interval that excludes 1."
    first = ", ".join(f"{name} {number(e)}" for name, e in list(found.moved.items())[:3])
    return (
        f"One at a time, the interval of {len(found.moved)} of {len(found.every)} settings excludes 1, as chance alone "
        f"lets about one do; of these the largest, as a ratio of throughput: {first}."
    )


def small(summary: Summary) -> str:
    """How many settings were shown to change next to nothing, and what could have been seen."""
    found = singles.sort(summary)
    if not found.every:
        raise NotEstimableError("this run did not measure the settings one at a time", "measure all parts")
    return (
        f"The whole intervals of {len(found.small) or 'none'} of {len(found.every)} settings lie within "
        f"{singles.SMALL:.0%} of no change. "
        f"Given the spread of equal configurations, a change of {singles.detectable(summary) - 1:.1%} would be seen in "
        "four of five such runs."
    )


AFTER_CHECKPOINT = ", in trials that begin right after a CHECKPOINT, when there is most to compress"


def combined(summary: Summary) -> str:
    """The largest main effect of the combinations."""
    effects = {singles.named(words, summary): summary.effect(column) for column, words in singles.FACTORS.items()}
    name, largest = max(effects.items(), key=lambda item: abs(item[1].point - 1))
    compressed = name.startswith("wal_compression")
    return (
        f"In sixteen combinations of fifteen settings, {name} does most: with it, the throughput is {number(largest)} "
        f"times that without{f'{AFTER_CHECKPOINT}.{singles.of_lz4(summary)}' if compressed else '.'}"
    )


def as_run(summary: Summary) -> str:
    """The note's own comparison: other settings, and smaller data too."""
    return compared(
        "With the note's change of data as well, from 2.5 times the pool to 0.92, throughput of round 2 over round 1, "
        "both cold",
        summary.gain(ROUND_2_FITS, ROUND_1_COLD),
    )


def flushes(summary: Summary) -> str:
    """What commit_delay gives where a flush of the log is slow."""
    return compared(
        f"Where each flush of the log takes {summary.parameters.flush_ms:g} ms longer, throughput with a commit_delay "
        "of 200 µs over that with none",
        summary.gain(FLUSHES[200], FLUSHES[0]),
    )


def again(summary: Summary) -> str:
    """How far the baseline differs from itself."""
    found = summary.gain(ROUND_2_AGAIN, ROUND_2)
    holds = ": the interval includes 1, as it should" if found.low <= 1 <= found.high else ""
    return f"Throughput of round 2 over that of an identical copy is {number(found)}{holds}."


LESSON = Teaching(
    title,
    figure=SCREENING,
    claimed="Notes 002 and 003: turning a ladder of settings gave 14 % (002) and 29 % (003) more transactions per "
    "second; some settings alone gave 5 to 10 %.",
    advice="Before you turn a setting, find the counter that it must change: parallel workers launched, pages that "
    "backends write, commits per flush, bytes of log. If your workload leaves that counter alone, so will the setting. "
    "Change one at a time from equal starts, and run the unchanged configuration as often as the changed one.",
    numbers=(combined, "C016", "R022"),
    besides=(moved, small, as_run, flushes, again),
)
