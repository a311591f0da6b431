"""What pgbench's connections wait for, looked at once a second from a connection of its own, and what looking costs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg

from benchbook.engines.pgbench.looking import Looking, checked
from benchbook.engines.pgbench.workload import DATABASE
from benchbook.errors import BenchbookError

RUNNING = "running"
QUERY = """SELECT coalesce(wait_event_type || ':' || wait_event, %s), count(*) FROM pg_stat_activity
            WHERE datname = %s AND state = 'active' GROUP BY 1"""


@dataclass(frozen=True)
class Waits:
    """counts: active connections seen per wait event ("Type:Event", or "running"), summed over all looks.

    looks: how many. seconds: spent asking, all looks together.
    """

    counts: dict[str, int]
    looks: int
    seconds: float


class WaitSampler(Looking):
    """Looks while its ``with`` block lasts; then ``waits`` says what was seen.

    connect: opens the connection that asks, to another database than pgbench's. every_s: from look to look.
    """

    def __init__(self, connect: Callable[[], psycopg.Connection[tuple[Any, ...]]], every_s: float = 1.0) -> None:
        self._connect = connect
        self._every_s = checked(every_s)
        self._counts: Counter[str] = Counter()
        self._looks = 0
        self._seconds = 0.0
        self._error: Exception | None = None

    @property
    def waits(self) -> Waits:
        """What was seen. Raises BenchbookError when looking failed."""
        if self._error is not None:
            raise BenchbookError(f"sampling pg_stat_activity failed: {self._error}", "see the server's log")
        return Waits(dict(self._counts), self._looks, self._seconds)

    def _look_repeatedly(self) -> None:
        try:
            with self._connect() as connection:
                while not self._stop.wait(self._every_s):
                    clock = time.monotonic()
                    rows = connection.execute(QUERY, (RUNNING, DATABASE)).fetchall()
                    self._seconds += time.monotonic() - clock
                    self._counts.update({str(name): int(count) for name, count in rows})
                    self._looks += 1
        except psycopg.Error as error:
            self._error = error
