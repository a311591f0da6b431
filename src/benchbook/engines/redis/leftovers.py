"""Ends the server that works in a folder of ours and removes it: for its owner, and for the guardian after a kill."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil

from benchbook import temporary
from benchbook.engines.processes import working_in
from benchbook.engines.redis.program import NAMES

_PATIENCE_S = 5.0


def after_a_kill(folder: Path) -> None:
    """What the guardian does."""
    destroy(folder)


def destroy(folder: Path) -> None:
    """End every server that works in ``folder``, then remove it; quiet when it is gone already. Nothing is kept."""
    processes = working_in(folder, NAMES)
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=_PATIENCE_S)
    temporary.remove(folder)
