"""The numbers of the chapter, each once and by name, and what its claims stand on.

Times and shares hold what reading the clock costs, as the note's do and as the claims were registered; the numbers
without it stand beside the verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from benchbook.claims import Quantity
from benchbook.experiments.alex_rocksdb import growth, notes, tables
from benchbook.experiments.alex_rocksdb.arms import (
    ABSENT,
    ABSENT_PLAIN,
    AGAIN,
    BENCHMARK,
    BTREE_FIRST,
    DEPENDENT,
    FLAT_ALONE,
    GROWING,
    LOOP,
    NO_ENGINE,
    NO_INDEX,
    PARTS,
    POINT,
    POINT_PARTS,
    THROUGHPUT,
    TOOL,
    TOOL_UNIFORM,
    TOOL_WHOLE,
    WITNESS_AFTER,
    WITNESS_COMPACTED,
    alone,
    grown,
    patterned,
)
from benchbook.experiments.alex_rocksdb.metrics import MEMTABLE
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.families.kv.words import in_turns
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Arm, Estimand, custom, level, ratio, share
from benchbook.experiments.shape.inert import Control, Found, cannot_act
from benchbook.experiments.shape.named import Number, on_hosts, percent
from benchbook.figures import with_interval
from benchbook.model import Estimate
from benchbook.statistics import Gate

TIME, QUERY = "mean_ns", "query_mean_ns"
"""The first of the baseline's two labels: parts of a query are timed in configurations that have no second label."""
PROCESSES = 10
"""Fresh processes for a spread between them."""
AA = (AGAIN, LOOP)
CACHE, BLOOM = ("block_cache_hits", "block_cache_misses"), ("bloom_useful", "bloom_passed")


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Every answer of the store checked, and every store as named."""
    return [*summary.consistency_gates(), *summary.state_gates(answer.estimand.names(summary))]


def _of_query(arm: str, part: str, *, net: bool = False) -> Number:
    """Share of a part of the mean time of a query. net: whether it is also told less what reading the clock costs."""

    def beside(summary: Summary) -> str:
        return _without_clock(summary.share(arm, f"{part}_net_share"))

    words = beside if net else None
    return percent(share(arm, f"{part}_share", "lookups", quantity=Quantity.PARTS, aa=TIME, working=words))


def _times(top: tuple[str, str], bottom: tuple[str, str], inert: Found | None = None) -> Estimand:
    """Ratio of two times, which is also told without the clock."""

    def beside(summary: Summary) -> str:
        above, below = ((arm, metric.replace("_mean_ns", "_net_ns")) for arm, metric in (top, bottom))
        return _without_clock(summary.ratio(above, below))

    return ratio(top, bottom, aa=TIME, working=beside, inert=inert)


def _without_clock(estimate: Estimate) -> str:
    return f"Without the cost of reading the clock it would be {with_interval(estimate)}; as registered"


def _removed(arm: str) -> Number:
    """Share of a query's time that disappears when a part is left out."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return growth.removed(summary, arm, confidence)

    return percent(custom(compute, Quantity.COMPARISON, arm, LOOP, aa=TIME))


def _rows(index: str, name: str) -> Arm:
    """An index alone at the most or the fewest rows: a parameter's name."""
    return lambda summary: grown(index, getattr(summary.parameters, name))


def _patterned(drawn: str, compacted: bool) -> Arm:
    return lambda summary: patterned(summary.parameters, drawn, compacted=compacted)


def _over_alex(index: str) -> Number:
    """Times as long as ALEX another index takes alone, with random keys, each look-up waiting for the last."""
    return on_hosts(ratio(alone(index, "random", DEPENDENT), alone("alex", "random", DEPENDENT), TIME))


def _too_few_processes(summary: Summary) -> str:
    """Two trials of a block share its moment, so that each block has one process."""
    few = summary.run.blocks < PROCESSES
    return f"{summary.run.blocks} processes where the claim names {PROCESSES}" if few else ""


