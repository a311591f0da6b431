"""What a run needs of the machine, checked before anything starts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import psutil

from benchbook import files, limits
from benchbook.errors import MachineError, NoEngineError


@dataclass(frozen=True)
class Needs:
    """disk_bytes: free on one scratch disk. memory_bytes: available at the start.

    engine: says which engine would be measured, as the run's record will; raises if it is unusable. usable: raises if
    the machine lacks something else. minutes: how long measuring takes, if that was estimated. reached: a server
    that is not ours, in words that name nobody.
    """

    disk_bytes: int
    memory_bytes: int
    engine: Callable[[], Mapping[str, Any]]
    minutes: float | None = None
    usable: Callable[[], None] | None = None
    reached: str = ""

    def missing_engine(self) -> NoEngineError | None:
        """Why the engine, or a program that its trials need beside it, is not there; None when it is."""
        try:
            self.engine()
            if self.usable is not None:
                self.usable()
        except NoEngineError as error:
            return error
        except MachineError:  # something else is missing, which ``check`` tells
            pass
        return None

    def check(self) -> None:
        """Raise MachineError when the machine has less."""
        self.engine()
        if self.usable is not None:
            self.usable()
        available = psutil.virtual_memory().available
        bound = limits.memory_bytes()
        if bound is not None:
            available = min(available, bound)
        if available < self.memory_bytes:
            raise MachineError(
                f"the run needs {self.memory_bytes / 2**30:.1f} GiB of memory, {available / 2**30:.1f} GiB are free",
                "ask for a smaller buffer pool, or close other programs",
            )
        files.scratch(self.disk_bytes)
