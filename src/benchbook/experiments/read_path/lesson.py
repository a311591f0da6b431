"""What the chapter teaches beside its answers: the comparators that the note did not have."""

from __future__ import annotations

from benchbook.experiments.read_path import other_runs
from benchbook.experiments.read_path.answers import SPEED_UPS
from benchbook.experiments.read_path.arms import (
    ALEX_PRESENT,
    BTREE_PRESENT,
    BYPASS,
    HASH_PRESENT,
    ROCKSDB_HALF,
    SQLITE_AS_RUN,
    SQLITE_AUTOCOMMIT,
    SQLITE_BEST,
    VALUE_FILE,
    VALUE_FILE_HALF,
    VALUE_FILE_HASH,
)
from benchbook.experiments.read_path.summary import EACH, MEAN, P50, Summary
from benchbook.experiments.shape import read_ahead
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.sides import Turn
from benchbook.figures.prose import digits


def best(summary: Summary) -> str:
    """SQLite used as well as it can be."""
    found = number(summary.times_faster(VALUE_FILE, SQLITE_BEST, EACH))
    return (
        f"At random keys, a look-up takes {found} times as long in SQLite at its best as in ALEX over the value file, "
        f"measured on {other_runs.here(summary)}."
    )


def elsewhere(summary: Summary) -> str:
    """The same two ratios where other published runs were measured."""
    once, well = (other_runs.from_to(summary, arm, VALUE_FILE, EACH) for arm in (SQLITE_AUTOCOMMIT, SQLITE_BEST))
    return (
        "It depends on the host: published runs of earlier versions of this chapter, which decide nothing here, have "
        f"{once} times over SQLite with its statement prepared once, and {well} over SQLite at its best."
    )


def along(summary: Summary) -> str:
    """The number of the note's own stride, and why it does not lead."""
    found = number(summary.times_faster(BYPASS, SQLITE_AS_RUN, MEAN))
    first, second = (digits(summary.passes(arm)) for arm in (BYPASS, SQLITE_AS_RUN))
    return (
        f"Along the note's stride, against SQLite used the note's way, the value file is {found} times as fast; its "
        f"look-ups went {first} times over the keys there, SQLite's {second} times, so that number is of unequal work."
    )


def indexes(summary: Summary) -> str:
    """What the learned index itself has over the usual ones."""
    alex = number(summary.level(ALEX_PRESENT, MEAN))
    hashed, btree = (number(summary.times_faster(ALEX_PRESENT, arm, MEAN)) for arm in (HASH_PRESENT, BTREE_PRESENT))
    return (
        f"Alone, where each look-up waits for the last, ALEX takes {alex} ns among {summary.parameters.rows:,} random "
        f"keys; a hash table takes {hashed} times as long, a B-tree {btree} times."
    )


def hashed(summary: Summary) -> str:
    """Another index over the same file."""
    found = number(summary.times_faster(summary.base(VALUE_FILE_HASH), VALUE_FILE_HASH, P50))
    return (
        f"With a hash table instead of ALEX over the value file, the median look-up takes {found} times as long; a "
        "hash table keeps no order."
    )


def half(summary: Summary) -> str:
    """A store of which memory holds half: a mapped file against an engine that reads blocks of its own."""
    found = number(summary.times_faster(VALUE_FILE_HALF, ROCKSDB_HALF, EACH))
    return (
        f"Where memory holds half of the files, RocksDB takes {found} times as long by the mean as the value file. "
        "This says nothing about the two with less memory: for each missing page of a mapped file the kernel reads as "
        f"much as {read_ahead.in_words(summary.run)}, allows, and neither the default nor MADV_RANDOM was tried."
    )


LESSON = Teaching(
    Turn(
        "O054",
        above="While memory holds everything, an index that gives the place of the value beats SQLite; how much "
        "depends on how SQLite is used, and on the host",
        below="Even without RocksDB on the read path, the engine is slower than SQLite that prepares its statement "
        "once",
        open="Whether the engine without RocksDB on its read path is faster than SQLite with its statement prepared "
        "once remains undecided here",
    ),
    figure=SPEED_UPS,
    claimed="Note 004: without RocksDB on the read path the engine becomes 3 to 4 times as fast as SQLite, a forecast.",
    advice="Compare a learned index with a hash table, and a value file with an engine that maps its file: the new "
    "part is worth only what it gains over those two. Look at the disk's read-ahead before you do it again with less "
    "memory than data.",
    numbers=("O054", best, indexes),
    besides=(best, along, elsewhere, indexes, hashed, half),
)