_alone_over_engine = ratio((_rows("note_levels", "rows"), TIME), (TOOL, "engine_mean_ns")).compute
_NO_LSM = cannot_act(
    "files",
    (PARTS, growth.smallest),
    counted="RocksDB had 0 files in {} trials",
    why="as the note's benchmark writes its rows, all of them are in one memtable while it looks them up, so that no "
    "look-up reads the levels of an LSM tree",
    control=Control("compacted_stride", "files", "flushed and compacted, the store has at least {} file a trial", ""),
)
"""What RocksDB's part of a query is not: the read path that the note's sentence names."""
_LAWS = {(law, place): f"{law}_{place}" for law in ("uniform", "zipf") for place in ("memory", "files")}
NUMBERS = {
    **{f"tool_{part}": on_hosts(_of_query(TOOL, part), " %") for part in ("index", "engine", "rest")},
    "engine": _of_query(PARTS, "engine", net=True),
    "index": _of_query(PARTS, "index", net=True),
    "rest": _of_query(POINT_PARTS, "rest", net=True),
    **{f"net_{part}": on_hosts(percent(share(PARTS, f"{part}_net_share", "lookups")), " %")
       for part in ("engine", "index")},
    "removed_index": on_hosts(_removed(NO_INDEX), " %"),
    "removed_engine": _removed(NO_ENGINE),
    "engine_of_growth": percent(
        custom(growth.engine_share_of_growth, Quantity.COMPARISON, PARTS, growth.smallest, aa=TIME, inert=_NO_LSM)
    ),
    "btree_first": ratio(BTREE_FIRST, LOOP, TIME),
    # The note's tree against the usual index; against a store that it stands in front of, a small one could only lose.
    "scales": custom(growth.note_tree_against_btree, Quantity.COMPARISON, aa=TIME),
    "all_keys": ratio(TOOL_UNIFORM, TOOL, QUERY, aa=TIME),
    "sum_of_parts": ratio((PARTS, QUERY), (POINT, TIME), aa=TIME),
    "alone_over_engine": custom(_alone_over_engine, Quantity.COMPARISON, TOOL, aa=TIME),
    "tool_index_over_engine": ratio((TOOL, "index_mean_ns"), (TOOL, "engine_mean_ns"), aa=TIME),
    "among_engine": _times((PARTS, "index_mean_ns"), (FLAT_ALONE, "index_mean_ns")),
    "engine_over_index": _times((PARTS, "engine_mean_ns"), (PARTS, "index_mean_ns"), _NO_LSM),
    "between_processes": custom(growth.between_processes, Quantity.DISPERSION, LOOP, departs=_too_few_processes),
    "clocks": ratio((TOOL, QUERY), (TOOL_WHOLE, TIME), aa=TIME),
    "clock_ns": level(TOOL, "timer_ns"),
    "tool_rest_ns": level(TOOL, "rest_mean_ns"),
    "additivity": custom(growth.additivity, Quantity.COMPARISON),
    "tool_of_benchmark": percent(ratio((TOOL, QUERY), (BENCHMARK, TIME))),
    "row_cache": ratio(POINT, LOOP, TIME),
    **{name: ratio(_patterned(law, place == "files"), _patterned("stride", place == "files"), QUERY)
       for (law, place), name in _LAWS.items()},
    "settled": ratio(_patterned("uniform", True), _patterned("uniform", False), "engine_mean_ns"),
    "without_index": on_hosts(ratio(NO_INDEX, LOOP, TIME)),
    "absent": ratio(ABSENT_PLAIN, ABSENT, TIME),
    **{f"{index}_over_alex": _over_alex(index) for index in ("hash", "btree", "note_levels")},
    **{f"{index}_grows": ratio(_rows(index, "rows"), _rows(index, "small_rows"), TIME) for index in GROWING},
    **{f"parts_grow_{kind}": custom(partial(growth.index_against_engine, kind=kind), Quantity.COMPARISON)
       for kind in ("mean", "net")},
    **{f"{index}_{kind}": ratio(alone(index, "random", kind), alone("btree", "random", kind), TIME)
       for index in ("note_flat", "note_levels", "alex") for kind in (THROUGHPUT, DEPENDENT)},
    "tree_bytes": level(alone("note_levels", "random", THROUGHPUT), "resident_bytes_per_key"),
}  # fmt: skip


def _mean(arm: str, metric: str) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric)


def _total(arm: str, *metrics: str) -> Callable[[Summary], float]:
    return lambda summary: float(sum(summary.values(arm, metric).sum() for metric in metrics))


WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: in_turns(summary.parameters),
    "held_rows": _mean(LOOP, "memtable_rows"),
    "files": _mean(LOOP, "files"),
    "writes": _mean(LOOP, "writes"),
    "leaves": _mean(LOOP, "leaves"),
    "leaf_bytes": _mean(LOOP, "index_bytes_per_key"),
    "asked": _total(WITNESS_AFTER, "lookups"),
    "answered": _total(WITNESS_AFTER, "memtable_hits"),
    "cached": _total(WITNESS_AFTER, *CACHE),
    "filtered": _total(WITNESS_AFTER, *BLOOM),
    "cached_compacted": _total(WITNESS_COMPACTED, *CACHE),
    "passed_compacted": _total(WITNESS_COMPACTED, "bloom_passed"),
    "tool_files": _mean(TOOL, "files"),
    "tool_rows": _mean(TOOL, "memtable_rows"),
    "tool_in_memory": lambda summary: {*summary.rows_in(TOOL)} == {MEMTABLE},
    "noted": lambda summary: {part: 100 * notes.breakdown_share(part) for part in notes.COMPONENTS},
    "noted_ns": lambda summary: {part: notes.breakdown_ns(part) for part in notes.COMPONENTS},
    "benchmark_ns": lambda summary: notes.benchmark_ns(),
    "noted_bytes": lambda summary: notes.bytes_per_key(),
}
TABLES = {
    "note_claims": lambda summary: notes.note_tables(),
    "evidence": tables.evidence,
    "index_table": tables.index_table,
    "largest": tables.largest,
}
