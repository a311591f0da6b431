"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook import statistics
from benchbook.claims import Claim, Quantity
from benchbook.experiments.hot_cold_keys.arms import BASELINE, DISJOINT, REPEATED
from benchbook.experiments.hot_cold_keys.summary import Summary, summarize
from benchbook.experiments.judging import Estimand, Judging
from benchbook.experiments.per_block import NotEstimableError
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

LATENCY, CLAIMED, CERTIFICATE, HITS = (
    "fig-hot-cold-latency",
    "fig-hot-cold-claims",
    "fig-hot-cold-certificate",
    "fig-hot-cold-hit-ratio",
)
SHARES, TAILS = "fig-hot-cold-hot-share", "fig-hot-cold-tails"
ALL_WARMED, TEN_PERCENT, COLD, PROBED = (
    "all_warmed_large_pool",
    "ten_percent_warmed_large_pool",
    "true_cold",
    "true_cold_probed",
)
POOL_TIMES_WARMED = 4
"""L010 asks for a pool of at least four times the pages that the warm-up touches."""


Mine = Estimand[Summary]


def _ratio(top: tuple[str, str], bottom: tuple[str, str], figure_id: str) -> Mine:
    """Ratio of a time in two configurations, or of two times within the trials of one, paired within blocks."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.ratio(summary.values(*top), summary.values(*bottom), confidence=confidence)

    kind = Quantity.PARTS if top[0] == bottom[0] else Quantity.COMPARISON
    return Estimand(compute, kind, figure_id, frozenset({top[0], bottom[0]}), top[1])


def _spread(metric: str, over: str, figure_id: str, *, bounded: bool = True) -> Mine:
    """Ratio of two quantiles, or of a deviation and a quantile, of the latencies of a trial: how wide they spread.

    bounded: on its side of 1 by definition.
    """

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.ratio(summary.values(DISJOINT, metric), summary.values(DISJOINT, over), confidence=confidence)

    return Estimand(compute, Quantity.DISPERSION, figure_id, frozenset({DISJOINT}), metric, bounded=bounded)


def _hit_ratios(top: str, bottom: str, figure_id: str) -> Mine:
    """Ratio of two hit ratios of the same trials."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.ratio(summary.values(DISJOINT, top), summary.values(DISJOINT, bottom), confidence=confidence)

    return Estimand(compute, Quantity.COUNTER, figure_id, frozenset({DISJOINT}))


