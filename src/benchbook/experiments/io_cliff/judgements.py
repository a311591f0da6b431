"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from benchbook import statistics
from benchbook.claims import Claim, Quantity
from benchbook.experiments.io_cliff import treatment
from benchbook.experiments.io_cliff.arms import (
    A_4_1,
    A_10_1,
    B_4_1,
    BASELINE,
    DEFAULT_TIMEOUT,
    DEFAULT_WAL,
    REPEATED,
    SPACED,
    A,
    B,
)
from benchbook.experiments.io_cliff.reduction import INTERVALS
from benchbook.experiments.io_cliff.summary import Summary, share_of_peak, summarize
from benchbook.experiments.judging import Estimand, Judging
from benchbook.experiments.per_block import NotEstimableError
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

TIMELINES, CLIFFS, CLAIMED = "fig-io-cliff-timelines", "fig-io-cliff-share-of-trials", "fig-io-cliff-claims"
LIMITS, CHECKPOINTS, DIRTY, WAITS = (
    "fig-io-cliff-dirty-limits",
    "fig-io-cliff-checkpoints",
    "fig-io-cliff-dirty-data",
    "fig-io-cliff-waits",
)
Mine = Estimand[Summary]


def _shape(
    arm: str, metric: str, mean: Callable[..., Estimate] = statistics.geometric_mean, *, bounded: bool = False
) -> Mine:
    """Geometric mean over trials of a ratio that each trial's course gives. mean: another for ratios of at most 1."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        summary.check_course()
        return mean(summary.values(arm, metric), confidence=confidence)

    return Estimand(
        compute, Quantity.SHAPE, CLAIMED, frozenset({arm}), metric, bounded=bounded, departs=treatment.shorter
    )


def _trials(arm: str, found: Callable[[np.ndarray], np.ndarray], metric: str, figure_id: str) -> Mine:
    """Share of the trials of one configuration whose metric is as asked."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        summary.check_course()
        which = found(summary.values(arm, metric))
        return statistics.share_of_trials(int(which.sum()), which.size, confidence=confidence)

    return Estimand(compute, Quantity.SHARE_OF_TRIALS, figure_id, frozenset({arm}), departs=treatment.shorter)


