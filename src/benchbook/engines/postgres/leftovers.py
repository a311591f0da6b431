"""Ends what works in a cluster's folder and removes it: for its owner, for the guardian, and for the next command."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil

from benchbook import temporary
from benchbook.engines.postgres import segments
from benchbook.engines.processes import working_in

KIND = "pg"
PREFIX = f"{temporary.PREFIX}{KIND}-"
PROGRAMS = ("postgres", "initdb", "pgbench")
"""All that is started on a cluster works below its folder, and so does whatever a server starts."""
_PATIENCE_S = 15.0


def destroy(folder: Path) -> None:
    """Stop every process that works in ``folder``, then remove it; quiet when it is gone already."""
    stop(folder)
    temporary.remove(folder)


def stop(folder: Path) -> None:
    """End the server in ``folder`` and its clients, and remove the shared memory that a killed server left."""
    for kill_signal in (signal.SIGQUIT, signal.SIGKILL):
        deadline = time.monotonic() + _PATIENCE_S
        while processes := working_in(folder, PROGRAMS):
            if time.monotonic() > deadline:
                break
            for process in processes:
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(kill_signal)
            psutil.wait_procs(processes, timeout=1)
    segments.remove_left(folder / "data")
