"""The metrics of a trial from a probe's answer: times with and without the clock, sources of reads, memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.measuring.kv.metrics import (
    Metrics,
    drawn_bytes,
    lookups_made,
    mean_ns,
    memtable_rows,
    quantiles,
    summed,
    table_files,
)

QUANTILES = ("mean_ns", "p50_ns", "p99_ns", "p999_ns")
TICKERS = {
    "memtable_hits": "rocksdb.memtable.hit",
    "memtable_misses": "rocksdb.memtable.miss",
    "block_cache_hits": "rocksdb.block.cache.data.hit",
    "block_cache_misses": "rocksdb.block.cache.data.miss",
    "bloom_useful": "rocksdb.bloom.filter.useful",
    "bloom_passed": "rocksdb.bloom.filter.full.positive",
}
"""Counted only with ``statistics``, which costs time: in the witness configurations alone."""
MEMTABLE, FILES, BOTH = "memtable", "files", "memtable and files"
NODE_CHILDREN = 64
"""Children of a node above the leaves of the note's multi-level tree."""


def metrics(answer: Answer, request: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial but those that ``reduce`` gives. What was not measured is missing, never 0.

    request: what the probe was asked. Raises BenchbookError when the probe timed other look-ups than it was asked for.
    """
    run, load, rows = request["run"], request["load"], int(request["load"]["rows"])
    counters, timer_ns = answer.record["counters"], float(answer.record["timer_ns"])
    lookups, made = int(run["operations"]), lookups_made(answer.record, run)
    found: Metrics = {
        "lookups": float(made),
        "checked_reads": float(counters["run"]["checked_reads"]),
        "mean_ns": mean_ns(answer.record, lookups),
        "timer_ns": timer_ns,
        "row_cache_hits": float(counters["run"]["row_cache_hits"]),
        "major_faults": float(counters["run"]["memory"]["major_faults"] - counters["warm"]["memory"]["major_faults"]),
        "resident_bytes": float(answer.record["memory"]["resident_bytes"]),
        "load_rows_per_s": None,
    }
    seconds = answer.record["seconds"]
    if "load_engine" in seconds:
        found["load_rows_per_s"] = rows / seconds["load_engine"] if seconds["load_engine"] else None
    if run["timing"] == "parts":
        found |= _parts(answer.series, lookups, timer_ns, float(counters["run"]["row_cache_hits"]) / made)
    if "engine" in counters["run"]:
        found |= _engine(counters)
    if "index" in counters["run"]:
        drawn = drawn_bytes(answer.record, run)
        found |= _index(counters, rows, drawn, alone=request["options"]["engine"] == "none")
    if load["settle"] != "nothing":
        found["settle_s"] = float(seconds["settle"])
    return found


def _parts(series: Mapping[str, np.ndarray], lookups: int, timer_ns: float, cached: float) -> Metrics:
    """Times of query, index, engine and the rest; with ``_net_ns`` less what reading the clock adds to each mean.

    The time of a part holds one reading of the clock; that of a query holds those of its parts and one of its own.
    """
    query, index, engine = (series[f"{name}.service"] for name in ("query", "index", "engine"))
    if not len(query) == len(index) == len(engine) == lookups:
        raise BenchbookError(
            f"the probe timed {len(query):,} queries, {len(index):,} and {len(engine):,} parts of {lookups:,} look-ups",
            "build it again with `make probes`",
        )
    rest = query - index - engine
    times = {"query": query, "index": index, "rest": rest}
    if engine.any():
        times["engine"] = engine
    found: Metrics = {}
    for name, values in times.items():
        found |= quantiles(values, name, QUANTILES)
        found[f"{name}_share"] = float(values.mean() / query.mean())
    parts, beyond = 2 if engine.any() else 1, 1 - cached
    readings = {"query": 1 + 2 * parts * beyond, "index": beyond, "engine": beyond, "rest": 1 + parts * beyond}
    net = {name: float(values.mean()) - readings[name] * timer_ns for name, values in times.items()}
    found |= {f"{name}_net_ns": value for name, value in net.items()}
    if net["query"] > 0:
        found |= {f"{name}_net_share": value / net["query"] for name, value in net.items()}
    return found


def _engine(counters: Mapping[str, Any]) -> Metrics:
    """Where the rows are when the look-ups are measured, and which caches answered them."""
    now, before = counters["run"]["engine"], counters["warm"]["engine"]
    running = ("rocksdb.num-running-flushes", "rocksdb.num-running-compactions")
    working = [summed(each, *running) for each in (now, before)]
    found: Metrics = {
        "memtable_rows": memtable_rows(now),
        "files": table_files(now),
        "files_bytes": summed(now, "rocksdb.total-sst-files-size"),
        "memtable_bytes": summed(now, "rocksdb.cur-size-all-mem-tables"),
        "block_cache_bytes": summed(now, "rocksdb.block-cache-usage"),
        "background_work": None if None in working else float(sum(each or 0 for each in working)),
        "writes": float(counters["load"]["batches"]),
    }
    if "tickers" in now:
        for name, ticker in TICKERS.items():
            found[name] = float(now["tickers"].get(ticker, 0) - before["tickers"].get(ticker, 0))
    return found


def state(answer: Answer) -> str | None:
    """Where the rows were read from, by the engine's own counters; None without an engine or without its counters."""
    if "engine" not in answer.record["counters"]["run"]:
        return None
    engine = answer.record["counters"]["run"]["engine"]
    rows = memtable_rows(engine)
    if rows is None:
        return None
    if table_files(engine) == 0:
        return MEMTABLE
    return BOTH if rows else FILES


def _index(counters: Mapping[str, Any], rows: int, drawn_bytes: int, *, alone: bool) -> Metrics:
    """Bytes a key by the index's own account and by the kernel's, and its shape.

    drawn_bytes: of the keys to look up, which lie in memory by then too.
    """
    index, shape = counters["run"]["index"], counters["run"]["index"]["shape"] or {}
    found: Metrics = {"index_bytes_per_key": None if index["bytes"] is None else index["bytes"] / rows}
    if alone:
        grown = counters["load"]["memory"]["anonymous_bytes"] - counters["open"]["memory"]["anonymous_bytes"]
        found["resident_bytes_per_key"] = (grown - drawn_bytes) / rows
    if "leaves" in shape:
        found["leaves"] = float(shape["leaves"])
    if "depth" in shape:
        found["depth"] = float(shape["depth"])
    return found


def levels_over(leaves: float) -> int:
    """Levels of the note's multi-level tree, leaves included: nodes of 64 children up to a single one."""
    levels, nodes = 1, leaves
    while nodes > 1:
        nodes = math.ceil(nodes / NODE_CHILDREN)
        levels += 1
    return levels
