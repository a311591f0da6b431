"""The chapter's claims: is the note's number repeatable, and do samplers cost throughput?"""

from __future__ import annotations

from collections.abc import Iterable

from benchbook import statistics
from benchbook.claims import Claim, Quantity
from benchbook.experiments.judging import Estimand, Judging
from benchbook.experiments.noise_floor.arms import TPCB, TPCB_AGAIN, TPCB_PLAIN
from benchbook.experiments.noise_floor.summary import Summary, summarize
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

TRIALS, AA = "fig-noise-trials", "fig-noise-aa"


Mine = Estimand[Summary]


def plain_over_sampled(summary: Summary, confidence: float = 0.95) -> Estimate:
    """R053: TPS of the plain command over the sampled one, both from pgbench's own report of the same seconds."""
    return statistics.ratio(
        summary.values(TPCB_PLAIN, "report_tps"), summary.values(TPCB, "report_tps"), confidence=confidence
    )


def cold_variation(summary: Summary, confidence: float = 0.95) -> Estimate:
    """R054: coefficient of variation of the TPS from the cold start on, over one trial of each block.

    The A/A arm's trials stay out: two trials of one block share its moment, and are fewer than two repeats.
    """
    return statistics.sd_interval(summary.values(TPCB, "first_tps"), confidence=confidence)


ESTIMANDS: dict[str, Mine] = {
    "R053": Estimand(plain_over_sampled, Quantity.COMPARISON, AA, frozenset({TPCB, TPCB_PLAIN}), "report_tps"),
    "R054": Estimand(cold_variation, Quantity.DISPERSION, TRIALS, frozenset({TPCB})),
}
"""One per claim; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return Judging("noise_floor", summarize, ESTIMANDS, _gates, device=True).verdicts(summary)


def _gates(summary: Summary, claim: Claim, estimand: Mine) -> Iterable[Gate]:
    """Of the warm ratio the A/A pair and steady trials, of the cold spread empty caches at the start."""
    if estimand.metric is None:
        return [*summary.gates(), summary.cold_gate(TPCB)]
    again = summary.aa_gate(TPCB_AGAIN, TPCB, estimand.metric)
    return [*summary.gates(), again, summary.steady_gate()]
