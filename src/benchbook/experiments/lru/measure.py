"""One trial: the note's engine with a cache of rows before it, filled by look-ups, then timed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchbook.engines.probe import Answer
from benchbook.experiments.families.kv.bench import Asked, Probing, Reading
from benchbook.experiments.families.kv.metrics import Metrics, lookups_made, mean_ns, memtable_rows
from benchbook.experiments.families.kv.options import ENGINE
from benchbook.experiments.families.kv.requests import Request, request
from benchbook.experiments.families.samples import reduce
from benchbook.experiments.lru.arms import ONCE, ONCE_STRIDE, OPTIONS, SQLITE, ZIPF, Parameters, configurations
from benchbook.model import Configuration


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    p, settings = parameters, arm.settings
    use, law = str(settings["use"]), str(settings["law"])
    options: dict[str, Any] = {}
    if use != SQLITE:
        options = {**ENGINE, "index_load": "single", "row_cache_entries": settings["row_cache_entries"]}
    return request(seed, options | dict(OPTIONS[use]), p.rows, _run(p, law, use))


def _run(p: Parameters, law: str, use: str) -> dict[str, Any]:
    """Which keys are asked for, how many, and how many before them."""
    if law == ONCE:
        return {"law": "stride", "stride": ONCE_STRIDE, "operations": p.once_lookups, "timing": "batches"}
    # SQLite's own cache is small and full at once.
    warm = p.lookups if use == SQLITE else p.warm_lookups
    run: dict[str, Any] = {"law": law, "operations": p.lookups, "warm_operations": warm, "timing": "batches"}
    return run | ({"exponent": p.zipf_exponent} if law == ZIPF else {})


def metrics(answer: Answer, request: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial but those that ``reduce`` gives. What an engine does not have is missing, never 0."""
    record, run = answer.record, request["run"]
    counters, made = record["counters"], lookups_made(answer.record, run)
    found: Metrics = {
        "query_mean_ns": mean_ns(record, int(run["operations"])),
        "lookups": float(made),
        "checked_reads": float(counters["run"]["checked_reads"]),
        "anonymous_bytes": float(counters["run"]["memory"]["anonymous_bytes"]),
    }
    if request["options"].get("row_cache_entries"):
        hits = counters["run"]["row_cache_hits"] - counters["warm"]["row_cache_hits"]
        found |= {"hit_ratio": hits / made, "memtable_rows": memtable_rows(counters["run"]["engine"])}
    return found


def read(asked: Asked[Parameters]) -> Reading:
    """A trial's metrics, and the times of its batches."""
    record = asked.answer.record
    labels = {"engine": f"{record['engine']} {record['engine_version']}"}
    return Reading(metrics(asked.answer, asked.request), "batch", asked.answer.series["batch.service"], labels)


def once(arm: Configuration, request: Request) -> bool:
    """None is asked for so many look-ups and no more: also where no key is asked for twice, keys last for all turns."""
    return False


PROBING = Probing("RocksDB and SQLite", ("RocksDB", "SQLite"), configurations, request_of, read, once=once)
needs, session = PROBING.needs, PROBING.session

__all__ = ["needs", "read", "reduce", "request_of", "session"]