def _ratio(top: str, bottom: str, figure_id: str, idle: Callable[[Summary], str] | None = None) -> Mine:
    """Ratio of TPS of two configurations, paired within blocks."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.ratio(summary.values(top, "tps"), summary.values(bottom, "tps"), confidence=confidence)

    return Estimand(
        compute, Quantity.COMPARISON, figure_id, frozenset({top, bottom}), "tps", idle=idle, departs=treatment.shorter
    )


def _limits(top: str, bottom: str) -> Mine:
    """The same for two limits of dirty data, which act only where so much waits to be written."""
    return _ratio(top, bottom, LIMITS, lambda summary: treatment.limits_not_reached(summary, (top, bottom)))


def _checkpoints(bottom: str, kind: str) -> Mine:
    """The same, where the second configuration must have had checkpoints: without them nothing was compared."""
    plain = _ratio(SPACED, bottom, CHECKPOINTS)

    def compute(summary: Summary, confidence: float) -> Estimate:
        begun = summary.values(bottom, "checkpoints")
        if begun.min() < 1:
            raise NotEstimableError(
                f"{int((begun < 1).sum())} of {begun.size} trials under the default {kind} held no checkpoint",
                "give more checkpoint_seconds",
            )
        return plain.compute(summary, confidence)

    return replace(plain, compute=compute, departs=treatment.checkpoints_shorter)


def _drawdown(summary: Summary, confidence: float) -> Estimate:
    summary.check_course()
    # The mean of the trials themselves, as registered: on the logit scale one trial without any fall would set it.
    found = statistics.arithmetic_mean(summary.values(B, "max_drawdown"), confidence=confidence)
    return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))


def _rising(summary: Summary, confidence: float) -> Estimate:
    summary.check_course()
    return statistics.share(summary.values(B, "rising_share"), INTERVALS - 1, confidence=confidence)


def _after_onset(summary: Summary, confidence: float) -> Estimate:
    summary.check_course()
    with_cliff = summary.values(BASELINE, "cliff") > 0
    if with_cliff.sum() < 2:
        raise NotEstimableError(
            f"{int(with_cliff.sum())} of {with_cliff.size} trials of the baseline show a cliff; two are needed",
            "try a slower disk, or longer trials",
        )
    depth = summary.trials(BASELINE)["post_onset_over_peak"].to_numpy(dtype=float)[with_cliff]
    return statistics.geometric_mean(depth, confidence=confidence)


def _eliminated(summary: Summary, confidence: float) -> Estimate:
    summary.check_course()
    fell = summary.values(A, "cliff") > 0
    if not fell.any():
        raise NotEstimableError(
            f"none of the {fell.size} trials of Scenario A shows a cliff, so there is none to eliminate",
            "try a slower disk, or longer trials",
        )
    gone = fell & (summary.values(B, "cliff") == 0)
    return statistics.share_of_trials(int(gone.sum()), int(fell.sum()), confidence=confidence)


def _positive(values: np.ndarray) -> np.ndarray:
    return values > 0


def _zero(values: np.ndarray) -> np.ndarray:
    return np.asarray(values == 0)


def _early(values: np.ndarray) -> np.ndarray:
    return values <= 2


def _late(values: np.ndarray) -> np.ndarray:
    return values >= 3


def _of(compute: Callable[[Summary, float], Estimate], arm: str, figure_id: str, *, bounded: bool = False) -> Mine:
    """A shape in time of one configuration that takes more than a mean."""
    return Estimand(compute, Quantity.SHAPE, figure_id, frozenset({arm}), bounded=bounded, departs=treatment.shorter)


ESTIMANDS: dict[str, Mine] = {
    "C009": _shape(BASELINE, "peak_over_mean", bounded=True),
    "C010": _shape(BASELINE, "min_over_peak", share_of_peak, bounded=True),
    "C012": _trials(BASELINE, _positive, "cliff", CLIFFS),
    "C013": _shape(BASELINE, "end_over_peak", share_of_peak, bounded=True),
    "C014": _shape(BASELINE, "post_cliff_over_peak", share_of_peak, bounded=True),
    "C020": _trials(A, _late, "peak_interval", TIMELINES),
    "C021": _trials(A, _positive, "cliff", CLIFFS),
    "C022": _shape(A, "min_over_peak", share_of_peak, bounded=True),
    "C035": _trials(B, _zero, "cliff", CLIFFS),
    "C036": _shape(B, "last_over_first"),
    "C037": _shape(B, "late_growth"),
    "C038": _of(_drawdown, B, TIMELINES),
    "C042": Estimand(
        _eliminated,
        Quantity.SHARE_OF_TRIALS,
        CLIFFS,
        frozenset({A, B}),
        idle=treatment.nothing_evicted,
        departs=treatment.shorter,
    ),
    "C059": _limits(A_4_1, A_10_1),
    "C060": _limits(A_10_1, A),
    "C063": _limits(B_4_1, B),
    "C069": _trials(BASELINE, _early, "peak_interval", TIMELINES),
    "C070": _of(_after_onset, BASELINE, CLIFFS, bounded=True),
    "C088": _of(_rising, B, TIMELINES),
    "R067": _checkpoints(DEFAULT_WAL, "max_wal_size"),
    "R068": _checkpoints(DEFAULT_TIMEOUT, "checkpoint_timeout"),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return Judging("io_cliff", summarize, ESTIMANDS, _gates, device=True).verdicts(summary)


def _gates(summary: Summary, claim: Claim, estimand: Mine) -> Iterable[Gate]:
    """Counts, memory and equal starts; the A/A pair. No claim of the chapter is about a latency."""
    paired = [summary.aa_gate(REPEATED, A, estimand.metric)] if estimand.metric else []
    return [*summary.consistency_gates(), *summary.state_gates(set(estimand.arms)), *paired]
