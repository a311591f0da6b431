"""Waits for what other processes do; the time allowed is far beyond what is needed, so that no test depends on it."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

PATIENCE_S = 180


def eventually(done: Callable[[], Any]) -> bool:
    """Whether it becomes so."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := done()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(found)


def working_in(folder: Path) -> list[psutil.Process]:
    """Every process whose command line or working directory is in a folder."""
    every = psutil.process_iter(["cmdline", "cwd"])
    return [each for each in every if str(folder) in " ".join([*(each.info["cmdline"] or []), each.info["cwd"] or ""])]


def gone(pid: int) -> bool:
    """Whether a process has ended, though nobody may have asked how."""
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
