"""The project's own commands run as programs in a folder of their own, timed, their failure told in their words."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from benchbook import children
from benchbook.errors import BenchbookError

_LINES_SHOWN = 5
_GRACE_S = 60.0
_OWN = ("BENCHBOOK_", "JUPYTER", "MAKE", "PYTHON", "MFLAGS", "VIRTUAL_ENV")
"""Beginnings of variables that would let the surroundings decide what is built."""


def benchbook(*arguments: str) -> list[str]:
    """The command line of this very environment."""
    return [sys.executable, "-c", "from benchbook.cli import main; main()", *arguments]


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's variables without those that steer Benchbook, make or Python, and with ``extra``."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OWN)} | dict(extra)


def seconds(command: Sequence[str], folder: Path, variables: Mapping[str, str], *, timeout_s: float) -> float:
    """Wall time of a command; raises BenchbookError with its last words when it fails or does not end.

    Whatever it started is gone at the end, also when this process is interrupted.
    """
    name = " ".join(command[-3:])
    process = children.start(
        command, death=signal.SIGTERM, cwd=folder, env=environment(variables), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    begun = time.perf_counter()
    try:
        output, _ = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise BenchbookError(f"`{name}` did not end within {timeout_s:,.0f} s", "check what it waits for") from None
    finally:
        _end(process)
    took = time.perf_counter() - begun
    if process.returncode != 0:
        said = [line for line in output.splitlines() if line.strip()][-_LINES_SHOWN:]
        raise BenchbookError(f"`{name}` failed: " + " | ".join(said), "make it succeed by itself first")
    return took


def _end(process: subprocess.Popen[str]) -> None:
    """Asked to stop first, so that servers and their data are removed; then made to."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_GRACE_S)
    with suppress(ProcessLookupError):  # whatever it left behind
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
