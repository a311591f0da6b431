"""What looks at a server, a kernel or a disk from a thread of its own while something else runs."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Self

from benchbook.errors import BenchbookError


def checked(every_s: float) -> float:
    """The seconds between looks; raises BenchbookError unless they are above 0."""
    if not every_s > 0:
        raise BenchbookError(f"every_s={every_s:g} is not above 0", "give seconds between looks, such as 1")
    return every_s


class Looking(ABC):
    """Looks while its ``with`` block lasts."""

    def __enter__(self) -> Self:
        self._stop, self._begun = threading.Event(), time.monotonic()
        self._thread = threading.Thread(target=self._look_repeatedly, name=type(self).__name__, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    @abstractmethod
    def _look_repeatedly(self) -> None:
        """What the thread does, until ``_stop`` is set."""

    def _moments(self, every_s: float, since: float) -> Iterator[None]:
        """When it is time to look: at once, and so many seconds after ``since``, twice as many, until the block ends.

        since: of the monotonic clock. A look that takes longer than these seconds is followed by the next at once.
        """
        due = since
        while True:
            yield
            due += every_s
            if self._stop.wait(max(0.0, due - time.monotonic())):
                return
