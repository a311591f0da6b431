"""A probe's answer in, the metrics of a trial out: times, writes, opening, and bytes on disk and in the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.experiments.read_path.arms import DURABLE, INDEX, UNIFORM
from benchbook.statistics import describe

Metrics = dict[str, float | None]
TIMES = ("mean_ns", "p50_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns")
DURABLE_CALLS = ("fsync", "fdatasync", "msync")
"""Calls after which what was written survives the loss of power; sync_file_range is not one of them."""
SERIES = {UNIFORM: "query.service", DURABLE: "query.service"}
"""The probe's series by way of measuring; batches elsewhere."""


def series_of(answer: Answer, way: str) -> np.ndarray:
    """All times of the trial in ns, int64, shape (times,): of single look-ups or scans, else of batches."""
    return answer.series[SERIES.get(way, "batch.service")]


def metrics(answer: Answer, way: str, request: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial but those that ``reduce`` gives. What an engine does not tell is missing, never 0."""
    counters, rows = answer.record["counters"], int(request["load"]["rows"])
    operations = int(request["run"]["operations"])
    run, warm = counters["run"], counters["warm"]
    found: Metrics = {
        "operations": float(operations),
        "right_answers": float(run["checked_reads"]),
        "timer_ns": float(answer.record["timer_ns"]),
        "run_major_faults": float(run["memory"]["major_faults"] - warm["memory"]["major_faults"]),
        "anonymous_bytes": float(run["memory"]["anonymous_bytes"]) or None,
        "huge_page_bytes": float(run["memory"]["huge_page_bytes"]),
    }
    if way in SERIES:
        name = "scan" if way == DURABLE else "query"
        found |= {f"{name}_{key}": value for key, value in describe(series_of(answer, way)).items() if key in TIMES}
    else:
        # The last, shorter batch has no sample, and its time counts all the same.
        found["batch_mean_ns"] = run["measured_ns"] / operations
    if way == DURABLE:
        found |= _durable(answer.record, rows)
    if way == INDEX:
        found["index_bytes_per_key"] = _index_bytes(counters, request) / rows
    else:
        found["load_s"] = float(answer.record["seconds"]["load_engine"] + answer.record["seconds"]["settle"])
        found |= _stored(answer.record, rows)
    return found


def _durable(record: Mapping[str, Any], rows: int) -> Metrics:
    """Cost of a synced write, the calls that made it so, and the time until the store is open again."""
    counters, seconds = record["counters"], record["seconds"]
    before, after = (counters[phase]["syncs"] for phase in ("open", "written"))
    batches = counters["load"]["batches"]
    recovered = counters["load"]["engine"].get("recovered_records")
    if recovered is not None and recovered != rows:
        raise BenchbookError(f"{recovered:,} of {rows:,} records came back when the store was opened", "run the tests")
    return {
        "write_ns_per_row": 1e9 * seconds["load_engine"] / rows,
        "syncs_per_batch": sum(after[call] - before[call] for call in DURABLE_CALLS) / batches,
        "reopen_s": float(seconds["reopen"]),
    }


def _stored(record: Mapping[str, Any], rows: int) -> Metrics:
    """Bytes a key in the store's files, keys and values included, and in an index over them where it is counted."""
    held, settings = record["counters"]["run"]["engine"], record["settings"]["engine_options"]
    index: float | None = None
    if "file_bytes" in held:
        disk, index = held["file_bytes"], held["index_bytes"]
    elif "page_count" in held:
        disk = int(held["page_count"]) * int(settings["page_size"])
    elif "leaf_pages" in held:
        disk = held["page_bytes"] * (held["branch_pages"] + held["leaf_pages"] + held["overflow_pages"])
    else:
        disk = held.get("rocksdb.total-sst-files-size")
    # RocksDB has no file before its first flush: then all rows are in memory and in the log.
    return {
        "disk_bytes_per_key": disk / rows if disk else None,
        "index_bytes_per_key": None if index is None else index / rows,
    }


def _index_bytes(counters: Mapping[str, Any], request: Mapping[str, Any]) -> float:
    """What the index counts itself; for one that does not, what the heap grew by, without the keys drawn ahead."""
    counted = counters["load"]["index"]["bytes"]
    if counted is not None:
        return float(counted)
    drawn = 8 * (request["run"]["operations"] + request["run"]["warm_operations"])
    return float(counters["load"]["memory"]["heap_bytes"] - counters["open"]["memory"]["heap_bytes"] - drawn)
