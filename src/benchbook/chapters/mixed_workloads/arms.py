"""What can be set, and the configurations: stores, YCSB's core workloads, the note's inserts, look-ups beside redb."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from benchbook.measuring.kv import options, uses
from benchbook.measuring.kv.options import Options
from benchbook.model import Configuration
from benchbook.parameters.base import ExperimentParameters, asked


@dataclass(frozen=True)
class Workload:
    """Of a hundred operations so many of each kind. law: which rows are asked for."""

    label: str
    law: str
    shares: dict[str, int]


A, B, C, D, E, F = "a", "b", "c", "d", "e", "f"
WORKLOADS = {
    A: Workload("A: half reads, half updates", "zipf", {"read": 50, "update": 50}),
    B: Workload("B: 95 % reads, 5 % updates", "zipf", {"read": 95, "update": 5}),
    C: Workload("C: reads alone", "zipf", {"read": 100}),
    D: Workload("D: 95 % reads of the latest, 5 % inserts", "latest", {"read": 95, "insert": 5}),
    E: Workload("E: 95 % scans, 5 % inserts", "zipf", {"scan": 95, "insert": 5}),
    F: Workload("F: half reads, half read and written back", "zipf", {"read": 50, "modify": 50}),
}
"""YCSB's core workloads (Cooper et al. 2010), by their letters."""

NOTE, ALEX, ROCKSDB, SQLITE, LMDB, REDB, FILE = "note", "alex", "rocksdb", "sqlite", "lmdb", "redb", "value_file"
STORES: dict[str, tuple[str, Options]] = {
    NOTE: ("the note's engine", {**options.ENGINE, **options.AFTER}),
    ALEX: ("ALEX before RocksDB", {"engine": "rocksdb", "index": "alex", **options.AFTER}),
    ROCKSDB: ("RocksDB", {"engine": "rocksdb", **options.AFTER}),
    SQLITE: ("SQLite", {"engine": "sqlite", "journal": "wal", "synchronous": "off"}),
    LMDB: ("LMDB", {"engine": "lmdb", "sync": False}),
    REDB: ("redb", {"engine": "redb", "sync": False}),
    FILE: ("value file", {"engine": "value_file", "value_index": "alex", "sync": False}),
}
"""Name to what figures call it and its options. No write waits for the device; all survive a process that dies.

redb, a store in Rust, is left out where `make redb` has not built it.
"""
LOOKUPS: dict[str, tuple[str, Options]] = {
    FILE: ("value file", {**uses.VALUE_FILE, "sync": False}),
    LMDB: ("LMDB", {**uses.LMDB, "sync": False}),
    REDB: ("redb", {"engine": "redb", "transaction": "read", "sync": False}),
}
"""Look-ups in the note's rows: the file that it proposes beside the store that it names, each at its best."""
LOOKUP = "lookup"
BEFORE, AFTER, AGAIN = "insert_before", "insert_after", "insert_after_again"
INSERTS: dict[str, tuple[str, Options]] = {
    BEFORE: ("inserts before the options", options.BEFORE),
    AFTER: ("inserts with the options", options.AFTER),
}


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: YCSB's rows of 1,000 bytes, and the note's ten million small ones."""

    blocks: int = Field(3, ge=2, le=100, description="complete blocks of a session; further sessions add more")
    insert_rows: int = asked(
        10_000_000, "rows inserted", ge=1_000, le=100_000_000, description="rows of the note's inserts, written as one"
    )
    stride: int = Field(
        100, ge=1, le=1_000_000, description="distance in rows between look-ups in the note's rows; one pass is timed"
    )
    warm_stride: int = Field(37, ge=2, le=1_000_000, description="distance in rows between the look-ups that warm them")
    rows: int = Field(200_000, ge=1_000, le=100_000_000, description="rows before the workloads begin")
    value_bytes: int = Field(1_000, ge=8, le=1 << 16, description="length of a value in the workloads")
    operations: int = Field(100_000, ge=256, le=100_000_000, description="operations of a trial")
    warm_operations: int = Field(50_000, ge=0, le=100_000_000, description="reads before them, by the same law")
    scan_operations: int = Field(
        5_000, ge=100, le=100_000_000, description="operations of a trial of workload E, which scans"
    )
    scan_rows: int = Field(100, ge=1, le=100_000, description="rows of the longest scan; lengths are uniform from 1 on")
    zipf_exponent: float = Field(0.99, gt=0, lt=20, description="exponent of the popularity of rows")
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )


def at(workload: str, store: str) -> str:
    """Configuration name."""
    return f"{workload}_{store}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every store under every workload, the inserts, then the look-ups, in the order of the figures."""
    return (
        *(
            Configuration(at(name, store), f"{label}, workload {name.upper()}", {"workload": name, "store": store})
            for name in WORKLOADS
            for store, (label, _) in STORES.items()
        ),
        *(_inserts(name, name, label) for name, (label, _) in INSERTS.items()),
        _inserts(AGAIN, AFTER, "inserts with the options (A/A)"),
        *(
            Configuration(at(LOOKUP, store), f"look-ups, {label}", {"workload": LOOKUP, "store": store})
            for store, (label, _) in LOOKUPS.items()
        ),
    )


def _inserts(name: str, store: str, label: str) -> Configuration:
    return Configuration(name, label, {"workload": "insert", "store": store})
