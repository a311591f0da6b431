"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.lessons import Point, Turn
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.shared_buffers.arms import A_COLD, SCENARIO_A, reads_name
from benchbook.experiments.shared_buffers.judgements import POOLS, judge_claims
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Lesson

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
    ),
    Point(
        "C041",
        "the standard deviation of the latency drops from 3–5 ms to 0.5–0.6 ms",
        "it becomes {} times what it was",
    ),
    Point("C045", "nothing is then read from the disk", "{} % of the requests for a block reach the device", 100),
    Point("C062", "extra room beyond the data helps", "120 % of the data give {} times the throughput of 100 %"),
    Point(
        "R077",
        "a pool of 12 GB, 37.5 % of the memory, costs 23 % of the throughput",
        "such a pool gives {} times the throughput of one of 25 %",
        lead=True,
    ),
    Point(
        "R046",
        "a quarter of the memory is best",
        "the best of four other sizes has {} times its throughput",
    ),
    Point("R052", "a CHECKPOINT resets a warm cache", "right after one the throughput is {} times that without"),
)
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
            f"With the operating system's cache empty at the start, a pool of 80 % of the data has "
            f"{lessons.number(found)} times the throughput that it has with that cache full."
        )

    def device() -> str:
        found = summary.ratio(reads_name(100), reads_name(10), "tps")
        if found is None:
            raise NotEstimableError("there are no read-only trials", "measure all parts")
        return (
            "Reading only, and past that cache, a pool of 100 % of the data has "
            f"{lessons.number(found)} times the throughput of one of 10 %."
        )

    return lessons.lesson(
        "shared_buffers",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=POOLS,
        besides=lessons.told(cold, device),
        advice=ADVICE,
    )
