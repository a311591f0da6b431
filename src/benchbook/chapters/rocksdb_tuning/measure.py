"""One trial: a store filled the note's way, or into files, and asked for keys as its configuration says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchbook.chapters.rocksdb_tuning.arms import (
    BENCHMARK,
    BLOOM,
    COUNTED,
    DEFAULTS,
    LEVEL_0,
    RANDOM,
    SQLITE,
    STRIDE,
    USES,
    Parameters,
    configurations,
)
from benchbook.engines.probe import Answer
from benchbook.measuring.kv.bench import Asked, Probing, Reading
from benchbook.measuring.kv.metrics import (
    READ_BYTES,
    Metrics,
    inserted_s,
    lookups_made,
    mean_ns,
    memtable_rows,
    summed,
    table_files,
    ticked,
)
from benchbook.measuring.kv.options import ENGINE
from benchbook.measuring.kv.requests import Request, request, unwarmed
from benchbook.measuring.samples import reduce
from benchbook.model import Configuration

WARM_STRIDE = 7_919
"""A prime, so that look-ups before a fixed stride come from everywhere and not from the keys that are measured."""
SLOW_BATCH = 10
"""Look-ups that are timed as one where each can take milliseconds."""
HIT, MISS = "rocksdb.block.cache.data.hit", "rocksdb.block.cache.data.miss"
USEFUL = "rocksdb.bloom.filter.useful"


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    p, settings = parameters, arm.settings
    way, use, rows = str(settings["way"]), str(settings["use"]), int(settings["rows"] or 0)
    keys = "random" if way == RANDOM else "sequential"
    options: dict[str, Any] = {"engine": "rocksdb"}
    if use != SQLITE and not settings["alone"]:
        # A batch of random keys is sorted before its keys are given to the tree; the probe sorts what it loads in bulk.
        options = {**ENGINE, "index_load": "bulk" if keys == "random" else "single"}
    options |= USES[use].options
    if way == COUNTED:
        options["statistics"] = True
    in_batches = way in (LEVEL_0, DEFAULTS) or (settings["settle"] == "compact" and bool(settings["alone"]))
    return request(
        seed, options, rows, _run(p, arm, rows), keys=keys, settle=settings["settle"],
        batch_rows=p.load_batch_rows if in_batches else 0,
    )  # fmt: skip


def _run(p: Parameters, arm: Configuration, rows: int) -> dict[str, Any]:
    """Which keys are asked for, how many, and which before them."""
    way, use = arm.settings["way"], arm.settings["use"]
    if way == BENCHMARK or (way == COUNTED and use == BLOOM):
        return {
            "law": "stride", "stride": rows // p.benchmark_lookups, "operations": p.benchmark_lookups,
            "timing": "batches", "batch_operations": min(100, p.benchmark_lookups),
        }  # fmt: skip
    lookups = p.slow_lookups if arm.settings["slow"] else p.lookups
    # Hits are counted after a warm-up of the same length.
    run: dict[str, Any] = {"operations": lookups, "warm_operations": lookups if way == COUNTED else lookups // 10}
    run["timing"] = arm.settings["timing"]
    if arm.settings["slow"]:
        run["batch_operations"] = SLOW_BATCH
    if way == STRIDE:
        return run | {"law": "stride", "stride": max(1, rows // lookups), "warm_stride": WARM_STRIDE}
    return run | {"law": "uniform"}


def metrics(answer: Answer, request: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial but those that ``reduce`` gives. What an engine does not have is missing, never 0."""
    record, run = answer.record, request["run"]
    counters, made = record["counters"], lookups_made(answer.record, run)
    found: Metrics = {
        "query_mean_ns": mean_ns(record, int(run["operations"])),
        "lookups": float(made),
        "checked_reads": float(counters["run"]["checked_reads"]),
        "insert_s": inserted_s(record),
        "anonymous_bytes": float(record["memory"]["anonymous_bytes"]),
    }
    if run["timing"] == "parts":
        times = {name: answer.series[f"{name}.service"] for name in ("query", "index", "engine")}
        found |= {f"{name}_share": float(times[name].mean() / times["query"].mean()) for name in ("index", "engine")}
    engine = counters["run"]["engine"]
    if "files_at_level" in engine:
        found |= {
            "memtable_rows": memtable_rows(engine),
            "table_files": table_files(engine),
            "level0_files": float(engine["files_at_level"][0]),
            "files_bytes": summed(engine, "rocksdb.total-sst-files-size"),
            "cache_capacity_bytes": summed(engine, "rocksdb.block-cache-capacity"),
        }
    warmed = int(run.get("warm_operations", 0))
    return found | (_counted(counters, made, warmed) if "tickers" in engine else {})


def _counted(counters: Mapping[str, Any], made: int, warmed: int) -> Metrics:
    """What RocksDB counted in the look-ups; bytes from its files since the store was settled, warming included."""

    hits, misses = (ticked(counters, "warm", name) for name in (HIT, MISS))
    return {
        "filtered_share": ticked(counters, "warm", USEFUL) / made,
        "block_requests": hits + misses,
        "block_cache_hit_ratio": hits / (hits + misses) if hits + misses else None,
        "file_bytes_per_lookup": ticked(counters, "load", *READ_BYTES) / (made + warmed),
    }


def read(asked: Asked[Parameters]) -> Reading:
    """A trial's metrics, and its one series of times: of batches or of single look-ups."""
    series = "query" if asked.request["run"]["timing"] == "parts" else "batch"
    record = asked.answer.record
    labels = {"engine": f"{record['engine']} {record['engine_version']}"}
    return Reading(metrics(asked.answer, asked.request), series, asked.answer.series[f"{series}.service"], labels)


def once(arm: Configuration, request: Request) -> bool:
    """A slow batch does not fit into a turn."""
    return bool(arm.settings["slow"]) or unwarmed(arm, request)


PROBING = Probing("RocksDB and SQLite", ("RocksDB", "SQLite"), configurations, request_of, read, once=once)
needs, session = PROBING.needs, PROBING.session

__all__ = ["needs", "read", "reduce", "request_of", "session"]
