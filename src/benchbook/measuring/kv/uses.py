"""How each engine is used, in the probe's words: as the note's programs had it, and as it is at its best.

What is left out is the engine's own default.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.model import Scalar

Options = Mapping[str, Scalar]
MIB = 1 << 20
BEFORE: Options = {
    "write_buffer_bytes": 256 * MIB,
    "write_buffers": 3,
    "target_file_bytes": 128 * MIB,
    "level0_trigger": 8,
    "level_base_bytes": 512 * MIB,
    "compression": "lz4",
    "bottommost_compression": "zstd",
    "dynamic_level_bytes": True,
    "bytes_per_sync": MIB,
}
"""Before the note's change."""
AFTER: Options = {
    **BEFORE,
    "bloom_bits": 10,
    "block_cache_bytes": 512 * MIB,
    "cache_index_and_filter_blocks": True,
    "pin_level0": True,
    "block_bytes": 16 * 1024,
}
"""After it."""
ROW_CACHE_ENTRIES = 1_000
ENGINE: Options = {"engine": "rocksdb", "index": "note_flat", "row_cache_entries": ROW_CACHE_ENTRIES}
"""The note's engine around RocksDB: its tree, which is asked first, and before both a cache of rows."""
SQLITE_AS_RUN: Options = {"engine": "sqlite", "prepare": "get", "mutex": "none"}
"""The note's: everything default but for the mutex, which its library leaves out, and the statement prepared again for
every query. Inserts, not timed, share one."""
SQLITE_PER_QUERY: Options = {"engine": "sqlite", "prepare": "query", "mutex": "none"}
"""The same where inserts are timed too: for each of them the statement is prepared again."""
SQLITE_AUTOCOMMIT: Options = {"engine": "sqlite", "prepare": "once", "mutex": "none"}
"""Prepared once, otherwise the same: every query is a transaction of its own."""
SQLITE_BEST: Options = {
    "engine": "sqlite",
    "prepare": "once",
    "transaction": "read",
    "mutex": "none",
    "mmap_bytes": 8 << 30,
    "cache_kib": 65_536,
}
"""Prepared once, one read transaction around all look-ups, the file mapped, no mutex."""
LMDB: Options = {"engine": "lmdb", "transaction": "read"}
"""One read transaction around all look-ups; the file is mapped in any case."""
ROCKSDB_AFTER: Options = {"engine": "rocksdb", **AFTER}
"""The note's RocksDB after its change."""
ROCKSDB_SMALL_CACHE: Options = {**ROCKSDB_AFTER, "block_cache_bytes": 8 * MIB}
"""The same where the page cache is what holds the files: a block cache for all of them would be a second memory."""
_LARGE_BUFFERS: Options = {name: BEFORE[name] for name in ("write_buffer_bytes", "write_buffers", "level0_trigger")}
PLAIN_TABLE: Options = {"engine": "rocksdb", "table": "plain", **_LARGE_BUFFERS}
CUCKOO_TABLE: Options = {"engine": "rocksdb", "table": "cuckoo", **_LARGE_BUFFERS}
"""RocksDB's two table formats for files that are mapped; the second is a hash table and has no order."""
VALUE_FILE: Options = {"engine": "value_file", "value_index": "alex"}
"""Option B: an index over an append-only, memory-mapped file whose every value has a checksum, checked at each read."""
VALUE_FILE_HUGE: Options = {"engine": "value_file", "value_index": "alex_huge_pages"}
"""Its index in huge pages, which the kernel gives to who asks and to no file; not those that root must reserve."""
VALUE_FILE_HASH: Options = {"engine": "value_file", "value_index": "hash"}
VALUE_FILE_HASH_HUGE: Options = {"engine": "value_file", "value_index": "hash_huge_pages"}

DURABLE: dict[str, Options] = {
    "value_file": {"sync": True},
    "sqlite": {"journal": "wal", "synchronous": "full"},
    "lmdb": {"sync": True},
    "rocksdb": {"sync": True},
}
"""What makes a write wait for the disk, by engine."""
FASTER_LOADING: dict[str, Options] = {"value_file": {"sync": False}, "lmdb": {"sync": False}}
"""Where only reads are measured, nothing waits for the disk while the store is filled; SQLite keeps its defaults."""


def option_a(cache_mib: int) -> Options:
    """The note's Option A on top of its first change: a larger block cache, and every file kept open."""
    return {**ROCKSDB_AFTER, "block_cache_bytes": cache_mib * MIB, "open_files": 5_000}
