"""The ways in which SQLite and the note's engine are used, as options of the probe (probes/kv/README.md)."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchbook.model import Scalar

AS_RUN, ONCE, BEST = "as_run", "once", "best"
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True)
class Use:
    """label: for figures. options: of the engine. settle: what is done to the store before it is read."""

    label: str
    options: dict[str, Scalar] = field(default_factory=dict)
    settle: str = "nothing"

    def changed(self, label: str, *, settle: str = "nothing", **options: Scalar) -> Use:
        """The same use but for these options."""
        return Use(label, self.options | options, settle)


# The library through which the note used SQLite opens its connections without a mutex.
_once = Use("SQLite, prepared once", {"engine": "sqlite", "prepare": "once", "mutex": "none"})
_before = Use(
    "OmenDB, options before",
    {
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
        "index": "note_flat",
        "index_load": "single",
        "row_cache_entries": 1000,
    },
)
_after = _before.changed(
    "OmenDB, options after",
    bloom_bits=10,
    block_cache_bytes=512 << 20,
    cache_index_and_filter_blocks=True,
    pin_level0=True,
    block_bytes=16384,
)

LOOKUPS: dict[str, Use] = {
    AS_RUN: _once.changed("SQLite, prepared for every query", prepare="query"),
    ONCE: _once,
    "full_mutex": _once.changed("… with the full mutex", mutex="full"),
    "no_sync": _once.changed("… synchronous off", synchronous="off"),
    "write_ahead_log": _once.changed("… journal WAL", journal="wal"),
    "large_cache": _once.changed("… cache of 256 MiB", cache_kib=262_144),
    "mapped": _once.changed("… file mapped", mmap_bytes=1 << 33),
    "exclusive": _once.changed("… exclusive lock", locking="exclusive"),
    "read_held": _once.changed("… one read transaction", transaction="read"),
    BEST: _once.changed("SQLite, one read transaction, file mapped", transaction="read", mmap_bytes=1 << 33),
    BEFORE: _before,
    AFTER: _after,
    "before_settled": _before.changed("OmenDB, options before, compacted", settle="compact"),
    "after_settled": Use("OmenDB, options after, compacted", _after.options, "compact"),
}
"""Look-ups: the statement of SQLite's changes one thing at a time from "prepared once"."""

_rocksdb = Use(
    "",
    {name: value for name, value in _after.options.items() if name not in {"index", "index_load", "row_cache_entries"}},
)
DEFAULT, UNSYNCED, NO_LOG = "default", "log_unsynced", "no_log"
# Afterwards all rows are looked for in one read transaction; writing does not change by that.
_written = _once.changed("", transaction="read")
WRITES: dict[str, Use] = {
    DEFAULT: _written.changed("SQLite, its defaults (journal, full)"),
    "wal_full": _written.changed("SQLite, WAL, full", journal="wal", synchronous="full"),
    "wal_normal": _written.changed("SQLite, WAL, normal", journal="wal", synchronous="normal"),
    "unsynced": _written.changed("SQLite, synchronous off", synchronous="off"),
    "log_synced": _rocksdb.changed("RocksDB, log synced", sync=True),
    UNSYNCED: _rocksdb.changed("RocksDB, log not synced (as run)", sync=False),
    NO_LOG: _rocksdb.changed("RocksDB, without its log", sync=False, write_ahead_log=False),
}
"""Writes: how durable a commit is. The note's index lives in memory and makes nothing durable, so it is left out."""
