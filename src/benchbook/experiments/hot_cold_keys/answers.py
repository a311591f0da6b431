"""The claims: how each number comes from the stored trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.families.features.arms import hot_share
from benchbook.experiments.families.features.treatment import cheap_reads, first_of, nothing_loaded, same_reads
from benchbook.experiments.hot_cold_keys.arms import (
    ALL_WARMED,
    BASELINE,
    BY_CHANCE,
    COLD,
    DISJOINT,
    PROBED,
    REPEATED,
    TEN_PERCENT,
)
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, Ground, custom, ratio, rise, share
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate
from benchbook.statistics import Gate

CLAIMED, CERTIFICATE, HITS = "fig-hot-cold-claims", "fig-hot-cold-certificate", "fig-hot-cold-hit-ratio"
SHARES, TAILS = "fig-hot-cold-hot-share", "fig-hot-cold-tails"
AA = (REPEATED, BASELINE)
POOL_TIMES_WARMED = 4
"""L010 asks for a pool of at least four times the pages that the warm-up touches."""
POOL_PAGES_PER_MIB = 128
FEW_COLD_PERCENT = 1
"""More than this share of cold requests, and a P99 is the latency of one of them."""
FEW_COLD = hot_share(100 - FEW_COLD_PERCENT)

disjoint_read = same_reads(DISJOINT, BASELINE)
chance_read = same_reads(BY_CHANCE, BASELINE)
disjoint_slow = first_of(disjoint_read, cheap_reads(DISJOINT, BASELINE))
chance_slow = first_of(chance_read, cheap_reads(BY_CHANCE, BASELINE))


def _spread(metric: str, over: str, arm: str = DISJOINT) -> Estimand:
    """Ratio of two quantiles, or of a deviation and a quantile, of the latencies of a trial: how wide they spread."""
    return ratio(
        (arm, metric), (arm, over), quantity=Quantity.DISPERSION, bounded=True, idle=cheap_reads(arm, BASELINE)
    )


def _with_fix(metric: str, *, slow: bool = False) -> Estimand:
    """Of the warmed keys over the disjoint ones, the note's mistake. slow: decided by storage like the note's alone."""
    return ratio(BASELINE, DISJOINT, metric, idle=disjoint_slow if slow else disjoint_read)


def _over_minimum(metric: str, *, slow: bool = True) -> Estimand:
    """Of the warmed keys over the fastest of 1,000 disjoint ones, which nobody chose by their pages. slow: as above."""
    return ratio((BASELINE, metric), (BY_CHANCE, "note_min_ns"), idle=chance_slow if slow else chance_read)


def _certified(arm: str, **ground: Unpack[Ground]) -> Estimand:
    return share(arm, "needed_in_pool_at_start", "needed_pages", **ground)


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
    return statistics.geometric_sd(summary.values(BY_CHANCE, "note_min_ns"), confidence=confidence)


ANSWERS = (
    Answer(
        "L001", ratio(DISJOINT, BASELINE, "p99_ns", idle=disjoint_read), TAILS,
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
        row="P99: same keys ÷ disjoint keys",
    ),
    Answer(
        "L012", _with_fix("p99_ns", slow=True), CLAIMED,
        said="warmed keys take the P99 from 110 ms to 30–50 ms",
        seen="on a local disk, without a network, it falls to {} % of its value", factor=100,
        row="P99: same keys ÷ disjoint keys", cause="reads over a network",
    ),
    Answer(
        "L017",
        ratio(FEW_COLD, BASELINE, "p99_ns", idle=same_reads(FEW_COLD, BASELINE, share=FEW_COLD_PERCENT / 100)),
        SHARES,
        said="it is realistic to read only warmed keys",
        seen="with one request in a hundred for a key never read before, the P99 is {} times that of warmed keys alone",
        lead=True, brief="",
    ),
    Answer(
        "L002",
        ratio(
            (BY_CHANCE, "cumulative_heap_hit_ratio"), (BY_CHANCE, "note_heap_hit_ratio"), aa=None,
            quantity=Quantity.COUNTER,
        ),
        HITS,
        said="44.58 % was the hit ratio of the slow requests",
        seen="counted the note's way, loading included, the hit ratio is {} times that of the requests alone",
    ),
    Answer(
        "L010", custom(_rereads, Quantity.COUNTER, DISJOINT, idle=disjoint_read), HITS,
        said="keys outside the warm-up make the cache thrash",
        seen="of the blocks read for the first 1,000 of them, {} % had been read before in the same trial", factor=100,
    ),
    Answer("L003", _spread("p99_ns", "p50_ns"), CLAIMED, row="disjoint keys: P99 ÷ P50"),
    Answer("L004", _spread("note_min_ns", "note_p50_ns", BY_CHANCE), CLAIMED, row="keys by chance: minimum ÷ P50"),
    Answer("L005", _over_minimum("p50_ns", slow=False), CLAIMED, row="P50 of same keys ÷ minimum by chance"),
    Answer("L009", _certified(BY_CHANCE, idle=chance_read), CERTIFICATE),
    Answer("L013", _over_minimum("p99_ns"), CLAIMED, row="P99 of same keys ÷ minimum by chance"),
    Answer("L022", _certified(ALL_WARMED), CERTIFICATE),
    Answer("L023", ratio((ALL_WARMED, "first_100_mean_ns"), (ALL_WARMED, "rest_mean_ns")), TAILS),
    Answer("L024", ratio(ALL_WARMED, TEN_PERCENT, "sd_ns", idle=same_reads(TEN_PERCENT, ALL_WARMED)), TAILS),
    Answer("L052", rise(BASELINE, DISJOINT, "note_heap_hit_ratio", "note_heap_blocks", idle=disjoint_read), HITS),
    Answer("L053", ratio(DISJOINT, BASELINE, "p50_ns", idle=disjoint_read), TAILS),
    Answer("L054", _with_fix("p50_ns", slow=True), CLAIMED, row="P50: same keys ÷ disjoint keys"),
    Answer("L055", _spread("p95_ns", "p50_ns"), CLAIMED, row="disjoint keys: P95 ÷ P50"),
    Answer("L056", _with_fix("p95_ns"), CLAIMED, row="P95: same keys ÷ disjoint keys"),
    Answer("L058", _over_minimum("note_min_ns"), CLAIMED, row="minimum: same keys ÷ keys by chance"),
    Answer("L059", _spread("sd_ns", "p50_ns"), CLAIMED, row="disjoint keys: standard deviation ÷ P50"),
    Answer("L060", _with_fix("sd_ns"), CLAIMED, row="standard deviation: same keys ÷ disjoint keys"),
    Answer("L061", _with_fix("p99_ns"), CLAIMED, row="P99: same keys ÷ disjoint keys"),
    Answer("L066", ratio(PROBED, COLD, "first_100_mean_ns", idle=nothing_loaded(PROBED, COLD)), TAILS),
    Answer("L069", ratio(ALL_WARMED, DISJOINT, "p99_ns", idle=same_reads(DISJOINT, ALL_WARMED)), TAILS),
    Answer("L075", _over_minimum("p50_ns"), CLAIMED, row="P50 of same keys ÷ minimum by chance"),
    Answer(
        "L080",
        ratio((BASELINE, "p50_ns"), (TEN_PERCENT, "note_min_ns"), idle=same_reads(TEN_PERCENT, BASELINE)), TAILS,
    ),
    Answer("L081", ratio(TEN_PERCENT, ALL_WARMED, "mean_ns", idle=same_reads(TEN_PERCENT, ALL_WARMED)), TAILS),
    Answer(
        "L089",
        custom(
            _spread_of_minimum, Quantity.DISPERSION, BY_CHANCE, aa="note_min_ns", bounded=True, idle=chance_read
        ),
        CLAIMED,
        row="keys by chance: factor between the minima of trials",
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts and caches as named; of times Little's law."""
    arms = answer.estimand.names(summary)
    gates = [summary.counts_agree(), summary.certified(arms)]
    return gates if answer.estimand.metric is None else [*gates, summary.littles_law(arms)]
