"""The canary: the same small reads and the same small computation around every block, to see the machine move."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import files

READS = 1_500
HASHES = 40
_PAYLOAD = bytes(1 << 20)


def look(block: int, moment: str, folder: Path) -> dict[str, Any]:
    """One look: median 8 KiB direct read in ns (None where impossible) and median time to hash 1 MiB in ns."""
    reads = files.direct_read_latency_ns(folder, reads=READS, file_mib=32)
    hashes = np.empty(HASHES, dtype=np.int64)
    for i in range(HASHES):
        start = time.perf_counter_ns()
        hashlib.sha256(_PAYLOAD).digest()
        hashes[i] = time.perf_counter_ns() - start
    return {
        "block": block,
        "moment": moment,
        "read_p50_ns": None if reads is None else float(np.median(reads)),
        "read_p99_ns": None if reads is None else float(np.quantile(reads, 0.99)),
        "hash_p50_ns": float(np.median(hashes)),
    }
