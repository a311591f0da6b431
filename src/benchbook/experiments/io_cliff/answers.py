"""The chapter's claims: how each number comes from the stored trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.io_cliff.arms import (
    A_10_1,
    A_10_5,
    A_FREE,
    B_10_5,
    BASELINE,
    DEFAULT_TIMEOUT,
    DEFAULT_WAL,
    FREE_AGAIN,
    REPEATED,
    SPACED,
    A,
    B,
)
from benchbook.experiments.io_cliff.causes import (
    background_not_reached,
    departs,
    departs_from_checkpoints,
    departs_in_depth,
    nothing_slowed,
    same_pools,
)
from benchbook.experiments.io_cliff.other_pools import beside, other_pools
from benchbook.experiments.io_cliff.summary import Summary, share_of_peak
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Compute, Estimand, custom, departing, ratio
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate
from benchbook.statistics import Gate

TIMELINES, CLIFFS, CLAIMED = "fig-io-cliff-timelines", "fig-io-cliff-share-of-trials", "fig-io-cliff-claims"
LIMITS, CHECKPOINTS = "fig-io-cliff-dirty-limits", "fig-io-cliff-checkpoints"


def first(summary: Summary) -> str:
    """The configuration that is measured twice: A, or where the run has no capped ones A without a cap."""
    return A if A in summary.configurations else A_FREE


def again(summary: Summary) -> str:
    """The same under its second name."""
    return REPEATED if A in summary.configurations else FREE_AGAIN


AA = (again, first)


def _of_course(compute: Compute) -> Compute:
    """The same of trials that are long enough to have a course."""

    def checked(summary: Summary, confidence: float) -> Estimate:
        summary.check_course()
        return compute(summary, confidence)

    return checked


def _acting(arm: str) -> Callable[[Any], str]:
    """Of a course of B too what the small pool did is asked: that nothing falls says little where nothing could."""
    return nothing_slowed(A if arm == B else arm)


def _shape(arm: str, metric: str, mean: Callable[..., Estimate] = statistics.geometric_mean, **ground: Any) -> Estimand:
    """Geometric mean over trials of a ratio that each trial's course gives. mean: another for ratios of at most 1."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return mean(summary.values(arm, metric), confidence=confidence, sessions=summary.sessions)

    return custom(_of_course(compute), Quantity.SHAPE, arm, aa=metric, idle=_acting(arm), **ground)


def _trials(arm: str, metric: str, found: Callable[[np.ndarray], np.ndarray], *others: str) -> Estimand:
    """Share of the trials of one configuration whose metric is as asked. others: whose trials must begin alike."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        which = found(summary.values(arm, metric))
        return statistics.share_of_trials(int(which.sum()), which.size, confidence=confidence)

    return custom(_of_course(compute), Quantity.SHARE_OF_TRIALS, arm, *others, idle=_acting(arm))


def _with_cliff(arm: str, *others: str) -> Estimand:
    return _trials(arm, "cliff", lambda cliff: cliff > 0, *others)


def _checkpoints(bottom: str, kind: str) -> Estimand:
    """Ratio of TPS, where the second configuration must have had checkpoints: without them nothing was compared."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        begun = summary.values(bottom, "checkpoints")
        if begun.min() < 1:
            raise NotEstimableError(
                f"{int((begun < 1).sum())} of {begun.size} trials under the default {kind} had no checkpoint",
                "give more checkpoint_seconds",
            )
        return summary.ratio((SPACED, "tps"), (bottom, "tps"), confidence=confidence)

    return custom(compute, Quantity.COMPARISON, SPACED, bottom, aa="tps")


def _drawdown(summary: Summary, confidence: float) -> Estimate:
    # The mean of the trials themselves, as registered: on the logit scale one trial without any fall would set it.
    values = summary.values(B, "max_drawdown")
    found = statistics.arithmetic_mean(values, confidence=confidence, sessions=summary.sessions)
    return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))


def _rising(summary: Summary, confidence: float) -> Estimate:
    values = summary.values(B, "rising_share")
    return statistics.share(values, INTERVALS - 1, confidence=confidence, sessions=summary.sessions)


def _after_onset(summary: Summary, confidence: float) -> Estimate:
    with_cliff = summary.values(BASELINE, "cliff") > 0
    if with_cliff.sum() < 2:
        raise NotEstimableError(
            f"{int(with_cliff.sum())} of {with_cliff.size} trials of the baseline show a cliff; two are needed",
            "give a lower storage_iops, or longer trials",
        )
    depth = summary.in_blocks(BASELINE)["post_onset_over_peak"].to_numpy(dtype=float)[with_cliff]
    return statistics.geometric_mean(depth, confidence=confidence, sessions=summary.sessions[with_cliff])


def _eliminated(summary: Summary, confidence: float) -> Estimate:
    fell = summary.values(A, "cliff") > 0
    if not fell.any():
        raise NotEstimableError(
            f"none of the {fell.size} trials of A (pool 20 %) shows a cliff, so there is none to eliminate",
            "give a lower storage_iops, or longer trials",
        )
    gone = fell & (summary.values(B, "cliff") == 0)
    return statistics.share_of_trials(int(gone.sum()), int(fell.sum()), confidence=confidence)


