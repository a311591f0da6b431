"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.cache_sizing.arms import BLOCK_ONLY, SNAPPY
from benchbook.experiments.cache_sizing.judgements import COST, judge_claims
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.lessons import Point, Turn
from benchbook.figures import Lesson

TITLE = Turn(
    "B026",
    above="A far larger cache, and slower saves: look first at what the cache charges for an entry",
    below="The far larger cache did make saves faster",
    open="A far larger cache, and no faster save to be seen: look first at what the cache charges for an entry",
)
POINTS = (
    Point(
        "B007",
        "the block cache was too small, so that a larger one hits more often",
        "with 2048 instead of 64 MiB the hit ratio rises by {} percentage points",
        100,
        lead=True,
    ),
    Point("B003", "a third of the look-ups hit at the stated 64 MiB", "{} % do", 100),
    Point("B025", "the tuned caches reach a hit ratio of 85–95 %", "they reach {} %", 100),
    Point(
        "B026",
        "the tuned caches cut a save in a burst from 9.35 ms to below 5 ms",
        "its mean time becomes {} times what it was",
        lead=True,
    ),
    Point(
        "B012",
        "misses of the block cache cause constant disk reads",
        "{} blocks are read from the device for each miss",
    ),
    Point("B020", "a block takes 10–20 KB", "it has {} kB"),
    Point(
        "B019",
        "the cache must hold 100,000 to 200,000 blocks",
        "with {} blocks it hits nearly as often as with any number",
    ),
    Point(
        "B042",
        "a larger index cache answers more of the queries' look-ups in it",
        "their share rises by {} percentage points",
        100,
    ),
)
ADVICE = (
    "Divide what the cache was charged by the number of entries that it took in. Where the quotient is far from the "
    "size of an entry, mend the charge before the size."
)


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, and what compression does to the charge."""

    def charge() -> str:
        return (
            "For a block of some 4 kB the cache of 2048 MiB is charged "
            f"{lessons.number(summary.cost(BLOCK_ONLY), 1e-6)} MB as the note ran it; compressed with Snappy, the "
            f"stated 64 MiB are charged {lessons.number(summary.cost(SNAPPY), 1e-3)} kB and hit in "
            f"{lessons.number(summary.hit_ratio(SNAPPY), 100)} % of the look-ups."
        )

    return lessons.lesson(
        "cache_sizing",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=COST,
        besides=lessons.told(charge),
        advice=ADVICE,
    )
