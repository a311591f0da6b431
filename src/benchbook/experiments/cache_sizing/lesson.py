"""What the chapter teaches beside its answers: what compression does to the charge, and what a hit saves."""

from __future__ import annotations

from benchbook.experiments.cache_sizing.answers import COST
from benchbook.experiments.cache_sizing.arms import BLOCK_ONLY, PLAIN, SLOW, SLOW_TUNED, SNAPPY
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.sides import Turn
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import Headline

DEAR = 100
"""A block charged so many times its length makes any size of the cache too small."""
CLAIMED_HITS = 0.85
"""The least that the note expects of its tuned caches."""


def charge(summary: Summary) -> str:
    """Of a block as the note ran it, and compressed."""
    return (
        "An entry of some 4 kB, uncompressed as in the note, is charged "
        f"{number(summary.cost(BLOCK_ONLY), 1e-6)} MB in a block cache of 2048 MiB; with Snappy compression it is "
        f"charged {number(summary.cost(SNAPPY), 1e-3)} kB, and a cache of 64 MiB, the note's size, hits on "
        f"{number(summary.hit_ratio(SNAPPY), 100)} % of the look-ups."
    )


def saved(summary: Summary) -> str:
    """Whether a hit saves a wait for the device."""
    hits = [number(summary.lookup_hits(arm), 100) for arm in (SLOW, SLOW_TUNED)]
    waits = [number(summary.waits(arm), 100) for arm in (SLOW, SLOW_TUNED)]
    return (
        f"In memory that holds a quarter of the data, the tuned cache hits in {hits[1]} instead of {hits[0]} % of its "
        f"reads, and {waits[1]} instead of {waits[0]} % of the look-ups wait for the device: the cache holds "
        "references to a mapped file, not blocks."
    )


def no_size(summary: Summary) -> Headline:
    """That no size of the cache does what compression does."""
    cost, packed = summary.cost(BLOCK_ONLY), summary.hit_ratio(SNAPPY)
    plain = [summary.hit_ratio(arm) for arm in (*PLAIN, BLOCK_ONLY)]
    best = max(plain, key=lambda ratio: ratio.point)
    block = summary.parameters.block_bytes
    if cost.low < DEAR * block or max(ratio.high for ratio in plain) >= packed.low:
        raise NotEstimableError("a block is charged about its length, or a size helps", "measure again")
    return Headline(
        "001",
        f"Badger charges its cache {number(cost, 1e-6)} MB for a block of {block / 1e3:.0f} kB: none of {len(plain)} "
        f"caches up to 2048 MiB exceeds {number(best, 100)} % hits. Compression alone gives {number(packed, 100)} % at "
        "64 MiB.",
    )


LESSON = Teaching(
    Turn(
        "B025",
        above="The tuned caches reach the hits that the note expects: the cache had been too small",
        below="A far larger cache does not bring the hits that the note expects: check first what the cache charges "
        "for an entry",
        open="Whether the tuned caches reach the hits that the note expects remains undecided here: check first what "
        "the cache charges for an entry",
        at=CLAIMED_HITS,
    ),
    figure=COST,
    claimed="Note 001: Badger's caches were too small; with larger ones 85 to 95 % of the look-ups hit, instead of "
    "33 %.",
    advice="Divide what the cache was charged by the number of entries that it admitted; if the result is far from the "
    "size of an entry, fix the charge, as by compression, before you change the size. Then count the reads "
    "of the device with a small and a large cache: if they are the same, a hit saves none.",
    numbers=(charge, "B025", "B026"),
    besides=(charge, saved),
    headlines=(no_size,),
)
