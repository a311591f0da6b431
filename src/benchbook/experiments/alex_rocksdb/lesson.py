"""What the chapter teaches beside its answers: where the rows were."""

from __future__ import annotations

from benchbook.experiments.alex_rocksdb.answers import BREAKDOWN
from benchbook.experiments.alex_rocksdb.arms import LOOP
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.shape.lessons import Teaching, Turn


def held(summary: Summary) -> str:
    """What RocksDB had in memory and in files when it was asked."""
    rows, files = (summary.values(LOOP, metric).mean() for metric in ("memtable_rows", "files"))
    unasked = ": block cache and filters, which serve files, had nothing to do" if files == 0 else ""
    return (
        f"Loaded as the note's engine loads, RocksDB held {rows:,.0f} rows in its memtable and had {files:,.0f} "
        f"files{unasked}."
    )


LESSON = Teaching(
    Turn(
        "O085",
        above="A query is faster without the index before the store: leave a part out before tuning its neighbour",
        below="A query is slower without the index before the store: it earns its place",
        open="What the index before the store costs is not to be told here: leave it out once, and time the rest",
        at=0.0,
    ),
    figure=BREAKDOWN,
    advice="Before tuning a part, ask the store where its rows are, and leave the part out once: what then disappears "
    "is all that tuning it can win.",
    besides=(held,),
)
