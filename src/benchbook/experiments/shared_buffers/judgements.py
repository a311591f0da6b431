"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from benchbook import statistics
from benchbook.claims import Claim
from benchbook.errors import BenchbookError
from benchbook.experiments.environment import canary_gates
from benchbook.experiments.judging import Evidence, verdicts
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.shared_buffers.arms import (
    B_LARGE,
    B_PREWARMED,
    BASELINE,
    NO_CHECKPOINT,
    QUARTER,
    QUARTER_HUGE,
    REPEATED,
    SCENARIO_A,
    SCENARIO_B,
    SHARES,
    SWEEP,
    THREE_EIGHTHS,
    THREE_EIGHTHS_HUGE,
    Part,
    share_name,
    sweep_name,
)
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.model import Effect, Estimate, Outcome, Verdict
from benchbook.statistics import Gate

POOLS, SHARE_OF_RAM, TIERS = "fig-shared-buffers-pools", "fig-shared-buffers-share-of-ram", "fig-shared-buffers-tiers"
TIMELINES, CHECKPOINT, CLAIMED = (
    "fig-shared-buffers-timelines",
    "fig-shared-buffers-checkpoint",
    "fig-shared-buffers-claims",
)
SIZES = "fig-shared-buffers-sizes"
NOTE_SCALE = 1250
NOTE_POOL_GIB = 20.0
NOTE_TRANSACTIONS_PER_PAGE = 0.92
"""Transactions of note 002's best run per page of pgbench_accounts: 31,532 x 60 / 2.05 million."""
_HUGE = {QUARTER_HUGE, THREE_EIGHTHS_HUGE}
NEEDS_HUGE_PAGES = "This needs huge pages: run as root with allow_vm_settings=true on a machine that can reserve them."


@dataclass(frozen=True)
class Estimand:
    """How a claim's number is computed. arms: whose trials count. metric: whose A/A arm must agree."""

    compute: Callable[[Summary, float], Estimate]
    arms: frozenset[str]
    metric: str | None
    figure_id: str


def _ratio(top: str, bottom: str, metric: str, figure_id: str) -> Estimand:
    """Ratio of a metric of two configurations, paired within blocks."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.ratio(summary.values(top, metric), summary.values(bottom, metric), confidence=confidence)

    return Estimand(compute, frozenset({top, bottom}), metric, figure_id)


def _share(arm: str, metric: str, counts: str, figure_id: str) -> Estimand:
    """Level of a share in one configuration, resolved by what it is a share of."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.share(summary.values(arm, metric), summary.values(arm, counts), confidence=confidence)

    return Estimand(compute, frozenset({arm}), None, figure_id)


def _in_pool_at_note_length(summary: Summary, confidence: float) -> Estimate:
    """Share of the data in the pool of Scenario B, after as many transactions per page as the note's.

    After fewer, the share s becomes 1 - (1 - s)^r, with r the note's transactions over ours. It can be no more: a page
    that each transaction touches with probability p is missed with (1 - p)^n, and the mean of r-th powers over the
    pages is at least the r-th power of their mean (Jensen).
    """
    held = summary.values(SCENARIO_B, "data_in_pool_end")
    longer = np.maximum(1.0, NOTE_TRANSACTIONS_PER_PAGE / summary.values(SCENARIO_B, "transactions_per_account_page"))
    counts = summary.values(SCENARIO_B, "data_blocks")
    return statistics.share(1 - (1 - held) ** longer, counts, confidence=confidence)


def _after_over_before(arm: str, after: str, before: str) -> Estimand:
    """Pages after a CHECKPOINT over pages before it: a share of them, as none can come from nowhere."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        counts = summary.values(arm, before)
        if counts.min() < 1:
            raise NotEstimableError("no such pages were there before the CHECKPOINT", "use a longer warm_fill_seconds")
        shares = np.minimum(summary.values(arm, after) / counts, 1.0)
        return statistics.share(shares, counts, confidence=confidence)

    return Estimand(compute, frozenset({arm}), None, CHECKPOINT)


def _extreme(one: str, others: tuple[str, ...], figure_id: str, *, largest: bool) -> Estimand:
    """Largest ratio of the others to one, or the smallest of one to the others, from intervals that hold together."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        effects = statistics.many_to_one(
            summary.values(one, "tps"), {name: summary.values(name, "tps") for name in others}, confidence=confidence
        )
        if largest:
            return _outermost(list(effects.values()), largest=True)
        return _outermost([_inverse(effect) for effect in effects.values()], largest=False)

    return Estimand(compute, frozenset({one, *others}), "tps", figure_id)


