"""Removal of clusters whose owner is gone: at once by a guardian process, else by the next run.

Run as ``python -m benchbook.engines.postgres.leftovers FOLDER`` it is the guardian: it waits until its standard input
closes. A line "done" before that means that the owner tidied up itself; without it the owner was killed, and the
guardian stops the server and removes the folder.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from benchbook.files import scratch_folders

PREFIX = "benchbook-pg-"
OWNER_LOCK = "owner.lock"


def hold(folder: Path) -> int:
    """Mark ``folder`` as in use by this process until the descriptor that is returned closes."""
    descriptor = os.open(folder / OWNER_LOCK, os.O_CREAT | os.O_RDONLY, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def guard(folder: Path) -> subprocess.Popen[bytes]:
    """Start the guardian of ``folder``, in a session of its own so that Ctrl-C does not reach it."""
    return subprocess.Popen(
        [sys.executable, "-m", __name__, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    )


def destroy(folder: Path) -> None:
    """Stop every process that was started on ``folder``, then remove it; quiet when it is gone already."""
    for kill_signal in (signal.SIGQUIT, signal.SIGKILL):
        processes = _processes_on(folder)
        if not processes:
            break
        for process in processes:
            try:
                process.send_signal(kill_signal)
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(processes, timeout=15)
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)


def remove_leftovers() -> list[Path]:
    """Destroy the clusters of owners that no longer live; returns the folders removed."""
    removed = []
    for scratch in scratch_folders():
        for folder in scratch.glob(f"{PREFIX}*"):
            if folder.is_dir() and not _owner_lives(folder):
                destroy(folder)
                removed.append(folder)
    return removed


def _owner_lives(folder: Path) -> bool:
    try:
        descriptor = os.open(folder / OWNER_LOCK, os.O_RDONLY)
    except FileNotFoundError:
        # Between mkdtemp and hold() a folder has no lock yet: a young one is being made, not left over.
        return time.time() - folder.stat().st_mtime < 60
    except PermissionError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _processes_on(folder: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["name", "cmdline"]):
        if process.info["name"] in {"postgres", "initdb"} and str(folder) in " ".join(process.info["cmdline"] or []):
            found.append(process)
    return found


def main() -> None:
    """The guardian."""
    folder = Path(sys.argv[1])
    if sys.stdin.readline().strip() != "done":
        destroy(folder)


if __name__ == "__main__":
    main()
