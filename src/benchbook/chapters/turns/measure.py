"""One trial: a store filled and warmed, then asked for random keys in turns, with others in between or without."""

from __future__ import annotations

from typing import Any

from benchbook.chapters.turns.arms import USES, Parameters, configurations
from benchbook.measuring.kv.bench import Asked, Probing, Reading
from benchbook.measuring.kv.metrics import looked_up
from benchbook.measuring.kv.requests import Request, request
from benchbook.measuring.samples import reduce
from benchbook.model import Configuration

LOAD_BATCH_ROWS = 100_000
BATCH_OPERATIONS = 64
"""Lookups between two readings of the clock: short enough that a turn holds many, even of a slow engine."""


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    p, options = parameters, USES[str(arm.settings["use"])]
    settle = "compact" if options["engine"] == "rocksdb" else "nothing"
    run: dict[str, Any] = {"law": "uniform", "operations": BATCH_OPERATIONS, "warm_operations": p.warm_lookups}
    run["batch_operations"] = BATCH_OPERATIONS
    return request(
        seed, options, p.rows, run, value_bytes=p.value_bytes, batch_rows=LOAD_BATCH_ROWS, settle=settle
    )  # fmt: skip


def read(asked: Asked[Parameters]) -> Reading:
    """The mean of the lookups that count, and how many answers were compared."""
    record = asked.answer.record
    found = {**looked_up(record, asked.request["run"]), "timer_ns": float(record["timer_ns"])}
    return Reading(found, "batch", asked.answer.series["batch.service"])


PROBING = Probing("Value file, SQLite, LMDB, RocksDB", (), configurations, request_of, read)
needs, session = PROBING.needs, PROBING.session

__all__ = ["needs", "read", "reduce", "request_of", "session"]
