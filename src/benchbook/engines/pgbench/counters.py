"""What the server counted while pgbench ran, as a difference; asked from another database, so asking is not in it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path

from benchbook.engines.pgbench.workload import DATABASE, Workload
from benchbook.engines.postgres import Binaries
from benchbook.engines.postgres.counters import Connection, one_row
from benchbook.errors import MachineError

_PATIENCE_S = 30.0


@dataclass(frozen=True)
class Counters:
    """Counts since the statistics began; subtract an earlier reading.

    commits, rollbacks: transactions in pgbench's database, connecting included. hits, reads: blocks of 8 KiB asked for
    in that database that were in shared buffers, or were not. checkpoints, wal_bytes: of the whole server.
    """

    commits: int
    rollbacks: int
    hits: int
    reads: int
    checkpoints: int
    wal_bytes: int

    def __sub__(self, earlier: Counters) -> Counters:
        return Counters(*(getattr(self, name) - before for name, before in asdict(earlier).items()))


def read(observer: Connection, binaries: Binaries) -> Counters:
    """The counters now, after every other connection to pgbench's database has ended and told what it did.

    observer: a connection to another database. Raises MachineError when connections stay for half a minute.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while _connected(observer):
        if time.monotonic() > deadline:
            raise MachineError("connections to pgbench's database do not end", "close them and try again")
        time.sleep(0.02)
    observer.execute("SELECT pg_stat_clear_snapshot()")
    checkpoints = (
        "(SELECT num_timed + num_requested FROM pg_stat_checkpointer)"
        if binaries.major >= 17
        else "(SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter)"
    )
    row = observer.execute(
        f"""SELECT xact_commit, xact_rollback, blks_hit, blks_read, {checkpoints},
                   pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint
            FROM pg_stat_database WHERE datname = %s""",
        (DATABASE,),
    ).fetchone()
    if row is None:
        raise MachineError(f"the server has no database {DATABASE!r}", "initialise pgbench's tables first")
    return Counters(*(int(value) for value in row))


def own_commits(workload: Workload) -> int:
    """Transactions of a run that the server counts and pgbench does not: one per connection, and its first questions.

    pgbench connects once more than it has clients; for a built-in script it asks for the scale and the partitions.
    """
    return workload.clients + 1 + (0 if isinstance(workload.script, Path) else 2)


def _connected(observer: Connection) -> int:
    return int(one_row(observer, "SELECT count(*) FROM pg_stat_activity WHERE datname = %s", DATABASE)[0])
