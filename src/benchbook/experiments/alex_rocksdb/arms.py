"""The configurations: which program of the note is re-enacted, what is left out or replaced, sizes, key patterns."""

from __future__ import annotations

from benchbook.experiments.alex_rocksdb.parameters import Parameters
from benchbook.experiments.planning import blocked
from benchbook.model import Configuration, Plan, Scalar

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
LAWS = ("stride", "uniform", "zipf")
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
GROWING = ("note_levels", "btree", "alex")
"""Indexes that are also measured alone at the ends of the ladder, on random keys."""


def sized(parameters: Parameters, rows: int) -> str:
    """Configuration name of the timed parts at a number of rows."""
    return PARTS if rows == parameters.rows else f"parts_{rows}"


def patterned(parameters: Parameters, law: str, *, compacted: bool) -> str:
    """Configuration name of the timed parts under a key pattern, read from the memtable or from compacted files."""
    if law == "stride" and not compacted:
        return sized(parameters, parameters.law_rows)
    return f"{'compacted' if compacted else 'memtable'}_{law}"


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
        _arm(LOOP, "ALEX, then RocksDB", p.rows),
        _arm(AGAIN, "ALEX, then RocksDB, again (A/A)", p.rows),
        _arm(PARTS, "the same, a timer around each part", p.rows, timing="parts"),
        _arm(POINT, "with the row cache", p.rows, row_cache=True),
        _arm(POINT_PARTS, "with the row cache, a timer around each part", p.rows, row_cache=True, timing="parts"),
        _arm(BENCHMARK, "as the benchmark", p.rows, row_cache=True, pattern=OF_BENCHMARK),
        _arm(NO_ENGINE, "RocksDB left out", p.rows, without="engine"),
        _arm(NO_INDEX, "ALEX left out", p.rows, without="index"),
        _arm(BTREE_FIRST, "B-tree, then RocksDB", p.rows, index="btree"),
        _arm(TOOL, "as the diagnostic program", p.rows, options="tool", pattern=OF_TOOL, timing="parts"),
        _arm(
            TOOL_UNIFORM, "as the diagnostic program, keys from all rows", p.rows, options="tool", pattern=OF_TOOL,
            timing="parts", law="uniform",
        ),
        _arm(TOOL_WHOLE, "as the diagnostic program, timed as a whole", p.rows, options="tool", pattern=OF_TOOL),
        _arm(FLAT_ALONE, "ALEX alone, a timer around it", p.rows, engine="none", options="none", timing="parts"),
        *(_arm(sized(p, rows), f"timed parts, {rows:,} rows", rows, timing="parts") for rows in ladder),
        *_patterns(p),
        _arm(NOTHING, "ALEX and RocksDB left out", p.law_rows, without="both"),
        _arm(ABSENT, "absent keys, ALEX, then RocksDB", p.law_rows, absent=True),
        _arm(ABSENT_PLAIN, "absent keys, RocksDB without an index", p.law_rows, absent=True, index="none"),
        _arm(WITNESS, "counters, before options", p.law_rows, statistics=True),
        _arm(WITNESS_AFTER, "counters, after options", p.law_rows, statistics=True, options="after"),
        _arm(
            WITNESS_COMPACTED, "counters, after options, compacted", p.law_rows, statistics=True, options="after",
            settle="compact",
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
        for law in LAWS:
            name = patterned(p, law, compacted=compacted)
            if law == "stride" and not compacted:
                continue  # the ladder has it
            where = "compacted files" if compacted else "memtable"
            settle = "compact" if compacted else "nothing"
            arms.append(_arm(name, f"{law}, {where}", p.law_rows, timing="parts", law=law, settle=settle))
    return arms


def _alone(name: str, label: str, index: str, rows: int, keys: str, kind: str) -> Configuration:
    return _arm(
        name, label, rows, engine="none", options="none", index=index, index_load="bulk", keys=keys, law="uniform",
        dependent=kind == DEPENDENT,
    )  # fmt: skip


def _arm(name: str, label: str, rows: int, **others: Scalar) -> Configuration:
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
    return Configuration(name, label, settings | others)


def plan(parameters: Parameters) -> Plan:
    """All configurations once per block, in an order drawn from the seed."""
    return blocked(configurations(parameters), parameters.blocks, parameters.seed)
