"""Sentences on what the index is worth: as a marker of existing keys, and alone."""

from __future__ import annotations

from functools import partial

from benchbook.experiments.alex_rocksdb import growth, notes
from benchbook.experiments.alex_rocksdb.arms import (
    ABSENT,
    ABSENT_PLAIN,
    DEPENDENT,
    LOOP,
    NO_INDEX,
    THROUGHPUT,
    alone,
    grown,
)
from benchbook.experiments.alex_rocksdb.prose import over
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.shape import by_host
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval
from benchbook.model import Estimate


def marker(summary: Summary) -> Prose:
    """What an existence marker is worth, for keys that exist and for keys that do not."""

    def present() -> str:
        return (
            "For existing keys, a query without ALEX takes this many times as long as with it: "
            f"{multiple(summary, NO_INDEX, LOOP)}."
        )

    def absent() -> str:
        return (
            f"For absent keys, about which the note has no claim ({summary.parameters.law_rows:,} rows), RocksDB alone "
            f"takes {over(summary, ABSENT_PLAIN, ABSENT)} times as long as ALEX, which makes that look-up unnecessary."
        )

    return tell(
        "In this engine, ALEX holds neither a value nor its location, only a mark that the key exists. RocksDB then "
        "searches for the key again from the start, so for an existing key the index can only add time.",
        present,
        absent,
    )


def against(summary: Summary, index: str) -> str:
    """How many times as long as ALEX another index takes alone, with random keys, each look-up waiting for the last."""
    return multiple(summary, *(alone(each, "random", DEPENDENT) for each in (index, "alex")))


def multiple(summary: Summary, top: str, bottom: str) -> str:
    """The mean time of one configuration over that of another, on each kind of host where these lie apart."""

    def compute(some: Summary, confidence: float) -> Estimate:
        return some.ratio((top, "mean_ns"), (bottom, "mean_ns"), confidence=confidence)

    return by_host.in_words(summary, compute)


def grows(summary: Summary) -> Prose:
    """What grows with the rows: the indexes alone, and the parts of a query, which decide nothing about the index."""
    p = summary.parameters

    def indexes() -> str:
        names = {"note_levels": "the note's tree", "btree": "a B-tree", "alex": "ALEX as in its paper"}
        found = (
            f"{with_interval(summary.ratio(*((grown(index, rows), 'mean_ns') for rows in (p.rows, p.small_rows))))} in "
            f"{name}"
            for index, name in names.items()
        )
        return f"Alone, from {p.small_rows:,} to {p.rows:,} keys, a look-up becomes this many times as long: " + (
            f"{', '.join(found)}."
        )

    def parts() -> str:
        timed, net = (with_interval(growth.index_against_engine(summary, 0.95, kind)) for kind in ("mean", "net"))
        return (
            f"Within a query, ALEX's part grows {timed} times as much as RocksDB's as timed, {net} without the clock. "
            "This says little about the index: with few rows it is small enough for the processor's caches and starts "
            "from a short time, and a store is no standard for an index. It decides no claim."
        )

    return tell(
        "All rows are in the memtable at every size, so what grows in RocksDB is the search in one skip list.",
        indexes,
        parts,
    )


def index_alone(summary: Summary) -> Prose:
    """What the note's trees and the paper's index take alone, in time and memory."""
    p = summary.parameters

    def against_btree(index: str, words: str, kind: str) -> str:
        effect = over(summary, *(alone(each, "random", kind) for each in (index, "btree")))
        return words.format(effect) + f" ({kind})."

    def leaves() -> str:
        found, held = (summary.values(LOOP, name).mean() for name in ("leaves", "index_bytes_per_key"))
        return (
            "Filled key by key, as the engine and the diagnostic program do it, the flat tree ends with "
            f"{p.rows / found:.1f} keys per leaf ({found:,.0f} leaves) and {held:,.0f} bytes per key: each full leaf "
            "is split, and each half gets twice the space that its keys take, which is less than the leaf had, so "
            "leaves shrink from split to split."
        )

    def process() -> str:
        held = summary.level(alone("note_levels", "random", THROUGHPUT), "resident_bytes_per_key")
        return (
            f"With {p.index_rows:,} random keys, the multi-level tree makes the process grow by {with_interval(held)} "
            f"bytes per key. The project's {notes.bytes_per_key():.1f} bytes cover only the headers of the leaves; a "
            "key alone has eight."
        )

    trees = {
        "note_flat": "The note's flat tree takes {} times as long as the B-tree",
        "note_levels": "The note's multi-level tree takes {} times as long as the B-tree",
        "alex": "ALEX as in its paper takes {} times as long",
    }
    compared = (partial(against_btree, *tree, kind) for tree in trees.items() for kind in (THROUGHPUT, DEPENDENT))
    return tell(*compared, leaves, process, otherwise="This run timed no index alone.")
