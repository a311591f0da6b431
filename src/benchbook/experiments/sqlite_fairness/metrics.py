"""A probe's answer in, the metrics of a trial out: look-ups, writes, syncs, memory, what was found after a kill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchbook.engines.probe import Answer
from benchbook.statistics import describe

Metrics = dict[str, float | None]
DURABLE = ("fsync", "fdatasync", "msync")
"""Calls that return when the device has the data; sync_file_range is asked for pace, not for durability."""
QUANTILES = ("p50_ns", "p95_ns", "p99_ns", "p999_ns")


def looked_up(answer: Answer, request: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial of look-ups but those that ``reduce`` gives; what an engine does not count is missing."""
    counters, seconds = answer.record["counters"], answer.record["seconds"]
    rows, run = request["load"]["rows"], request["run"]
    engine_s, index_s = seconds["load_engine"], seconds.get("load_index", 0.0)
    memory = counters["run"]["memory"]
    found: Metrics = {
        "query_mean_ns": counters["run"]["measured_ns"] / run["operations"],
        "asked_reads": float(run["operations"] + run.get("warm_operations", 0)),
        "checked_reads": float(answer.record["checked_reads"]),
        "row_cache_hits": float(counters["run"]["row_cache_hits"]),
        "insert_ns_per_row": 1e9 * (engine_s + index_s) / rows,
        "insert_engine_ns_per_row": 1e9 * engine_s / rows,
        "insert_syncs": float(_syncs(counters["load"]) - _syncs(counters["open"])),
        "resident_bytes": float(memory["resident_bytes"]),
        "anonymous_bytes": float(memory["anonymous_bytes"]),
        "timer_ns": float(answer.record["timer_ns"]),
    }
    if "query.service" in answer.series:
        times = describe(answer.series["query.service"])
        found |= {f"query_{name}": times[name] for name in QUANTILES}
    return found | _rocksdb(counters["run"]["engine"], rows) | _sqlite(counters["warm"], counters["run"])


def killed(answer: Answer, request: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial whose writer was killed, but those that ``reduce`` gives."""
    crash, writes = answer.record["counters"]["crash"], answer.series["write.service"]
    acknowledged = float(crash["acknowledged_rows"])
    return {
        "acknowledged_rows": acknowledged,
        "recovered_rows": float(crash["recovered_rows"]),
        "lost_share": 1 - crash["recovered_rows"] / acknowledged,
        "acknowledged_commits": float(crash["batches"]),
        "wanted_commits": float(request["run"]["kill_after_batches"]),
        "write_ns_per_row": float(writes.sum()) / acknowledged,
        "write_syncs_per_commit": crash["syncs"] / crash["batches"],
        "recover_s": float(answer.record["seconds"]["recover"]),
    }


def _syncs(phase: Mapping[str, Any]) -> int:
    return sum(phase["syncs"][kind] for kind in DURABLE)


def _rocksdb(engine: Mapping[str, Any], rows: int) -> Metrics:
    """Where RocksDB's rows lie when they are read: in memory, or in how many files."""
    if "files_at_level" not in engine:
        return {}
    in_memory = engine["rocksdb.num-entries-active-mem-table"] + engine["rocksdb.num-entries-imm-mem-tables"]
    return {"memtable_share": in_memory / rows, "table_files": float(sum(engine["files_at_level"]))}


def _sqlite(before: Mapping[str, Any], after: Mapping[str, Any]) -> Metrics:
    """How often SQLite's page cache answered during the measured look-ups. A mapped file does not ask it."""
    if "cache_hits" not in after["engine"]:
        return {}
    hits, misses = (after["engine"][name] - before["engine"][name] for name in ("cache_hits", "cache_misses"))
    lookups = hits + misses
    return {"page_lookups": float(lookups), "page_hit_ratio": hits / lookups if lookups else None}
