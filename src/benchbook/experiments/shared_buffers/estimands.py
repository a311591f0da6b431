"""What the claims need beyond a ratio or a share: why a cause did not act, the best of several, pages, sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.families.pgbench.parameters import NOTE_SECONDS
from benchbook.experiments.families.pgbench.treatment import Words, nothing_evicted, shorter
from benchbook.experiments.shape.estimands import Estimand, custom
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shared_buffers.arms import (
    B_PREWARMED,
    BASELINE,
    QUARTER,
    SCENARIO_A,
    SCENARIO_B,
    Part,
)
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.model import Effect, Estimate

EVICTIONS = "evictions_per_allocation"
NOTE_SCALE, NOTE_POOL_GIB = 1250, 20.0
NOTE_TRANSACTIONS_PER_PAGE = 0.92
"""Transactions of note 002's best run per page of pgbench_accounts: 31,532 x 60 / 2.05 million."""
WARM, COLD = 0.99, 0.01
"""Share of the data in the pool from which it counts as warm, and up to which as cold: the protocol's certificate."""
READS_A_TRANSACTION = 0.01
"""Device reads per transaction below which there are none to be saved: the least that the claim on them asks for."""
same_pools = nothing_evicted(EVICTIONS, SCENARIO_A, SCENARIO_B)
all_three = nothing_evicted(EVICTIONS, SCENARIO_B, BASELINE, SCENARIO_A)


def no_reads(summary: Summary) -> str:
    """Why Scenario A had no read of the device to be saved; "" where it had."""
    most = float(summary.values(SCENARIO_A, "device_reads_per_transaction").max())
    if most >= READS_A_TRANSACTION:
        return ""
    return (
        f"{summary.label(SCENARIO_A)} read at most {most:.2g} blocks per transaction from the device, so there were no "
        "reads to save"
    )


def not_warmer(summary: Summary) -> str:
    """Why an empty and a filled pool did not differ in what they held at the start; "" where they did."""
    least = float(summary.values(B_PREWARMED, "data_in_pool_start").min())
    most = float(summary.values(SCENARIO_B, "data_in_pool_start").max())
    if least >= WARM and most <= COLD:
        return ""
    return (
        f"when the trials began, the compared pools held between {100 * least:.0f} % and {100 * most:.0f} % of the data"
    )


def departs(*arms: str) -> Words:
    """How far the trials of these configurations depart from what the claims name; "" where they do not."""

    def seconds(summary: Summary) -> float:
        p, warm = summary.parameters, summary.of_part(Part.WARM)
        return min(p.warm_seconds if arm in warm else p.tpcb_seconds for arm in arms)

    return shorter(seconds, NOTE_SECONDS)


def in_pool_at_note_length(summary: Summary, confidence: float) -> Estimate:
    """Share of the data in the pool of Scenario B, after as many transactions per page as the note's.

    After fewer, the share s becomes 1 - (1 - s)^r, with r the note's transactions over ours. It can be no more: a page
    that each transaction touches with probability p is missed with (1 - p)^n, and the mean of r-th powers over the
    pages is at least the r-th power of their mean (Jensen).
    """
    held = summary.values(SCENARIO_B, "data_in_pool_end")
    longer = np.maximum(1.0, NOTE_TRANSACTIONS_PER_PAGE / summary.values(SCENARIO_B, "transactions_per_account_page"))
    blocks = summary.values(SCENARIO_B, "data_blocks")
    return statistics.share(1 - (1 - held) ** longer, blocks, confidence=confidence, sessions=summary.sessions)


def checkpointed(which: str) -> Estimand:
    """Pages after a CHECKPOINT over pages before it: a share of them, as none can come from nowhere."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        before = summary.values(QUARTER, f"{which}_before_checkpoint")
        if before.min() < 1:
            raise NotEstimableError("there were no such pages before the CHECKPOINT", "use a longer warm_fill_seconds")
        shares = np.minimum(summary.values(QUARTER, f"{which}_after_checkpoint") / before, 1.0)
        return statistics.share(shares, before, confidence=confidence, sessions=summary.sessions)

    return custom(compute, Quantity.COUNTER, QUARTER, bounded=True)


def best(one: str, others: Iterable[str], idle: Words | None = None) -> Estimand:
    """Smallest ratio of the TPS of one to those of the others, from intervals that hold together."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        found = summary.against(one, others, confidence=confidence)
        return outermost([inverse(effect) for effect in found.values()], min)

    return custom(compute, Quantity.COMPARISON, one, *others, aa="tps", idle=idle, departs=departs(one, *others))


def rival(one: str, others: Iterable[str]) -> Estimand:
    """Largest ratio of the TPS of the others to that of one, from intervals that hold together."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return outermost(summary.against(one, others, confidence=confidence).values(), max)

    return custom(compute, Quantity.COMPARISON, one, *others, aa="tps", departs=departs(one, *others))


def outermost(effects: Iterable[Effect], pick: Callable[..., Effect]) -> Effect:
    """The largest (or smallest) of several ratios: its ends are the largest (or smallest) ends of their intervals."""
    every = list(effects)
    low, high = (getattr(pick(every, key=lambda effect, end=end: getattr(effect, end)), end) for end in ("low", "high"))
    behind = tuple(comparison for effect in every for comparison in effect.by_block)
    return replace(pick(every, key=lambda effect: effect.point), low=low, high=high, by_block=behind)


def inverse(effect: Effect) -> Effect:
    """The ratio the other way round."""
    return replace(effect, point=1 / effect.point, low=1 / effect.high, high=1 / effect.low)


def reads_saved(summary: Summary, confidence: float) -> Estimate:
    a, b = (summary.values(arm, "device_reads_per_transaction") for arm in (SCENARIO_A, SCENARIO_B))
    return statistics.difference(a, b, confidence=confidence, sessions=summary.sessions)


def size_at_note_scale_gib(summary: Summary) -> float:
    """Size of a fresh pgbench database at the note's scale, on the line through the two small sizes, in GiB."""
    sizes = summary.run.provenance.get("size_bytes_by_scale") or {}
    if len(sizes) < 2:
        raise NotEstimableError("this run did not measure two small data sets", "measure again")
    scales = np.array([float(scale) for scale in sizes])
    slope, start = np.polyfit(scales, np.array(list(sizes.values()), dtype=float), 1)
    return float((slope * NOTE_SCALE + start) / 2**30)


def restarts(summary: Summary) -> float:
    contexts = summary.run.provenance.get("contexts") or {}
    wanted = [contexts.get(name) for name in ("shared_buffers", "bgwriter_lru_maxpages")]
    if None in wanted:
        raise NotEstimableError("this run did not record pg_settings", "measure again")
    return wanted.count("postmaster")


def background_writes(summary: Summary) -> float:
    return float(np.median(summary.values(SCENARIO_B, "buffers_clean")))


def most_held(summary: Summary) -> str:
    return (
        f"For a trial with fewer transactions per page than the note's {NOTE_TRANSACTIONS_PER_PAGE:g}, the most that "
        "it could then hold is used"
    )
