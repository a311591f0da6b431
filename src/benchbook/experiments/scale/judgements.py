"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchbook import statistics
from benchbook.claims import Claim, Quantity
from benchbook.experiments.judging import Estimand, Judging
from benchbook.experiments.scale.arms import AFTER, AGAIN, AS_RUN, BEFORE, name
from benchbook.experiments.scale.speedups import INSERT, QUERY, effect, least, mixed, of
from benchbook.experiments.scale.summary import ASKED_ROWS, Summary, summarize
from benchbook.model import Effect, Verdict
from benchbook.statistics import Gate

SPEEDUPS, COLUMN, CLAIMED = "fig-scale-speedups", "fig-scale-column", "fig-scale-claims"
TEN_K, HUNDRED_K, MILLION, TEN_MILLION = ASKED_ROWS


@dataclass(frozen=True)
class Sized(Estimand[Summary]):
    """An estimand over sizes. rows, metrics: the sizes and times whose A/A arm must agree."""

    rows: tuple[int, ...] = ()
    metrics: tuple[str, ...] = ()


def _sized(
    compute: Callable[[Summary, float], Effect], figure_id: str, rows: tuple[int, ...], metrics: tuple[str, ...]
) -> Sized:
    return Sized(compute, Quantity.COMPARISON, figure_id, rows=rows, metrics=metrics)


def _latency(top: str, bottom: str, rows: int) -> Sized:
    """Ratio of mean query latencies of two systems at one size."""

    def compute(summary: Summary, confidence: float) -> Effect:
        above, below = (summary.values(name(system, rows), QUERY) for system in (top, bottom))
        return statistics.ratio(above, below, confidence=confidence)

    return _sized(compute, SPEEDUPS, (rows,), (QUERY,))


def _change(more: int, fewer: int) -> Sized:
    """Ratio of query speed-ups at two sizes."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return statistics.ratio(of(summary, QUERY, more), of(summary, QUERY, fewer), confidence=confidence)

    return _sized(compute, SPEEDUPS, (more, fewer), (QUERY,))


def _mixed(rows: int) -> Sized:
    """The note's mean of insert and query speed-up at one size."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return effect(mixed(summary, rows), confidence)

    return _sized(compute, COLUMN, (rows,), (INSERT, QUERY))


def _least_query(*sizes: int) -> Sized:
    """The smallest query speed-up after the options."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return least({rows: of(summary, QUERY, rows, system=AFTER) for rows in sizes}, confidence)

    return _sized(compute, SPEEDUPS, sizes, (QUERY,))


def _least_mixed(*sizes: int) -> Sized:
    """The smallest of the note's means."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return least({rows: mixed(summary, rows) for rows in sizes}, confidence)

    return _sized(compute, COLUMN, sizes, (INSERT, QUERY))


ESTIMANDS: dict[str, Sized] = {
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
"""One per claim that is testable here; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return Judging("scale", summarize, ESTIMANDS, _gates, device=False).verdicts(summary)


def _gates(summary: Summary, claim: Claim, estimand: Sized) -> Iterable[Gate]:
    return [*summary.consistency_gates(), *aa_gates(summary, estimand)]


def aa_gates(summary: Summary, estimand: Sized) -> list[Gate]:
    """The state before the options against itself, in all sizes and times of the claim.

    A size without a second measurement is answered for by the next smaller one that has it, else by the smallest.
    Taken together the gates of a sound run fail once in a hundred (Bonferroni), as a single one does.
    """
    again = sorted(summary.parameters.again_rows)
    sizes = {max((rows for rows in again if rows <= size), default=again[0]) for size in estimand.rows}
    pairs = [(rows, metric) for rows in sorted(sizes) for metric in estimand.metrics]
    return [summary.aa_gate(name(AGAIN, rows), name(BEFORE, rows), metric, pairs=len(pairs)) for rows, metric in pairs]
