"""Sentences on what the index is worth: as a marker of existing keys, and alone."""

from __future__ import annotations

from functools import partial

from benchbook.experiments.alex_rocksdb import notes
from benchbook.experiments.alex_rocksdb.arms import ABSENT, ABSENT_PLAIN, DEPENDENT, LOOP, NO_INDEX, THROUGHPUT, alone
from benchbook.experiments.alex_rocksdb.prose import over
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval


def marker(summary: Summary) -> Prose:
    """What an existence marker is worth, for keys that exist and for keys that do not."""

    def present() -> str:
        return (
            f"For existing keys, a query takes {over(summary, NO_INDEX, LOOP)} times as long without ALEX as with it."
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
