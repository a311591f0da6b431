"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.cache_sizing.arms import BLOCK_ONLY, SNAPPY
from benchbook.experiments.cache_sizing.judgements import COST, judge_claims
from benchbook.experiments.cache_sizing.prose import PLAIN
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.lessons import Point, Turn
from benchbook.experiments.per_block import NotEstimableError
from benchbook.figures import Headline, Lesson

TITLE = Turn(
    "B026",
    above="A far larger cache, and slower saves: look first at what the cache charges for an entry",
    below="The far larger cache did make saves faster",
    open="A far larger cache, and no faster save to be seen: look first at what the cache charges for an entry",
)
POINTS = (
    Point(
        "B007",
        "a larger block cache hits more often",
        "with 2048 instead of 64 MiB the hit ratio rises by {} percentage points",
        100,
        lead=True,
        brief="from 64 to 2048 MiB its hit ratio rises by {} points",
    ),
    Point("B003", "a third of the look-ups hit at the stated 64 MiB", "{} % do", 100),
    Point("B025", "the tuned caches reach 85–95 % hits", "they reach {} %", 100, lead=True, brief=""),
    Point(
        "B026",
        "a save in a burst falls from 9.35 to below 5 ms",
        "with the tuned caches its mean time becomes {} times what it was",
        lead=True,
        brief="it takes {} times as long",
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
        "of the sizes tried, the smallest that hits nearly as often as any holds {}",
    ),
    Point(
        "B042",
        "a larger index cache answers more of the queries' look-ups in it",
        "their share rises by {} percentage points",
        100,
    ),
)
DEAR = 100
"""A block charged so many times its length makes any size of the cache too small."""
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

    def no_size() -> Headline:
        cost, packed = summary.cost(BLOCK_ONLY), summary.hit_ratio(SNAPPY)
        plain = [summary.hit_ratio(arm) for arm in PLAIN]
        best = max(plain, key=lambda ratio: ratio.point)
        block = summary.parameters.block_bytes
        if cost.low < DEAR * block or max(ratio.high for ratio in plain) >= packed.low:
            raise NotEstimableError("a block is charged about its length, or a size helps", "measure again")
        return Headline(
            "001",
            f"Badger charges its cache {lessons.number(cost, 1e-6)} MB for a block of {block / 1e3:.0f} kB: none of "
            f"{len(plain)} sizes up to 2048 MiB gets beyond {lessons.number(best, 100)} % hits. Compression alone "
            f"gives {lessons.number(packed, 100)} % at 64 MiB.",
        )

    return lessons.lesson(
        "cache_sizing",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=COST,
        besides=lessons.told(charge),
        advice=ADVICE,
        headlines=lessons.told(no_size),
    )
