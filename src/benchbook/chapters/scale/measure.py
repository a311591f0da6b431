"""One trial: an empty store filled in one go, then asked for keys at a fixed stride or one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchbook.chapters.scale.arms import OPTIONS, SEQUENTIAL, STRIDE, Parameters, configurations
from benchbook.engines.probe import Answer
from benchbook.measuring.kv.bench import Asked, Probing, Reading
from benchbook.measuring.kv.metrics import (
    Metrics,
    all_timed,
    inserted_s,
    lookups_made,
    mean_ns,
    memtable_rows,
    quantiles,
    sqlite_pages,
    syncs,
    table_files,
)
from benchbook.measuring.kv.requests import Request, request
from benchbook.measuring.samples import reduce
from benchbook.model import Configuration

SINGLE = ("mean_ns", "p50_ns", "p99_ns", "p999_ns")


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    p, settings = parameters, arm.settings
    rows, keys = int(settings["rows"] or 0), str(settings["keys"])
    options = dict(OPTIONS[str(settings["system"])])
    if "index" in options:
        # The note's engine sorts a batch before it gives its keys to the tree one by one. With sequential keys that is
        # the order of writing; of random ones the probe sorts those that it loads in bulk, outside the clock.
        options["index_load"] = "single" if keys == SEQUENTIAL else "bulk"
    run: dict[str, Any] = {"law": settings["law"]}
    if settings["law"] == STRIDE:
        run |= {"stride": rows // p.lookups, "operations": p.lookups}
        run |= {"timing": "batches", "batch_operations": p.batch_lookups}
    else:
        run |= {"operations": p.tail_lookups, "warm_operations": p.tail_warm_lookups, "timing": "queries"}
    return request(seed, options, rows, run, keys=keys)


def metrics(answer: Answer, run: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial but those that ``reduce`` gives. What an engine does not have is missing, never 0.

    run: the look-ups that were asked for. Raises BenchbookError when the probe timed another number.
    """
    record, operations = answer.record, int(run["operations"])
    made = lookups_made(record, run)
    counters, seconds = record["counters"], record["seconds"]
    found: Metrics = {
        "insert_s": inserted_s(record),
        "engine_insert_s": seconds["load_engine"],
        "index_insert_s": seconds.get("load_index"),
        "lookups": float(made),
        "checked_reads": float(counters["run"]["checked_reads"]),
        "row_cache_hits": float(counters["run"]["row_cache_hits"]),
        "insert_syncs": syncs(counters, "open", "load"),
        "anonymous_bytes": float(record["memory"]["anonymous_bytes"]),
    }
    if run["law"] == STRIDE:
        batches, each = answer.series["batch.service"], int(run["batch_operations"])
        all_timed(len(batches) * each, operations)
        found["query_mean_ns"] = mean_ns(record, operations)
        # The mean is the note's number; the middle batch shows whether one interruption made it.
        found["query_middle_ns"] = float(np.median(batches)) / each
    else:
        single = answer.series["query.service"]
        all_timed(len(single), operations)
        found |= quantiles(single, "uniform", SINGLE)
    return found | _held(counters, made)


def _held(counters: Mapping[str, Any], operations: int) -> Metrics:
    """Where RocksDB had the rows when they were looked up, what the index was made of, pages that SQLite missed."""
    engine, index = counters["run"]["engine"], counters["run"].get("index")
    found: Metrics = {}
    if "files_at_level" in engine:
        found |= {"memtable_rows": memtable_rows(engine), "table_files": table_files(engine)}
    if index is not None:
        found |= {"index_bytes": _number(index["bytes"]), "index_leaves": _number(index["shape"].get("leaves"))}
    if "cache_misses" in engine:
        missed = sqlite_pages(counters, "cache_misses") / operations
        found |= {"pages": float(engine["page_count"]), "pages_missed_per_lookup": missed}
    return found


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def read(asked: Asked[Parameters]) -> Reading:
    """A trial's metrics, and its one series of times: of batches or of single look-ups."""
    [(series, times)] = [(name, asked.answer.series[f"{name}.service"]) for name in ("batch", "query")
                         if f"{name}.service" in asked.answer.series]  # fmt: skip
    record = asked.answer.record
    labels = {"engine": f"{record['engine']} {record['engine_version']}"}
    return Reading(metrics(asked.answer, asked.request["run"]), series, times, labels)


PROBING = Probing("RocksDB and SQLite", ("RocksDB", "SQLite"), configurations, request_of, read)
needs, session = PROBING.needs, PROBING.session

__all__ = ["needs", "read", "reduce", "request_of", "session"]
