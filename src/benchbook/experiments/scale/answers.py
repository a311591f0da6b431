"""The claims of the chapter: how each number comes from the trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.families.kv.checks import compared
from benchbook.experiments.scale.arms import (
    AFTER,
    AGAIN,
    AS_RUN,
    ASKED_ROWS,
    BEFORE,
    HUNDRED_K,
    MILLION,
    TEN_K,
    TEN_MILLION,
    name,
)
from benchbook.experiments.scale.speedups import INSERT, QUERY, effect, least, mixed, of
from benchbook.experiments.scale.summary import Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand
from benchbook.model import Effect
from benchbook.statistics import Gate

SPEEDUPS, COLUMN, CLAIMED = "fig-scale-speedups", "fig-scale-column", "fig-scale-claims"
BOTH = (INSERT, QUERY)


@dataclass(frozen=True)
class Sized(Estimand):
    """An estimand over sizes. rows, metrics: the sizes and times whose A/A arm must agree."""

    rows: tuple[int, ...] = ()
    metrics: tuple[str, ...] = ()


def _sized(
    compute: Callable[[Summary, float], Effect], *rows: int, system: str = BEFORE, metrics: tuple[str, ...] = (QUERY,)
) -> Sized:
    """Of a system and SQLite as run."""
    arms = tuple(name(each, size) for size in rows for each in (system, AS_RUN))
    return Sized(compute, Quantity.COMPARISON, arms, metrics[0], rows=rows, metrics=metrics)


def _latency(top: str, bottom: str, rows: int) -> Sized:
    """Ratio of mean query latencies of two systems at one size."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return summary.over(name(top, rows), name(bottom, rows), QUERY, confidence=confidence)

    return _sized(compute, rows)


def _change(more: int, fewer: int) -> Sized:
    """Ratio of query speed-ups at two sizes."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return statistics.ratio(
            of(summary, QUERY, more), of(summary, QUERY, fewer), confidence=confidence, sessions=summary.sessions
        )

    return _sized(compute, more, fewer)


def _mixed(rows: int) -> Sized:
    """The note's mean of insert and query speed-up at one size."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return effect(summary, mixed(summary, rows), confidence)

    return _sized(compute, rows, metrics=BOTH)


def _least_query(*sizes: int) -> Sized:
    """The smallest query speed-up after the options."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return least(summary, {rows: of(summary, QUERY, rows, system=AFTER) for rows in sizes}, confidence)

    return _sized(compute, *sizes, system=AFTER)


def _least_mixed(*sizes: int) -> Sized:
    """The smallest of the note's means."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return least(summary, {rows: mixed(summary, rows) for rows in sizes}, confidence)

    return _sized(compute, *sizes, metrics=BOTH)


ANSWERS = (
    Answer(
        "O002", _change(TEN_MILLION, TEN_K), SPEEDUPS,
        said="the speed-up over SQLite falls to a quarter, from 4.82 at ten thousand rows to 1.27 at ten million",
        seen="the query speed-up becomes {} times what it was",
        row="speed-up over SQLite: 10 M ÷ 10 k rows",
    ),
    Answer(
        "O016", _latency(AS_RUN, BEFORE, TEN_MILLION), SPEEDUPS,
        said="at ten million rows, queries are 1.27 times as fast", seen="they are {} times as fast",
        row="mean query, 10 M rows: SQLite ÷ engine",
    ),
    Answer(
        "O068", _least_query(*ASKED_ROWS), SPEEDUPS,
        said="after its change the engine is at least 1.5 times as fast at every size",
        seen="at the size with the smallest speed-up, it is {} times as fast",
        row="smallest of four: SQLite ÷ engine after its change",
    ),
    Answer(
        "O079", _least_mixed(HUNDRED_K, MILLION), COLUMN,
        said="at 100 thousand and a million rows it excels, by its own target at least twice as fast as SQLite",
        seen="the smaller of the two means of insert and query speed-up is {}",
        row="inserts and queries, the less of 100 k and 1 M: SQLite ÷ engine",
    ),
    Answer("O014", _latency(BEFORE, AS_RUN, TEN_MILLION), SPEEDUPS, row="mean query, 10 M rows: engine ÷ SQLite"),
    Answer("O027", _mixed(TEN_K), COLUMN, row="inserts and queries, 10 k rows: SQLite ÷ engine"),
    Answer("O028", _mixed(HUNDRED_K), COLUMN, row="inserts and queries, 100 k rows: SQLite ÷ engine"),
    Answer("O029", _mixed(MILLION), COLUMN, row="inserts and queries, 1 M rows: SQLite ÷ engine"),
    Answer("O030", _change(TEN_MILLION, MILLION), SPEEDUPS, row="speed-up over SQLite: 10 M ÷ 1 M rows"),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Every look-up was compared."""
    return compared(summary.run.trials)


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The state before the options against itself, in all sizes and times of the claim.

    A size without a second measurement is answered for by the next smaller one that has it, else by the smallest.
    Taken together the gates of a sound run fail once in a hundred (Bonferroni), as a single one does.
    """
    again, estimand = sorted(summary.parameters.again_rows), answer.estimand
    assert isinstance(estimand, Sized)
    sizes = {max((rows for rows in again if rows <= size), default=again[0]) for size in estimand.rows}
    pairs = [(rows, metric) for rows in sorted(sizes) for metric in estimand.metrics]
    return [summary.aa_gate(name(AGAIN, rows), name(BEFORE, rows), metric, pairs=len(pairs)) for rows, metric in pairs]
