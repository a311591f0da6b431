"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.lessons import Point, Turn
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.scale import notes
from benchbook.experiments.scale.arms import AFTER, AS_RUN, BEFORE, WELL, name, short
from benchbook.experiments.scale.judgements import SPEEDUPS, judge_claims
from benchbook.experiments.scale.speedup_figures import having
from benchbook.experiments.scale.speedups import QUERY, effect, of
from benchbook.experiments.scale.summary import Summary
from benchbook.figures import Headline, Lesson
from benchbook.figures.lesson import FAILED

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

    def in_memory() -> Headline:
        rows = max(summary.rows)
        held, files = (summary.values(name(AFTER, rows), metric) for metric in ("memtable_rows", "table_files"))
        if held.min() < rows or files.max() > 0:
            raise NotEstimableError("some rows were in files", "say how many")
        return Headline(
            "004",
            f"Loaded the note's way, all {rows:,} rows sat in RocksDB's memtable and none in a file: tuned filters "
            "and cache had nothing to do.",
        )

    def column() -> Headline:
        meant = {rows: notes.definition(rows) for rows in notes.SIZES}
        first, last = min(meant), max(meant)
        if meant[first] == meant[last]:
            raise NotEstimableError("the column means one thing", "leave this out")
        return Headline(
            "004",
            f"Its speed-up is the {meant[first]} at {short(first)} rows and the {meant[last]} at {short(last)}, in one "
            "column.",
            FAILED,
        )

    return lessons.lesson(
        "scale",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=SPEEDUPS,
        besides=lessons.told(well),
        advice=ADVICE,
        headlines=lessons.told(in_memory, column),
    )
