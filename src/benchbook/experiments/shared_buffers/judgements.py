"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from benchbook import statistics
from benchbook.claims import Claim, Quantity
from benchbook.experiments.judging import Estimand, Judging
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.shared_buffers import treatment
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
from benchbook.experiments.shared_buffers.summary import Summary, summarize
from benchbook.model import Effect, Estimate, Outcome, Verdict
from benchbook.statistics import Gate

POOLS, SHARE_OF_RAM, TIERS = "fig-shared-buffers-pools", "fig-shared-buffers-share-of-ram", "fig-shared-buffers-tiers"
TIMELINES, CHECKPOINT, CLAIMED = (
    "fig-shared-buffers-timelines",
    "fig-shared-buffers-checkpoint",
    "fig-shared-buffers-claims",
)
SIZES = "fig-shared-buffers-sizes"
LATENCIES = {"latency_mean_ns", "interval_sd_ns"}
NOTE_SCALE = 1250
NOTE_POOL_GIB = 20.0
NOTE_TRANSACTIONS_PER_PAGE = 0.92
"""Transactions of note 002's best run per page of pgbench_accounts: 31,532 x 60 / 2.05 million."""
_HUGE = {QUARTER_HUGE, THREE_EIGHTHS_HUGE}
NEEDS_HUGE_PAGES = "This needs huge pages: run as root with allow_vm_settings=true on a machine that can reserve them."


Mine = Estimand[Summary]
Idle = Callable[[Summary], str]


def _ratio(top: str, bottom: str, metric: str, figure_id: str, idle: Idle | None = None) -> Mine:
    """Ratio of a metric of two configurations that takes time, paired within blocks."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.ratio(summary.values(top, metric), summary.values(bottom, metric), confidence=confidence)

    arms = frozenset({top, bottom})
    return Estimand(compute, Quantity.COMPARISON, figure_id, arms, metric, idle=idle, departs=treatment.departure(arms))


def _pools(top: str, bottom: str, metric: str, figure_id: str) -> Mine:
    """The same of two sizes of the pool, which differ only where one of them evicts."""
    return _ratio(top, bottom, metric, figure_id, treatment.nothing_evicted(top, bottom))


def _counts(top: str, bottom: str, metric: str, figure_id: str) -> Mine:
    """Ratio of a count of two configurations, paired within blocks."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.ratio(summary.values(top, metric), summary.values(bottom, metric), confidence=confidence)

    return Estimand(compute, Quantity.COUNTER, figure_id, frozenset({top, bottom}))


def _share(arm: str, metric: str, counts: str, figure_id: str, idle: Idle | None = None) -> Mine:
    """Level of a share of counts in one configuration, resolved by what it is a share of."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.share(summary.values(arm, metric), summary.values(arm, counts), confidence=confidence)

    return Estimand(compute, Quantity.COUNTER, figure_id, frozenset({arm}), idle=idle)


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


def _after_over_before(arm: str, after: str, before: str) -> Mine:
    """Pages after a CHECKPOINT over pages before it: a share of them, as none can come from nowhere."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        counts = summary.values(arm, before)
        if counts.min() < 1:
            raise NotEstimableError("no such pages were there before the CHECKPOINT", "use a longer warm_fill_seconds")
        shares = np.minimum(summary.values(arm, after) / counts, 1.0)
        return statistics.share(shares, counts, confidence=confidence)

    return Estimand(compute, Quantity.COUNTER, CHECKPOINT, frozenset({arm}), bounded=True)


def _extreme(one: str, others: tuple[str, ...], figure_id: str, *, largest: bool, idle: Idle | None = None) -> Mine:
    """Largest ratio of the others to one, or the smallest of one to the others, from intervals that hold together."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        effects = statistics.many_to_one(
            summary.values(one, "tps"), {name: summary.values(name, "tps") for name in others}, confidence=confidence
        )
        if largest:
            return _outermost(list(effects.values()), largest=True)
        return _outermost([_inverse(effect) for effect in effects.values()], largest=False)

    arms = frozenset({one, *others})
    return Estimand(compute, Quantity.COMPARISON, figure_id, arms, "tps", idle=idle, departs=treatment.departure(arms))


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


def _known(
    compute: Callable[[Summary, float], Estimate], words: str, figure_id: str, arms: frozenset[str] = frozenset()
) -> Mine:
    """A count or a size. words: how it was come by, for the verdict's reason."""
    return Estimand(compute, Quantity.COUNTER, figure_id, arms, working=lambda _: words)


def _data_over_pool(summary: Summary, confidence: float) -> Estimate:
    return statistics.exact(size_at_note_scale_gib(summary) / NOTE_POOL_GIB)


_LINE = "The size is read off the line through two small data sets at the note's scale"
_MOST = (
    f"Of a trial with fewer transactions per page than the note's {NOTE_TRANSACTIONS_PER_PAGE:g}, the most that it "
    "could then hold counts"
)
_CONTEXTS = "Of shared_buffers and bgwriter_lru_maxpages those with the context postmaster were counted"
_MEDIAN = "Pages that the background writer wrote in the median trial were counted"


