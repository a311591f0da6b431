"""The chapter's claims: is the note's number repeatable, and do samplers cost throughput?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchbook import statistics
from benchbook.claims import Claim
from benchbook.experiments.judging import Evidence, verdicts
from benchbook.experiments.noise_floor.arms import TPCB, TPCB_AGAIN, TPCB_PLAIN
from benchbook.experiments.noise_floor.summary import Summary
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

TRIALS, AA = "fig-noise-trials", "fig-noise-aa"


@dataclass(frozen=True)
class Estimand:
    """How a claim's number is computed. gate: what else must hold of the trials that it stands on."""

    compute: Callable[[Summary, float], Estimate]
    gate: Callable[[Summary], Gate]
    figure_id: str


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


def _aa_gate(summary: Summary) -> Gate:
    again, first = (summary.values(arm, "report_tps") for arm in (TPCB_AGAIN, TPCB))
    return statistics.aa_gate(statistics.ratio(again, first))


def _cold_gate(summary: Summary) -> Gate:
    return summary.cold_gate(TPCB)


ESTIMANDS = {
    "R053": Estimand(plain_over_sampled, _aa_gate, AA),
    "R054": Estimand(cold_variation, _cold_gate, TRIALS),
}
"""One per claim; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    consistent = summary.gates()

    def evidence(claim: Claim) -> Evidence:
        estimand = ESTIMANDS[claim.id]
        return Evidence(
            compute=partial(estimand.compute, summary),
            gates=lambda: [*consistent, estimand.gate(summary)],
            figure_id=estimand.figure_id,
        )

    return verdicts("noise_floor", evidence)
