"""The configurations: the note's engine before and after its options, SQLite as it was run and used well, by size."""

from __future__ import annotations

from typing import Any

from benchbook.experiments.planning import blocked
from benchbook.experiments.scale.parameters import Parameters
from benchbook.model import Configuration, Plan

BEFORE, AFTER, AS_RUN, WELL = "before", "after", "sqlite_as_run", "sqlite_well"
AGAIN = "before_again"
SYSTEMS = {
    BEFORE: "ALEX + RocksDB, before",
    AFTER: "ALEX + RocksDB, after",
    AS_RUN: "SQLite as run",
    WELL: "SQLite used well",
}
"""The four systems and their labels; before and after mean the note's five options of RocksDB."""
SEQUENTIAL, RANDOM = "sequential", "random"
STRIDE, UNIFORM = "stride", "uniform"

_NOTE_INDEX: dict[str, Any] = {"index": "note_flat", "row_cache_entries": 1_000}
_ROCKSDB: dict[str, Any] = {
    "engine": "rocksdb",
    "write_buffer_bytes": 256 << 20,
    "write_buffers": 3,
    "target_file_bytes": 128 << 20,
    "level0_trigger": 8,
    "level_base_bytes": 512 << 20,
    "compression": "lz4",
    "bottommost_compression": "zstd",
    "dynamic_level_bytes": True,
    "bytes_per_sync": 1 << 20,
}
OPTIONS: dict[str, dict[str, Any]] = {
    BEFORE: _NOTE_INDEX | _ROCKSDB,
    AFTER: _NOTE_INDEX
    | _ROCKSDB
    | {
        "bloom_bits": 10,
        "block_cache_bytes": 512 << 20,
        "cache_index_and_filter_blocks": True,
        "pin_level0": True,
        "block_bytes": 16 << 10,
    },
    # The note's client library opens SQLite without a mutex; all else is SQLite's default.
    AS_RUN: {"engine": "sqlite", "prepare": "query", "mutex": "none"},
    WELL: {
        "engine": "sqlite",
        "prepare": "once",
        "transaction": "read",
        "mutex": "none",
        "journal": "wal",
        "synchronous": "normal",
        "cache_kib": 64 << 10,
        "mmap_bytes": 8 << 30,
    },
}
"""What the probe is asked to open for each system."""


def name(system: str, rows: int, keys: str = SEQUENTIAL, law: str = STRIDE) -> str:
    """Configuration name of a system at a size."""
    return f"{system}_{rows}_{keys}" if law == STRIDE else f"{system}_{rows}_{law}"


def short(rows: int) -> str:
    """A number of rows in few signs: 10k, 100k, 1M; with all digits where that would not be exact."""
    for unit, sign in ((1_000_000, "M"), (1_000, "k")):
        if rows >= unit and rows % (unit // 100) == 0:
            return f"{rows / unit:g}{sign}"
    return f"{rows:,}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    p = parameters
    tails = (_arm(system, p.tail_rows, SEQUENTIAL, UNIFORM) for system in SYSTEMS)
    return (
        *(_arm(system, rows, SEQUENTIAL, STRIDE) for rows in sorted(p.rows) for system in SYSTEMS),
        *(_arm(BEFORE, rows, SEQUENTIAL, STRIDE, named=AGAIN) for rows in sorted(p.again_rows)),
        *(_arm(system, rows, RANDOM, STRIDE) for rows in sorted(p.random_rows) for system in (BEFORE, AS_RUN, WELL)),
        *tails,
    )


def _arm(system: str, rows: int, keys: str, law: str, *, named: str | None = None) -> Configuration:
    label = f"{SYSTEMS[system]}, {short(rows)}"
    label += {(SEQUENTIAL, UNIFORM): " uniform", (RANDOM, STRIDE): " random"}.get((keys, law), "")
    label += " again (A/A)" if named else ""
    settings: dict[str, Any] = {"system": system, "rows": rows, "keys": keys, "law": law}
    return Configuration(name(named or system, rows, keys, law), label, settings)


def plan(parameters: Parameters) -> Plan:
    """All configurations once per block, in an order drawn from the seed."""
    return blocked(configurations(parameters), parameters.blocks, parameters.seed)
