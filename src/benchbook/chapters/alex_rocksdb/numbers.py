"""The numbers of the chapter, each once and by name, its tables, and what its claims stand on.

Times and shares hold what reading the clock costs, as the note's do and as the claims were registered; the numbers
without it stand beside the verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd

from benchbook.chapters.alex_rocksdb import arms
from benchbook.chapters.alex_rocksdb.metrics import MEMTABLE, TICKERS, levels_over
from benchbook.chapters.alex_rocksdb.summary import Summary, benchmark_ns, note_claims, noted, noted_bytes
from benchbook.claims import Quantity
from benchbook.figures import spoken, with_interval
from benchbook.measuring.kv.checks import compared
from benchbook.measuring.kv.words import in_turns
from benchbook.model import Estimate
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Arm, Estimand, custom, level, ratio, saved, share
from benchbook.numbers.quantities import Number, on_hosts, percent
from benchbook.pages.tables import Columns, means, table
from benchbook.statistics import Gate

TIME, QUERY = "mean_ns", "query_mean_ns"
"""The first of the baseline's two labels: parts of a query are timed in configurations that have no second label."""
PROCESSES = 10
"""Fresh processes for a spread between them."""
AA = (arms.AGAIN, arms.LOOP)


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Every answer of the store checked, which without store and index there is none of; every store as named."""
    trials = summary.run.trials
    states = summary.state_gate(answer.estimand.names(summary))
    return [*compared(trials[trials["configuration"] != arms.NOTHING]), states]


def _of_query(arm: str, part: str, *, net: bool = False) -> Number:
    """Share of a part of the mean time of a query. net: whether it is also told less what reading the clock costs."""

    def beside(summary: Summary) -> str:
        return _without_clock(summary.share(arm, f"{part}_net_share"))

    words = beside if net else None
    return percent(share(arm, f"{part}_share", "lookups", quantity=Quantity.PARTS, aa=TIME, working=words))


def _no_level(summary: Summary) -> str:
    """That RocksDB's part of a query is not the read path that the note's sentence names; "" where it may be."""
    files = max(float(summary.values(arm, "files").max()) for arm in (arms.PARTS, Summary.smallest(summary)))
    none = "RocksDB had no file, each get is a search in the memtable's skip list, and no LSM level was read"
    return "" if files else none


def _times(top: tuple[str, str], bottom: tuple[str, str], *, also: Callable[[Summary], str] | None = None) -> Estimand:
    """Ratio of two times, which is also told without the clock. also: what else the reason tells."""

    def beside(summary: Summary) -> str:
        above, below = ((arm, metric.replace("_mean_ns", "_net_ns")) for arm, metric in (top, bottom))
        told = [also(summary) if also else "", _without_clock(summary.ratio(above, below))]
        return ". ".join(filter(None, told))

    return ratio(top, bottom, aa=TIME, working=beside)


def _without_clock(estimate: Estimate) -> str:
    return f"Without the cost of reading the clock it would be {with_interval(estimate)}; as registered"


def _rows(index: str, name: str) -> Arm:
    """An index alone at the most or the fewest rows: a parameter's name."""
    return lambda summary: arms.grown(index, getattr(summary.parameters, name))


def _patterned(drawn: str, compacted: bool) -> Arm:
    return lambda summary: arms.patterned(summary.parameters, drawn, compacted=compacted)


def _over_alex(index: str) -> Number:
    """Times as long as ALEX another index takes alone, with random keys, each look-up waiting for the last."""
    other, alex = (arms.alone(each, "random", arms.DEPENDENT) for each in (index, "alex"))
    return on_hosts(ratio(other, alex, TIME))


def _too_few_processes(summary: Summary) -> str:
    """Two trials of a block share its moment, so that each block has one process."""
    few = summary.run.blocks < PROCESSES
    return f"{summary.run.blocks} processes where the claim names {PROCESSES}" if few else ""


