"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.lessons import Point, Turn
from benchbook.experiments.read_path.arms import SQLITE_BEST, VALUE_FILE, VALUE_FILE_HASH
from benchbook.experiments.read_path.judgements import SPEED_UPS, judge_claims
from benchbook.experiments.read_path.speed_figures import P50
from benchbook.experiments.read_path.summary import Summary
from benchbook.figures import Lesson

TITLE = Turn(
    "O054",
    above="Let the index say where the value is: without RocksDB on the read path the engine beats SQLite as run",
    below="Even without RocksDB on the read path the engine is slower than SQLite as run",
    open="Whether the engine without RocksDB on its read path is faster than SQLite as run is not decided here",
)
POINTS = (
    Point(
        "O054",
        "a value file in RocksDB's place makes queries 3 to 4 times as fast as SQLite's",
        "it makes them {} times as fast as those of SQLite used the note's way",
        lead=True,
        brief="{} times",
    ),
    Point(
        "O088",
        "it is the storage and not the index that needs work",
        "with the storage changed a look-up takes {} times the time that it takes with the index changed",
    ),
    Point(
        "O095",
        "this pays more than further tuning of RocksDB",
        "its speed-up is {} times that of the best tuned setting here",
    ),
    Point(
        "O053",
        "the index alone knows which keys exist",
        "of two kinds of keys, present and absent, {} were answered without one mistake",
    ),
)
ADVICE = (
    "Put a hash table beside a learned index, and an engine that maps its file beside a value file: what is left over "
    "those two is what the new part is worth."
)


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, and the comparators that the note did not have."""

    def best() -> str:
        found = summary.times_faster(VALUE_FILE, SQLITE_BEST, P50)
        return f"SQLite at its best takes {lessons.number(found)} times the median time of ALEX over the value file."

    def hashed() -> str:
        found = summary.times_faster(VALUE_FILE, VALUE_FILE_HASH, P50)
        return f"A hash table over the same file takes {lessons.number(found)} times the median time; it has no order."

    return lessons.lesson(
        "read_path",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=SPEED_UPS,
        besides=lessons.told(best, hashed),
        advice=ADVICE,
    )
