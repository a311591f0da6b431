"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.lessons import Point, Turn
from benchbook.experiments.sqlite_fairness.arms import ONE_WRITE, at, note
from benchbook.experiments.sqlite_fairness.judgements import SPEEDUP, judge_claims
from benchbook.experiments.sqlite_fairness.summary import Summary
from benchbook.experiments.sqlite_fairness.uses import AFTER, BEST, UNSYNCED
from benchbook.figures import Lesson
from benchbook.model import Estimate

TITLE = Turn(
    "O078",
    above="The engine stays ahead of SQLite with its statement prepared once: say which SQLite was beaten",
    below="SQLite with its statement prepared once is ahead: say which SQLite was beaten",
    open="Whether SQLite prepared once is beaten too is not decided here: say which SQLite was beaten",
)
POINTS = (
    Point(
        "O078",
        "the engine is 1.5 to 3 times as fast as SQLite",
        "with SQLite's query prepared once it is {} times as fast over four sizes",
        lead=True,
        brief="with SQLite's query prepared once, {} times",
    ),
    Point(
        "O015",
        "5.655 µs is the time of SQLite's look-up, and not that of preparing it",
        "prepared anew for every query, a look-up takes {} times as long",
    ),
)
ADVICE = (
    "Give the comparator the care that your own engine gets: prepare once, read in one transaction, map the file. And "
    "say for both what a killed process and a power cut may lose."
)


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, SQLite at its best, and what a killed writer lost."""

    def best() -> str:
        rows = summary.parameters.largest
        found = summary.ratio(note(BEST, rows), note(AFTER, rows))
        return (
            f"At {rows:,} rows the engine is {lessons.number(found)} times as fast as SQLite in one read transaction "
            f"with its file mapped: {ahead(found)}."
        )

    def killed() -> str:
        kept, found = (
            summary.values(at(ONE_WRITE, UNSYNCED), f"{name}_rows").sum() for name in ("acknowledged", "recovered")
        )
        return f"Of {kept:,.0f} rows that the engine had acknowledged before it was killed, {found:,.0f} were found."

    return lessons.lesson(
        "sqlite_fairness",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=SPEEDUP,
        besides=lessons.told(best, killed),
        advice=ADVICE,
    )


def ahead(speedup: Estimate) -> str:
    """Who is faster by a speed-up over SQLite, if the interval says so."""
    if speedup.low > 1:
        return "the note's engine is ahead"
    return "SQLite is ahead" if speedup.high < 1 else "neither is shown to be ahead"
