"""Both claims of the chapter: does the label that is run first differ from those run later?"""

from __future__ import annotations

from collections.abc import Iterable

from benchbook import statistics
from benchbook.claims import Claim, Quantity
from benchbook.experiments.judging import Estimand, Judging
from benchbook.experiments.label_order.summary import Summary, summarize
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

FIRST = "fig-label-order-first"
Mine = Estimand[Summary]


def _first_over_later(metric: str) -> Mine:
    """Ratio of a latency of the label run first over that of the labels run later in the same block."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return summary.first_over_later(metric, confidence=confidence)

    return Estimand(compute, Quantity.COMPARISON, FIRST, metric=metric)


METRICS = {"B008": "burst_mean_ns", "B010": "burst_p95_ns"}
"""Claim to the latency whose ratio, run first over run later, decides it."""
ESTIMANDS: dict[str, Mine] = {claim: _first_over_later(metric) for claim, metric in METRICS.items()}
"""One per claim; contract tests compare keys and ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return Judging("label_order", summarize, ESTIMANDS, _gates, device=True).verdicts(summary)


def _gates(summary: Summary, claim: Claim, estimand: Mine) -> Iterable[Gate]:
    paired = summary.aa_ratio(str(estimand.metric), confidence=statistics.AA_CONFIDENCE)
    return [*summary.gates(), statistics.aa_gate(paired)]
