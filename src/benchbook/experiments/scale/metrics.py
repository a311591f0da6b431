"""A probe's answer in, the metrics of a trial out: time of inserting, time of look-ups, what the engine then held."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.experiments.scale.arms import STRIDE
from benchbook.statistics import describe

Metrics = dict[str, float | None]
SINGLE = ("mean_ns", "p50_ns", "p99_ns", "p999_ns")
SYNCS = ("fsync", "fdatasync", "msync")


def metrics(answer: Answer, law: str, operations: int, batch: int) -> Metrics:
    """All metrics of a trial but those that ``reduce`` gives. What an engine does not have is missing, never 0.

    law: STRIDE for look-ups timed in batches of ``batch``, else they are timed one by one. operations: look-ups that
    were asked for. Raises BenchbookError when the probe timed another number.
    """
    seconds, counters = answer.record["seconds"], answer.record["counters"]
    run = counters["run"]
    found: Metrics = {
        "insert_s": seconds["load_engine"] + seconds.get("load_index", 0.0),
        "engine_insert_s": seconds["load_engine"],
        "index_insert_s": seconds.get("load_index"),
        "lookups": float(operations),
        "checked_reads": float(run["checked_reads"]),
        "row_cache_hits": float(run["row_cache_hits"]),
        "insert_syncs": float(sum(counters["load"]["syncs"][kind] - counters["open"]["syncs"][kind] for kind in SYNCS)),
        "anonymous_bytes": float(answer.record["memory"]["anonymous_bytes"]),
    }
    if law == STRIDE:
        batches = answer.series["batch.service"]
        _count(len(batches) * batch, operations)
        found["query_mean_ns"] = run["measured_ns"] / operations
        # The mean is the note's number; the middle batch shows whether one interruption made it.
        found["query_middle_ns"] = float(np.median(batches)) / batch
    else:
        single = answer.series["query.service"]
        _count(len(single), operations)
        found |= {f"uniform_{name}": value for name, value in describe(single).items() if name in SINGLE}
    return found | _held(run) | _pages(counters["warm"]["engine"], run["engine"], operations)


def _count(timed: int, asked: int) -> None:
    if timed != asked:
        raise BenchbookError(
            f"the probe timed {timed:,} of {asked:,} look-ups", "build it again with `make probe-kv`, or measure again"
        )


def _held(run: Mapping[str, Any]) -> Metrics:
    """Where RocksDB had the rows when they were looked up, and what the index was made of."""
    found: Metrics = {}
    engine, index = run["engine"], run.get("index")
    if "files_at_level" in engine:
        found["memtable_rows"] = _number(engine["rocksdb.num-entries-active-mem-table"])
        found["table_files"] = float(sum(engine["files_at_level"]))
    if index is not None:
        found["index_bytes"] = _number(index["bytes"])
        found["index_leaves"] = _number(index["shape"].get("leaves"))
    return found


def _pages(before: Mapping[str, Any], after: Mapping[str, Any], operations: int) -> Metrics:
    """Pages of SQLite's that a look-up did not find in its page cache."""
    if "cache_misses" not in after:
        return {}
    return {
        "pages": float(after["page_count"]),
        "pages_missed_per_lookup": (after["cache_misses"] - before["cache_misses"]) / operations,
    }


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
