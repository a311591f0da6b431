"""What the chapter teaches beside its answers: what the storage and the system's cache hide."""

from __future__ import annotations

from benchbook.experiments.shape import judging
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import compared, number
from benchbook.experiments.shape.sides import Side, Turn, shown
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shared_buffers.answers import POOLS
from benchbook.experiments.shared_buffers.arms import (
    A_COLD,
    A_LOCAL,
    B_LOCAL,
    QUARTER,
    ROUND_2,
    ROUND_2_COLD,
    SCENARIO_A,
    SCENARIO_B,
    THREE_EIGHTHS,
    reads_name,
)
from benchbook.experiments.shared_buffers.parameters import SMALL
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.experiments.shared_buffers.treatment import EVICTIONS
from benchbook.figures import Headline
from benchbook.figures.prose import digits

WHOLE = 0.99
"""From this share on the ledger reads data as cached."""


def local(summary: Summary) -> str:
    """What the same two pools give where the disk keeps up with what is evicted."""
    return compared(
        "On this machine's own disk without a cap, throughput with a pool of 100 % of the data over that with one of "
        f"{SMALL} %",
        summary.gain(B_LOCAL, A_LOCAL),
    )


def without(summary: Summary) -> str:
    """What of the requests reaches the device with a pool that lacks four fifths of the data."""
    share = float(summary.values(SCENARIO_A, "device_share_of_requests").mean())
    return (
        f"With a pool of {SMALL} % of the data, {digits(100 * share)} % of the requests for a block reach the device: "
        "the operating system's cache serves what the pool lacks."
    )


def cold(summary: Summary) -> str:
    """What it costs when that cache is empty at the start, and in which part of a trial."""
    whole = compared(
        f"Throughput with a pool of {SMALL} % of the data and the operating system's cache empty at the start, over "
        "that with a full cache",
        summary.gain(A_COLD, SCENARIO_A),
    )
    first, third = (summary.gain(A_COLD, SCENARIO_A, f"interval_{twelfth:02}_tps") for twelfth in (1, 3))
    if not first.high < 1.0 < third.low:
        return whole
    return (
        f"{whole} Reading slows the start, so the fall comes later: in the first twelfth of a trial it is "
        f"{number(first)}, in the third {number(third)}."
    )


def device(summary: Summary) -> str:
    """What a pool gives where each miss goes to the device."""
    return compared(
        "In read-only trials that bypass the operating system's cache, throughput with a pool of 100 % of the data "
        f"over that with one of {SMALL} %",
        summary.gain(reads_name(100), reads_name(SMALL)),
    )


def more_than_a_quarter(summary: Summary) -> str:
    """What a pool beyond a quarter of the memory gives."""
    return compared(
        "Throughput with a pool of 37.5 % of the memory over that with one of 25 %",
        summary.gain(THREE_EIGHTHS, QUARTER),
    )


def restarted(summary: Summary) -> str:
    """What a change of the pool costs beside itself: the restart that it needs."""
    return compared(
        "With note 003's second settings, throughput right after a restart with empty caches, over that with warm ones",
        summary.gain(ROUND_2_COLD, ROUND_2),
    )


def evicting(summary: Summary) -> Headline:
    """That a fifth of the data evicts and all of it does not, where so."""
    held = shown(judging.verdicts(summary), "C044", Side.BELOW, WHOLE)
    small, large = (summary.values(arm, EVICTIONS) for arm in (SCENARIO_A, SCENARIO_B))
    if large.any() or not small.all():
        raise NotEstimableError("the pools evicted otherwise", "say what they did")
    return Headline(
        "002",
        f"A pool as large as the data evicts nothing, and after as many transactions per page as in the note's minute "
        f"it has filled to at most {number(held, 100)} % of the data; one of a fifth evicted {int(small.min()):,} "
        "pages or more.",
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
        above="A pool that holds all of the data is faster than one that holds a fifth, the more so the longer "
        "misses or evictions have to wait for the storage",
        below="A pool that holds all of the data is slower than one of a fifth, even on slow storage",
        open="Whether a pool that holds all of the data is faster than one that holds a fifth remains undecided here",
    ),
    figure=POOLS,
    claimed="Note 002: a pool of 20 GB, which holds all of the data, gives 31 % more transactions than one of 16 GB. "
    "Note 003: a pool of 37.5 % of the memory, instead of 25 %, costs 23 %.",
    advice="Look at what the pool evicts and where that goes before its size is changed, start every trial from the "
    "same state, and give each size several trials in random order: with one run each, the effect of the size cannot "
    "be told from that of the moment.",
    numbers=("C031", device, more_than_a_quarter),
    besides=(local, without, cold, device, more_than_a_quarter, restarted),
    headlines=(evicting, checkpoint),
)
