"""The chapter's tables: where the rows were when they were read, and what every index takes in time and memory."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.experiments.alex_rocksdb.arms import (
    BENCHMARK,
    DEPENDENT,
    INDEXES,
    KEYS,
    LOOP,
    POINT,
    THROUGHPUT,
    TOOL,
    TOOL_UNIFORM,
    WITNESS,
    WITNESS_AFTER,
    WITNESS_COMPACTED,
    alone,
    grown,
    patterned,
)
from benchbook.experiments.alex_rocksdb.metrics import TICKERS, levels_over
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.shape.tables import Columns, cells, means, table
from benchbook.figures import spoken, with_interval


def evidence(summary: Summary) -> pd.DataFrame:
    """RocksDB's own counters, mean over trials: rows in the memtable, files, and who answered the look-ups."""
    compacted = patterned(summary.parameters, "uniform", compacted=True)
    arms = (LOOP, POINT, BENCHMARK, TOOL, TOOL_UNIFORM, compacted, WITNESS, WITNESS_AFTER, WITNESS_COMPACTED)
    columns: Columns = {
        "read from": lambda arm: _states(summary, arm),
        **means(summary, "memtable_rows", "files", "writes", "row_cache_hits", *TICKERS),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in arms], columns)


def index_table(summary: Summary) -> pd.DataFrame:
    """Every index alone: times, bytes per key, height."""
    columns: Columns = {}
    for keys in KEYS:
        for kind in (THROUGHPUT, DEPENDENT):
            columns[f"{keys}, {kind}"] = lambda index, keys=keys, kind=kind: spoken(  # type: ignore[misc]
                summary.time(alone(index, keys, kind))
            )

    def arm(index: str) -> str:
        return alone(index, "random", THROUGHPUT)

    columns |= {
        "bytes per key, its own count": lambda index: _bytes(summary, arm(index), "index_bytes_per_key"),
        "bytes per key, the process": lambda index: _bytes(summary, arm(index), "resident_bytes_per_key"),
        "levels": lambda index: _levels(summary, index, arm(index)),
    }
    return table([({"index": label}, index) for index, label in INDEXES.items()], columns)


def largest(summary: Summary) -> pd.DataFrame:
    """The indexes that were also measured alone at the ends of the ladder, on random keys."""
    p = summary.parameters
    rows = []
    for index in ("note_levels", "btree", "alex"):
        for keys in (p.small_rows, p.rows):
            columns: Columns = {
                "look-up": lambda arm: spoken(summary.time(arm)),
                "bytes per key": lambda arm: _bytes(summary, arm, "resident_bytes_per_key"),
                "levels": partial(_levels, summary, index),
            }
            rows.append({"index": INDEXES[index], "keys": f"{keys:,}"} | cells(columns, grown(index, keys)))
    return pd.DataFrame(rows).set_index("index")


def _bytes(summary: Summary, arm: str, metric: str) -> str:
    return with_interval(summary.level(arm, metric))


def _levels(summary: Summary, index: str, arm: str) -> str:
    """Nodes from the root to a leaf: the deepest path of ALEX, every path of the note's multi-level tree."""
    if index == "note_levels":
        return f"{levels_over(summary.values(arm, 'leaves').mean())}"
    return f"{summary.values(arm, 'depth').mean() + 1:,.0f}"


def _states(summary: Summary, arm: str) -> str:
    found = summary.rows_in(arm)
    return " or ".join(sorted(set(found)))
