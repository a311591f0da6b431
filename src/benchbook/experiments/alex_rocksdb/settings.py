"""RocksDB's options as the note's programs set them; what is left out is RocksDB's own default."""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.model import Scalar

MIB = 1 << 20
BEFORE: Mapping[str, Scalar] = {
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
"""The engine's, before the note's change."""
AFTER: Mapping[str, Scalar] = {
    **BEFORE,
    "bloom_bits": 10,
    "block_cache_bytes": 512 * MIB,
    "cache_index_and_filter_blocks": True,
    "pin_level0": True,
    "block_bytes": 16 * 1024,
}
"""The engine's, after it."""
TOOL: Mapping[str, Scalar] = {"write_buffer_bytes": 256 * MIB}
"""The diagnostic program's own store."""
OPTIONS = {"before": BEFORE, "after": AFTER, "tool": TOOL}
