"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.lessons import Point, Turn
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.scale.arms import AS_RUN, BEFORE, WELL, short
from benchbook.experiments.scale.judgements import SPEEDUPS, judge_claims
from benchbook.experiments.scale.speedup_figures import having
from benchbook.experiments.scale.speedups import QUERY, effect, of
from benchbook.experiments.scale.summary import Summary
from benchbook.figures import Lesson

TITLE = Turn(
    "O002",
    above="The lead over SQLite grows with the rows: print it for queries and inserts apart",
    below="The lead over SQLite shrinks with the rows: print it for queries and inserts apart",
    open="How the lead over SQLite changes with the rows is not decided here: print it for queries and inserts apart",
)
POINTS = (
    Point(
        "O002",
        "the speed-up over SQLite falls to a quarter, from 4.82 at ten thousand rows to 1.27 at ten million",
        "that of queries becomes {} times what it was",
    ),
    Point("O016", "at ten million rows queries are 1.27 times as fast", "they are {} times as fast"),
    Point(
        "O068",
        "after its change the engine is at least 1.5 times as fast at every size",
        "at the size where it is least, it is {} times as fast",
    ),
    Point(
        "O079",
        "at 100 thousand and a million rows it excels",
        "the smaller mean of insert and query speed-up is {}",
    ),
)
ADVICE = (
    "Give every row of a table the same definition, inserts and queries in columns of their own, and put the "
    "comparator used well beside the one used by default."
)


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, and the speed-up over SQLite used well."""

    def well() -> str:
        sizes = having(summary, summary.rows, BEFORE, AS_RUN, WELL)
        if not sizes:
            raise NotEstimableError("SQLite used well was not timed", "measure again")
        rows = max(sizes)
        return (
            f"At {short(rows)} rows queries are {lessons.number(effect(of(summary, QUERY, rows)))} times as fast as "
            f"SQLite's as the note ran it, and {lessons.number(effect(of(summary, QUERY, rows, base=WELL)))} times as "
            "fast as those of SQLite used well."
        )

    return lessons.lesson(
        "scale",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=SPEEDUPS,
        besides=lessons.told(well),
        advice=ADVICE,
    )
