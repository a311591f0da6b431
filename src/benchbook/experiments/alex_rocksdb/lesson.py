"""What the chapter teaches beside its answers: where the rows were."""

from __future__ import annotations

from benchbook.experiments.alex_rocksdb import index_prose
from benchbook.experiments.alex_rocksdb.answers import BREAKDOWN
from benchbook.experiments.alex_rocksdb.arms import LOOP
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.sides import Turn


def held(summary: Summary) -> str:
    """What RocksDB had in memory and in files when it was asked."""
    rows, files = (summary.values(LOOP, metric).mean() for metric in ("memtable_rows", "files"))
    unasked = (
        ": block cache and filters, which serve files, had nothing to do, and RocksDB's part of a query is a search in "
        "one skip list, not in the levels of an LSM tree"
        if files == 0
        else ""
    )
    return (
        f"Loaded the way the note's engine does it, RocksDB held {rows:,.0f} rows in its memtable and had {files:,.0f} "
        f"files{unasked}."
    )


def alone(summary: Summary) -> str:
    """What a learned index has over the usual ones: ALEX as in its paper, and the note's tree."""
    hashed, btree, note = (index_prose.against(summary, each) for each in ("hash", "btree", "note_levels"))
    return (
        f"Alone, among {summary.parameters.index_rows:,} random keys, where each look-up waits for the last, other "
        f"indexes take these multiples of the time of ALEX as in its paper: a hash table {hashed}; a B-tree {btree}; "
        f"the note's own tree {note}."
    )


LESSON = Teaching(
    Turn(
        "O085",
        above="A query for a key that exists is faster without the index: leave a part out before you tune the next "
        "one",
        below="A query is slower without the index in front of the store: the index is worth its cost",
        open="This run does not show what the index in front of the store costs: leave it out once, and time the rest",
        at=0.0,
    ),
    figure=BREAKDOWN,
    claimed="Note 004: RocksDB takes 77 % of a query and the learned index 21 %, so the store is the bottleneck and "
    "the index is not.",
    advice="Before you tune a part, check where the store keeps its rows, and leave the part out once: tuning it "
    "cannot save more time than leaving it out does.",
    numbers=(held, "O003", "O085"),
    besides=(held, alone),
)
