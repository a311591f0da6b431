"""What the chapter teaches beside its answers: the comparators that the note did not have."""

from __future__ import annotations

from benchbook.experiments.read_path.answers import SPEED_UPS
from benchbook.experiments.read_path.arms import ROCKSDB_HALF, SQLITE_BEST, VALUE_FILE, VALUE_FILE_HALF, VALUE_FILE_HASH
from benchbook.experiments.read_path.summary import P50, Summary
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.sides import Turn


def best(summary: Summary) -> str:
    """SQLite used as well as it can be."""
    found = number(summary.times_faster(VALUE_FILE, SQLITE_BEST, P50))
    return f"The median look-up takes {found} times as long in SQLite at its best as in ALEX over the value file."


def hashed(summary: Summary) -> str:
    """Another index over the same file."""
    found = number(summary.times_faster(summary.base(VALUE_FILE_HASH), VALUE_FILE_HASH, P50))
    return f"With a hash table over the same file it takes {found} times as long; a hash table keeps no order."


def half(summary: Summary) -> str:
    """A store of which memory holds half: a mapped file against an engine that reads blocks of its own."""
    found = number(summary.times_faster(VALUE_FILE_HALF, ROCKSDB_HALF, "query_mean_ns"))
    return (
        f"Where memory holds half of the files, RocksDB takes {found} times as long by the mean as the value file: for "
        "each missing page of a mapped file, the kernel reads far ahead."
    )


LESSON = Teaching(
    Turn(
        "O054",
        above="While memory holds everything, an index that gives the place of the value beats SQLite as run; "
        "with less memory the order may turn",
        below="Even without RocksDB on the read path, the engine is slower than SQLite as run",
        open="Whether the engine without RocksDB on its read path is faster than SQLite as run remains undecided here",
    ),
    figure=SPEED_UPS,
    claimed="Note 004: without RocksDB on the read path the engine becomes 3 to 4 times as fast as SQLite, a forecast.",
    advice="Compare a learned index with a hash table, and a value file with an engine that maps its file: the new "
    "part is worth only what it gains over those two. Then do it again with less memory than data.",
    numbers=("O054", best, half),
    besides=(best, half, hashed),
)