def _outermost(effects: list[Effect], *, largest: bool) -> Effect:
    """The largest (or smallest) of several ratios: its ends are the largest (or smallest) ends of their intervals."""
    pick = max if largest else min
    chosen = pick(effects, key=lambda effect: effect.point)
    low, high = (pick(getattr(effect, end) for effect in effects) for end in ("low", "high"))
    return replace(chosen, low=low, high=high)


def _inverse(effect: Effect) -> Effect:
    return replace(effect, point=1 / effect.point, low=1 / effect.high, high=1 / effect.low)


def _reads_saved(summary: Summary, confidence: float) -> Estimate:
    metric = "device_reads_per_transaction"
    return statistics.difference(
        summary.values(SCENARIO_A, metric), summary.values(SCENARIO_B, metric), confidence=confidence
    )


def _background_writes(summary: Summary, confidence: float) -> Estimate:
    return statistics.exact(float(np.median(summary.values(SCENARIO_B, "buffers_clean"))))


def size_at_note_scale_gib(summary: Summary) -> float:
    """Size of a fresh pgbench database at the note's scale, on the line through the two small sizes, in GiB."""
    sizes = summary.run.provenance.get("size_bytes_by_scale") or {}
    if len(sizes) < 2:
        raise NotEstimableError("this run did not measure two small data sets", "measure again")
    scales = np.array([float(scale) for scale in sizes])
    slope, start = np.polyfit(scales, np.array(list(sizes.values()), dtype=float), 1)
    return float((slope * NOTE_SCALE + start) / 2**30)


def _restarts(summary: Summary, confidence: float) -> Estimate:
    contexts = summary.run.provenance.get("contexts") or {}
    wanted = [contexts.get(name) for name in ("shared_buffers", "bgwriter_lru_maxpages")]
    if None in wanted:
        raise NotEstimableError("this run did not record pg_settings", "measure again")
    return statistics.exact(float(wanted.count("postmaster")))


def _counted(compute: Callable[[Summary, float], Estimate], figure_id: str) -> Estimand:
    return Estimand(compute, frozenset(), None, figure_id)


def _data_over_pool(summary: Summary, confidence: float) -> Estimate:
    return statistics.exact(size_at_note_scale_gib(summary) / NOTE_POOL_GIB)