_b_only = frozenset({SCENARIO_B})
_no_reads = treatment.no_reads(SCENARIO_A)
_same_pools = treatment.nothing_evicted(SCENARIO_A, SCENARIO_B)
_smaller = tuple(sweep_name(percent) for percent in SWEEP if percent != 100)
_other_shares = tuple(share_name(percent) for percent in SHARES if percent != 25.0)
ESTIMANDS: dict[str, Mine] = {
    "C008": _pools(BASELINE, SCENARIO_B, "tps", CLAIMED),
    "C029": _pools("pool_100", SCENARIO_A, "tps", POOLS),
    "C031": _pools(SCENARIO_B, SCENARIO_A, "tps", CLAIMED),
    "C032": _pools(SCENARIO_B, SCENARIO_A, "peak_tps", CLAIMED),
    "C033": _pools(SCENARIO_B, SCENARIO_A, "min_tps", CLAIMED),
    "C034": _pools(SCENARIO_B, SCENARIO_A, "latency_mean_ns", CLAIMED),
    "C039": _ratio(SCENARIO_B, B_PREWARMED, "growth", TIMELINES, treatment.not_warmer(SCENARIO_B, B_PREWARMED)),
    "C040": _known(_data_over_pool, _LINE, SIZES),
    "C041": _pools(SCENARIO_B, SCENARIO_A, "interval_sd_ns", CLAIMED),
    "C043": _known(lambda summary, _: statistics.exact(size_at_note_scale_gib(summary)), _LINE, SIZES),
    "C044": _known(_in_pool_at_note_length, _MOST, TIERS, _b_only),
    "C045": _share(SCENARIO_B, "device_share_of_requests", "block_requests", TIERS, _no_reads),
    "C046": _share(SCENARIO_B, "evictions_per_allocation", "allocations", TIERS, _same_pools),
    "C049": _extreme("pool_100", _smaller, POOLS, largest=False),
    "C057": _extreme(
        SCENARIO_B,
        (BASELINE, SCENARIO_A),
        POOLS,
        largest=False,
        idle=treatment.nothing_evicted(SCENARIO_B, BASELINE, SCENARIO_A),
    ),
    "C062": _pools(B_LARGE, SCENARIO_B, "tps", POOLS),
    "C072": _known(_restarts, _CONTEXTS, ""),
    "C077": _known(_data_over_pool, _LINE, SIZES),
    "C079": _known(_background_writes, _MEDIAN, TIERS, _b_only),
    "C080": Estimand(_reads_saved, Quantity.COUNTER, TIERS, _b_only | {SCENARIO_A}, idle=_no_reads),
    "R031": _counts(THREE_EIGHTHS, QUARTER, "reads_per_transaction", SHARE_OF_RAM),
    "R042": _pools(THREE_EIGHTHS, QUARTER, "tps", SHARE_OF_RAM),
    "R043": _share(THREE_EIGHTHS, "resident_share_end", "data_blocks", SHARE_OF_RAM),
    "R045": _share(THREE_EIGHTHS_HUGE, "least_available_share", "ram_blocks", SHARE_OF_RAM),
    "R046": _extreme(QUARTER, _other_shares, SHARE_OF_RAM, largest=True),
    "R052": _ratio(QUARTER, NO_CHECKPOINT, "tps", CHECKPOINT),
    "R057": _after_over_before(QUARTER, "resident_after_checkpoint", "resident_before_checkpoint"),
    "R063": _ratio(QUARTER_HUGE, QUARTER, "tps", SHARE_OF_RAM),
    "R077": _pools(THREE_EIGHTHS, QUARTER, "tps", SHARE_OF_RAM),
    "R095": _after_over_before(QUARTER, "dirty_after_checkpoint", "dirty_before_checkpoint"),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return Judging("shared_buffers", summarize, ESTIMANDS, _gates, device=True, instead=_without_huge_pages).verdicts(
        summary
    )


def _without_huge_pages(summary: Summary, claim: Claim, estimand: Mine) -> Verdict | None:
    if "memory" in summary.parameters.parts and estimand.arms & _HUGE - set(summary.arms):
        return Verdict(claim.id, Outcome.NOT_TESTABLE, NEEDS_HUGE_PAGES)
    return None


def _gates(summary: Summary, claim: Claim, estimand: Mine) -> Iterable[Gate]:
    """Equal counts, bounded and full memory, equal starts; of times the A/A pair, of latencies Little's law too."""
    arms = set(estimand.arms)
    gates = summary.consistency_gates(arms)
    if arms & set(summary.of_part(Part.WARM)):
        gates += [summary.bound_gate(arms), summary.full_gate(arms)]
    if arms & set(summary.of_part(Part.RESTART)):
        gates.append(summary.dirty_gate(arms))
    if estimand.metric in LATENCIES:
        gates.append(summary.littles_gate(arms))
    if estimand.metric is not None:
        gates.append(summary.aa_gate(REPEATED, SCENARIO_A, estimand.metric))
    return gates