def _share(arm: str, metric: str, counts: str, figure_id: str) -> Mine:
    """Level of a share of counts in one configuration, resolved by what it is a share of."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.share(summary.values(arm, metric), summary.values(arm, counts), confidence=confidence)

    return Estimand(compute, Quantity.COUNTER, figure_id, frozenset({arm}))


def _hit_ratio_rise(summary: Summary, confidence: float) -> Estimate:
    counts = int(min(summary.values(arm, "note_heap_blocks").min() for arm in (BASELINE, DISJOINT)))
    hot, cold = (summary.values(arm, "note_heap_hit_ratio") for arm in (BASELINE, DISJOINT))
    return statistics.shares_difference(hot, cold, counts, confidence=confidence)


def _rereads(summary: Summary, confidence: float) -> Estimate:
    pool_blocks = summary.parameters.shared_buffers_mib * 128
    if pool_blocks < POOL_TIMES_WARMED * summary.values(DISJOINT, "warmed_pages").max():
        raise NotEstimableError(
            "the pool is smaller than four times the pages that the warm-up touched: re-reads would be our making",
            "raise shared_buffers_mib",
        )
    return statistics.share(
        summary.values(DISJOINT, "reread_share"), summary.values(DISJOINT, "note_reads"), confidence=confidence
    )


def _spread_of_minimum(summary: Summary, confidence: float) -> Estimate:
    return statistics.geometric_sd(summary.values(DISJOINT, "note_min_ns"), confidence=confidence)


_cold = frozenset({DISJOINT})
ESTIMANDS: dict[str, Mine] = {
    "L001": _ratio((DISJOINT, "p99_ns"), (BASELINE, "p99_ns"), TAILS),
    "L002": _hit_ratios("cumulative_heap_hit_ratio", "note_heap_hit_ratio", HITS),
    "L003": _spread("p99_ns", "p50_ns", CLAIMED),
    "L004": _spread("note_min_ns", "note_p50_ns", CLAIMED),
    "L005": _ratio((BASELINE, "p50_ns"), (DISJOINT, "note_min_ns"), CLAIMED),
    "L009": _share(DISJOINT, "needed_in_pool_at_start", "needed_pages", CERTIFICATE),
    "L010": Estimand(_rereads, Quantity.COUNTER, HITS, _cold),
    "L011": _share(BASELINE, "note_heap_hit_ratio", "note_heap_blocks", HITS),
    "L012": _ratio((BASELINE, "p99_ns"), (DISJOINT, "p99_ns"), CLAIMED),
    "L013": _ratio((BASELINE, "p99_ns"), (DISJOINT, "note_min_ns"), CLAIMED),
    "L017": _ratio(("hot_share_80", "p99_ns"), (BASELINE, "p99_ns"), SHARES),
    "L022": _share(ALL_WARMED, "needed_in_pool_at_start", "needed_pages", CERTIFICATE),
    "L023": _ratio((ALL_WARMED, "first_100_mean_ns"), (ALL_WARMED, "rest_mean_ns"), TAILS),
    "L024": _ratio((ALL_WARMED, "sd_ns"), (TEN_PERCENT, "sd_ns"), TAILS),
    "L052": Estimand(_hit_ratio_rise, Quantity.COUNTER, HITS, _cold | {BASELINE}),
    "L053": _ratio((DISJOINT, "p50_ns"), (BASELINE, "p50_ns"), TAILS),
    "L054": _ratio((BASELINE, "p50_ns"), (DISJOINT, "p50_ns"), CLAIMED),
    "L055": _spread("p95_ns", "p50_ns", CLAIMED),
    "L056": _ratio((BASELINE, "p95_ns"), (DISJOINT, "p95_ns"), CLAIMED),
    "L057": _ratio((BASELINE, "p99_ns"), (DISJOINT, "p99_ns"), CLAIMED),
    "L058": _ratio((BASELINE, "note_min_ns"), (DISJOINT, "note_min_ns"), CLAIMED),
    "L059": _spread("sd_ns", "p50_ns", CLAIMED),
    "L060": _ratio((BASELINE, "sd_ns"), (DISJOINT, "sd_ns"), CLAIMED),
    "L061": _ratio((BASELINE, "p99_ns"), (DISJOINT, "p99_ns"), CLAIMED),
    "L066": _ratio((PROBED, "first_100_mean_ns"), (COLD, "first_100_mean_ns"), TAILS),
    "L069": _ratio((ALL_WARMED, "p99_ns"), (DISJOINT, "p99_ns"), TAILS),
    "L075": _ratio((BASELINE, "p50_ns"), (DISJOINT, "note_min_ns"), CLAIMED),
    "L080": _ratio((BASELINE, "p50_ns"), (TEN_PERCENT, "note_min_ns"), TAILS),
    "L081": _ratio((TEN_PERCENT, "mean_ns"), (ALL_WARMED, "mean_ns"), TAILS),
    "L089": Estimand(_spread_of_minimum, Quantity.DISPERSION, CLAIMED, _cold, "note_min_ns", bounded=True),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return Judging("hot_cold_keys", summarize, ESTIMANDS, _gates, device=True).verdicts(summary)


def _gates(summary: Summary, claim: Claim, estimand: Mine) -> Iterable[Gate]:
    """Equal counts and caches as named; of times Little's law and the A/A pair."""
    arms = set(estimand.arms)
    gates = [*summary.consistency_gates(), summary.expected_state_gate(arms)]
    if estimand.metric is not None:
        gates += [summary.littles_gate(arms), summary.aa_gate(REPEATED, BASELINE, estimand.metric)]
    return gates
