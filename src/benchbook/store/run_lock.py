"""Who measures an unfinished run: one file in its folder, locked for as long as its owner lives.

The kernel gives the lock back when the owner is killed, and shows it in all process namespaces of one host.
"""

import os
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from benchbook import nofollow
from benchbook.errors import BusyError, MachineError, StoredRunError

LOCK = "measuring.lock"
_LOOKS = 3
"""Before it is refused: for a moment somebody may only look whether the run is being measured."""


class HeldError(StoredRunError):
    """Another process measures this run: it cannot be gone on with."""

    code = BusyError.code


class RunLock:
    """The right to write to a run's folder. Make it with ``take``; folder: the run's, which may be renamed."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self.folder = folder
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, folder: Path) -> Self:
        """The lock of a run that nobody measures.

        Raises HeldError where somebody does, MachineError where none can be had.
        """
        path = folder / LOCK
        for _ in range(_LOOKS):
            try:
                descriptor = nofollow.locked(path, os.O_RDWR)
            except OSError as error:
                raise MachineError(
                    f"run {folder.name} cannot be locked: {path}: {error.strerror}",
                    "see that its disk has room, that files can be locked there, and that this one is a file of yours",
                ) from error
            if descriptor is not None:
                os.utime(descriptor)  # since when
                return cls(folder, descriptor)
            time.sleep(0.05)
        since = held_since(folder) or "a moment ago"
        raise HeldError(f"run {folder.name} is being measured elsewhere, since {since}", "wait for it to end")

    def check(self) -> None:
        """Raise StoredRunError where the lock was removed: another process may have taken the run over."""
        if self._descriptor is None or not nofollow.is_at(self.folder / LOCK, self._descriptor):
            raise StoredRunError(
                f"run {self.folder.name} was taken over by another process, or its lock was removed",
                "let that one end; what was stored until then is whole",
            )

    def remove(self) -> None:
        """Of a run that is complete, which needs none."""
        if self._descriptor is not None:
            nofollow.remove_lock(self.folder / LOCK, self._descriptor)
            self._descriptor = None

    def close(self) -> None:
        """Let anybody go on with the run."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def held_since(folder: Path) -> str | None:
    """When whoever measures this run took it, in UTC; None when nobody does."""
    with suppress(OSError), nofollow.opened(folder / LOCK) as file:
        if not nofollow.is_free(file.fileno()):
            dated_s = os.fstat(file.fileno()).st_mtime
            return datetime.fromtimestamp(dated_s, UTC).isoformat(timespec="seconds")
    return None
