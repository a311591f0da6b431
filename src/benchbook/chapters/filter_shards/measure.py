"""One trial: rows flushed into one file with one filter, then asked for at random in turns, with RocksDB's counters."""

from __future__ import annotations

from typing import Any

from benchbook.chapters.filter_shards.arms import KIB, OUTSIDE, PINNED, Parameters, configurations
from benchbook.measuring.kv.bench import Asked, Probing, Reading
from benchbook.measuring.kv.metrics import (
    READ_BYTES,
    Metrics,
    lookups_made,
    mean_ns,
    memtable_rows,
    summed,
    table_files,
    ticked,
)
from benchbook.measuring.kv.options import MIB
from benchbook.measuring.kv.requests import Request, request
from benchbook.measuring.samples import reduce
from benchbook.model import Configuration

LOAD_BATCH_ROWS = 100_000
BATCH_OPERATIONS = 8
"""Look-ups between two readings of the clock: a slow one takes up to a millisecond, and a turn is to hold several."""
MEMTABLE_ROW_BYTES = 128
"""More than RocksDB takes for a row beside its value before it is flushed, so that all rows come into one file."""


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    p, way = parameters, arm.settings["way"]
    options: dict[str, Any] = {
        "engine": "rocksdb", "statistics": True, "write_ahead_log": False, "compression": "none",
        "bloom_bits": p.filter_bits, "block_cache_bytes": int(arm.settings["cache_kib"] or 0) * KIB,
        "cache_index_and_filter_blocks": way != OUTSIDE, "pin_level0": way == PINNED,
        "write_buffer_bytes": max(64 * MIB, p.rows * (p.value_bytes + MEMTABLE_ROW_BYTES)),
    }  # fmt: skip
    run = {"law": "uniform", "operations": p.lookups, "warm_operations": p.warm_lookups}
    run["batch_operations"] = BATCH_OPERATIONS
    load: dict[str, Any] = {"value_bytes": p.value_bytes, "batch_rows": LOAD_BATCH_ROWS, "settle": "flush"}
    return request(seed, options, p.rows, run, **load)


def read(asked: Asked[Parameters]) -> Reading:
    """The mean of the look-ups that count, and what RocksDB counted in all that followed the warm-up."""
    record, run = asked.answer.record, asked.request["run"]
    counters, made = record["counters"], lookups_made(record, run)
    engine = counters["run"]["engine"]

    inserted = engine["tickers"].get("rocksdb.block.cache.filter.add", 0)
    found: Metrics = {
        "lookup_mean_ns": mean_ns(record, run["operations"]),
        "lookups": float(made),
        "checked_reads": float(counters["run"]["checked_reads"]),
        "filter_misses_per_lookup": ticked(counters, "warm", "rocksdb.block.cache.filter.miss") / made,
        "index_misses_per_lookup": ticked(counters, "warm", "rocksdb.block.cache.index.miss") / made,
        "data_misses_per_lookup": ticked(counters, "warm", "rocksdb.block.cache.data.miss") / made,
        "file_bytes_per_lookup": ticked(counters, "warm", *READ_BYTES) / made,
        "filter_bytes": engine["tickers"]["rocksdb.block.cache.filter.bytes.insert"] / inserted if inserted else None,
        "cache_capacity_bytes": summed(engine, "rocksdb.block-cache-capacity"),
        "files_bytes": summed(engine, "rocksdb.total-sst-files-size"),
        "table_files": table_files(engine),
        "memtable_rows": memtable_rows(engine),
    }
    return Reading(found, "batch", asked.answer.series["batch.service"])


PROBING = Probing("RocksDB", ("RocksDB",), configurations, request_of, read)
needs, session = PROBING.needs, PROBING.session

__all__ = ["needs", "read", "reduce", "request_of", "session"]
