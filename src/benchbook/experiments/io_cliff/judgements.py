"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchbook import statistics
from benchbook.claims import Claim
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
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.judging import Evidence, verdicts
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


@dataclass(frozen=True)
class Estimand:
    """How a claim's number is computed. arms: of which configurations. metric: whose A/A arm must agree, if any."""

    compute: Callable[[Summary, float], Estimate]
    arms: frozenset[str]
    metric: str | None
    figure_id: str


def _level(arm: str, metric: str) -> Estimand:
    """Geometric mean over trials of a ratio that each trial gives."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.geometric_mean(summary.values(arm, metric), confidence=confidence)

    return Estimand(compute, frozenset({arm}), metric, CLAIMED)


def _trials(arm: str, found: Callable[[np.ndarray], np.ndarray], metric: str, figure_id: str) -> Estimand:
    """Share of the trials of one configuration whose metric is as asked."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        which = found(summary.values(arm, metric))
        return statistics.share_of_trials(int(which.sum()), which.size, confidence=confidence)

    return Estimand(compute, frozenset({arm}), None, figure_id)


def _ratio(top: str, bottom: str, figure_id: str) -> Estimand:
    """Ratio of TPS of two configurations, paired within blocks."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return statistics.ratio(summary.values(top, "tps"), summary.values(bottom, "tps"), confidence=confidence)

    return Estimand(compute, frozenset({top, bottom}), "tps", figure_id)


def _checkpoints(bottom: str, kind: str) -> Estimand:
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

    return Estimand(compute, plain.arms, "tps", CHECKPOINTS)


def _drawdown(summary: Summary, confidence: float) -> Estimate:
    counts = np.maximum(1.0, summary.values(B, "transactions") / INTERVALS)
    return statistics.share(summary.values(B, "max_drawdown"), counts, confidence=confidence)


def _rising(summary: Summary, confidence: float) -> Estimate:
    return statistics.share(summary.values(B, "rising_share"), INTERVALS - 1, confidence=confidence)


def _after_onset(summary: Summary, confidence: float) -> Estimate:
    with_cliff = summary.values(BASELINE, "cliff") > 0
    if with_cliff.sum() < 2:
        raise NotEstimableError(
            f"{int(with_cliff.sum())} of {with_cliff.size} trials of the baseline show a cliff; two are needed",
            "try a slower disk, or longer trials",
        )
    depth = summary.trials(BASELINE)["post_onset_over_peak"].to_numpy(dtype=float)[with_cliff]
    return statistics.geometric_mean(depth, confidence=confidence)


def _eliminated(summary: Summary, confidence: float) -> Estimate:
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


ESTIMANDS: dict[str, Estimand] = {
    "C009": _level(BASELINE, "peak_over_mean"),
    "C010": _level(BASELINE, "min_over_peak"),
    "C012": _trials(BASELINE, _positive, "cliff", CLIFFS),
    "C013": _level(BASELINE, "end_over_peak"),
    "C014": _level(BASELINE, "post_cliff_over_peak"),
    "C020": _trials(A, _late, "peak_interval", TIMELINES),
    "C021": _trials(A, _positive, "cliff", CLIFFS),
    "C022": _level(A, "min_over_peak"),
    "C035": _trials(B, _zero, "cliff", CLIFFS),
    "C036": _level(B, "last_over_first"),
    "C037": _level(B, "late_growth"),
    "C038": Estimand(_drawdown, frozenset({B}), None, TIMELINES),
    "C042": Estimand(_eliminated, frozenset({A, B}), None, CLIFFS),
    "C059": _ratio(A_4_1, A_10_1, LIMITS),
    "C060": _ratio(A_10_1, A, LIMITS),
    "C063": _ratio(B_4_1, B, LIMITS),
    "C069": _trials(BASELINE, _early, "peak_interval", TIMELINES),
    "C070": Estimand(_after_onset, frozenset({BASELINE}), None, CLIFFS),
    "C088": Estimand(_rising, frozenset({B}), None, TIMELINES),
    "R067": _checkpoints(DEFAULT_WAL, "max_wal_size"),
    "R068": _checkpoints(DEFAULT_TIMEOUT, "checkpoint_timeout"),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    consistent = summary.consistency_gates()

    def evidence(claim: Claim) -> Evidence:
        estimand = ESTIMANDS[claim.id]

        def compute(confidence: float) -> Estimate:
            if estimand.figure_id not in (LIMITS, CHECKPOINTS):
                summary.check_course()
            return estimand.compute(summary, confidence)

        return Evidence(
            compute=compute,
            gates=lambda: [
                *consistent,
                *summary.state_gates(set(estimand.arms)),
                *_aa_gates(summary, estimand.metric),
            ],
            figure_id=estimand.figure_id,
        )

    return verdicts("io_cliff", evidence)


def _aa_gates(summary: Summary, metric: str | None) -> list[Gate]:
    if metric is None:
        return []
    return [statistics.aa_gate(statistics.ratio(summary.values(REPEATED, metric), summary.values(A, metric)))]
