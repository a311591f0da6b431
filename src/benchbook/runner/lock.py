"""One measurement at a time on a machine: two at once would measure each other."""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchbook.errors import BenchbookError, MachineError
from benchbook.runner.progress import Progress


def lock_path() -> Path:
    """The lock file of this machine, shared by all its users."""
    return Path(tempfile.gettempdir()) / "benchbook-host.lock"


@contextmanager
def host_lock(progress: Progress, *, wait: bool = True) -> Iterator[None]:
    """Hold the machine for one measurement; wait for another to end, or refuse when ``wait`` is False.

    The lock ends with the process, however that ends.
    """
    path = lock_path()
    try:
        descriptor = os.open(path, os.O_RDONLY)  # it may belong to somebody else: reading is enough to lock it
    except FileNotFoundError:
        descriptor = os.open(path, os.O_RDONLY | os.O_CREAT, 0o644)
        os.fchmod(descriptor, 0o644)  # whatever the umask: every account of the machine must be able to read it
    except PermissionError:
        raise MachineError(f"the lock file {path} cannot be read", "have its owner remove it") from None
    try:
        told = False
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not wait:
                    raise BenchbookError(
                        "another Benchbook run is measuring on this machine",
                        "wait for it to end, or leave out --no-wait to let this one wait",
                    ) from None
                if not told:
                    progress.say("another run is measuring on this machine: waiting for it to end")
                    told = True
                time.sleep(0.5)
        yield
    finally:
        os.close(descriptor)
