"""What can be set, and the configurations: which program of the note is re-enacted, what is left out, sizes, keys."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.kv.parameters import TurnParameters
from benchbook.model import Configuration, Scalar
from benchbook.parameters.base import asked

LOOP = "index_then_engine"
AGAIN = "index_then_engine_again"
PARTS = "parts"
POINT = "point_query"
POINT_PARTS = "point_query_parts"
BENCHMARK = "benchmark"
NO_ENGINE = "without_engine"
NO_INDEX = "without_index"
NOTHING = "without_both"
BTREE_FIRST = "btree_then_engine"
TOOL = "tool"
TOOL_UNIFORM = "tool_uniform"
TOOL_WHOLE = "tool_timed_as_a_whole"
FLAT_ALONE = "note_flat_alone"
ABSENT, ABSENT_PLAIN = "absent_keys", "absent_keys_without_index"
WITNESS, WITNESS_AFTER, WITNESS_COMPACTED = "witness_before", "witness_after", "witness_after_compacted"

WHOLE, OF_TOOL, OF_BENCHMARK = "whole", "tool", "benchmark"
"""Whose keys: a fixed stride over all rows, the diagnostic program's every 100th, the benchmark's few far apart."""
DISTRIBUTIONS = ("stride", "uniform", "zipf")
INDEXES = {
    "alex": "ALEX (from the paper)",
    "alex_simd": "ALEX (from the paper), SIMD",
    "note_flat": "the note's flat tree",
    "note_levels": "the note's multi-level tree",
    "btree": "B-tree (absl)",
    "hash": "hash table (absl)",
    "sorted": "sorted array",
}
KEYS = ("sequential", "random")
THROUGHPUT, DEPENDENT = "throughput", "dependent"
BREAKDOWN, LEFT_OUT, LAWS = "breakdown", "parts left out", "laws of keys"
"""Groups, beside those of the indexes alone: what is compared takes turns, as far as memory holds it."""
GROWING = ("note_levels", "btree", "alex")
"""Indexes that are also measured alone at the ends of the ladder, on random keys."""


class Parameters(TurnParameters):
    """Defaults are the standard profile: the note's ten million rows where a claim asks for them."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    rows: int = asked(
        10_000_000, "rows", ge=2_000, le=200_000_000, description="rows of the note's scale, in most arms"
    )
    law_rows: int = Field(
        1_000_000, ge=2_000, le=200_000_000, description="rows where key patterns and a compacted store are compared"
    )
    between_rows: tuple[int, ...] = Field(
        (100_000,), description="further numbers of rows of the breakdown, between small_rows and law_rows"
    )
    small_rows: int = asked(
        10_000, "rows to grow from", ge=1_000, le=200_000_000, description="rows from which growth is counted"
    )
    index_rows: int = Field(1_000_000, ge=1_000, le=200_000_000, description="keys where all indexes are compared")
    lookups: int = asked(
        100_000, "look-ups a trial", ge=256, le=100_000_000,
        description="look-ups of a trial, over the whole key space",
    )  # fmt: skip
    tool_lookups: int = asked(
        10_000, "look-ups of the diagnostic program", ge=256, le=100_000_000,
        description="look-ups of the note's diagnostic program, at every 100th key",
    )  # fmt: skip
    tool_batch_rows: int = Field(
        100, ge=1, le=100_000, description="rows of one write of that program's store; the program itself wrote one"
    )
    benchmark_lookups: int = asked(
        1_000, "look-ups of the benchmark", ge=1, le=65_536,
        description="look-ups of the note's benchmark, evenly over all keys, without warm-up",
    )  # fmt: skip
    row_cache_entries: int = asked(
        1_000, "rows in the row cache", ge=1, le=100_000_000, description="rows of the engine's cache before both"
    )
    zipf_exponent: float = Field(0.99, gt=0, lt=20, description="exponent of the Zipf pattern")
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        between = self.between_rows
        if len(set(between)) != len(between) or any(not self.small_rows < each < self.law_rows for each in between):
            raise ValueError(
                f"between_rows={between} must lie between small_rows={self.small_rows} and law_rows={self.law_rows}, "
                "each number once"
            )
        if not self.small_rows < self.law_rows <= self.rows:
            raise ValueError(
                f"small_rows={self.small_rows}, law_rows={self.law_rows} and rows={self.rows} must rise in this order; "
                "the last two may be equal"
            )
        if self.index_rows > self.rows:
            raise ValueError(f"index_rows={self.index_rows} is above rows={self.rows}")
        return self

    @property
    def ladder(self) -> tuple[int, ...]:
        """Numbers of rows at which the parts of a query are timed, rising."""
        return tuple(sorted({self.small_rows, *self.between_rows, self.law_rows, self.rows}))

    @property
    def store_bytes(self) -> int:
        """Disk that a trial takes at most: a log and one generation of files, or two generations when compacting."""
        return max(90 * self.rows, 200 * self.law_rows) + 300_000_000

    @property
    def memory_bytes(self) -> int:
        """Memory of the largest trial: rows, one write of all of them, the memtable, the note's tree with its gaps."""
        return 450 * self.rows + 500_000_000


def sized(parameters: Parameters, rows: int) -> str:
    """Configuration name of the timed parts at a number of rows."""
    return PARTS if rows == parameters.rows else f"parts_{rows}"


