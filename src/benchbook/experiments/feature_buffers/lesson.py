"""What the chapter teaches beside its answers: a pool and a page cache share one memory."""

from __future__ import annotations

from benchbook.experiments.feature_buffers.answers import HITS
from benchbook.experiments.feature_buffers.arms import BAND_PERCENT, DISJOINT, UNFILLED, percent_of, pool_name
from benchbook.experiments.feature_buffers.estimands import band, base, doubled
from benchbook.experiments.feature_buffers.pool_prose import far_larger, hit, noted_step
from benchbook.experiments.feature_buffers.summary import Summary
from benchbook.experiments.shape.judging import estimated, verdicts
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.sides import Turn
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import with_interval
from benchbook.model import Estimate

NOTE_HITS = "note_heap_hit_ratio"


def unfilled(summary: Summary) -> str:
    """What a larger pool does right after a start."""
    less, more = (
        100 * summary.mean(pool_name(UNFILLED, each), NOTE_HITS)
        for each in (summary.parameters.base_percent, 2 * summary.parameters.base_percent)
    )
    return (
        f"Right after a start and the note's warm-up, the heap hit ratio is {less:.0f} % with the base pool and "
        f"{more:.0f} % with twice as much."
    )


def misses(summary: Summary) -> str:
    """Misses that the page cache had answered."""
    small, large = base(DISJOINT)(summary), doubled(DISJOINT)(summary)
    misses = with_interval(summary.ratio((large, "pool_misses_per_request"), (small, "pool_misses_per_request")))
    reads = with_interval(summary.ratio((large, "device_blocks_per_request"), (small, "device_blocks_per_request")))
    return (
        f"Twice the pool leaves {misses} of the misses in the pool, and {reads} of the reads from the device, which "
        "alone take long."
    )


def recommended(summary: Summary) -> str:
    """What pools in the recommended band give, in hits and in the tail."""
    hits = [f"{number(hit, 100)} % with {percent} % of the memory" for percent, hit in _hits(summary).items()]
    low, high = BAND_PERCENT
    return (
        f"In the recommended range of {low}–{high} %, with four fifths of the requests for hot keys, the heap hit "
        f"ratio is {' and '.join(hits)}; the best P99 there is {number(estimated(summary, 'L041'))} times the best of "
        "all sizes."
    )


def _hits(summary: Summary) -> dict[int, Estimate]:
    """The heap hit ratios of the pools in that range, by their share of the memory in %."""
    return {
        percent: hit(summary, percent)
        for percent in (percent_of(summary.configurations[arm].settings) for arm in band(summary))
    }


BY_TAIL = Turn(
    "L046",
    above="Doubling the buffer pool gave more hits and a longer tail: hits in a pool are not what a request waits for",
    below="Doubling the buffer pool, to nearly all of the memory, gave more hits and a shorter tail",
    open="Doubling the buffer pool raises the hit ratio; whether it shortens the tail for all keys stays open here",
)
CLAIMED_HITS = 0.7
"""The least that the note expects."""


def title(summary: Summary) -> str:
    """What the recommended sizes do for the hits, where they stay below what is claimed; and what doubling does."""
    doubling = BY_TAIL.title(verdicts(summary))
    try:
        most = max(hit.high for hit in _hits(summary).values())
    except NotEstimableError:
        return doubling
    low, high = BAND_PERCENT
    if most >= CLAIMED_HITS:
        return doubling
    hits = f"With {low}–{high} % of the memory, at most {100 * most:.0f} % of the heap look-ups hit"
    return f"{hits}; {doubling[:1].lower()}{doubling[1:]}"


LESSON = Teaching(
    title,
    figure=HITS,
    claimed="Note 000: a buffer pool twice as large, 25 to 40 % of the memory, raises the hits from 44 to between "
    "70 and 80 %, and that alone might make the P99 competitive.",
    advice="Fill the pool with traffic like yours before you judge its size, count reads from the device, not misses "
    "in the pool, and compare sizes in one and the same memory.",
    numbers=("L045", far_larger, "L046"),
    besides=(misses, far_larger, noted_step, recommended, unfilled),
)
