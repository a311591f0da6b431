"""The chapter's claims: is the note's number repeatable, and do samplers cost throughput?"""

from __future__ import annotations

from benchbook import statistics
from benchbook.claims import Claim, Rule, Testable, chapter_claims, judge, judge_without_data
from benchbook.errors import BenchbookError
from benchbook.experiments.noise_floor.arms import TPCB, TPCB_AGAIN, TPCB_PLAIN
from benchbook.experiments.noise_floor.summary import Summary
from benchbook.model import Estimate, Outcome, Verdict
from benchbook.statistics import Gate

TRIALS, AA = "fig-noise-trials", "fig-noise-aa"
FIGURES = {"R053": AA, "R054": TRIALS}


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return [_verdict(summary, claim) for claim in chapter_claims("noise_floor").values()]


def plain_over_sampled(summary: Summary, confidence: float = 0.95) -> Estimate:
    """R053: TPS of the plain command over the sampled one, both from pgbench's own report of the same seconds."""
    return statistics.ratio(
        summary.values(TPCB_PLAIN, "report_tps"), summary.values(TPCB, "report_tps"), confidence=confidence
    )


def cold_variation(summary: Summary) -> Estimate:
    """R054: coefficient of variation of the TPS from the cold start on, over one trial of each block.

    The A/A arm's trials stay out: two trials of one block share its moment, and are fewer than two repeats.
    """
    return statistics.sd_interval(summary.values(TPCB, "first_tps"))


def _verdict(summary: Summary, claim: Claim) -> Verdict:
    if claim.rule is Rule.PROSE or claim.testable is not Testable.HERE:
        return judge_without_data(claim)
    try:
        effect90: Estimate | None = None
        gates: list[Gate] = summary.gates()
        if claim.rule is Rule.NO_DIFFERENCE:
            effect95, effect90 = plain_over_sampled(summary), plain_over_sampled(summary, 0.90)
            again, first = (summary.values(arm, "report_tps") for arm in (TPCB_AGAIN, TPCB))
            gates.append(statistics.aa_gate(statistics.ratio(again, first)))
        else:
            effect95 = cold_variation(summary)
            gates.append(summary.cold_gate(TPCB))
    except BenchbookError as error:
        reason = f"The estimand cannot be computed from this run: {error.problem}."
        return Verdict(claim.id, Outcome.INCONCLUSIVE, reason, figure_id=FIGURES[claim.id])
    sound, reason = statistics.environment(gates)
    return judge(
        claim, effect95, effect90, environment_ok=sound, environment_reason=reason, figure_id=FIGURES[claim.id]
    )
