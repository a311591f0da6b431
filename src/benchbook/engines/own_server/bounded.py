"""A connection that waits for no answer for ever and holds none without end, whatever the server does."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import psycopg

PATIENCE_S = 15.0
"""So long an answer may take, if nothing longer was allowed."""
CEILING_BYTES = 64 * 2**20
"""So much may this process grow while it waits for one answer; ours have a few kB."""
_FIRST_LOOK, _LOOK_EVERY = 4, 16
"""In readings of the socket: an ordinary answer takes one or two, and memory is not looked at for it."""


class EndlessAnswerError(psycopg.OperationalError):
    """An answer took longer, or more memory, than it may. The connection is closed."""


class Bounded(psycopg.Connection[tuple[Any, ...]]):
    """patience_s: after so long without a whole answer, the connection is closed; the server need not be alive."""

    patience_s = PATIENCE_S

    def wait(self, gen: Any, *args: Any, **named: Any) -> Any:
        """As psycopg's, with both bounds. Raises EndlessAnswerError."""
        return super().wait(self._within_bounds(gen), *args, **named)

    def _within_bounds(self, gen: Any) -> Generator[Any, Any, Any]:
        ends, readings, before = time.monotonic() + self.patience_s, 0, 0
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted  # psycopg wakes us ten times a second, also when nothing came
                readings += 1
                if time.monotonic() > ends:
                    self._give_up(f"no whole answer came within {self.patience_s:g} s")
                if readings == _FIRST_LOOK:
                    before = psutil.Process().memory_info().rss
                elif readings % _LOOK_EVERY == 0 and psutil.Process().memory_info().rss - before > CEILING_BYTES:
                    self._give_up(f"an answer is larger than {CEILING_BYTES // 2**20} MiB")
                wanted = gen.send(ready)
        except StopIteration as done:
            return done.value

    def _give_up(self, why: str) -> None:
        self.pgconn.finish()
        raise EndlessAnswerError(why)


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
