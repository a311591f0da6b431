"""What chapters read alike from a probe's answer: quantiles of single times, inserting, syncs, where the rows lie.

What an engine does not have is missing, never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.statistics import describe

Metrics = dict[str, float | None]
DURABLE_CALLS = ("fsync", "fdatasync", "msync")
"""Calls that return when the device has the data; sync_file_range is asked for pace, not for durability."""
READ_BYTES = ("rocksdb.last.level.read.bytes", "rocksdb.non.last.level.read.bytes")
"""RocksDB's counters of what it read from its files."""


def quantiles(times: np.ndarray, prefix: str, wanted: Iterable[str]) -> Metrics:
    """Those of a trial's single times, in ns. wanted: such as mean_ns, p99_ns."""
    described = describe(times)
    return {f"{prefix}_{name}": described[name] for name in wanted}


def mean_ns(record: Mapping[str, Any], operations: int) -> float:
    """Mean time of a look-up; the last, shorter batch has no sample, and its time counts all the same."""
    return float(record["counters"]["run"]["measured_ns"] / operations)


def lookups_made(record: Mapping[str, Any], run: Mapping[str, Any]) -> int:
    """Lookups that were made while the counters of the measured part ran; in turns more than those that count."""
    return int(record["counters"]["run"].get("asked", run["operations"]))


def looked_up(record: Mapping[str, Any], run: Mapping[str, Any], mean: str = "lookup_mean_ns") -> Metrics:
    """The mean of the look-ups that count, how many were made, and how many answers were compared. mean: its name."""
    return {
        mean: mean_ns(record, run["operations"]),
        "lookups": float(lookups_made(record, run)),
        "checked_reads": float(record["counters"]["run"]["checked_reads"]),
    }


def queried(record: Mapping[str, Any], run: Mapping[str, Any]) -> Metrics:
    """The same of the note's engine or one beside it, with inserting and memory."""
    told = {"insert_s": inserted_s(record), "anonymous_bytes": float(record["memory"]["anonymous_bytes"])}
    return looked_up(record, run, "query_mean_ns") | told


def where_rows_lie(engine: Mapping[str, Any]) -> Metrics:
    """Rows in RocksDB's memory, its files, those in level 0, and their bytes; nothing of another engine."""
    if "files_at_level" not in engine:
        return {}
    return {
        "memtable_rows": memtable_rows(engine),
        "table_files": table_files(engine),
        "level0_files": float(engine["files_at_level"][0]),
        "files_bytes": summed(engine, "rocksdb.total-sst-files-size"),
    }


def drawn_bytes(record: Mapping[str, Any], run: Mapping[str, Any]) -> int:
    """Memory of keys that were drawn ahead when the store was loaded; in turns they are drawn batch by batch."""
    return 0 if "turns" in record else 8 * int(run["operations"] + run.get("warm_operations", 0))


def lookup_device_bytes(counters: Mapping[str, Any], since: str = "load") -> float | None:
    """Bytes that the probe read from a device since the end of a phase; None where the kernel does not count."""
    before, after = (counters[phase]["memory"]["device_read_bytes"] for phase in (since, "run"))
    return None if before is None or after is None else float(after - before)


def all_timed(timed: int, asked: int) -> None:
    """Raise BenchbookError when the probe timed another number of look-ups than it was asked for."""
    if timed != asked:
        raise BenchbookError(
            f"the probe timed {timed:,} of {asked:,} look-ups", "build it again with `make probe-kv`, or measure again"
        )


def inserted_s(record: Mapping[str, Any]) -> float:
    """Time to write all rows and to fill the index over them."""
    return float(record["seconds"]["load_engine"] + record["seconds"].get("load_index", 0.0))


def syncs(counters: Mapping[str, Any], before: str, after: str) -> float:
    """Durable calls between the ends of two phases."""
    return float(sum(counters[after]["syncs"][call] - counters[before]["syncs"][call] for call in DURABLE_CALLS))


def summed(counters: Mapping[str, Any], *names: str) -> float | None:
    """The sum of an engine's counters; None where it does not tell one of them."""
    values = [counters.get(name) for name in names]
    return None if any(value is None for value in values) else float(sum(values))  # type: ignore[arg-type]


def ticked(counters: Mapping[str, Any], since: str, *names: str) -> float:
    """What RocksDB counted under these names from the end of a phase to the end of the measured part."""
    now, before = (counters[phase]["engine"]["tickers"] for phase in ("run", since))
    return float(sum(now.get(name, 0) - before.get(name, 0) for name in names))


def memtable_rows(engine: Mapping[str, Any]) -> float | None:
    """Rows that RocksDB holds in memory."""
    return summed(engine, "rocksdb.num-entries-active-mem-table", "rocksdb.num-entries-imm-mem-tables")


def table_files(engine: Mapping[str, Any]) -> float:
    """RocksDB's files, over all levels."""
    return float(sum(engine["files_at_level"]))


def sqlite_pages(counters: Mapping[str, Any], what: str) -> float:
    """How often SQLite's page cache had a page (cache_hits) or not (cache_misses) during the measured look-ups."""
    return float(counters["run"]["engine"][what] - counters["warm"]["engine"][what])