_alone_over_engine = ratio((_rows("note_levels", "rows"), TIME), (arms.TOOL, "engine_mean_ns")).compute
_LAWS = {(law, place): f"{law}_{place}" for law in ("uniform", "zipf") for place in ("memory", "files")}
NUMBERS = {
    **{f"tool_{part}": on_hosts(_of_query(arms.TOOL, part), " %") for part in ("index", "engine", "rest")},
    "engine": _of_query(arms.PARTS, "engine", net=True),
    "index": _of_query(arms.PARTS, "index", net=True),
    "rest": _of_query(arms.POINT_PARTS, "rest", net=True),
    **{f"net_{part}": on_hosts(percent(share(arms.PARTS, f"{part}_net_share", "lookups")), " %")
       for part in ("engine", "index")},
    "removed_index": on_hosts(percent(saved(arms.NO_INDEX, arms.LOOP, TIME)), " %"),
    "removed_engine": percent(saved(arms.NO_ENGINE, arms.LOOP, TIME)),
    "engine_of_growth": percent(custom(Summary.engine_share_of_growth, Quantity.COMPARISON, arms.PARTS,
                                       Summary.smallest, aa=TIME, working=_no_level)),
    "btree_first": ratio(arms.BTREE_FIRST, arms.LOOP, TIME),
    # The note's tree against the usual index; against a store that it stands in front of, a small one could only lose.
    "scales": custom(Summary.note_tree_against_btree, Quantity.COMPARISON, aa=TIME),
    "all_keys": ratio(arms.TOOL_UNIFORM, arms.TOOL, QUERY, aa=TIME),
    "sum_of_parts": ratio((arms.PARTS, QUERY), (arms.POINT, TIME), aa=TIME),
    "alone_over_engine": custom(_alone_over_engine, Quantity.COMPARISON, arms.TOOL, aa=TIME),
    "tool_index_over_engine": ratio((arms.TOOL, "index_mean_ns"), (arms.TOOL, "engine_mean_ns"), aa=TIME),
    "among_engine": _times((arms.PARTS, "index_mean_ns"), (arms.FLAT_ALONE, "index_mean_ns")),
    "engine_over_index": _times((arms.PARTS, "engine_mean_ns"), (arms.PARTS, "index_mean_ns"), also=_no_level),
    "between_processes": custom(
        Summary.between_processes, Quantity.DISPERSION, arms.LOOP, departs=_too_few_processes
    ),
    "clocks": ratio((arms.TOOL, QUERY), (arms.TOOL_WHOLE, TIME), aa=TIME),
    "clock_ns": level(arms.TOOL, "timer_ns"),
    "tool_rest_ns": level(arms.TOOL, "rest_mean_ns"),
    "additivity": custom(Summary.additivity, Quantity.COMPARISON),
    "tool_of_benchmark": percent(ratio((arms.TOOL, QUERY), (arms.BENCHMARK, TIME))),
    "row_cache": ratio(arms.POINT, arms.LOOP, TIME),
    **{name: ratio(_patterned(law, place == "files"), _patterned("stride", place == "files"), QUERY)
       for (law, place), name in _LAWS.items()},
    "settled": ratio(_patterned("uniform", True), _patterned("uniform", False), "engine_mean_ns"),
    "without_index": on_hosts(ratio(arms.NO_INDEX, arms.LOOP, TIME)),
    "absent": ratio(arms.ABSENT_PLAIN, arms.ABSENT, TIME),
    **{f"{index}_over_alex": _over_alex(index) for index in ("hash", "btree", "note_levels")},
    **{f"{index}_grows": ratio(_rows(index, "rows"), _rows(index, "small_rows"), TIME) for index in arms.GROWING},
    **{f"parts_grow_{kind}": custom(partial(Summary.index_against_engine, kind=kind), Quantity.COMPARISON)
       for kind in ("mean", "net")},
    **{f"{index}_{kind}": ratio(arms.alone(index, "random", kind), arms.alone("btree", "random", kind), TIME)
       for index in ("note_flat", "note_levels", "alex") for kind in (arms.THROUGHPUT, arms.DEPENDENT)},
    "tree_bytes": level(arms.alone("note_levels", "random", arms.THROUGHPUT), "resident_bytes_per_key"),
}  # fmt: skip


def _mean(arm: str, metric: str) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric)


def _total(arm: str, *metrics: str) -> Callable[[Summary], float]:
    return lambda summary: float(sum(summary.values(arm, metric).sum() for metric in metrics))


WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: in_turns(summary.parameters),
    "held_rows": _mean(arms.LOOP, "memtable_rows"),
    "files": _mean(arms.LOOP, "files"),
    "writes": _mean(arms.LOOP, "writes"),
    "leaves": _mean(arms.LOOP, "leaves"),
    "leaf_bytes": _mean(arms.LOOP, "index_bytes_per_key"),
    "asked": _total(arms.WITNESS_AFTER, "lookups"),
    "answered": _total(arms.WITNESS_AFTER, "memtable_hits"),
    "cached": _total(arms.WITNESS_AFTER, "block_cache_hits", "block_cache_misses"),
    "filtered": _total(arms.WITNESS_AFTER, "bloom_useful", "bloom_passed"),
    "cached_compacted": _total(arms.WITNESS_COMPACTED, "block_cache_hits", "block_cache_misses"),
    "passed_compacted": _total(arms.WITNESS_COMPACTED, "bloom_passed"),
    "tool_files": _mean(arms.TOOL, "files"),
    "tool_rows": _mean(arms.TOOL, "memtable_rows"),
    "tool_in_memory": lambda summary: {*summary.rows_in(arms.TOOL)} == {MEMTABLE},
    "noted": lambda summary: noted("share_percent"),
    "noted_ns": lambda summary: noted("before_ns"),
    "benchmark_ns": lambda summary: benchmark_ns(),
    "noted_bytes": lambda summary: noted_bytes(),
}


def _evidence(summary: Summary) -> pd.DataFrame:
    """RocksDB's own counters, mean over trials: rows in the memtable, files, and who answered the look-ups."""
    compacted = arms.patterned(summary.parameters, "uniform", compacted=True)
    shown = (arms.LOOP, arms.POINT, arms.BENCHMARK, arms.TOOL, arms.TOOL_UNIFORM, compacted, arms.WITNESS,
             arms.WITNESS_AFTER, arms.WITNESS_COMPACTED)  # fmt: skip
    columns: Columns = {
        "read from": lambda arm: " or ".join(sorted({*summary.rows_in(arm)})),
        **means(summary, "memtable_rows", "files", "writes", "row_cache_hits", *TICKERS),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in shown], columns)


def _held(summary: Summary, metric: str) -> Callable[[Any], str]:
    """Bytes a key, of a row that is an index and its configuration."""
    return lambda row: with_interval(summary.level(row[1], metric))


def _height(summary: Summary, row: tuple[str, str]) -> str:
    """Nodes from the root to a leaf: the deepest path of ALEX, every path of the note's multi-level tree."""
    index, arm = row
    levels = levels_over(summary.mean(arm, "leaves")) if index == "note_levels" else summary.mean(arm, "depth") + 1
    return f"{levels:,.0f}"


def _index_table(summary: Summary) -> pd.DataFrame:
    """Every index alone: times, bytes per key, height."""

    def time(keys: str, kind: str) -> Callable[[Any], str]:
        return lambda row: spoken(summary.level(arms.alone(row[0], keys, kind), TIME))

    columns = {f"{keys}, {kind}": time(keys, kind) for keys in arms.KEYS for kind in (arms.THROUGHPUT, arms.DEPENDENT)}
    columns |= {
        "bytes per key, its own count": _held(summary, "index_bytes_per_key"),
        "bytes per key, the process": _held(summary, "resident_bytes_per_key"),
        "levels": partial(_height, summary),
    }
    rows = {index: arms.alone(index, "random", arms.THROUGHPUT) for index in arms.INDEXES}
    return table([({"index": arms.INDEXES[index]}, (index, arm)) for index, arm in rows.items()], columns)


def _largest(summary: Summary) -> pd.DataFrame:
    """The indexes that were also measured alone at the ends of the ladder, on random keys."""
    columns: dict[str, Callable[[Any], str]] = {
        "look-up": lambda row: spoken(summary.level(row[1], TIME)),
        "bytes per key": _held(summary, "resident_bytes_per_key"),
        "levels": partial(_height, summary),
    }
    sizes = (summary.parameters.small_rows, summary.parameters.rows)
    rows = [
        ({"index": arms.INDEXES[index], "keys": f"{keys:,}"}, (index, arms.grown(index, keys)))
        for index in arms.GROWING
        for keys in sizes
    ]
    return table(rows, columns).reset_index("keys")


TABLES = {
    "note_claims": lambda summary: note_claims(),
    "evidence": _evidence,
    "index_table": _index_table,
    "largest": _largest,
}
