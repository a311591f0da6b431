"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook import statistics
from benchbook.claims import Claim, Quantity
from benchbook.experiments.judging import Estimand, Judging
from benchbook.experiments.read_path.arms import (
    ALEX_ABSENT,
    ALEX_PRESENT,
    BTREE_ROCKSDB,
    BYPASS,
    BYPASS_AGAIN,
    OPTION_A,
    SQLITE_AS_RUN,
)
from benchbook.experiments.read_path.summary import Summary, summarize
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

STRIDES, SPEED_UPS, INDEXES = "fig-read-path-stride", "fig-read-path-speed-up", "fig-read-path-index"
CLASSES = {"present": ALEX_PRESENT, "absent": ALEX_ABSENT}
MEAN = "batch_mean_ns"


Mine = Estimand[Summary]


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


ESTIMANDS: dict[str, Mine] = {
    "O053": Estimand(
        _classes,
        Quantity.COUNTER,
        INDEXES,
        frozenset({ALEX_PRESENT, ALEX_ABSENT}),
        working=_classes_working,
    ),
    "O054": Estimand(_over_sqlite, Quantity.COMPARISON, SPEED_UPS, frozenset({SQLITE_AS_RUN, BYPASS}), MEAN),
    "O088": Estimand(_storage_over_index, Quantity.COMPARISON, STRIDES, frozenset({BYPASS, BTREE_ROCKSDB}), MEAN),
    "O095": Estimand(
        _bypass_over_option_a,
        Quantity.COMPARISON,
        STRIDES,
        frozenset({SQLITE_AS_RUN, BYPASS, *OPTION_A}),
        MEAN,
        working=_best_working,
    ),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return Judging("read_path", summarize, ESTIMANDS, _gates, device=False).verdicts(summary)


def _gates(summary: Summary, claim: Claim, estimand: Mine) -> Iterable[Gate]:
    """Where a time is compared: every value verified, the store in memory, and the baseline equal to itself.

    Where right answers are counted, a wrong one is the finding and no fault of the machine.
    """
    if estimand.metric is None:
        return []
    arms = (*sorted(estimand.arms), BYPASS_AGAIN)
    paired = summary.aa_gate(BYPASS_AGAIN, BYPASS, estimand.metric)
    return [*summary.consistency_gates(arms), summary.warm_gate(arms), paired]
