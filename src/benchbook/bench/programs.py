"""The project's own commands run as programs in a folder of their own, timed, their failure told in their words."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchbook.errors import BenchbookError

_LINES_SHOWN = 5
_OWN = ("BENCHBOOK_", "JUPYTER", "MAKE", "PYTHON", "MFLAGS", "VIRTUAL_ENV")
"""Beginnings of variables that would let the surroundings decide what is built."""


def benchbook(*arguments: str) -> list[str]:
    """The command line of this very environment."""
    return [sys.executable, "-c", "from benchbook.cli import main; main()", *arguments]


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's variables without those that steer Benchbook, make or Python, and with ``extra``."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OWN)} | dict(extra)


def seconds(command: Sequence[str], folder: Path, variables: Mapping[str, str], *, timeout_s: float) -> float:
    """Wall time of a command; raises BenchbookError with its last words when it fails or does not end."""
    name = " ".join(command[-3:])
    begun = time.perf_counter()
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment(variables), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=timeout_s, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise BenchbookError(f"`{name}` did not end within {timeout_s:,.0f} s", "look what it waits for") from None
    took = time.perf_counter() - begun
    if done.returncode != 0:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()][-_LINES_SHOWN:]
        raise BenchbookError(f"`{name}` failed: " + " | ".join(said), "make it succeed by itself first")
    return took