def patterned(parameters: Parameters, drawn: str, *, compacted: bool) -> str:
    """Configuration name of the timed parts under a key pattern, read from the memtable or from compacted files."""
    if drawn == "stride" and not compacted:
        return sized(parameters, parameters.law_rows)
    return f"{'compacted' if compacted else 'memtable'}_{drawn}"


def alone(index: str, keys: str, kind: str) -> str:
    """Configuration name of an index without an engine, where all are compared."""
    return f"{index}_{keys}_{kind}"


def grown(index: str, rows: int) -> str:
    """Configuration name of an index without an engine on random keys, at the ends of the ladder."""
    return f"{index}_alone_{rows}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    p = parameters
    ladder = [rows for rows in p.ladder if rows != p.rows]
    return (
        _arm(LOOP, "ALEX, then RocksDB", p.rows, group=LEFT_OUT),
        _arm(AGAIN, "ALEX, then RocksDB, again (A/A)", p.rows, group=LEFT_OUT),
        _arm(PARTS, "the same, a timer around each part", p.rows, timing="parts"),
        _arm(POINT, "with the row cache", p.rows, row_cache=True),
        _arm(POINT_PARTS, "with the row cache, a timer around each part", p.rows, row_cache=True, timing="parts"),
        _arm(BENCHMARK, "as the benchmark", p.rows, row_cache=True, pattern=OF_BENCHMARK, group=LEFT_OUT),
        _arm(NO_ENGINE, "RocksDB left out", p.rows, without="engine", group=LEFT_OUT),
        _arm(NO_INDEX, "ALEX left out", p.rows, without="index", group=LEFT_OUT),
        _arm(BTREE_FIRST, "B-tree, then RocksDB", p.rows, index="btree", group=LEFT_OUT),
        _arm(TOOL, "as the diagnostic program", p.rows, options="tool", pattern=OF_TOOL, timing="parts"),
        _arm(
            TOOL_UNIFORM, "as the diagnostic program, keys from all rows", p.rows, options="tool", pattern=OF_TOOL,
            timing="parts", law="uniform",
        ),
        _arm(TOOL_WHOLE, "as the diagnostic program, timed as a whole", p.rows, options="tool", pattern=OF_TOOL),
        _arm(FLAT_ALONE, "ALEX alone, a timer around it", p.rows, engine="none", options="none", timing="parts"),
        *(_arm(sized(p, rows), f"timed parts, {rows:,} rows", rows, timing="parts") for rows in ladder),
        *_patterns(p),
        _arm(NOTHING, "ALEX and RocksDB left out", p.law_rows, without="both", group=LAWS),
        _arm(ABSENT, "absent keys, ALEX, then RocksDB", p.law_rows, absent=True, group=LAWS),
        _arm(ABSENT_PLAIN, "absent keys, RocksDB without an index", p.law_rows, absent=True, index="none", group=LAWS),
        _arm(WITNESS, "counters, before options", p.law_rows, statistics=True, group=LAWS),
        _arm(WITNESS_AFTER, "counters, after options", p.law_rows, statistics=True, options="after", group=LAWS),
        _arm(
            WITNESS_COMPACTED, "counters, after options, compacted", p.law_rows, statistics=True, options="after",
            settle="compact", group=LAWS,
        ),
        *(
            _alone(grown(index, rows), f"{INDEXES[index]}, {rows:,} random keys", index, rows, "random", THROUGHPUT)
            for index in GROWING
            for rows in (p.small_rows, p.rows)
        ),
        *(
            _alone(alone(index, keys, kind), f"{INDEXES[index]}, {keys} keys, {kind}", index, p.index_rows, keys, kind)
            for index in INDEXES
            for keys in KEYS
            for kind in (THROUGHPUT, DEPENDENT)
        ),
    )  # fmt: skip


def _patterns(p: Parameters) -> list[Configuration]:
    arms = []
    for compacted in (False, True):
        for drawn in DISTRIBUTIONS:
            name = patterned(p, drawn, compacted=compacted)
            if drawn == "stride" and not compacted:
                continue  # the ladder has it
            where = "compacted files" if compacted else "memtable"
            settle = "compact" if compacted else "nothing"
            arms.append(
                _arm(name, f"{drawn}, {where}", p.law_rows, timing="parts", law=drawn, settle=settle, group=LAWS)
            )
    return arms


def _alone(name: str, label: str, index: str, rows: int, keys: str, kind: str) -> Configuration:
    return _arm(
        name, label, rows, engine="none", options="none", index=index, index_load="bulk", keys=keys, law="uniform",
        dependent=kind == DEPENDENT, group=f"indexes, {kind}",
    )  # fmt: skip


def _arm(name: str, label: str, rows: int, *, group: str = BREAKDOWN, **others: Scalar) -> Configuration:
    """group: those with which it takes turns. The breakdown is compared over sizes, so all of its sizes are in one."""
    settings: dict[str, Scalar] = {
        "rows": rows,
        "keys": "sequential",
        "engine": "rocksdb",
        "options": "before",
        "statistics": False,
        "settle": "nothing",
        "index": "note_flat",
        "index_load": "single",
        "row_cache": False,
        "pattern": WHOLE,
        "law": "stride",
        "timing": "batches",
        "without": "nothing",
        "dependent": False,
        "absent": False,
    }
    return Configuration(name, label, settings | others, group)
