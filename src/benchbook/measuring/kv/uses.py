"""How each engine is used: the probe's options, as the note had them and as they are at their best."""

from __future__ import annotations

from benchbook.measuring.kv.options import AFTER, BEFORE, MIB, Options

SQLITE_AS_RUN: Options = {"engine": "sqlite", "prepare": "get", "mutex": "none"}
"""The note's: everything default but for the mutex, which its library leaves out, and the statement prepared again for
every query. Inserts, not timed, share one."""
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
