"""The chapter's claims: is the note's number repeatable, and do samplers cost throughput?"""

from __future__ import annotations

from collections.abc import Iterable

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.noise_floor.arms import TPCB, TPCB_AGAIN, TPCB_PLAIN
from benchbook.experiments.noise_floor.summary import Summary
from benchbook.experiments.r8g_reported import evidence
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import custom, ratio
from benchbook.model import Estimate
from benchbook.statistics import Gate

TRIALS, PAIRS = "fig-noise-trials", "fig-noise-aa"
PLAIN = (TPCB_PLAIN, "report_tps"), (TPCB, "report_tps")
"""The plain command and the sampled one, both from pgbench's own report of the same seconds."""
AA = (TPCB_AGAIN, TPCB)


def cold_variation(summary: Summary, confidence: float = 0.95) -> Estimate:
    """Coefficient of variation of the TPS from the cold start on, over one trial of each block.

    The A/A arm's trials stay out: two trials of one block share its moment, and are fewer than two repeats.
    """
    return statistics.sd_interval(summary.values(TPCB, "first_tps"), confidence=confidence)


ANSWERS = (
    Answer(
        "R054", custom(cold_variation, Quantity.DISPERSION, TPCB, report=evidence("R054")), TRIALS,
        said="throughput from a cold cache is stable and reproducible",
        seen="from trial to trial it varies by {} %", factor=100,
    ),
    Answer(
        "R053", ratio(*PLAIN), PAIRS,
        said="a plain pgbench command reaches the same throughput as the scripted "
        "one", seen="it reaches {} times "
        "that throughput",
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts; of the warm ratio steady trials, of the cold spread empty caches at the start."""
    return [
        summary.counts_gate(),
        summary.cold_gate(TPCB) if answer.estimand.metric is None else summary.steady_gate(),
    ]
