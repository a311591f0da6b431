"""What a probe's answer says of a query in parts: times with and without the clock, where the rows lay, the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.measuring.kv import metrics as of
from benchbook.measuring.kv.metrics import Metrics

QUANTILES = ("mean_ns", "p50_ns", "p99_ns", "p999_ns")
TICKERS = {
    "memtable_hits": "memtable.hit", "memtable_misses": "memtable.miss", "block_cache_hits": "block.cache.data.hit",
    "block_cache_misses": "block.cache.data.miss", "bloom_useful": "bloom.filter.useful",
    "bloom_passed": "bloom.filter.full.positive",
}  # fmt: skip
"""RocksDB's own, counted only with ``statistics``, which costs time."""


def parts(series: Mapping[str, np.ndarray], lookups: int, timer_ns: float, cached: float) -> Metrics:
    """Times of query, index, engine and the rest; with ``_net_ns`` less what reading the clock adds to each mean.

    The time of a part holds one reading of the clock; that of a query holds those of its parts and one of its own.
    cached: the share of the queries that a cache answered before both. Raises BenchbookError for another number of
    them than lookups.
    """
    query, index, engine = (series[f"{name}.service"] for name in ("query", "index", "engine"))
    if not len(query) == len(index) == len(engine) == lookups:
        raise BenchbookError(
            f"the probe timed {len(query):,} queries, {len(index):,} and {len(engine):,} parts of {lookups:,} look-ups",
            "build it again with `make probes`",
        )
    times = {"query": query, "index": index, "rest": query - index - engine}
    times |= {"engine": engine} if engine.any() else {}
    found: Metrics = {}
    for name, values in times.items():
        found |= of.quantiles(values, name, QUANTILES)
        found[f"{name}_share"] = float(values.mean() / query.mean())
    count, beyond = 2 if engine.any() else 1, 1 - cached
    readings = {"query": 1 + 2 * count * beyond, "index": beyond, "engine": beyond, "rest": 1 + count * beyond}
    net = {name: float(values.mean()) - readings[name] * timer_ns for name, values in times.items()}
    found |= {f"{name}_net_ns": value for name, value in net.items()}
    if net["query"] > 0:
        found |= {f"{name}_net_share": value / net["query"] for name, value in net.items()}
    return found


def engine(counters: Mapping[str, Any]) -> Metrics:
    """Where the rows are when the look-ups are measured, and which caches answered them."""
    now, before = counters["run"]["engine"], counters["warm"]["engine"]
    running = ("rocksdb.num-running-flushes", "rocksdb.num-running-compactions")
    working = [of.summed(each, *running) for each in (now, before)]
    found: Metrics = {
        "memtable_rows": of.memtable_rows(now),
        "files": of.table_files(now),
        "files_bytes": of.summed(now, "rocksdb.total-sst-files-size"),
        "memtable_bytes": of.summed(now, "rocksdb.cur-size-all-mem-tables"),
        "block_cache_bytes": of.summed(now, "rocksdb.block-cache-usage"),
        "background_work": None if None in working else float(sum(each or 0 for each in working)),
        "writes": float(counters["load"]["batches"]),
    }
    if "tickers" in now:
        found |= {name: of.ticked(counters, "warm", f"rocksdb.{ticker}") for name, ticker in TICKERS.items()}
    return found


def rows_in(answer: Answer) -> str | None:
    """Where the rows were read from, by the engine's own counters; None without an engine or without its counters."""
    held = answer.record["counters"]["run"].get("engine")
    rows = None if held is None else of.memtable_rows(held)
    if rows is None:
        return None
    return "memtable" if of.table_files(held) == 0 else "memtable and files" if rows else "files"


def index(counters: Mapping[str, Any], rows: int, drawn_bytes: int, *, alone: bool) -> Metrics:
    """Bytes a key by the index's own account and by the kernel's, and its shape.

    drawn_bytes: of the keys to look up, which lie in memory by then too. alone: whether there is no engine.
    """
    told, shape = counters["run"]["index"]["bytes"], counters["run"]["index"]["shape"] or {}
    found: Metrics = {"index_bytes_per_key": None if told is None else told / rows}
    if alone:
        loaded, empty = (counters[phase]["memory"]["anonymous_bytes"] for phase in ("load", "open"))
        found["resident_bytes_per_key"] = (loaded - empty - drawn_bytes) / rows
    return found | {name: float(shape[name]) for name in ("leaves", "depth") if name in shape}
