"""What the chapter teaches beside its answers: what compression does to the charge, and what a hit saves."""

from __future__ import annotations

from benchbook.experiments.cache_sizing.answers import COST, MEAN
from benchbook.experiments.cache_sizing.arms import (
    BLOCK_ONLY,
    PLAIN,
    SLOW,
    SLOW_TUNED,
    SMALL_TABLES,
    SNAPPY,
    STATED,
    TUNED,
)
from benchbook.experiments.cache_sizing.estimands import TARGET
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.cache_sizing.treatment import LEAST_WAITS
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.sides import Turn
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import Headline
from benchbook.figures.prose import digits

DEAR = 100
"""A block charged so many times its length makes any size of the cache too small."""


def charge(summary: Summary) -> str:
    """Of a block as the note ran it, and compressed."""
    return (
        f"Without compression, as in the note, and in one table of {_table_mb(summary)} MB, a block of some 4 kB is "
        f"charged {number(summary.cost(BLOCK_ONLY), 1e-6)} MB in a cache of 2048 MiB. Badger's default compresses "
        f"(Snappy): the charge is then {number(summary.cost(SNAPPY), 1e-3)} kB, and 64 MiB, the note's size, hit on "
        f"{number(summary.hit_ratio(SNAPPY), 100)} % of the look-ups."
    )


def no_constant(summary: Summary) -> str:
    """That the charge is the size of a table."""
    small = digits(summary.mean(SMALL_TABLES, "largest_table_bytes") / 1e6)
    return (
        "The charge is no constant: without compression a block is charged up to twice what its table has left behind "
        f"it. With tables of at most {small} MB it is {number(summary.cost(SMALL_TABLES), 1e-6)} MB."
    )


def _table_mb(summary: Summary) -> str:
    return digits(summary.mean(BLOCK_ONLY, "largest_table_bytes") / 1e6)


def save(summary: Summary) -> str:
    """That no cache shortens a save of the burst, where its misses wait for no device."""
    misses, blocks = (summary.mean(STATED, name) for name in ("burst_misses", "burst_device_reads"))
    if blocks > LEAST_WAITS * misses:
        raise NotEstimableError("misses of the burst waited for the device", "see the chapter")
    times = number(summary.ratio((TUNED, MEAN), (STATED, MEAN)))
    return (
        f"A save in a burst takes {times} times as long with the tuned caches: with the stated ones {misses:,.0f} "
        f"misses a trial read {blocks:,.1f} blocks from the device, so that no cache can shorten it."
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
        f"Without compression, as in the note, Badger charges its cache {number(cost, 1e-6)} MB for a block of "
        f"{block / 1e3:.0f} kB in one table of {_table_mb(summary)} MB: none of {len(plain)} caches exceeds "
        f"{number(best, 100)} % hits. Its default, Snappy, gives {number(packed, 100)} % at 64 MiB.",
    )


LESSON = Teaching(
    Turn(
        "B025",
        above="The tuned caches reach the hits that the note expects: the cache had been too small",
        below="A far larger cache does not bring the hits that the note expects: check first what the cache charges "
        "for an entry",
        open="Whether the tuned caches reach the hits that the note expects remains undecided here: check first what "
        "the cache charges for an entry",
        at=TARGET,
    ),
    figure=COST,
    claimed="Note 001: Badger's caches were too small; with larger ones 85 to 95 % of the look-ups hit, instead of "
    "33 %.",
    advice="Leave compression on, as it is by default, or turn the cache off. Divide what the cache was charged by the "
    "number of entries that it admitted; if the result is far from the size of an entry, fix the charge before you "
    "change the size. Then count the reads of the device with a small and a large cache: if they are the same, a hit "
    "saves none.",
    numbers=(charge, "B025", save),
    besides=(charge, no_constant, save, saved),
    headlines=(no_size,),
)