_b_only = frozenset({SCENARIO_B})
_smaller = tuple(sweep_name(percent) for percent in SWEEP if percent != 100)
_other_shares = tuple(share_name(percent) for percent in SHARES if percent != 25.0)
ESTIMANDS: dict[str, Estimand] = {
    "C008": _ratio(BASELINE, SCENARIO_B, "tps", CLAIMED),
    "C029": _ratio("pool_100", SCENARIO_A, "tps", POOLS),
    "C031": _ratio(SCENARIO_B, SCENARIO_A, "tps", CLAIMED),
    "C032": _ratio(SCENARIO_B, SCENARIO_A, "peak_tps", CLAIMED),
    "C033": _ratio(SCENARIO_B, SCENARIO_A, "min_tps", CLAIMED),
    "C034": _ratio(SCENARIO_B, SCENARIO_A, "latency_mean_ns", CLAIMED),
    "C039": _ratio(SCENARIO_B, B_PREWARMED, "growth", TIMELINES),
    "C040": _counted(_data_over_pool, SIZES),
    "C041": _ratio(SCENARIO_B, SCENARIO_A, "interval_sd_ns", CLAIMED),
    "C043": _counted(lambda summary, _: statistics.exact(size_at_note_scale_gib(summary)), SIZES),
    "C044": Estimand(_in_pool_at_note_length, frozenset({SCENARIO_B}), None, TIERS),
    "C045": _share(SCENARIO_B, "device_share_of_requests", "block_requests", TIERS),
    "C046": _share(SCENARIO_B, "evictions_per_allocation", "allocations", TIERS),
    "C049": _extreme("pool_100", _smaller, POOLS, largest=False),
    "C057": _extreme(SCENARIO_B, (BASELINE, SCENARIO_A), POOLS, largest=False),
    "C062": _ratio(B_LARGE, SCENARIO_B, "tps", POOLS),
    "C072": _counted(_restarts, ""),
    "C077": _counted(_data_over_pool, SIZES),
    "C079": Estimand(_background_writes, _b_only, None, TIERS),
    "C080": Estimand(_reads_saved, _b_only | {SCENARIO_A}, None, TIERS),
    "R031": _ratio(THREE_EIGHTHS, QUARTER, "reads_per_transaction", SHARE_OF_RAM),
    "R042": _ratio(THREE_EIGHTHS, QUARTER, "tps", SHARE_OF_RAM),
    "R043": _share(THREE_EIGHTHS, "resident_share_end", "data_blocks", SHARE_OF_RAM),
    "R045": _share(THREE_EIGHTHS_HUGE, "least_available_share", "ram_blocks", SHARE_OF_RAM),
    "R046": _extreme(QUARTER, _other_shares, SHARE_OF_RAM, largest=True),
    "R052": _ratio(QUARTER, NO_CHECKPOINT, "tps", CHECKPOINT),
    "R057": _after_over_before(QUARTER, "resident_after_checkpoint", "resident_before_checkpoint"),
    "R063": _ratio(QUARTER_HUGE, QUARTER, "tps", SHARE_OF_RAM),
    "R077": _ratio(THREE_EIGHTHS, QUARTER, "tps", SHARE_OF_RAM),
    "R095": _after_over_before(QUARTER, "dirty_after_checkpoint", "dirty_before_checkpoint"),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger."""
WORKING = {
    "C040": "The size is read off the line through two small data sets at the note's scale",
    "C043": "The size is read off the line through two small data sets at the note's scale",
    "C077": "The size is read off the line through two small data sets at the note's scale",
    "C044": f"Of a trial with fewer transactions per page than the note's {NOTE_TRANSACTIONS_PER_PAGE:g}, the most "
    "that it could then hold counts",
    "C072": "Of shared_buffers and bgwriter_lru_maxpages those with the context postmaster were counted",
    "C079": "Pages that the background writer wrote in the median trial were counted",
}


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""

    def evidence(claim: Claim) -> Evidence | Verdict:
        estimand = ESTIMANDS[claim.id]
        if "memory" in summary.parameters.parts and estimand.arms & _HUGE - set(summary.arms):
            return Verdict(claim.id, Outcome.NOT_TESTABLE, NEEDS_HUGE_PAGES)
        return Evidence(
            compute=partial(estimand.compute, summary),
            gates=partial(_gates, summary, estimand),
            figure_id=estimand.figure_id,
            working=lambda: WORKING.get(claim.id, ""),
        )

    return verdicts("shared_buffers", evidence)


def _gates(summary: Summary, estimand: Estimand) -> list[Gate]:
    arms = set(estimand.arms)
    gates = summary.consistency_gates(arms)
    if arms & set(summary.of_part(Part.WARM)):
        gates += [summary.bound_gate(arms), summary.full_gate(arms)]
    if arms & set(summary.of_part(Part.RESTART)):
        gates.append(summary.dirty_gate(arms))
    if estimand.metric is not None:
        gates += [_aa_gate(summary, estimand.metric), *canary_gates(summary.run)]
    return gates


def _aa_gate(summary: Summary, metric: str) -> Gate:
    try:
        return statistics.aa_gate(
            statistics.ratio(summary.values(REPEATED, metric), summary.values(SCENARIO_A, metric))
        )
    except BenchbookError as error:  # the A/A arm failed, or holds a 0
        return Gate("A/A", False, 0.0, f"the baseline cannot be held against itself: {error.problem}")
