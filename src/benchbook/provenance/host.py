"""The machine as far as it matters for a latency: processor, memory, disk, kernel, timer."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchbook import files


def host(scratch: Path) -> dict[str, Any]:
    """Processor, cores, memory, kernel, the scratch disk's file system, Python and the timer's cost."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "filesystem": files.filesystem(scratch),
        "direct_reads": files.direct_reads(scratch),
        "python": platform.python_version(),
        "timer_cost_ns": timer_cost_ns(),
    }


def timer_cost_ns(calls: int = 20_000) -> float:
    """Median cost of one ``perf_counter_ns`` call, in ns."""
    clock = time.perf_counter_ns
    rounds = []
    for _ in range(9):
        start = clock()
        for _ in range(calls // 9):
            clock()
        rounds.append((clock() - start) / (calls // 9))
    return round(float(np.median(rounds)), 1)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
