"""What the chapter teaches beside its answers: the comparators that the note did not have."""

from __future__ import annotations

from benchbook.experiments.read_path.answers import SPEED_UPS
from benchbook.experiments.read_path.arms import SQLITE_BEST, VALUE_FILE, VALUE_FILE_HASH
from benchbook.experiments.read_path.summary import P50, Summary
from benchbook.experiments.shape.lessons import Teaching, Turn, number


def best(summary: Summary) -> str:
    """SQLite used as well as it can be."""
    found = number(summary.times_faster(VALUE_FILE, SQLITE_BEST, P50))
    return f"SQLite at its best takes {found} times the median time of ALEX over the value file."


def hashed(summary: Summary) -> str:
    """Another index over the same file."""
    found = number(summary.times_faster(VALUE_FILE, VALUE_FILE_HASH, P50))
    return f"A hash table over the same file takes {found} times the median time; it has no order."


LESSON = Teaching(
    Turn(
        "O054",
        above="Let the index say where the value is: without RocksDB on the read path the engine beats SQLite as run",
        below="Even without RocksDB on the read path the engine is slower than SQLite as run",
        open="Whether the engine without RocksDB on its read path is faster than SQLite as run is not decided here",
    ),
    figure=SPEED_UPS,
    advice="Put a hash table beside a learned index, and an engine that maps its file beside a value file: what is "
    "left over those two is what the new part is worth.",
    besides=(best, hashed),
)