_OF_TRIALS = (
    Answer(
        "C012", _with_cliff(BASELINE), CLIFFS,
        said="the throughput of pgbench falls off a cliff",
        seen="{} % of the trials with the note's first settings show one", factor=100,
    ),
    Answer(
        "C010", _shape(BASELINE, "min_over_peak", share_of_peak, bounded=True), CLAIMED,
        said="it falls to half",
        seen="the lowest twelfth of a trial has {} times the throughput of the highest",
        row="baseline: lowest ÷ highest TPS of a trial",
    ),
    Answer(
        "C042",
        custom(_of_course(_eliminated), Quantity.SHARE_OF_TRIALS, A, B, idle=same_pools, working=other_pools),
        CLIFFS,
        said="a pool as large as the data eliminates the cliff",
        seen="of the blocks with a cliff in A (pool 20 %), {} % have none in B (pool 100 %)", factor=100,
        lead=True, brief="of the blocks with one, {} % have none then", beside=beside,
    ),
    Answer(
        "C035", _trials(B, "cliff", lambda cliff: np.asarray(cliff == 0)), CLIFFS,
        said="with that pool there is no cliff", seen="{} % of its trials show none", factor=100,
    ),
    Answer(
        "C059", ratio(A, A_10_1, "tps", idle=nothing_slowed(A)), LIMITS,
        said="vm.dirty_ratio should be 4 instead of 10", seen="at 4 the throughput is {} times that at 10",
        row="mean TPS of A: dirty limit 4 ÷ 10 %",
    ),
    Answer(
        "C060", ratio(A_10_1, A_10_5, "tps", idle=background_not_reached(A_10_1, A_10_5)), LIMITS,
        said="vm.dirty_background_ratio should be 1 instead of 5", seen="at 1 the throughput is {} times that at 5",
        row="mean TPS of A: background limit 1 ÷ 5 %",
    ),
    Answer("C009", _shape(BASELINE, "peak_over_mean", bounded=True), CLAIMED, row="baseline: highest ÷ mean TPS"),
    Answer(
        "C013", _shape(BASELINE, "end_over_peak", share_of_peak, bounded=True), CLAIMED,
        row="baseline: TPS at the end ÷ highest",
    ),
    Answer(
        "C014", _shape(BASELINE, "post_cliff_over_peak", share_of_peak, bounded=True), CLAIMED,
        row="baseline: last third ÷ highest TPS",
    ),
    Answer("C020", _trials(A, "peak_interval", lambda peak: peak >= 3), TIMELINES),
    Answer("C021", _with_cliff(A, BASELINE), CLIFFS),
    Answer("C022", _shape(A, "min_over_peak", share_of_peak, bounded=True), CLAIMED, row="A: lowest ÷ highest TPS"),
    Answer("C036", _shape(B, "last_over_first"), CLAIMED, row="B: last ÷ first TPS"),
    Answer("C037", _shape(B, "late_growth"), CLAIMED, row="B: last quarter ÷ the one before"),
    Answer("C038", custom(_of_course(_drawdown), Quantity.SHAPE, B, idle=_acting(B)), TIMELINES),
    Answer(
        "C063", ratio(B, B_10_5, "tps", idle=nothing_slowed(A)), LIMITS,
        row="mean TPS of B: dirty limits 4/1 ÷ 10/5 %",
    ),
    Answer("C069", _trials(BASELINE, "peak_interval", lambda peak: peak <= 2), TIMELINES),
    Answer(
        "C070",
        custom(_of_course(_after_onset), Quantity.SHAPE, BASELINE, bounded=True, idle=_acting(BASELINE)),
        CLIFFS,
        row="baseline: after ÷ before the fall",
    ),
    Answer("C088", custom(_of_course(_rising), Quantity.SHAPE, B, idle=_acting(B)), TIMELINES),
)  # fmt: skip
_OF_CHECKPOINTS = (
    Answer(
        "R068", _checkpoints(DEFAULT_TIMEOUT, "checkpoint_timeout"), CHECKPOINTS,
        said="a checkpoint_timeout of an hour costs no throughput", seen="it gives {} times that of the default",
        row="mean TPS: checkpoint_timeout 1 h ÷ 5 min",
    ),
    Answer(
        "R067", _checkpoints(DEFAULT_WAL, "max_wal_size"), CHECKPOINTS,
        row="mean TPS: large ÷ default max_wal_size",
    ),
)  # fmt: skip
_OF_DEPTH = ("C009", "C010", "C013", "C014", "C022", "C070")
"""How deep a fall is follows from how much the storage lets pass."""
ANSWERS = (
    *(each.but(departs=departs_in_depth if each.claim in _OF_DEPTH else departs) for each in _OF_TRIALS),
    *departing(_OF_CHECKPOINTS, departs_from_checkpoints),
)


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Counts, memory and equal starts. No claim of the chapter is about a latency."""
    return [*summary.consistency_gates(), *summary.state_gates(answer.estimand.names(summary))]
