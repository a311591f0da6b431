"""The speed-ups over SQLite by how it was used, in sentences: on each kind of host, where the kinds lie apart."""

from __future__ import annotations

from benchbook.experiments.families.kv import note as printed
from benchbook.experiments.shape import by_host
from benchbook.experiments.shape.telling import tell, told
from benchbook.experiments.sqlite_fairness.answers import speedup_over_sizes
from benchbook.experiments.sqlite_fairness.arms import (
    AFTER,
    AS_RUN,
    BEFORE,
    BEST,
    CLAIMED_ROWS,
    CLAIMED_SIZES,
    LOOKUPS,
    ONCE,
    note,
)
from benchbook.experiments.sqlite_fairness.summary import TIME, Summary
from benchbook.figures import Prose
from benchbook.model import Estimate

USES = (AS_RUN, ONCE, BEST)


def at_rows(use: str, rows: int, options: str = AFTER) -> by_host.Compute:
    """SQLite's mean look-up in one use over that of the note's engine, at so many rows."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return summary.over(note(use, rows), note(options, rows), TIME, confidence=confidence)

    return compute


def over_four(use: str) -> by_host.Compute:
    """The same over the note's sizes."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return speedup_over_sizes(summary, use, confidence)

    return compute


def differ(summary: Summary) -> bool:
    """Whether the kinds of host lie apart in what the chapter is about."""
    return bool(told(lambda: "they do" if by_host.apart(summary, over_four(ONCE)) else ""))


def ahead(summary: Summary, rows: int) -> str:
    """Who is faster where SQLite is used as well as it can be."""
    found = by_host.numbers(summary, at_rows(BEST, rows))
    if all(each.low > 1 for each in found):
        return "the note's engine is ahead"
    if all(each.high < 1 for each in found):
        return "SQLite is ahead"
    return "neither is shown to be ahead" if len(found) == 1 else "it is not the same one on every host"


def answer(summary: Summary) -> Prose:
    """The speed-up at the largest size, by how SQLite was used."""
    rows = summary.parameters.largest

    def uses() -> str:
        as_run, once, best = (by_host.in_words(summary, at_rows(use, rows)) for use in USES)
        before = by_host.in_words(summary, at_rows(AS_RUN, rows, BEFORE))
        return (
            f"At {rows:,} rows, the speed-up of the note's engine with its options after over SQLite prepared for "
            f"every query, as the note ran it, is {as_run}; with the options before it is {before}. Over SQLite "
            f"prepared once it is {once}. Over SQLite in one read transaction with the file mapped it is {best}: "
            f"{ahead(summary, rows)}."
        )

    said = told(uses)
    if said and rows == CLAIMED_ROWS:
        before, after = printed.behind("query")[rows], printed.speedup_after()
        said.append(f"The note has {before:.2f} before and {after:.2f} after its change.")
    return tell(*said, otherwise="At its largest size, this run does not repeat the benchmark for every use.")


def over_sizes(summary: Summary) -> Prose:
    """The note's advertised range against the mean over its sizes, for each use of SQLite."""

    def means() -> str:
        each = (f"against {LOOKUPS[use].label}: {by_host.in_words(summary, over_four(use))}" for use in USES)
        return f"The geometric mean of the speed-up over the note's {len(CLAIMED_SIZES)} sizes, {'; '.join(each)}."

    return tell(means, otherwise="This run does not have all of the note's four sizes for their mean.")
