"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.experiments.alex_rocksdb import growth, notes
from benchbook.experiments.alex_rocksdb.arms import (
    BENCHMARK,
    LOOP,
    NO_INDEX,
    PARTS,
    POINT,
    TOOL,
    TOOL_UNIFORM,
    TOOL_WHOLE,
    WITNESS_AFTER,
    WITNESS_COMPACTED,
    patterned,
)
from benchbook.experiments.alex_rocksdb.metrics import MEMTABLE
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.families.kv.words import in_turns
from benchbook.experiments.shape import by_host, telling
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
        f" The diagnostic program wrote its rows one by one; here each write has {p.tool_batch_rows:,}, which fills "
        "the same memtables and files in the same order in a fraction of the time."
    )
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations, {p.rows:,} rows unless stated otherwise, {p.lookups:,} look-ups per "
        f"trial ({p.tool_lookups:,} of the diagnostic program, {p.benchmark_lookups:,} of the benchmark). "
        f"{in_turns(p)} {summary.on()}. Values are the note's: `value_` and the key."
        f"{one_by_one if p.tool_batch_rows > 1 else ''}",
    )


def executed(summary: Summary) -> Prose:
    """Where the rows were when the engine and the diagnostic program read them."""

    def loop() -> str:
        rows, files, writes = (summary.values(LOOP, name).mean() for name in ("memtable_rows", "files", "writes"))
        return (
            f"Loaded the way the note's engine does it, in {writes:,.0f} write, RocksDB reports {rows:,.0f} rows in "
            f"its memtable and {files:,.0f} files."
        )

    def asked(arm: str, *names: str) -> float:
        return float(sum(summary.values(arm, name).sum() for name in names))

    def after() -> str:
        hits, lookups = (asked(WITNESS_AFTER, name) for name in ("memtable_hits", "lookups"))
        cached = asked(WITNESS_AFTER, "block_cache_hits", "block_cache_misses")
        bloom = asked(WITNESS_AFTER, "bloom_useful", "bloom_passed")
        return (
            f"With the options *after* the note's change and counters enabled, the memtable answered {hits:,.0f} of "
            f"{lookups:,.0f} look-ups, {cached:,.0f} used the block cache and {bloom:,.0f} a bloom filter."
        )

    def compacted() -> str:
        cached = asked(WITNESS_COMPACTED, "block_cache_hits", "block_cache_misses")
        passed = asked(WITNESS_COMPACTED, "bloom_passed")
        return (
            f"The same store after a full compaction, as a control: {cached:,.0f} used the block cache, and "
            f"{passed:,.0f} passed a bloom filter, which can reject only absent keys."
        )

    def tool() -> str:
        files, rows = (summary.values(TOOL, name).mean() for name in ("files", "memtable_rows"))
        if set(summary.rows_in(TOOL)) == {MEMTABLE}:
            return "At this number of rows, the diagnostic program's store also fits in its memtable."
        return (
            f"The diagnostic program's store is different: {rows:,.0f} rows in the memtable and the first "
            f"{summary.parameters.rows - rows:,.0f} in {mean_count(files)} file{'' if files == 1 else 's'}. Its keys "
            f"are multiples of 100 up to {100 * summary.parameters.tool_lookups:,}, so they are in files, while the "
            "engine's are in memory."
        )

    return tell(loop, after, compacted, tool, otherwise="In this run no trial has RocksDB's counters.")


def answer(summary: Summary) -> Prose:
    """The breakdown, the note's and ours, and what it becomes over the whole key space."""

    def percent(arm: str, part: str, net: str = "") -> str:
        def compute(some: Summary, confidence: float) -> Estimate:
            return some.share(arm, f"{part}_{net}share", confidence=confidence)

        return by_host.in_words(summary, compute, 100, " %")

    def tool() -> str:
        parts = ("index", "engine", "rest")
        note = ", ".join(f"{100 * notes.breakdown_share(part):.0f}" for part in parts)
        return (
            "Run like the diagnostic program, ALEX, RocksDB and the rest take "
            f"{', '.join(percent(TOOL, part) for part in parts)} of the time between its clock readings (the note: "
            f"{note} %)."
        )

    def engine() -> str:
        return (
            "In the engine's own store, over the whole key space and without the clock's time, RocksDB's part, a "
            f"search in one skip list, takes {percent(PARTS, 'engine', 'net_')}; ALEX takes "
            f"{percent(PARTS, 'index', 'net_')}."
        )

    def removed() -> str:
        def compute(some: Summary, confidence: float) -> Estimate:
            return growth.removed(some, NO_INDEX, confidence)

        return f"Of a query's time, leaving ALEX out removes {by_host.in_words(summary, compute, 100, ' %')}."

    return tell(tool, engine, removed, otherwise="This run timed no query.")


def clock(summary: Summary) -> Prose:
    """What reading the clock costs, and how much of the small remainder it is."""

    def reading() -> str:
        timer, rest = summary.time(TOOL, "timer_ns"), summary.time(TOOL, "rest_mean_ns")
        note = f"(the note: {notes.breakdown_ns('rest'):.0f} ns)"
        between = (
            f"and the remainder that the diagnostic program reports is {spoken(rest)} {note}: the remainder is mostly "
            "due to the instrument."
            if 3 * timer.point > rest.point / 2
            else f"of a remainder of {spoken(rest)} {note}."
        )
        return (
            f"Reading the clock once takes {with_interval(timer)} ns. Between the parts there are three readings, "
            f"{3 * timer.point:.3g} ns, {between}"
        )

    def around() -> str:
        effect = with_interval(summary.ratio((TOOL, QUERY), (TOOL_WHOLE, MEAN)))
        return f"With a clock around each part, a query takes {effect} times as long as without."

    def added() -> str:
        return (
            "Without any clock inside, the two parts, each run alone, add up to "
            f"{with_interval(growth.additivity(summary))} of the whole: if that is not 1, the two share caches or "
            "overlap, and no breakdown can divide what they share."
        )

    return tell(reading, around, added, otherwise="This run timed no part.")


def over(summary: Summary, top: str, bottom: str, metric: str = MEAN) -> str:
    """A time of one configuration over that of another, with its interval."""
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
        effect = over(summary, TOOL_UNIFORM, TOOL, QUERY)
        return f"Keys from all rows instead of the first tenth change its total by a factor of {effect}."

    def cache() -> str:
        effect = over(summary, POINT, LOOP)
        return f"The row cache, which no look-up of these patterns hits, makes a query {effect} times as long."

    return tell(
        f"The note breaks down {query / 1e3:.2f} µs, and its benchmark takes {benchmark / 1e3:.2f} µs in the same "
        f"state: {100 * query / benchmark:.0f} % of the time is explained, and the rest is not.",
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
        effect = over(summary, other, stride, QUERY)
        return (
            f"From {where}, a query for {name} keys takes {effect} times as long as one for keys a fixed stride apart."
        )

    def settled() -> str:
        files, memory = (patterned(p, "uniform", compacted=each) for each in (True, False))
        effect = over(summary, files, memory, "engine_mean_ns")
        return (
            f"RocksDB's part for uniform keys takes {effect} times as long from compacted files as from the memtable."
        )

    pairs = [(name, compacted) for compacted in (False, True) for name in ("uniform", "zipf")]
    return tell(*(partial(against, *pair) for pair in pairs), settled, otherwise="This run timed no pattern.")
