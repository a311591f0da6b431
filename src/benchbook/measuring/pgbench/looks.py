"""What clients wait for, who is connected and what was read, looked at while pgbench runs, from its first transaction.

The looks ask from a connection to the database "postgres", so that pgbench's counters stay pgbench's own; the counters
of that database are kept too, since the note's script is said to have read those.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import psutil
import psycopg

from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import kernel_counters
from benchbook.engines.pgbench.looking import Looking
from benchbook.engines.pgbench.waits import QUERY as WAITS
from benchbook.engines.pgbench.waits import RUNNING
from benchbook.engines.pgbench.workload import DATABASE
from benchbook.engines.postgres import Cluster
from benchbook.errors import BenchbookError
from benchbook.measuring.postgres import Connection, one_row

USER, SYSTEM = ("user", "nice"), ("system", "irq", "softirq")
_BEGUN = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND query LIKE 'UPDATE pgbench%%'"
_CONNECTED = """SELECT count(*), count(*) FILTER (WHERE datname = %s) FROM pg_stat_activity
                 WHERE backend_type = 'client backend'"""
_COUNTED = "SELECT datname, blks_hit, blks_read FROM pg_stat_database WHERE datname IN (%s, 'postgres')"
_POLL_S = 0.02


@dataclass(frozen=True)
class Look:
    """One look. at_s: since the first transaction. waits: active clients per wait event ("Type:Event" or "running").

    backends, connected: client backends of the server, and those of pgbench's database. blocks: of each database those
    that shared buffers had and those that they had not, since ever. cpu_s: of the machine since ever: user, system,
    iowait, all. device_bytes: read from the data's device since ever; None where nobody says.
    """

    at_s: float
    waits: dict[str, int]
    backends: int
    connected: int
    blocks: dict[str, tuple[int, int]]
    cpu_s: tuple[float, float, float, float]
    device_bytes: float | None


@dataclass
class Looks(Looking):
    """Looks while its ``with`` block lasts: at the first transaction, and then every ``every_s``."""

    cluster: Cluster
    every_s: float
    _seen: list[Look] = field(default_factory=list)
    _error: Exception | None = None

    @property
    def seen(self) -> list[Look]:
        """What was seen. Raises BenchbookError when looking failed, or no transaction began."""
        if self._error is not None:
            raise BenchbookError(f"looking at the server failed: {self._error}", "see the server's log")
        if not self._seen:
            raise BenchbookError("no transaction was seen while pgbench ran", "measure longer")
        return self._seen

    def _look_repeatedly(self) -> None:
        try:
            with self.cluster.connect() as connection:
                while not one_row(connection, _BEGUN, DATABASE)[0]:
                    if self._stop.wait(_POLL_S):
                        return
                begun = time.monotonic()
                for _ in self._moments(self.every_s, begun):
                    self._seen.append(self._look(connection, time.monotonic() - begun))
        except (psycopg.Error, OSError) as error:
            self._error = error

    def _look(self, connection: Connection, at_s: float) -> Look:
        waits = {str(name): int(count) for name, count in connection.execute(WAITS, (RUNNING, DATABASE)).fetchall()}
        backends, connected = map(int, one_row(connection, _CONNECTED, DATABASE))
        counted = connection.execute(_COUNTED, (DATABASE,)).fetchall()
        device = kernel_counters.disk(kernel_counters.device(self.cluster.data)).get("disk_read_bytes")
        blocks = {str(name): (int(hit), int(read)) for name, hit, read in counted}
        return Look(at_s, waits, backends, connected, blocks, cpu_s(), device)


def cpu_s() -> tuple[float, float, float, float]:
    """Seconds of the machine's processors since ever: in user mode, in system mode with interrupts, in iowait, all."""
    times = psutil.cpu_times()._asdict()
    guests = times.get("guest", 0.0) + times.get("guest_nice", 0.0)  # they are in user and nice already
    user, system = (sum(times.get(name, 0.0) for name in names) for names in (USER, SYSTEM))
    return user, system, float(times.get("iowait", 0.0)), float(sum(times.values()) - guests)


@dataclass
class Pressure(Looking):
    """The least memory that a bound had available while somebody watched, and the most that was dirty, swapped, killed.

    In bytes and processes.
    """

    bound: MemoryBound
    least: int | None = None
    dirty: int = 0
    swapped: int = 0
    killed: int = 0

    def metrics(self, ram: int) -> dict[str, float | None]:
        """ram: what server and page cache may use together. Page cache counts as available, as in MemAvailable."""
        if self.least is None:
            lacking = ("least_available_share", "dirty_most_bytes", "swapped_bytes", "killed_processes")
            return dict.fromkeys(lacking)
        return {
            "least_available_share": max(0.0, min(1.0, self.least / ram)),
            "dirty_most_bytes": float(self.dirty),
            "swapped_bytes": float(self.swapped),
            "killed_processes": float(self.killed),
        }

    def _look_repeatedly(self) -> None:
        for _ in self._moments(0.2, time.monotonic()):
            try:
                now = self.bound.reading()
            except (OSError, ValueError):
                continue  # the group ended meanwhile
            if now is not None:
                available = now.available_bytes + now.cache_bytes
                self.least = available if self.least is None else min(self.least, available)
                self.dirty = max(self.dirty, now.dirty_bytes + now.writeback_bytes)
                self.swapped, self.killed = max(self.swapped, now.swapped_bytes), max(self.killed, now.killed)
