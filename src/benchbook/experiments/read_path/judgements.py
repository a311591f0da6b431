"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchbook import statistics
from benchbook.claims import Claim
from benchbook.experiments.environment import canary_gates
from benchbook.experiments.judging import Evidence, verdicts
from benchbook.experiments.read_path.arms import (
    ALEX_ABSENT,
    ALEX_PRESENT,
    BTREE_ROCKSDB,
    BYPASS,
    BYPASS_AGAIN,
    OPTION_A,
    SQLITE_AS_RUN,
)
from benchbook.experiments.read_path.summary import Summary
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

STRIDES, SPEED_UPS, INDEXES = "fig-read-path-stride", "fig-read-path-speed-up", "fig-read-path-index"
CLASSES = {"present": ALEX_PRESENT, "absent": ALEX_ABSENT}
MEAN = "batch_mean_ns"


@dataclass(frozen=True)
class Estimand:
    """How a claim's number is computed. arms: those whose trials it uses. metric: the time whose A/A arm must agree."""

    compute: Callable[[Summary, float], Estimate]
    arms: tuple[str, ...]
    figure_id: str
    metric: str | None = None
    working: Callable[[Summary], str] | None = None


def answered(summary: Summary) -> dict[str, tuple[int, int]]:
    """Key class to the answers that were right, as the probe compared them, and to the keys tried; over all trials.

    The probe ends at the first wrong answer, and a trial that ended so is not stored.
    """
    found = {}
    for name, arm in CLASSES.items():
        right, tried = (int(summary.values(arm, metric).sum()) for metric in ("right_answers", "operations"))
        found[name] = (right, tried)
    return found


def speed_up(summary: Summary, arm: str) -> np.ndarray:
    """Query speed-up over SQLite as the note ran it, shape (blocks,)."""
    found: np.ndarray = summary.values(SQLITE_AS_RUN, MEAN) / summary.values(arm, MEAN)
    return found


def _classes(summary: Summary, confidence: float) -> Estimate:
    return statistics.exact(float(sum(right == tried for right, tried in answered(summary).values())))


def _classes_working(summary: Summary) -> str:
    parts = (f"{name} {right:,} of {tried:,}" for name, (right, tried) in answered(summary).items())
    return f"Keys answered rightly by ALEX alone: {', '.join(parts)}"


def _over_sqlite(summary: Summary, confidence: float) -> Estimate:
    return statistics.ratio(summary.values(SQLITE_AS_RUN, MEAN), summary.values(BYPASS, MEAN), confidence=confidence)


def _storage_over_index(summary: Summary, confidence: float) -> Estimate:
    return statistics.ratio(summary.values(BYPASS, MEAN), summary.values(BTREE_ROCKSDB, MEAN), confidence=confidence)


def _bypass_over_option_a(summary: Summary, confidence: float) -> Estimate:
    best = summary.best_option_a()
    return statistics.ratio(speed_up(summary, BYPASS), speed_up(summary, best), confidence=confidence)


def _best_working(summary: Summary) -> str:
    return f"The best Option A setting is “{summary.labels[summary.best_option_a()]}”"


ESTIMANDS: dict[str, Estimand] = {
    "O053": Estimand(_classes, (ALEX_PRESENT, ALEX_ABSENT), INDEXES, working=_classes_working),
    "O054": Estimand(_over_sqlite, (SQLITE_AS_RUN, BYPASS), SPEED_UPS, MEAN),
    "O088": Estimand(_storage_over_index, (BYPASS, BTREE_ROCKSDB), STRIDES, MEAN),
    "O095": Estimand(_bypass_over_option_a, (SQLITE_AS_RUN, BYPASS, *OPTION_A), STRIDES, MEAN, working=_best_working),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""

    def evidence(claim: Claim) -> Evidence:
        estimand = ESTIMANDS[claim.id]
        return Evidence(
            compute=partial(estimand.compute, summary),
            gates=partial(_gates, summary, estimand),
            figure_id=estimand.figure_id,
            working=partial(estimand.working, summary) if estimand.working else None,
        )

    return verdicts("read_path", evidence)


def _gates(summary: Summary, estimand: Estimand) -> list[Gate]:
    """Where a time is compared: every value verified, the store in memory, and the baseline equal to itself.

    Where right answers are counted, a wrong one is the finding and no fault of the machine.
    """
    metric = estimand.metric
    if metric is None:
        return []
    again = statistics.ratio(summary.values(BYPASS_AGAIN, metric), summary.values(BYPASS, metric))
    arms = (*estimand.arms, BYPASS_AGAIN)
    machine = [statistics.aa_gate(again), *canary_gates(summary.run)]
    return [*summary.consistency_gates(arms), summary.warm_gate(arms), *machine]
