"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook import statistics
from benchbook.experiments.alex_rocksdb import growth, notes
from benchbook.experiments.alex_rocksdb.arms import (
    ABSENT,
    ABSENT_PLAIN,
    BENCHMARK,
    DEPENDENT,
    LOOP,
    NO_INDEX,
    PARTS,
    POINT,
    THROUGHPUT,
    TOOL,
    TOOL_UNIFORM,
    TOOL_WHOLE,
    WITNESS_AFTER,
    WITNESS_COMPACTED,
    alone,
    patterned,
)
from benchbook.experiments.alex_rocksdb.metrics import MEMTABLE
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, mean_count, spoken, with_interval
from benchbook.model import Estimate

MEAN, QUERY = "mean_ns", "query_mean_ns"


def note_claims() -> pd.DataFrame:
    """The note's breakdown, and the two other times that it prints for the same rows."""
    return notes.note_tables()


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p = summary.parameters
    one_by_one = (
        f" The diagnostic program wrote its rows one by one; here {p.tool_batch_rows:,} go in one write, which fills "
        f"the same memtables and files in the same order and takes a fraction of the time."
    )
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations, {p.rows:,} rows where no other number is named, {p.lookups:,} look-ups a "
        f"trial ({p.tool_lookups:,} of the diagnostic program, {p.benchmark_lookups:,} of the benchmark). "
        f"{summary.on()}. Values are the note's own, `value_` and the key."
        f"{one_by_one if p.tool_batch_rows > 1 else ''}",
    )


def executed(summary: Summary) -> Prose:
    """Where the rows were when the engine and the diagnostic program read them."""

    def loop() -> str:
        rows, files, writes = (summary.values(LOOP, name).mean() for name in ("memtable_rows", "files", "writes"))
        return (
            f"Loaded as the note's engine loads, in {writes:,.0f} write, RocksDB says that {rows:,.0f} rows are in its "
            f"memtable and that it has {files:,.0f} files."
        )

    def asked(arm: str, *names: str) -> float:
        return float(sum(summary.values(arm, name).sum() for name in names))

    def after() -> str:
        hits, lookups = (asked(WITNESS_AFTER, name) for name in ("memtable_hits", "lookups"))
        cached = asked(WITNESS_AFTER, "block_cache_hits", "block_cache_misses")
        bloom = asked(WITNESS_AFTER, "bloom_useful", "bloom_passed")
        return (
            f"With the options *after* the note's change and counters switched on, {hits:,.0f} of {lookups:,.0f} "
            f"look-ups were answered by the memtable, {cached:,.0f} asked the block cache and {bloom:,.0f} a bloom "
            "filter."
        )

    def compacted() -> str:
        cached = asked(WITNESS_COMPACTED, "block_cache_hits", "block_cache_misses")
        passed = asked(WITNESS_COMPACTED, "bloom_passed")
        return (
            f"The same store after a full compaction, as a control: {cached:,.0f} asked the block cache, and "
            f"{passed:,.0f} passed a bloom filter, which can only turn away keys that are absent."
        )

    def tool() -> str:
        files, rows = (summary.values(TOOL, name).mean() for name in ("files", "memtable_rows"))
        if set(summary.rows_in(TOOL)) == {MEMTABLE}:
            return "The diagnostic program's store fits its memtable too at this number of rows."
        return (
            f"The diagnostic program's store is another one: {rows:,.0f} rows in the memtable and the first "
            f"{summary.parameters.rows - rows:,.0f} in {mean_count(files)} file{'' if files == 1 else 's'}. Its keys "
            f"are multiples of 100 up to {100 * summary.parameters.tool_lookups:,}, so they lie in files, where the "
            f"engine's are in memory."
        )

    return tell(loop, after, compacted, tool, otherwise="In this run no trial holds RocksDB's counters.")


def answer(summary: Summary) -> Prose:
    """The breakdown, the note's and ours, and what it becomes over the whole key space."""

    def percent(arm: str, part: str, net: str = "") -> str:
        return f"{with_interval(summary.share(arm, f'{part}_{net}share'), 100)} %"

    def tool() -> str:
        parts = ("index", "engine", "rest")
        note = ", ".join(f"{100 * notes.breakdown_share(part):.0f}" for part in parts)
        return (
            f"Run as the diagnostic program, ALEX, RocksDB and the rest take "
            f"{', '.join(percent(TOOL, part) for part in parts)} of the time between its clocks (the note: {note} %)."
        )

    def engine() -> str:
        return (
            "In the engine's own store, over the whole key space and less the clock, ALEX takes "
            f"{percent(PARTS, 'index', 'net_')} and RocksDB {percent(PARTS, 'engine', 'net_')}."
        )

    def removed() -> str:
        share = with_interval(growth.removed(summary, NO_INDEX, 0.95), 100)
        return f"Leaving ALEX out removes {share} % of a query's time."

    return tell(tool, engine, removed, otherwise="This run timed no query.")


