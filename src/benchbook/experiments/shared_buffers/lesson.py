"""What the chapter teaches beside its answers: what the system's cache hides, and what no pool did."""

from __future__ import annotations

from benchbook.experiments.shape import judging
from benchbook.experiments.shape.lessons import Side, Teaching, Turn, compared, number, shown
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shared_buffers.answers import POOLS
from benchbook.experiments.shared_buffers.arms import A_COLD, QUARTER, SCENARIO_A, SCENARIO_B, reads_name
from benchbook.experiments.shared_buffers.estimands import EVICTIONS
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Headline
from benchbook.figures.prose import digits

WHOLE = 0.99
"""From this share on the ledger reads data as cached."""


def without(summary: Summary) -> str:
    """What of the requests reaches the device with a pool that lacks a fifth of the data."""
    share = float(summary.values(SCENARIO_A, "device_share_of_requests").mean())
    return (
        f"With a pool of 80 % of the data, {digits(100 * share)} % of the requests for a block reach the device: the "
        "operating system's cache serves what the pool lacks."
    )


def cold(summary: Summary) -> str:
    """What it costs when that cache is empty at the start."""
    return compared(
        "Throughput with a pool of 80 % of the data and the operating system's cache empty at the start, over that "
        "with a full cache",
        summary.gain(A_COLD, SCENARIO_A),
    )


def device(summary: Summary) -> str:
    """What a pool gives where each miss goes to the device."""
    return compared(
        "In read-only trials that bypass that cache, throughput with a pool of 100 % of the data over that with one "
        "of 10 %",
        summary.gain(reads_name(100), reads_name(10)),
    )


def one_and_the_same(summary: Summary) -> Headline:
    """That the note's pools evicted nothing, where so."""
    held = shown((each.verdict for each in judging.answered(summary)), "C044", Side.BELOW, WHOLE)
    if any(summary.values(arm, EVICTIONS).any() for arm in (SCENARIO_A, SCENARIO_B)):
        raise NotEstimableError("the pools evicted pages", "say what that did")
    return Headline(
        "002",
        f"A pool as large as the data holds at most {number(held, 100)} % of it after a run like the note's; here "
        "neither of the note's pools evicted a page.",
    )


def checkpoint(summary: Summary) -> Headline:
    """That a CHECKPOINT evicts nothing, where so."""
    before, after = (summary.values(QUARTER, f"resident_{when}_checkpoint") for when in ("before", "after"))
    if (after < before).any():
        raise NotEstimableError("pages left the pool", "say how many")
    return Headline(
        "003",
        f"A CHECKPOINT evicted none of {int(before.min()):,} pages in any of {len(before)} trials: it writes pages "
        "out and leaves the cache warm.",
    )


LESSON = Teaching(
    Turn(
        "C031",
        above="A pool that holds all of the data is faster than one that holds four fifths",
        below="A pool that holds all of the data is slower than one that holds four fifths",
        open="Whether a pool that holds all of the data is faster than one that holds four fifths remains undecided "
        "here",
    ),
    figure=POOLS,
    advice="Start every trial from the same state, check what both caches hold, and give each size several trials in "
    "random order: with one run each, the effect of the size cannot be told from that of the moment.",
    besides=(without, cold, device),
    headlines=(one_and_the_same, checkpoint),
)
