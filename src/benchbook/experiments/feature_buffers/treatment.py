"""Which counter shows that a larger pool acted, and what the claims name that a run may lack."""

from __future__ import annotations

from collections.abc import Callable

from benchbook.experiments.families.features import treatment
from benchbook.experiments.feature_buffers.arms import DISJOINT, MIX
from benchbook.experiments.feature_buffers.pools import MIB, NOTE_HIT_RATIO, Summary, base

Words = Callable[[Summary], str]
COMPARABLE = (0.34, 0.54)
"""Beyond these the base is too far from the note's to be compared with it."""
FULL = 0.95
"""A pool is full when the data take so much of it."""
BLOCK_BYTES = 8192


def same_reads(more: Callable[[Summary], str], less: Callable[[Summary], str]) -> Words:
    """Why two pools did the same work: one missed hardly more blocks than the other."""
    return lambda summary: treatment.same_reads(more(summary), less(summary))(summary)


def not_full(summary: Summary) -> str:
    """Why the base pool left out nothing: it had room left in one trial."""
    arm = base(DISJOINT)(summary)
    used = summary.values(arm, "in_pool_bytes") / summary.values(arm, "pool_bytes")
    if used.min() >= FULL:
        return ""
    return f"in one block the data took {used.min():.0%} of the base pool, so a larger one had nothing to add"


def every(*reasons: Words) -> Words:
    """All of them, joined; "" where none holds."""
    return lambda summary: "; ".join(filter(None, (why(summary) for why in reasons)))


def far_from_note(summary: Summary) -> str:
    """That the base's heap hit ratio is too far from the note's to be compared."""
    ratio = summary.mean(base(DISJOINT)(summary), "heap_hit_ratio")
    low, high = COMPARABLE
    if low <= ratio <= high:
        return ""
    return (
        f"the base's heap hit ratio is {ratio:.2f}, too far from the note's {NOTE_HIT_RATIO:g} to be compared "
        f"({low:g} to {high:g})"
    )


def free_memory(summary: Summary) -> str:
    """That nothing bounded the memory, so that a larger pool took nothing from the page cache."""
    free = summary.unbounded
    return f"memory was not bounded in {free} of {len(summary.run.trials)} trials" if free else ""


def no_page_cache(summary: Summary) -> str:
    """That reads went past the OS page cache."""
    return "reads went past the OS page cache" if summary.run.provenance.get("direct_io") else ""


def data_fits(summary: Summary) -> str:
    """That the data are no larger than the memory."""
    if summary.ram_bytes < summary.data_bytes:
        return ""
    share = summary.data_bytes / summary.ram_bytes
    return f"the data take {share:.0%} of the memory, and the claim asks for more than all of it"


def large_enough(summary: Summary) -> str:
    """That the base pool holds all pages that the 80/20 requests need."""
    arm = base(MIX)(summary)
    needed = summary.values(arm, "needed_pages") * BLOCK_BYTES
    pool = summary.values(arm, "pool_bytes")
    if (pool < needed).all():
        return ""
    return f"the base pool of {pool.max() / MIB:,.0f} MiB holds all {needed.min() / MIB:,.0f} MiB that are needed"
