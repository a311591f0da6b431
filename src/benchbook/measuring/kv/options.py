"""RocksDB's options as the note's programs set them, and its engine around them, in the probe's words.

What is left out is RocksDB's own default.
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
