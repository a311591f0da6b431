"""Both claims of the chapter: does the label that is run first differ from those run later?"""

from __future__ import annotations

from benchbook import statistics
from benchbook.claims import Claim
from benchbook.experiments.judging import Evidence, verdicts
from benchbook.experiments.label_order.summary import Summary
from benchbook.model import Verdict

FIRST = "fig-label-order-first"
ESTIMANDS = {"B008": "burst_mean_ns", "B010": "burst_p95_ns"}
"""Claim to the latency whose ratio, run first over run later, decides it; contract tests compare keys and ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    consistent = summary.gates()

    def evidence(claim: Claim) -> Evidence:
        metric = ESTIMANDS[claim.id]
        return Evidence(
            compute=lambda confidence: summary.first_over_later(metric, confidence=confidence),
            gates=lambda: [*consistent, statistics.aa_gate(summary.aa_ratio(metric))],
            figure_id=FIRST,
        )

    return verdicts("label_order", evidence)