def clock(summary: Summary) -> Prose:
    """What reading the clock costs, and how much of the small remainder it is."""

    def reading() -> str:
        timer, rest = statistics.geometric_mean(summary.values(TOOL, "timer_ns")), summary.time(TOOL, "rest_mean_ns")
        note = f"(the note: {notes.breakdown_ns('rest'):.0f} ns)"
        between = (
            f"and the remainder that the diagnostic program reports is {spoken(rest)} {note}: the remainder is for the "
            "most part the instrument."
            if 3 * timer.point > rest.point / 2
            else f"of a remainder of {spoken(rest)} {note}."
        )
        return (
            f"One reading of the clock takes {with_interval(timer)} ns. Between the parts there are three, "
            f"{3 * timer.point:.3g} ns, {between}"
        )

    def around() -> str:
        effect = with_interval(summary.ratio((TOOL, QUERY), (TOOL_WHOLE, MEAN)))
        return f"With a clock around each part a query takes {effect} times the time without."

    def added() -> str:
        return (
            "Without any clock inside, the parts taken out one by one add up to "
            f"{with_interval(growth.additivity(summary))} of the whole: where that is not 1, the two share caches or "
            "overlap, and no breakdown can divide what they share."
        )

    return tell(reading, around, added, otherwise="This run timed no part.")


def marker(summary: Summary) -> Prose:
    """What an existence marker is worth, for keys that exist and for keys that do not."""

    def present() -> str:
        return f"Present keys without ALEX: {_over(summary, NO_INDEX, LOOP)} times the time with it."

    def absent() -> str:
        return (
            f"Absent keys, which no claim of the note is about ({summary.parameters.law_rows:,} rows): RocksDB alone "
            f"takes {_over(summary, ABSENT_PLAIN, ABSENT)} times as long as ALEX, which spares it the look-up."
        )

    return tell(
        "In the engine ALEX holds no value and no place, only a mark that the key exists. RocksDB then looks for the "
        "key again from the start, so for a key that exists the index can only cost.",
        present,
        absent,
    )


def _over(summary: Summary, top: str, bottom: str, metric: str = MEAN) -> str:
    return with_interval(summary.ratio((top, metric), (bottom, metric)))


def explained(summary: Summary) -> Prose:
    """How much of the benchmark's time the breakdown's time is."""
    query, benchmark = notes.breakdown_ns("query"), notes.benchmark_ns()

    def ours() -> str:
        share = with_interval(summary.ratio((TOOL, QUERY), (BENCHMARK, MEAN)), 100)
        return (
            f"Here the diagnostic program's query is {share} % of the benchmark's; the two differ in the store, the "
            "keys, the row cache, the warm-up and the clocks."
        )

    def keys() -> str:
        effect = _over(summary, TOOL_UNIFORM, TOOL, QUERY)
        return f"Keys from all rows instead of the first tenth change its total by {effect}."

    def cache() -> str:
        effect = _over(summary, POINT, LOOP)
        return f"The row cache, which no look-up of these patterns hits, makes a query {effect} times as long."

    return tell(
        f"The note breaks down {query / 1e3:.2f} µs, and its benchmark takes {benchmark / 1e3:.2f} µs in the same "
        f"state: {100 * query / benchmark:.0f} % are explained, and nothing is said of the others.",
        ours,
        keys,
        cache,
    )


def patterns(summary: Summary) -> Prose:
    """What other keys and a settled store do to RocksDB's part."""
    p = summary.parameters

    def against(name: str, compacted: bool) -> str:
        other, stride = (patterned(p, each, compacted=compacted) for each in (name, "stride"))
        where = "compacted files" if compacted else "the memtable"
        return f"{name.capitalize()} keys over the fixed stride, from {where}: {_over(summary, other, stride, QUERY)}."

    def settled() -> str:
        files, memory = (patterned(p, "uniform", compacted=each) for each in (True, False))
        effect = _over(summary, files, memory, "engine_mean_ns")
        return f"RocksDB's part for uniform keys, compacted files over memtable: {effect}."

    pairs = [(name, compacted) for compacted in (False, True) for name in ("uniform", "zipf")]
    return tell(*(partial(against, *pair) for pair in pairs), settled, otherwise="In this run no pattern was timed.")


def index_alone(summary: Summary) -> Prose:
    """What the note's trees and the paper's index take alone, in time and memory."""
    p = summary.parameters

    def against_btree(index: str, words: str, kind: str) -> str:
        effect = _over(summary, *(alone(each, "random", kind) for each in (index, "btree")))
        return words.format(effect) + f" ({kind})."

    def leaves() -> str:
        found, held = (summary.values(LOOP, name).mean() for name in ("leaves", "index_bytes_per_key"))
        return (
            f"Filled key after key, as the engine and the diagnostic program fill it, the flat tree ends with "
            f"{p.rows / found:.1f} keys a leaf ({found:,.0f} leaves) and {held:,.0f} bytes a key: each leaf that is "
            f"full is halved and gets twice the room of its half, which is less than it had, so leaves shrink from "
            f"split to split."
        )

    def process() -> str:
        held: Estimate = statistics.geometric_mean(
            summary.values(alone("note_levels", "random", THROUGHPUT), "resident_bytes_per_key")
        )
        return (
            f"With {p.index_rows:,} random keys the multi-level tree makes the process grow by {with_interval(held)} "
            f"bytes a key. The project's {notes.bytes_per_key():.1f} bytes count the headers of the leaves; a key "
            "alone has eight."
        )

    trees = {
        "note_flat": "The note's flat tree takes {} times the B-tree's time",
        "note_levels": "The note's multi-level tree takes {} times the B-tree's time",
        "alex": "ALEX as its paper has it takes {} times",
    }
    compared = (partial(against_btree, *tree, kind) for tree in trees.items() for kind in (THROUGHPUT, DEPENDENT))
    return tell(*compared, leaves, process, otherwise="In this run no index was timed alone.")
