"""The claims of the chapter: how each number comes from the trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.claims import Quantity
from benchbook.experiments import notes
from benchbook.experiments.families.kv.checks import compared
from benchbook.experiments.families.kv.piloted import over, picked
from benchbook.experiments.parameters import other_numbers
from benchbook.experiments.rocksdb_tuning.arms import (
    AFTER,
    AGAIN,
    BEFORE,
    BENCHMARK,
    BESIDE,
    BLOOM,
    CACHE,
    COUNTED,
    DEFAULTS,
    DIRECT,
    IN_FILES,
    LARGE,
    LARGER,
    LEVEL_0,
    PAIR,
    PARTS,
    RANDOM,
    RELAXED,
    STRIDE,
    TIGHT,
    UNCACHED,
    UNIFORM,
    UNIVERSAL,
    UNPINNED,
    at,
)
from benchbook.experiments.rocksdb_tuning.estimands import (
    B_AFTER,
    B_BEFORE,
    CANDIDATES,
    COMPACTIONS,
    S_AFTER,
    S_BEFORE,
    S_SQLITE,
    SETTLED,
    SINGLE_ARMS,
    WRITTEN,
    gained,
    no_file,
    nothing_in_level_0,
    quotient,
    removed,
    several,
    slowest,
    smaller,
    stated_defaults,
    stated_words,
    uniform,
    without_files,
)
from benchbook.experiments.rocksdb_tuning.summary import TIME, Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import (
    counts,
    custom,
    departing,
    known,
    ratio,
    rise,
    share,
)
from benchbook.statistics import Gate

OPTIONS, SPEEDUPS, FURTHER, COUNTERS, SIZES, CLAIMED = (
    f"fig-rocksdb-tuning-{each}" for each in ("options", "speedups", "further", "counters", "sizes", "claims")
)


def _departs(summary: Summary) -> str:
    """What a claim names and this run has otherwise; the sizes are named by the claim about them alone."""
    return " and ".join(other_numbers(summary.parameters))


_whole = ratio(B_AFTER, B_BEFORE, TIME)
_PAIR = at(BENCHMARK, PAIR)
_speedup = ratio(BESIDE[AFTER], B_AFTER, TIME)

ANSWERS = departing(
    (
        Answer(
            "O007", _whole, OPTIONS,
            said="five options of RocksDB make a query 12 % faster, that is 0.88 (0.77 to 0.94) times as long",
            seen="in its benchmark, a query takes {} times as long with them",
            lead=True, brief="{} times as long",
            row="benchmark's query: all five options ÷ before",
        ),
        Answer(
            "O101", ratio(S_AFTER, S_BEFORE, TIME), OPTIONS,
            said="a longer run with every hundredth key shows the improvement too",
            seen="there, a query takes {} times as long with the options",
            row="query, every 100th key: all five options ÷ before",
        ),
        Answer(
            "O017", share(at(COUNTED, BLOOM), "filtered_share", "lookups"), COUNTERS,
            said="Bloom filters skip files that do not have the key",
            seen="in the benchmark, they skipped a file in {} % of the look-ups", factor=100,
            row="look-ups with a skipped file ÷ all",
        ),
        Answer(
            "O018", rise(at(COUNTED, CACHE), at(COUNTED, BEFORE), "block_cache_hit_ratio", "block_requests"), COUNTERS,
            said="a block cache of 512 MB keeps hot data",
            seen="with all rows in files, its hit ratio is {} percentage points above that of 8 MB", factor=100,
            row="hit ratio with 512 MB − with 8 MB",
        ),
        Answer(
            "O039", ratio(at(DEFAULTS, RELAXED), at(DEFAULTS, TIGHT), TIME, idle=without_files(at(DEFAULTS, RELAXED))),
            CLAIMED,
            said="RocksDB's defaults are too conservative: a Bloom filter and a large cache pay",
            seen="written in batches with all other defaults, a look-up takes {} times as long with both",
            row="RocksDB's look-up: filter and 512 MB ÷ defaults",
        ),
        Answer(
            "O038", custom(removed, Quantity.COMPARISON, SETTLED, WRITTEN, aa=TIME, inert=no_file(WRITTEN)),
            CLAIMED,
            said="looking in several files takes most of RocksDB's time",
            seen="putting the rows into one sorted file removes {} % of a look-up's time (below 0 it adds)", factor=100,
            row="1 − RocksDB's look-up compacted ÷ as written",
        ),
        Answer(
            "O096", picked(over(S_SQLITE, None), CANDIDATES, S_SQLITE), FURTHER,
            said="further tuning may not reach twice SQLite's speed",
            seen="with the best further setting, queries are {} times as fast as SQLite's",
            row="SQLite as run ÷ best further setting",
        ),
        Answer(
            "O052", picked(over(S_AFTER, None), CANDIDATES, S_AFTER), FURTHER,
            said="further tuning brings 10 to 20 % more",
            seen="the best further setting makes a query {} times as fast as the five options",
            row="query: five options ÷ best further setting",
        ),
        Answer("O008", custom(gained, Quantity.COMPARISON, B_AFTER, B_BEFORE, *BESIDE.values(), aa=TIME), SPEEDUPS,
               row="benchmark's speed-up: all five options ÷ before"),
        Answer("O023", ratio(BESIDE[AFTER], BESIDE[BEFORE], TIME), SPEEDUPS, row="SQLite beside after ÷ beside before"),
        Answer("O024", _speedup, SPEEDUPS, row="benchmark: SQLite ÷ all five options"),
        Answer("O040", ratio(_PAIR, B_BEFORE, TIME, inert=no_file(_PAIR, B_BEFORE)), OPTIONS,
               row="benchmark's query: filter and 512 MB ÷ before"),
        Answer("O091", custom(slowest, Quantity.COMPARISON, B_BEFORE, *SINGLE_ARMS, aa=TIME,
                              inert=no_file(B_BEFORE, *SINGLE_ARMS)), OPTIONS,
               row="benchmark's query: slowest single option ÷ before"),
        Answer("O046", several(uniform(AFTER), uniform(BEFORE)), OPTIONS,
               row="uniform query, two kinds of keys: all five options ÷ before"),
        Answer("O031", several(smaller(AFTER), smaller(BEFORE)), SIZES,
               row="benchmark's query, 10 k to 1 M rows: all five options ÷ before"),
        Answer("O019", ratio(at(LEVEL_0, AFTER), at(LEVEL_0, UNPINNED), TIME, idle=nothing_in_level_0), CLAIMED,
               row="RocksDB's look-up in level 0: pinned ÷ not"),
        Answer("O020", counts(at(IN_FILES, LARGE), SETTLED, "files_bytes"), CLAIMED,
               row="table bytes: 16 KB blocks ÷ 4 KB"),
        Answer("O021", counts(at(COUNTED, AFTER), at(COUNTED, UNCACHED), "file_bytes_per_lookup"), COUNTERS,
               row="bytes from files per look-up: index in the cache ÷ not"),
        Answer("O043", share(at(STRIDE, PARTS), "engine_share", "lookups", quantity=Quantity.PARTS, aa=TIME), CLAIMED,
               row="RocksDB's part ÷ query, all five options"),
        Answer("O044", picked(quotient, CANDIDATES, S_AFTER, S_BEFORE, idle=without_files(S_AFTER)), FURTHER,
               row="what the further setting leaves ÷ what the options left"),
        Answer("O048", ratio(at(STRIDE, UNIVERSAL), S_AFTER, TIME), FURTHER, row="query: universal ÷ level compaction"),
        Answer("O049", ratio(at(STRIDE, DIRECT), S_AFTER, TIME), FURTHER, row="query: direct ÷ buffered reads"),
        Answer("O051", ratio(at(UNIFORM, LARGER), at(UNIFORM, AFTER), TIME), FURTHER,
               row="uniform query: 1 GB ÷ 512 MB"),
        Answer("O092", picked(over(None, S_AFTER), COMPACTIONS, S_AFTER), FURTHER,
               row="query: best compaction ÷ as written"),
        Answer("O045", known(stated_defaults, stated_words()), CLAIMED),
        Answer("O047", known(lambda summary: notes.reading("rocksdb_default_max_open_files"),
                             "-1 means that RocksDB keeps every file open"), CLAIMED),
        # The same under other words of the note, and the same number against another bound.
        Answer("O001", _whole, OPTIONS, row="benchmark's query, the note's title: all five options ÷ before"),
        Answer("O086", _whole, OPTIONS, row="benchmark's query, its conclusion: all five options ÷ before"),
        Answer("O042", _speedup, SPEEDUPS, row="benchmark, against the target of 2: SQLite ÷ all five options"),
    ),
    _departs,
)  # fmt: skip
_PAIRS = {
    BENCHMARK: (at(BENCHMARK, AGAIN), B_BEFORE),
    STRIDE: (at(STRIDE, AGAIN), S_BEFORE),
    IN_FILES: (at(IN_FILES, AGAIN), SETTLED),
}
_AS = {UNIFORM: STRIDE, RANDOM: STRIDE, LEVEL_0: IN_FILES, DEFAULTS: IN_FILES, COUNTED: IN_FILES}


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The state before the options against itself, measured as the claim's configurations are."""
    arms = [arm for arm in answer.estimand.names(summary) if arm in summary.configurations]
    ways = sorted({str(summary.configurations[arm].settings["way"]) for arm in arms})
    pairs = sorted({_PAIRS[_AS.get(way, way)] for way in ways})
    return [summary.aa_gate(*pair, TIME, pairs=len(pairs)) for pair in pairs]


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Every look-up was compared."""
    return compared(summary.run.trials)
