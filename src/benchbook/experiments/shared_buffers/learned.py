"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.lessons import Point, Side, Turn
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.shared_buffers.arms import A_COLD, QUARTER, SCENARIO_A, SCENARIO_B, reads_name
from benchbook.experiments.shared_buffers.judgements import POOLS, judge_claims
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Headline, Lesson
from benchbook.figures.prose import digits

TITLE = Turn(
    "C031",
    above="A pool that holds all of the data is faster than one that holds four fifths",
    below="A pool that holds all of the data is slower than one that holds four fifths",
    open="Whether a pool that holds all of the data is faster than one that holds four fifths is not decided here",
)
POINTS = (
    Point(
        "C031",
        "a pool as large as the data gives 31 % more transactions",
        "with the note's other settings it gives {} times as many as a pool of 80 % of the data",
        lead=True,
        brief="it gives {} times as many as four fifths of them",
    ),
    Point(
        "C041",
        "the standard deviation of the latency drops from 3–5 ms to 0.5–0.6 ms",
        "it becomes {} times what it was",
    ),
    Point(
        "C045",
        "with a pool as large as the data nothing is read from the disk",
        "{} % of its requests for a block reach the device",
        100,
    ),
    Point(
        "C080",
        "a pool as large as the data is faster since reads no longer get in the way of writes",
        "with a pool of 80 % of the data a transaction reads {} blocks more from the device",
    ),
    Point(
        "C044",
        "a pool as large as the data caches all of it",
        "after as many transactions for each page as in its best run, at most {} % of the data are in it",
        100,
        lead=True,
        brief="",
    ),
    Point("C040", "the data are about as large as its pool of 20 GB", "they take {} times that", lead=True),
    Point("C062", "extra room beyond the data helps", "120 % of the data give {} times the throughput of 100 %"),
    Point(
        "R077",
        "a pool of 12 GB costs 23 % of the throughput of one of 8 GB",
        "37.5 % of the memory give {} times the throughput of 25 %",
        lead=True,
        brief="37.5 % of the memory give {} times that of 25 %",
    ),
    Point(
        "R045",
        "a pool of 12 GB, 37.5 % of the memory, exhausts it",
        "{} % of it stay free at the worst moment",
        100,
        lead=True,
        brief="{} % of it stay free at worst",
    ),
    Point(
        "R046",
        "a quarter of the memory is best",
        "the best of four other sizes has {} times its throughput",
    ),
    Point("R052", "a CHECKPOINT costs throughput", "right after one the throughput is {} times that without"),
    Point("R095", "a CHECKPOINT flushes dirty pages", "{} % stay dirty", 100, lead=True),
    Point(
        "R057",
        "a CHECKPOINT resets a warm cache",
        "right after one {} % of the pages are still in the pool",
        100,
        lead=True,
        brief="",
    ),
)
WHOLE = 0.99
"""From this share on the ledger reads data as cached."""
ADVICE = (
    "Start every trial from the same state, look at what both caches hold, and give each size several trials in random "
    "order: from one run each, a size cannot be told from its moment."
)


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, and what the system's cache hides."""

    def cold() -> str:
        found = summary.ratio(A_COLD, SCENARIO_A, "tps")
        if found is None:
            raise NotEstimableError("there is no trial with a cold cache", "measure all parts")
        return (
            "Throughput with a pool of 80 % of the data and the operating system's cache empty at the start, over that "
            f"with that cache full: {lessons.compared(found)}."
        )

    def device() -> str:
        found = summary.ratio(reads_name(100), reads_name(10), "tps")
        if found is None:
            raise NotEstimableError("there are no read-only trials", "measure all parts")
        return (
            "Reading only, and past that cache, throughput with a pool of 100 % of the data over that with one of "
            f"10 %: {lessons.compared(found)}."
        )

    def without() -> str:
        share = float(summary.values(SCENARIO_A, "device_share_of_requests").mean())
        return (
            f"With a pool of 80 % of the data {digits(100 * share)} % of the requests for a block reach the "
            "device: the operating system's cache serves what the pool lacks."
        )

    verdicts = judge_claims(summary)

    def one_and_the_same() -> Headline:
        held = lessons.shown(verdicts, "C044", Side.BELOW, WHOLE)
        evicted = sum(float(summary.values(arm, "evictions_per_allocation").sum()) for arm in (SCENARIO_A, SCENARIO_B))
        if evicted:
            raise NotEstimableError("the pools evicted pages", "say what that did")
        return Headline(
            "002",
            f"A pool as large as the data holds at most {lessons.number(held, 100)} % of it after a run like its own; "
            "here neither of its pools evicted a page.",
        )

    def checkpoint() -> Headline:
        before, after = (summary.values(QUARTER, f"resident_{when}_checkpoint") for when in ("before", "after"))
        if (after < before).any():
            raise NotEstimableError("pages left the pool", "say how many")
        return Headline(
            "003",
            f"A CHECKPOINT evicted none of {int(before.min()):,} pages in any of {len(before)} trials: it writes pages "
            "out and leaves the cache warm.",
        )

    return lessons.lesson(
        "shared_buffers",
        TITLE,
        POINTS,
        verdicts,
        figure_id=POOLS,
        besides=lessons.told(without, cold, device),
        advice=ADVICE,
        headlines=lessons.told(one_and_the_same, checkpoint),
    )
