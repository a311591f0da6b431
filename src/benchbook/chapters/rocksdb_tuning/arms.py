"""What can be set, and the configurations: RocksDB's options by themselves and together, and how look-ups are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.kv import options
from benchbook.measuring.kv.options import MIB, Options
from benchbook.measuring.kv.parameters import TurnParameters
from benchbook.model import Configuration, Scalar
from benchbook.parameters.base import asked

SMALLER_ROWS = (10_000, 100_000, 1_000_000)
"""The note's, for which it expects the same gain."""


class Parameters(TurnParameters):
    """Defaults are the standard profile: the note's ten million rows and its 1,000 look-ups."""

    blocks: int = Field(
        3,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    rows: int = asked(10_000_000, "rows", ge=2_000, le=100_000_000, description="rows of the store")
    smaller_rows: tuple[int, ...] = Field(
        SMALLER_ROWS, min_length=1, description="further numbers of rows in the benchmark, growing"
    )
    benchmark_lookups: int = asked(
        1_000, "look-ups of the benchmark", ge=100, le=1_000_000,
        description="its look-ups: at a fixed stride, each key once, none before them",
    )  # fmt: skip
    lookups: int = asked(
        100_000, "look-ups a trial", ge=256, le=100_000_000,
        description="look-ups of all other trials, after a tenth as many that do not count",
    )  # fmt: skip
    slow_lookups: int = Field(
        500, ge=100, le=1_000_000,
        description="look-ups where an index or filter larger than a part of the block cache makes each slow",
    )  # fmt: skip
    load_batch_rows: int = Field(
        100_000, ge=100, le=10_000_000,
        description="rows of a write where rows must reach files; the benchmark writes all rows as one",
    )  # fmt: skip
    pilot_blocks: int = Field(
        1, ge=1, le=10, description="first blocks, which choose the best further setting and do not judge it"
    )
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        sizes = (*self.smaller_rows, self.rows)
        if list(sizes) != sorted(set(sizes)):
            raise ValueError(f"smaller_rows={list(self.smaller_rows)} must grow and end below rows={self.rows}")
        if min(sizes) < self.benchmark_lookups:
            raise ValueError(
                f"smaller_rows={list(self.smaller_rows)} and rows={self.rows} must each hold the "
                f"benchmark_lookups={self.benchmark_lookups} different rows that are asked for"
            )
        if self.pilot_blocks >= self.blocks:
            raise ValueError(f"pilot_blocks={self.pilot_blocks} leaves none of blocks={self.blocks} to judge by")
        return self


BEFORE, AFTER, BLOOM, CACHE, INDEX, PINNED, LARGE, PAIR = (
    "before", "after", "bloom", "cache", "cached_index", "pinned", "large_blocks", "bloom_and_cache",
)  # fmt: skip
UNIVERSAL, DIRECT, LARGER, FILES = "universal", "direct", "larger_cache", "open_files"
COMPACTED = "compacted"
TIGHT, RELAXED, UNPINNED, UNCACHED, SQLITE = "tight", "relaxed", "unpinned", "uncached_index", "sqlite"
AGAIN = "again"


@dataclass(frozen=True)
class Use:
    """label: for figures. options: of the engine; they bear what the note calls them."""

    label: str
    options: Options


def _with(base: Options, **changed: Scalar) -> Options:
    return {**base, **changed}


_before, _after = options.BEFORE, options.AFTER
_CACHED: dict[str, Scalar] = {"cache_index_and_filter_blocks": True}
_FILTER: dict[str, Scalar] = {"bloom_bits": 10}
_LARGE_CACHE: dict[str, Scalar] = {"block_cache_bytes": 512 * MIB}
USES: dict[str, Use] = {
    BEFORE: Use("before the change", _before),
    BLOOM: Use("Bloom filter", _with(_before, **_FILTER)),
    CACHE: Use("512 MB block cache", _with(_before, **_LARGE_CACHE)),
    INDEX: Use("index and filter in the cache", _with(_before, **_CACHED)),
    PINNED: Use("these pinned for level 0", _with(_before, **_CACHED, pin_level0=True)),
    LARGE: Use("16 KB blocks", _with(_before, block_bytes=16 * 1024)),
    PAIR: Use("Bloom filter and 512 MB cache", _with(_before, **_FILTER, **_LARGE_CACHE)),
    AFTER: Use("all five options", _after),
    UNIVERSAL: Use("universal compaction", _with(_after, compaction="universal")),
    DIRECT: Use("direct reads", _with(_after, direct_reads=True)),
    LARGER: Use("1 GB block cache", _with(_after, block_cache_bytes=1024 * MIB)),
    FILES: Use("5,000 open files", _with(_after, open_files=5_000)),
    COMPACTED: Use("a full compaction", _after),
    UNPINNED: Use("all but pinning", _with(_after, pin_level0=False)),
    UNCACHED: Use("index and filter outside of the cache", _with(_after, cache_index_and_filter_blocks=False)),
    TIGHT: Use("RocksDB's defaults, 8 MB cache", {"block_cache_bytes": 8 * MIB}),
    RELAXED: Use("RocksDB's defaults, Bloom filter and 512 MB cache", {**_FILTER, **_LARGE_CACHE}),
    # The note's client library opens SQLite without a mutex; all else is SQLite's default.
    SQLITE: Use("SQLite as run", {"engine": "sqlite", "prepare": "query", "mutex": "none"}),
}
SINGLES = (BLOOM, CACHE, INDEX, PINNED, LARGE)
"""The note's five options one by one; pinning needs the one before it."""
ROUND_TWO = (UNIVERSAL, DIRECT, LARGER, FILES, COMPACTED)
"""What the note proposes next, and a full compaction."""

BENCHMARK, STRIDE, UNIFORM, RANDOM, IN_FILES, LEVEL_0, DEFAULTS, COUNTED = (
    "benchmark", "stride", "uniform", "random", "files", "level0", "defaults", "counted",
)  # fmt: skip
"""Ways to look up. BENCHMARK: the note's, unwarmed. STRIDE: every key at a smaller stride, warm. UNIFORM and RANDOM: at
random, of sequential and of random keys. All these go through the note's whole engine, and rows are written as one.
IN_FILES: RocksDB alone, all rows in compacted files. LEVEL_0: alone, all rows in files of level 0. DEFAULTS: alone,
written in batches. COUNTED: alone, with RocksDB's counters on, which cost time.
"""
AS_WRITTEN = "as_written"
"""RocksDB alone with its rows where one write leaves them: in the memtable."""
PARTS = "parts"


def at(way: str, use: str) -> str:
    """Configuration name."""
    return f"{way}_{use}"


def sized(use: str, rows: int) -> str:
    """Configuration name of the benchmark at one of the smaller sizes."""
    return f"{use}_{rows}"


BESIDE = {state: at(BENCHMARK, f"{SQLITE}_beside_{state}") for state in (BEFORE, AFTER)}
"""SQLite twice in the benchmark: beside each state of the note's engine."""


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    p = parameters
    return (
        *(_arm(BENCHMARK, use, p.rows) for use in (BEFORE, *SINGLES, PAIR, AFTER)),
        _arm(BENCHMARK, BEFORE, p.rows, named=AGAIN),
        *(_arm(BENCHMARK, SQLITE, p.rows, named=BESIDE[state].removeprefix(at(BENCHMARK, ""))) for state in BESIDE),
        *(_arm(BENCHMARK, use, rows, size=True) for rows in p.smaller_rows for use in (BEFORE, AFTER)),
        *(_arm(STRIDE, use, p.rows) for use in (BEFORE, AFTER, *ROUND_TWO, SQLITE)),
        _arm(STRIDE, BEFORE, p.rows, named=AGAIN),
        _arm(STRIDE, AFTER, p.rows, named=PARTS, timing="parts"),
        *(_arm(UNIFORM, use, p.rows) for use in (BEFORE, AFTER, LARGER)),
        *(_arm(RANDOM, use, p.rows) for use in (BEFORE, AFTER)),
        _arm(IN_FILES, BEFORE, p.rows, named=AS_WRITTEN, settle="nothing"),
        *(_arm(IN_FILES, use, p.rows) for use in (BEFORE, BLOOM, CACHE, INDEX, LARGE, AFTER, LARGER)),
        _arm(IN_FILES, BEFORE, p.rows, named=AGAIN),
        *(_arm(LEVEL_0, use, p.rows) for use in (BEFORE, AFTER, UNPINNED)),
        *(_arm(DEFAULTS, use, p.rows) for use in (TIGHT, RELAXED)),
        _arm(COUNTED, BLOOM, p.rows, settle="nothing"),
        *(_arm(COUNTED, use, p.rows) for use in (BEFORE, CACHE, AFTER, UNCACHED)),
    )


SLOW = {(IN_FILES, INDEX), (IN_FILES, AFTER), (STRIDE, COMPACTED), (COUNTED, AFTER), (COUNTED, UNCACHED)}
"""Where the index or the filter of one file, kept in the block cache, can be larger than each of the parts into which
RocksDB divides the cache: then every look-up reads it anew. The last of them is counted beside the one before it.
"""
_LOADED = {IN_FILES: "compact", LEVEL_0: "flush", COUNTED: "compact"}
_ALONE = (IN_FILES, LEVEL_0, DEFAULTS, COUNTED)
_WORDS = {
    BENCHMARK: "benchmark", STRIDE: "stride, warm", UNIFORM: "uniform", RANDOM: "random keys, uniform",
    IN_FILES: "in files", LEVEL_0: "in level 0", DEFAULTS: "in batches", COUNTED: "counted",
}  # fmt: skip


def _arm(
    way: str, use: str, rows: int, *, named: str = "", size: bool = False, settle: str = "", timing: str = "batches"
) -> Configuration:
    """named: where it is not called by its use. size: one of the smaller, which have a group of their own."""
    label = f"{USES[use].label}, {_WORDS[way]}" + (f", {rows:,} rows" if size else "")
    extra = {AGAIN: " (A/A)", AS_WRITTEN: ", as written", PARTS: ", in parts"}.get(named, "")
    if use == SQLITE and named:
        extra = f", beside {named.rpartition('_')[2]}"
    settled = settle or ("compact" if use == COMPACTED else _LOADED.get(way, "nothing"))
    settings: dict[str, Scalar] = {
        "way": way, "use": use, "rows": rows, "settle": settled, "timing": timing, "alone": way in _ALONE,
        "slow": (way, use) in SLOW,
    }  # fmt: skip
    group = "" if way == COUNTED else f"{way} {rows}" if size else way
    name = sized(use, rows) if size else at(way, named or use)
    return Configuration(name, label + extra, settings, group)
