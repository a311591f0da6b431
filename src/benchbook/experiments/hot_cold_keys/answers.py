"""The claims: how each number comes from the stored trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.hot_cold_keys.arms import (
    ALL_WARMED,
    BASELINE,
    COLD,
    DISJOINT,
    MIXED,
    PROBED,
    REPEATED,
    TEN_PERCENT,
)
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, custom, ratio, rise, share
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate
from benchbook.statistics import Gate

CLAIMED, CERTIFICATE, HITS = "fig-hot-cold-claims", "fig-hot-cold-certificate", "fig-hot-cold-hit-ratio"
SHARES, TAILS = "fig-hot-cold-hot-share", "fig-hot-cold-tails"
AA = (REPEATED, BASELINE)
POOL_TIMES_WARMED = 4
"""L010 asks for a pool of at least four times the pages that the warm-up touches."""
POOL_PAGES_PER_MIB = 128


def _spread(metric: str, over: str) -> Estimand:
    """Ratio of two quantiles, or of a deviation and a quantile, of the latencies of a trial: how wide they spread."""
    return ratio((DISJOINT, metric), (DISJOINT, over), quantity=Quantity.DISPERSION, bounded=True)


def _with_fix(metric: str, before: str = "") -> Estimand:
    """Of the warmed keys over the disjoint ones, the note's mistake. before: the metric of these, if not the same."""
    return ratio((BASELINE, metric), (DISJOINT, before or metric))


def _certified(arm: str) -> Estimand:
    return share(arm, "needed_in_pool_at_start", "needed_pages")


def _rereads(summary: Summary, confidence: float) -> Estimate:
    pool_pages = summary.parameters.shared_buffers_mib * POOL_PAGES_PER_MIB
    if pool_pages < POOL_TIMES_WARMED * summary.values(DISJOINT, "warmed_pages").max():
        raise NotEstimableError(
            "the pool is smaller than four times the pages that the warm-up touched: our own setting would cause "
            "re-reads",
            "raise shared_buffers_mib",
        )
    return summary.share(DISJOINT, "reread_share", "note_reads", confidence=confidence)


def _spread_of_minimum(summary: Summary, confidence: float) -> Estimate:
    return statistics.geometric_sd(summary.values(DISJOINT, "note_min_ns"), confidence=confidence)


ANSWERS = (
    Answer(
        "L001", ratio(DISJOINT, BASELINE, "p99_ns"), TAILS,
        said="the benchmark read keys that its warm-up had not read",
        seen="the P99 of such keys is {} times that of warmed ones",
        lead=True, brief="their P99 is {} times that of warmed ones",
    ),
    Answer(
        "L011", share(BASELINE, "note_heap_hit_ratio", "note_heap_blocks"), HITS,
        said="with warmed keys more than 99 % of the pages come from the buffer pool", seen="{} % do", factor=100,
    ),
    Answer(
        "L057", _with_fix("p99_ns"), CLAIMED,
        said="with warmed keys alone the P99 falls from 110 ms to below 60 ms", seen="it becomes {} times what it was",
    ),
    Answer(
        "L012", _with_fix("p99_ns"), CLAIMED,
        said="warmed keys take the P99 from 110 ms to 30–50 ms", seen="it becomes {} of itself", lead=True,
    ),
    Answer(
        "L017", ratio(MIXED, BASELINE, "p99_ns"), SHARES,
        said="it is realistic to read only warmed keys",
        seen="with one request in five for a key never read before, the P99 is {} times as long",
        lead=True, brief="",
    ),
    Answer(
        "L002",
        ratio(
            (DISJOINT, "cumulative_heap_hit_ratio"), (DISJOINT, "note_heap_hit_ratio"), aa=None,
            quantity=Quantity.COUNTER,
        ),
        HITS,
        said="44.58 % was the hit ratio of the slow requests",
        seen="counted the note's way, loading included, the hit ratio is {} times that of the requests alone",
    ),
    Answer(
        "L010", custom(_rereads, Quantity.COUNTER, DISJOINT), HITS,
        said="keys outside the warm-up make the cache thrash",
        seen="of the blocks read for the first 1,000 of them, {} % had been read before in the same trial", factor=100,
        lead=True, brief="of the blocks read for them, {} % had been read before",
    ),
    Answer("L003", _spread("p99_ns", "p50_ns"), CLAIMED),
    Answer("L004", _spread("note_min_ns", "note_p50_ns"), CLAIMED),
    Answer("L005", _with_fix("p50_ns", "note_min_ns"), CLAIMED),
    Answer("L009", _certified(DISJOINT), CERTIFICATE),
    Answer("L013", _with_fix("p99_ns", "note_min_ns"), CLAIMED),
    Answer("L022", _certified(ALL_WARMED), CERTIFICATE),
    Answer("L023", ratio((ALL_WARMED, "first_100_mean_ns"), (ALL_WARMED, "rest_mean_ns")), TAILS),
    Answer("L024", ratio(ALL_WARMED, TEN_PERCENT, "sd_ns"), TAILS),
    Answer("L052", rise(BASELINE, DISJOINT, "note_heap_hit_ratio", "note_heap_blocks"), HITS),
    Answer("L053", ratio(DISJOINT, BASELINE, "p50_ns"), TAILS),
    Answer("L054", _with_fix("p50_ns"), CLAIMED),
    Answer("L055", _spread("p95_ns", "p50_ns"), CLAIMED),
    Answer("L056", _with_fix("p95_ns"), CLAIMED),
    Answer("L058", _with_fix("note_min_ns"), CLAIMED),
    Answer("L059", _spread("sd_ns", "p50_ns"), CLAIMED),
    Answer("L060", _with_fix("sd_ns"), CLAIMED),
    Answer("L061", _with_fix("p99_ns"), CLAIMED),
    Answer("L066", ratio(PROBED, COLD, "first_100_mean_ns"), TAILS),
    Answer("L069", ratio(ALL_WARMED, DISJOINT, "p99_ns"), TAILS),
    Answer("L075", _with_fix("p50_ns", "note_min_ns"), CLAIMED),
    Answer("L080", ratio((BASELINE, "p50_ns"), (TEN_PERCENT, "note_min_ns")), TAILS),
    Answer("L081", ratio(TEN_PERCENT, ALL_WARMED, "mean_ns"), TAILS),
    Answer(
        "L089", custom(_spread_of_minimum, Quantity.DISPERSION, DISJOINT, aa="note_min_ns", bounded=True), CLAIMED
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts and caches as named; of times Little's law."""
    arms = answer.estimand.names(summary)
    gates = [summary.counts_agree(), summary.certified(arms)]
    return gates if answer.estimand.metric is None else [*gates, summary.littles_law(arms)]
