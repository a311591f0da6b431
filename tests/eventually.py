"""Waits for what other processes do; the time allowed is far beyond what is needed, so that no test depends on it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psutil

PATIENCE_S = 180


def eventually(done: Callable[[], Any]) -> bool:
    """Whether it becomes so."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := done()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(found)


def gone(pid: int) -> bool:
    """Whether a process has ended, though nobody may have asked how."""
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
