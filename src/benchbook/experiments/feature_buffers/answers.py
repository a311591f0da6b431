"""The claims: how each number comes from the stored trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.claims import Quantity
from benchbook.experiments.feature_buffers.arms import DISJOINT, MIX, again_name, pool_name
from benchbook.experiments.feature_buffers.estimands import (
    P99,
    base,
    best_of_band,
    default_gib,
    doubled,
    largest_mix,
    needs_restart,
    set_by_alter_system,
    smallest_mix,
)
from benchbook.experiments.feature_buffers.summary import Summary
from benchbook.experiments.feature_buffers.treatment import (
    data_fits,
    disjoint_misses,
    every,
    far_from_note,
    free_memory,
    large_enough,
    mix_misses,
    no_page_cache,
    not_full,
    same_reads,
)
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import counts, custom, known, ratio, rise
from benchbook.statistics import Gate

HITS, LATENCY, CACHED = "fig-feature-buffers-hits", "fig-feature-buffers-latency", "fig-feature-buffers-cached"
READS, WITHOUT, CLAIMED = (
    "fig-feature-buffers-reads", "fig-feature-buffers-without-page-cache", "fig-feature-buffers-claims",
)  # fmt: skip
AA = (
    lambda summary: again_name(summary.parameters.base_percent),
    lambda summary: pool_name(DISJOINT, summary.parameters.base_percent),
)


ANSWERS = (
    Answer(
        "L045",
        rise(
            doubled(DISJOINT), base(DISJOINT), "heap_hit_ratio", "heap_blocks",
            idle=disjoint_misses, departs=far_from_note,
        ),
        HITS,
        said="a pool twice as large takes the hit ratio from 44 % to 70–80 %, a rise of 26 to 36 points",
        seen="with keys that nothing had asked for it rises by {} points, in a pool of nearly all of the memory",
        factor=100, lead=True,
        brief="it rises by {} points in a pool of nearly all of the memory",
    ),
    Answer(
        "L044",
        counts(
            doubled(DISJOINT), base(DISJOINT), "cached_bytes",
            idle=not_full, departs=every(free_memory, no_page_cache, data_fits),
        ),
        CACHED,
        said="a larger pool doubles the cache capacity",
        seen="pool and page cache together hold {} times as much of the data, in the same memory",
        row="data in either cache: doubled ÷ base",
    ),
    Answer(
        "L046",
        ratio(
            doubled(DISJOINT), base(DISJOINT), P99, idle=disjoint_misses, departs=every(far_from_note, free_memory)
        ),
        LATENCY,
        said="a larger pool alone might make the latency competitive, for which the P99 has "
            "to fall to 0.72 of its value",
        seen="it falls to {} of its value",
        row="P99, disjoint keys: doubled ÷ base",
    ),
    Answer(
        "L070",
        ratio(doubled(MIX), base(MIX), P99, idle=mix_misses, departs=every(large_enough, free_memory)), LATENCY,
        said="a larger pool is the next step where hot keys leave the P99 too high",
        seen="with four fifths of the requests for hot keys, twice the pool brings the P99 to {} of its value",
        row="P99, 80/20: doubled ÷ base",
    ),
    Answer(
        "L041",
        custom(
            best_of_band, Quantity.COMPARISON, smallest_mix, largest_mix, aa=P99, bounded=True,
            idle=same_reads(smallest_mix, largest_mix), departs=every(free_memory, no_page_cache),
        ),
        LATENCY,
        said="25–40 % of the memory is the size to recommend",
        seen="the best P99 of these sizes is {} times the best of all sizes", row="P99, 80/20: best of 25–40 % ÷ best",
    ),
    Answer(
        "L040", known(default_gib, "The value is that of a fresh cluster on which nobody set it"),
        said="PostgreSQL's default is 8 to 16 GB", seen="a fresh cluster sets {} GiB",
    ),
    Answer(
        "L086",
        known(needs_restart, "The count is of fresh clusters, of one, with the value pending until a restart"),
        said="a new size takes a restart", seen="the one fresh cluster that was asked says so (count: {})",
    ),
    Answer(
        "L043", known(set_by_alter_system, "The count is of fresh clusters, of one, that had the value after a restart")
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts and enough memory; of times Little's law."""
    arms = answer.estimand.names(summary)
    if not arms:
        return []
    gates = [summary.counts_agree(), summary.killed(arms)]
    return gates if answer.estimand.metric is None else [*gates, summary.littles_law(arms)]
