"""Both claims of the chapter: does the label that is run first differ from those run later?"""

from __future__ import annotations

from benchbook import statistics
from benchbook.claims import Claim, Rule, Testable, chapter_claims, judge, judge_without_data
from benchbook.errors import BenchbookError
from benchbook.experiments.label_order.summary import NotEstimableError, Summary
from benchbook.model import Outcome, Verdict
from benchbook.statistics import Gate
from benchbook.statistics.equivalence import TOST_CONFIDENCE

FIRST = "fig-label-order-first"
ESTIMANDS = {"B008": "burst_mean_ns", "B010": "burst_p95_ns"}
"""Claim to the latency whose ratio, run first over run later, decides it; a test compares the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    consistent = summary.gates()
    return [_verdict(summary, claim, consistent) for claim in chapter_claims("label_order").values()]


def _verdict(summary: Summary, claim: Claim, consistent: list[Gate]) -> Verdict:
    if claim.rule is Rule.PROSE or claim.testable is not Testable.HERE:
        return judge_without_data(claim)
    metric = ESTIMANDS[claim.id]
    try:
        effect95 = summary.first_over_later(metric)
        effect90 = summary.first_over_later(metric, confidence=TOST_CONFIDENCE)
        gates = [*consistent, statistics.aa_gate(summary.aa_ratio(metric))]
    except NotEstimableError as error:
        reason = f"This run cannot say: {error.problem} ({error.mend})."
        return Verdict(claim.id, Outcome.INCONCLUSIVE, reason, figure_id=FIRST)
    except BenchbookError as error:
        reason = f"The estimand cannot be computed from this run: {error.problem}."
        return Verdict(claim.id, Outcome.INCONCLUSIVE, reason, figure_id=FIRST)
    sound, reason = statistics.environment(gates)
    return judge(claim, effect95, effect90, environment_ok=sound, environment_reason=reason, figure_id=FIRST)
