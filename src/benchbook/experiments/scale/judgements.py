"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchbook import statistics
from benchbook.claims import Claim, Rule, Testable, chapter_claims, judge, judge_without_data
from benchbook.errors import BenchbookError
from benchbook.experiments.scale.arms import AFTER, AGAIN, AS_RUN, BEFORE, name
from benchbook.experiments.scale.speedups import INSERT, QUERY, effect, least, mixed, of
from benchbook.experiments.scale.summary import ASKED_ROWS, NotEstimableError, Summary
from benchbook.model import Effect, Outcome, Verdict
from benchbook.statistics import Gate

SPEEDUPS, COLUMN, CLAIMED = "fig-scale-speedups", "fig-scale-column", "fig-scale-claims"
TEN_K, HUNDRED_K, MILLION, TEN_MILLION = ASKED_ROWS


@dataclass(frozen=True)
class Estimand:
    """How a claim's number is computed. rows, metrics: the sizes and times whose A/A arm must agree."""

    compute: Callable[[Summary, float], Effect]
    figure_id: str
    rows: tuple[int, ...]
    metrics: tuple[str, ...]


def _latency(top: str, bottom: str, rows: int) -> Estimand:
    """Ratio of mean query latencies of two systems at one size."""

    def compute(summary: Summary, confidence: float) -> Effect:
        above, below = (summary.values(name(system, rows), QUERY) for system in (top, bottom))
        return statistics.ratio(above, below, confidence=confidence)

    return Estimand(compute, SPEEDUPS, (rows,), (QUERY,))


def _change(more: int, fewer: int) -> Estimand:
    """Ratio of query speed-ups at two sizes."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return statistics.ratio(of(summary, QUERY, more), of(summary, QUERY, fewer), confidence=confidence)

    return Estimand(compute, SPEEDUPS, (more, fewer), (QUERY,))


def _mixed(rows: int) -> Estimand:
    """The note's mean of insert and query speed-up at one size."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return effect(mixed(summary, rows), confidence)

    return Estimand(compute, COLUMN, (rows,), (INSERT, QUERY))


def _least_query(*sizes: int) -> Estimand:
    """The smallest query speed-up after the options."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return least({rows: of(summary, QUERY, rows, system=AFTER) for rows in sizes}, confidence)

    return Estimand(compute, SPEEDUPS, sizes, (QUERY,))


def _least_mixed(*sizes: int) -> Estimand:
    """The smallest of the note's means."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return least({rows: mixed(summary, rows) for rows in sizes}, confidence)

    return Estimand(compute, COLUMN, sizes, (INSERT, QUERY))


ESTIMANDS: dict[str, Estimand] = {
    "O002": _change(TEN_MILLION, TEN_K),
    "O014": _latency(BEFORE, AS_RUN, TEN_MILLION),
    "O016": _latency(AS_RUN, BEFORE, TEN_MILLION),
    "O027": _mixed(TEN_K),
    "O028": _mixed(HUNDRED_K),
    "O029": _mixed(MILLION),
    "O030": _change(TEN_MILLION, MILLION),
    "O068": _least_query(*ASKED_ROWS),
    "O079": _least_mixed(HUNDRED_K, MILLION),
}
"""One per claim that is testable here; a test compares the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    consistent = summary.consistency_gates()
    return [_verdict(summary, claim, consistent) for claim in chapter_claims("scale").values()]


def _verdict(summary: Summary, claim: Claim, consistent: list[Gate]) -> Verdict:
    if claim.rule is Rule.PROSE or claim.testable is not Testable.HERE:
        return judge_without_data(claim)
    estimand = ESTIMANDS[claim.id]
    try:
        effect95 = estimand.compute(summary, 0.95)
        gates = [*consistent, *aa_gates(summary, estimand)]
    except NotEstimableError as error:
        reason = f"This run cannot say: {error.problem} ({error.mend})."
        return Verdict(claim.id, Outcome.INCONCLUSIVE, reason, figure_id=estimand.figure_id)
    except BenchbookError as error:
        reason = f"The estimand cannot be computed from this run: {error.problem}."
        return Verdict(claim.id, Outcome.INCONCLUSIVE, reason, figure_id=estimand.figure_id)
    sound, reason = statistics.environment(gates)
    return judge(claim, effect95, environment_ok=sound, environment_reason=reason, figure_id=estimand.figure_id)


def aa_gates(summary: Summary, estimand: Estimand) -> list[Gate]:
    """The state before the options against itself, in all sizes and times of the claim.

    A size without a second measurement is answered for by the next smaller one that has it, else by the smallest.
    Taken together the gates of a sound run fail once in twenty (Bonferroni), as a single one does.
    """
    again = sorted(summary.parameters.again_rows)
    sizes = {max((rows for rows in again if rows <= size), default=again[0]) for size in estimand.rows}
    pairs = [(rows, metric) for rows in sorted(sizes) for metric in estimand.metrics]
    confidence = 1 - 0.05 / len(pairs)
    return [
        statistics.aa_gate(
            statistics.ratio(
                summary.values(name(AGAIN, rows), metric),
                summary.values(name(BEFORE, rows), metric),
                confidence=confidence,
            )
        )
        for rows, metric in pairs
    ]
