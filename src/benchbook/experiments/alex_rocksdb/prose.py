"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.alex_rocksdb import growth, notes
from benchbook.experiments.alex_rocksdb.arms import (
    ABSENT,
    ABSENT_PLAIN,
    BENCHMARK,
    DEPENDENT,
    LOOP,
    NO_INDEX,
    NOTHING,
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
from benchbook.experiments.alex_rocksdb.marks import spoken
from benchbook.experiments.alex_rocksdb.metrics import MEMTABLE
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.sentences import departing, opening
from benchbook.figures import Prose, mean_count, with_interval


def note_claims() -> pd.DataFrame:
    """The note's breakdown, and the two other times that it prints for the same rows."""
    return notes.note_tables()


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, where = summary.parameters, summary.run.provenance
    text = (
        f"{opening(summary.run)} {len(summary.arms)} configurations, "
        f"{p.rows:,} rows where no other number is named, {p.lookups:,} look-ups "
        f"a trial ({p.tool_lookups:,} of the diagnostic program, {p.benchmark_lookups:,} of the benchmark). RocksDB "
        f"{where.get('engine_version', 'unknown')}. Values are the note's own, `value_` and the key."
    )
    if p.tool_batch_rows > 1:
        text += (
            f" The diagnostic program wrote its rows one by one; here {p.tool_batch_rows:,} go in one write, which "
            "fills the same memtables and files in the same order and takes a fraction of the time."
        )
    return Prose(text + departing(summary.departures()))


def executed(summary: Summary) -> Prose:
    """Where the rows were when the engine and the diagnostic program read them."""
    sentences = []
    if summary.has(LOOP, "memtable_rows", "files"):
        rows = summary.values(LOOP, "memtable_rows").mean()
        files = summary.values(LOOP, "files").mean()
        sentences.append(
            f"Loaded as the note's engine loads, in {summary.values(LOOP, 'writes').mean():,.0f} write, RocksDB says "
            f"that {rows:,.0f} rows are in its memtable and that it has {files:,.0f} files."
        )
    if summary.has(WITNESS_AFTER, "memtable_hits", "block_cache_hits", "block_cache_misses"):
        hits, lookups = (summary.values(WITNESS_AFTER, name).sum() for name in ("memtable_hits", "lookups"))
        cached = sum(summary.values(WITNESS_AFTER, f"block_cache_{name}").sum() for name in ("hits", "misses"))
        bloom = sum(summary.values(WITNESS_AFTER, f"bloom_{name}").sum() for name in ("useful", "passed"))
        sentences.append(
            f"With the options *after* the note's change and counters switched on, {hits:,.0f} of {lookups:,.0f} "
            f"look-ups were answered by the memtable, {cached:,.0f} asked the block cache and {bloom:,.0f} a bloom "
            "filter."
        )
    if summary.has(WITNESS_COMPACTED, "block_cache_hits", "block_cache_misses", "bloom_passed"):
        cached = sum(summary.values(WITNESS_COMPACTED, f"block_cache_{name}").sum() for name in ("hits", "misses"))
        passed = summary.values(WITNESS_COMPACTED, "bloom_passed").sum()
        sentences.append(
            f"The same store after a full compaction, as a control: {cached:,.0f} asked the block cache, and "
            f"{passed:,.0f} passed a bloom filter, which can only turn away keys that are absent."
        )
    if summary.has(TOOL, "memtable_rows", "files"):
        files = summary.values(TOOL, "files").mean()
        held = summary.values(TOOL, "memtable_rows").mean()
        below = summary.parameters.rows - held
        if set(summary.rows_in(TOOL)) == {MEMTABLE}:
            sentences.append("The diagnostic program's store fits its memtable too at this number of rows.")
        else:
            sentences.append(
                f"The diagnostic program's store is another one: {held:,.0f} rows in the memtable and the first "
                f"{below:,.0f} in {mean_count(files)} file{'' if files == 1 else 's'}. Its keys are multiples of 100 "
                f"up to {100 * summary.parameters.tool_lookups:,}, so they lie in files, where the engine's are in "
                "memory."
            )
    return Prose(" ".join(sentences) or "In this run no trial holds RocksDB's counters.")


def answer(summary: Summary) -> Prose:
    """The breakdown, the note's and ours, and what it becomes over the whole key space."""
    sentences = []
    if summary.has(TOOL, "index_share", "engine_share", "rest_share"):
        note = ", ".join(f"{100 * notes.breakdown_share(part):.0f}" for part in ("index", "engine", "rest"))
        shares = (f"{with_interval(summary.share(TOOL, f'{part}_share'), 100)} %" for part in _PARTS)
        sentences.append(
            "Run as the diagnostic program, ALEX, RocksDB and the rest take " + ", ".join(shares) + f" of the time "
            f"between its clocks (the note: {note} %)."
        )
    if summary.has(PARTS, "index_net_share", "engine_net_share"):
        sentences.append(
            "In the engine's own store, over the whole key space and less the clock, ALEX takes "
            f"{with_interval(summary.share(PARTS, 'index_net_share'), 100)} % and RocksDB "
            f"{with_interval(summary.share(PARTS, 'engine_net_share'), 100)} %."
        )
    try:
        removed = growth.removed(summary, NO_INDEX, 0.95)
        sentences.append(f"Leaving ALEX out removes {with_interval(removed, 100)} % of a query's time.")
    except BenchbookError as error:
        sentences.append(f"What leaving ALEX out saves cannot be told: {error.problem}.")
    return Prose(" ".join(sentences))


_PARTS = ("index", "engine", "rest")


def clock(summary: Summary) -> Prose:
    """What reading the clock costs, and how much of the small remainder it is."""
    if not summary.has(TOOL, "timer_ns", "rest_mean_ns", "rest_net_ns"):
        return Prose("This run timed no part.")
    timer = statistics.geometric_mean(summary.values(TOOL, "timer_ns"))
    rest = summary.time(TOOL, "rest_mean_ns")
    text = (
        f"One reading of the clock takes {with_interval(timer)} ns. Between the parts there are three, "
        f"{3 * timer.point:.3g} ns, and the remainder that the diagnostic program reports is {spoken(rest)} "
        f"(the note: {notes.breakdown_ns('rest'):.0f} ns): the remainder is for the most part the instrument."
        if 3 * timer.point > rest.point / 2
        else f"One reading of the clock takes {with_interval(timer)} ns. Between the parts there are three, "
        f"{3 * timer.point:.3g} ns, of a remainder of {spoken(rest)} (the note: "
        f"{notes.breakdown_ns('rest'):.0f} ns)."
    )
    if summary.has(TOOL_WHOLE, "mean_ns"):
        effect = summary.ratio((TOOL, "query_mean_ns"), (TOOL_WHOLE, "mean_ns"))
        text += f" With a clock around each part a query takes {with_interval(effect)} times the time without."
    if summary.has(NOTHING, "mean_ns") and summary.has(LOOP, "mean_ns"):
        added = growth.additivity(summary)
        text += (
            f" Without any clock inside, the parts taken out one by one add up to {with_interval(added)} of the whole: "
            "where that is not 1, the two share caches or overlap, and no breakdown can divide what they share."
        )
    return Prose(text)


def marker(summary: Summary) -> Prose:
    """What an existence marker is worth, for keys that exist and for keys that do not."""
    sentences = [
        "In the engine ALEX holds no value and no place, only a mark that the key exists. RocksDB then looks for the "
        "key again from the start, so for a key that exists the index can only cost."
    ]
    if summary.has(NO_INDEX, "mean_ns"):
        present = summary.ratio((NO_INDEX, "mean_ns"), (LOOP, "mean_ns"))
        sentences.append(f"Present keys without ALEX: {with_interval(present)} times the time with it.")
    if summary.has(ABSENT_PLAIN, "mean_ns") and summary.has(ABSENT, "mean_ns"):
        absent = summary.ratio((ABSENT_PLAIN, "mean_ns"), (ABSENT, "mean_ns"))
        sentences.append(
            f"Absent keys, which no claim of the note is about ({summary.parameters.law_rows:,} rows): RocksDB alone "
            f"takes {with_interval(absent)} times as long as ALEX, which spares it the look-up."
        )
    return Prose(" ".join(sentences))


def explained(summary: Summary) -> Prose:
    """How much of the benchmark's time the breakdown's time is."""
    note = notes.breakdown_ns("query") / notes.benchmark_ns()
    text = (
        f"The note breaks down {notes.breakdown_ns('query') / 1e3:.2f} µs, and its benchmark takes "
        f"{notes.benchmark_ns() / 1e3:.2f} µs in the same state: {100 * note:.0f} % are explained, and nothing is said "
        "of the others."
    )
    if summary.has(TOOL, "query_mean_ns") and summary.has(BENCHMARK, "mean_ns"):
        ours = summary.ratio((TOOL, "query_mean_ns"), (BENCHMARK, "mean_ns"))
        text += (
            f" Here the diagnostic program's query is {with_interval(ours, 100)} % of the benchmark's; the two differ "
            "in the store, the keys, the row cache, the warm-up and the clocks."
        )
    if summary.has(TOOL_UNIFORM, "query_mean_ns") and summary.has(TOOL, "query_mean_ns"):
        keys = summary.ratio((TOOL_UNIFORM, "query_mean_ns"), (TOOL, "query_mean_ns"))
        text += f" Keys from all rows instead of the first tenth change its total by {with_interval(keys)}."
    if summary.has(POINT, "mean_ns") and summary.has(LOOP, "mean_ns"):
        cache = summary.ratio((POINT, "mean_ns"), (LOOP, "mean_ns"))
        text += (
            f" The row cache, which no look-up of these patterns hits, makes a query {with_interval(cache)} times as "
            "long."
        )
    return Prose(text)


def patterns(summary: Summary) -> Prose:
    """What other keys and a settled store do to RocksDB's part."""
    p, sentences = summary.parameters, []
    for compacted, where in ((False, "the memtable"), (True, "compacted files")):
        base = patterned(p, "stride", compacted=compacted)
        for law in ("uniform", "zipf"):
            arm = patterned(p, law, compacted=compacted)
            if summary.has(arm, "query_mean_ns") and summary.has(base, "query_mean_ns"):
                effect = summary.ratio((arm, "query_mean_ns"), (base, "query_mean_ns"))
                sentences.append(
                    f"{law.capitalize()} keys over the fixed stride, from {where}: {with_interval(effect)}."
                )
    pair = [patterned(p, "uniform", compacted=each) for each in (True, False)]
    if all(summary.has(arm, "engine_mean_ns") for arm in pair):
        effect = summary.ratio((pair[0], "engine_mean_ns"), (pair[1], "engine_mean_ns"))
        sentences.append(f"RocksDB's part for uniform keys, compacted files over memtable: {with_interval(effect)}.")
    return Prose(" ".join(sentences) or "In this run no pattern was timed.")


def index_alone(summary: Summary) -> Prose:
    """What the note's trees and the paper's index take alone, in time and memory."""
    p, sentences = summary.parameters, []
    for index, name in (("note_flat", "flat"), ("note_levels", "multi-level")):
        for kind in (THROUGHPUT, DEPENDENT):
            arms = [alone(each, "random", kind) for each in (index, "btree")]
            if all(summary.has(arm, "mean_ns") for arm in arms):
                effect = summary.ratio((arms[0], "mean_ns"), (arms[1], "mean_ns"))
                sentences.append(
                    f"The note's {name} tree takes {with_interval(effect)} times the B-tree's time ({kind})."
                )
    for kind in (THROUGHPUT, DEPENDENT):
        arms = [alone(each, "random", kind) for each in ("alex", "btree")]
        if all(summary.has(arm, "mean_ns") for arm in arms):
            effect = summary.ratio((arms[0], "mean_ns"), (arms[1], "mean_ns"))
            sentences.append(f"ALEX as its paper has it takes {with_interval(effect)} times ({kind}).")
    if summary.has(LOOP, "leaves", "index_bytes_per_key"):
        leaves = summary.values(LOOP, "leaves").mean()
        sentences.append(
            f"Filled key after key, as the engine and the diagnostic program fill it, the flat tree ends with "
            f"{p.rows / leaves:.1f} keys a leaf ({leaves:,.0f} leaves) and "
            f"{summary.values(LOOP, 'index_bytes_per_key').mean():,.0f} bytes a key: each leaf that is full is halved "
            "and gets twice the room of its half, which is less than it had, so leaves shrink from split to split."
        )
    arm = alone("note_levels", "random", THROUGHPUT)
    if summary.has(arm, "resident_bytes_per_key") and summary.values(arm, "resident_bytes_per_key").min() > 0:
        held = statistics.geometric_mean(summary.values(arm, "resident_bytes_per_key"))
        sentences.append(
            f"With {p.index_rows:,} random keys the multi-level tree makes the process grow by {with_interval(held)} "
            f"bytes a key. The project's {notes.bytes_per_key():.1f} bytes count the headers of the leaves; a key "
            "alone has eight."
        )
    return Prose(" ".join(sentences) or "In this run no index was timed alone.")
