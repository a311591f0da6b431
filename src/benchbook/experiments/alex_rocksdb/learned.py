"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.alex_rocksdb.arms import LOOP
from benchbook.experiments.alex_rocksdb.judgements import BREAKDOWN, judge_claims
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.lessons import Point, Turn
from benchbook.figures import Lesson

TITLE = Turn(
    "O085",
    above="A query is faster without the index before the store: leave a part out before tuning its neighbour",
    below="A query is slower without the index before the store: it earns its place",
    open="What the index before the store costs is not to be told here: leave it out once, and time the rest",
    at=0.0,
)
POINTS = (
    Point(
        "O011",
        "RocksDB takes about 77 % (62 to 96 %) of a look-up, as its diagnostic program counts",
        "run as that program, it takes {} %",
        100,
    ),
    Point(
        "O003",
        "RocksDB's read path takes about 77 % (62 to 96 %) of a query at ten million rows",
        "without the time for reading the clock, it takes {} % of the engine's query",
        100,
        lead=True,
        brief="it takes {} %",
    ),
    Point(
        "O085",
        "the learned index costs only 21 %",
        "leaving it out removes {} % of a query's time",
        100,
    ),
    Point(
        "O005",
        "RocksDB makes queries slower from ten thousand to ten million rows",
        "{} % of the growth is RocksDB's",
        100,
    ),
    Point("O103", "the index is not the problem", "with a B-tree in its place a query takes {} times as long"),
    Point(
        "O036",
        "the learned index scales well",
        "from ten thousand to ten million rows its look-up grows {} times as much as RocksDB's",
    ),
    Point(
        "O071",
        "the learned index grows less than a B-tree",
        "from the fewest to the most keys its look-up grows {} times as much",
    ),
)
ADVICE = (
    "Before tuning a part, ask the store where its rows are, and leave the part out once: what then disappears is all "
    "that tuning it can win."
)


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, and where the rows were."""

    def held() -> str:
        rows, files = (summary.values(LOOP, metric).mean() for metric in ("memtable_rows", "files"))
        unasked = ": block cache and filters, which serve files, had nothing to do" if files == 0 else ""
        return (
            f"Loaded as the note's engine loads, RocksDB held {rows:,.0f} rows in its memtable and had {files:,.0f} "
            f"files{unasked}."
        )

    return lessons.lesson(
        "alex_rocksdb",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=BREAKDOWN,
        besides=lessons.told(held),
        advice=ADVICE,
    )
