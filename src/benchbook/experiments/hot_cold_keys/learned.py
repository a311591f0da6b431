"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.hot_cold_keys.judgements import TAILS, judge_claims
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.lessons import Point, Side, Turn
from benchbook.figures import Headline, Lesson

TITLE = Turn(
    "L001",
    above="Say which keys were warmed: it decides what a cache benchmark measures",
    below="Keys outside the warm-up were not the slow ones on this machine",
    open="Whether keys outside the warm-up are the slow ones is not decided here",
)
POINTS = (
    Point(
        "L001",
        "the benchmark asked for keys that its warm-up had not read",
        "the P99 of such keys is {} times that of warmed ones",
        lead=True,
        brief="their P99 is {} times that of warmed ones",
    ),
    Point(
        "L011",
        "with warmed keys more than 99 % of the pages come from the buffer pool",
        "{} % do",
        100,
    ),
    Point(
        "L057",
        "with warmed keys alone the P99 falls from 110 ms to below 60 ms",
        "it becomes {} times what it was",
    ),
    Point(
        "L012",
        "warmed keys take the P99 from 110 ms to 30–50 ms",
        "it becomes {} of itself",
        lead=True,
    ),
    Point(
        "L017",
        "asking for warmed keys alone is realistic",
        "with one request in five for a key never asked before, the P99 is {} times as long",
        lead=True,
        brief="",
    ),
    Point(
        "L002",
        "44.58 % was the hit ratio of the slow requests",
        "counted the note's way, with the loading in it, the hit ratio is {} times that of the requests alone",
    ),
    Point(
        "L010",
        "keys outside the warm-up make the cache thrash",
        "of the blocks read for the first 1,000 of them, {} % had been read before in the same trial",
        100,
        lead=True,
        brief="of the blocks read for them, {} % had been read before",
    ),
)
ADVICE = (
    "Warm with the traffic that you expect, take the hit ratio of the measured window alone, and measure several "
    "shares of warmed keys side by side, each from a fresh start."
)


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, and what a benchmark of warmed keys leaves out."""
    verdicts = judge_claims(summary)

    def unwarmed() -> Headline:
        times = lessons.number(lessons.shown(verdicts, "L017", Side.ABOVE))
        return Headline(
            "000",
            f"With one request in five for an unwarmed key, the P99 is {times} times what a benchmark of warmed keys "
            "reports.",
        )

    return lessons.lesson(
        "hot_cold_keys",
        TITLE,
        POINTS,
        verdicts,
        figure_id=TAILS,
        advice=ADVICE,
        headlines=lessons.told(unwarmed),
    )
