"""A connection that waits for no answer for ever and holds none without end, whatever the server does."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import psycopg
from psycopg.waiting import Ready

PATIENCE_S = 15.0
"""So long an answer may take, if nothing longer was allowed."""
CEILING_BYTES = 64 * 2**20
"""So much memory this process may take while it waits for one answer; ours have a few kB."""
READS = (int(Ready.R), int(Ready.RW))
FRESH_S = 1.0
"""So old may be what this process had before an answer, so that not every statement looks at it."""


class EndlessAnswerError(psycopg.OperationalError):
    """An answer took longer, or more memory, than it may. The connection is closed."""


class Bounded(psycopg.Connection[tuple[Any, ...]]):
    """patience_s: after so long without a whole answer, the connection is closed; the server need not be alive."""

    patience_s = PATIENCE_S
    _before, _looked = 0, -FRESH_S

    def wait(self, gen: Any, *args: Any, **named: Any) -> Any:
        """As psycopg's, with both bounds. Raises EndlessAnswerError."""
        return super().wait(self._within_bounds(gen), *args, **named)

    def _within_bounds(self, gen: Any) -> Generator[Any, Any, Any]:
        begun = time.monotonic()
        if begun - self._looked > FRESH_S:
            self._before, self._looked = _taken(), begun
        first = True  # most answers come whole, and nothing more is looked at for them
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted  # psycopg wakes us ten times a second, also when nothing came
                if time.monotonic() - begun > self.patience_s:
                    self._give_up(f"no whole answer came within {self.patience_s:g} s")
                if ready in READS:
                    if not first and _taken() - self._before > CEILING_BYTES:
                        self._give_up(f"an answer is larger than {CEILING_BYTES // 2**20} MiB")
                    first = False
                wanted = gen.send(ready)
        except StopIteration as done:
            return done.value

    def _give_up(self, why: str) -> None:
        self.pgconn.finish()
        raise EndlessAnswerError(why)


def _taken() -> int:
    """Bytes that this process may write to: libpq takes the room for a message as soon as it knows its length."""
    info = psutil.Process().memory_info()
    return int(getattr(info, "data", info.rss))


@contextmanager
def patience(connection: psycopg.Connection[tuple[Any, ...]], seconds: float) -> Iterator[None]:
    """Let answers take so long while the block lasts; a private server is ours, and is waited for."""
    if not isinstance(connection, Bounded):
        yield
        return
    before, connection.patience_s = connection.patience_s, seconds
    try:
        yield
    finally:
        connection.patience_s = before
