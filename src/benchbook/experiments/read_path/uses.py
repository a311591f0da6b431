"""How each engine is used: the probe's options, as the note had them and as they are at their best."""

from __future__ import annotations

from benchbook.model import Scalar

Options = dict[str, Scalar]
MIB = 1 << 20

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
ROCKSDB_BEFORE: Options = {
    "engine": "rocksdb",
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
"""The note's RocksDB before its change."""
ROCKSDB_AFTER: Options = ROCKSDB_BEFORE | {
    "bloom_bits": 10,
    "block_cache_bytes": 512 * MIB,
    "cache_index_and_filter_blocks": True,
    "pin_level0": True,
    "block_bytes": 16_384,
}
"""The note's RocksDB after its change."""
_LARGE_BUFFERS: Options = {"write_buffer_bytes": 256 * MIB, "write_buffers": 3, "level0_trigger": 8}
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
    return ROCKSDB_AFTER | {"block_cache_bytes": cache_mib * MIB, "open_files": 5_000}
