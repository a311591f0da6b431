"""One trial: a store filled with one write, or with one row more, and asked for rows at a fixed stride."""

from __future__ import annotations

from typing import Any

from benchbook.chapters.later_write.arms import AFTER, MORE, Parameters, configurations, options_of
from benchbook.measuring.kv.bench import Asked, Probing, Reading
from benchbook.measuring.kv.metrics import (
    Metrics,
    inserted_s,
    lookups_made,
    mean_ns,
    memtable_rows,
    summed,
    table_files,
)
from benchbook.measuring.kv.requests import Request, request
from benchbook.measuring.samples import reduce
from benchbook.model import Configuration

WARM_STRIDE = 7_919
"""A prime, so that look-ups before a fixed stride come from everywhere and not from the keys that are measured."""
BATCH, SLOW_BATCH = 50, 2
"""Look-ups that are timed as one; few where each can take milliseconds, so that a turn holds several."""


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial. One row more: all rows but the last are one write, the last another."""
    p, settings = parameters, arm.settings
    rows, more = int(settings["rows"] or 0), settings["state"] == MORE
    slow = more and settings["use"] == AFTER
    lookups = p.slow_lookups if slow else p.lookups
    run: dict[str, Any] = {
        "law": "stride", "stride": max(1, rows // lookups), "warm_stride": WARM_STRIDE, "operations": lookups,
        "warm_operations": lookups // 10, "timing": "batches", "batch_operations": SLOW_BATCH if slow else BATCH,
    }  # fmt: skip
    return request(seed, options_of(p, arm), rows, run, batch_rows=rows - 1 if more else 0)


def read(asked: Asked[Parameters]) -> Reading:
    """A trial's metrics, and its batches. What an engine does not have is missing, never 0."""
    answer, run = asked.answer, asked.request["run"]
    record = answer.record
    counters = record["counters"]
    engine = counters["run"]["engine"]
    found: Metrics = {
        "query_mean_ns": mean_ns(record, int(run["operations"])),
        "lookups": float(lookups_made(record, run)),
        "checked_reads": float(counters["run"]["checked_reads"]),
        "insert_s": inserted_s(record),
        "anonymous_bytes": float(record["memory"]["anonymous_bytes"]),
    }
    if "files_at_level" in engine:
        found |= {
            "memtable_rows": memtable_rows(engine),
            "table_files": table_files(engine),
            "level0_files": float(engine["files_at_level"][0]),
            "files_bytes": summed(engine, "rocksdb.total-sst-files-size"),
        }
    labels = {"engine": f"{record['engine']} {record['engine_version']}"}
    return Reading(found, "batch", answer.series["batch.service"], labels)


PROBING = Probing("RocksDB and SQLite", ("RocksDB", "SQLite"), configurations, request_of, read)
needs, session = PROBING.needs, PROBING.session

__all__ = ["needs", "read", "reduce", "request_of", "session"]
