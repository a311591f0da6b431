"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchbook import statistics
from benchbook.claims import Claim
from benchbook.experiments.hot_cold_keys.arms import BASELINE, DISJOINT, REPEATED
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.judging import Evidence, verdicts
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


@dataclass(frozen=True)
class Estimand:
    """How a claim's number is computed. arms: whose caches must be as named. metric: whose A/A arm must agree."""

    compute: Callable[[Summary, float], Estimate]
    arms: frozenset[str]
    metric: str | None
    figure_id: str


def _ratio(top: tuple[str, str], bottom: tuple[str, str], figure_id: str) -> Estimand:
    """Ratio of two (configuration, metric), paired within blocks."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.ratio(summary.values(*top), summary.values(*bottom), confidence=confidence)

    metric = top[1] if top[1].endswith("_ns") else None
    return Estimand(compute, frozenset({top[0], bottom[0]}), metric, figure_id)


def _share(arm: str, metric: str, counts: str, figure_id: str) -> Estimand:
    """Level of a share in one configuration, resolved by what it is a share of."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.share(summary.values(arm, metric), summary.values(arm, counts), confidence=confidence)

    return Estimand(compute, frozenset({arm}), None, figure_id)


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
ESTIMANDS: dict[str, Estimand] = {
    "L001": _ratio((DISJOINT, "p99_ns"), (BASELINE, "p99_ns"), TAILS),
    "L002": _ratio((DISJOINT, "cumulative_heap_hit_ratio"), (DISJOINT, "note_heap_hit_ratio"), HITS),
    "L003": _ratio((DISJOINT, "p99_ns"), (DISJOINT, "p50_ns"), CLAIMED),
    "L004": _ratio((DISJOINT, "note_min_ns"), (DISJOINT, "note_p50_ns"), CLAIMED),
    "L005": _ratio((BASELINE, "p50_ns"), (DISJOINT, "note_min_ns"), CLAIMED),
    "L009": _share(DISJOINT, "needed_in_pool_at_start", "needed_pages", CERTIFICATE),
    "L010": Estimand(_rereads, _cold, None, HITS),
    "L011": _share(BASELINE, "note_heap_hit_ratio", "note_heap_blocks", HITS),
    "L012": _ratio((BASELINE, "p99_ns"), (DISJOINT, "p99_ns"), CLAIMED),
    "L013": _ratio((BASELINE, "p99_ns"), (DISJOINT, "note_min_ns"), CLAIMED),
    "L017": _ratio(("hot_share_80", "p99_ns"), (BASELINE, "p99_ns"), SHARES),
    "L022": _share(ALL_WARMED, "needed_in_pool_at_start", "needed_pages", CERTIFICATE),
    "L023": _ratio((ALL_WARMED, "first_100_mean_ns"), (ALL_WARMED, "rest_mean_ns"), TAILS),
    "L024": _ratio((ALL_WARMED, "sd_ns"), (TEN_PERCENT, "sd_ns"), TAILS),
    "L052": Estimand(_hit_ratio_rise, _cold | {BASELINE}, None, HITS),
    "L053": _ratio((DISJOINT, "p50_ns"), (BASELINE, "p50_ns"), TAILS),
    "L054": _ratio((BASELINE, "p50_ns"), (DISJOINT, "p50_ns"), CLAIMED),
    "L055": _ratio((DISJOINT, "p95_ns"), (DISJOINT, "p50_ns"), CLAIMED),
    "L056": _ratio((BASELINE, "p95_ns"), (DISJOINT, "p95_ns"), CLAIMED),
    "L057": _ratio((BASELINE, "p99_ns"), (DISJOINT, "p99_ns"), CLAIMED),
    "L058": _ratio((BASELINE, "note_min_ns"), (DISJOINT, "note_min_ns"), CLAIMED),
    "L059": _ratio((DISJOINT, "sd_ns"), (DISJOINT, "p50_ns"), CLAIMED),
    "L060": _ratio((BASELINE, "sd_ns"), (DISJOINT, "sd_ns"), CLAIMED),
    "L061": _ratio((BASELINE, "p99_ns"), (DISJOINT, "p99_ns"), CLAIMED),
    "L066": _ratio((PROBED, "first_100_mean_ns"), (COLD, "first_100_mean_ns"), TAILS),
    "L069": _ratio((ALL_WARMED, "p99_ns"), (DISJOINT, "p99_ns"), TAILS),
    "L075": _ratio((BASELINE, "p50_ns"), (DISJOINT, "note_min_ns"), CLAIMED),
    "L080": _ratio((BASELINE, "p50_ns"), (TEN_PERCENT, "note_min_ns"), TAILS),
    "L081": _ratio((TEN_PERCENT, "mean_ns"), (ALL_WARMED, "mean_ns"), TAILS),
    "L089": Estimand(_spread_of_minimum, _cold, "note_min_ns", CLAIMED),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    consistent = summary.consistency_gates()

    def evidence(claim: Claim) -> Evidence:
        estimand = ESTIMANDS[claim.id]
        state = summary.expected_state_gate
        return Evidence(
            compute=partial(estimand.compute, summary),
            gates=lambda: [*consistent, state(set(estimand.arms)), *_aa_gates(summary, estimand.metric)],
            figure_id=estimand.figure_id,
        )

    return verdicts("hot_cold_keys", evidence)


def _aa_gates(summary: Summary, metric: str | None) -> list[Gate]:
    if metric is None:
        return []
    return [statistics.aa_gate(statistics.ratio(summary.values(REPEATED, metric), summary.values(BASELINE, metric)))]
