"""The server's own counters of requests for blocks: by table, by statement, and whether they went on counting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from psycopg import sql

from benchbook.engines.own_server.service import Connection, many, one
from benchbook.engines.own_server.tables import Table
from benchbook.engines.own_server.words import SERVICE, strange
from benchbook.errors import MachineError

MOST_STATEMENTS = 2_000
_BLOCKS = """
    SELECT /* of benchbook */ relid::bigint, coalesce(heap_blks_hit, 0) + coalesce(toast_blks_hit, 0),
           coalesce(heap_blks_read, 0) + coalesce(toast_blks_read, 0),
           coalesce(idx_blks_hit, 0) + coalesce(tidx_blks_hit, 0),
           coalesce(idx_blks_read, 0) + coalesce(tidx_blks_read, 0)
    FROM pg_statio_all_tables WHERE relid = ANY(%s::oid[])
"""
_COUNTING = """
    SELECT /* of benchbook */ current_setting('track_counts') = 'on', pg_postmaster_start_time(), d.stats_reset,
           pg_is_in_recovery()
    FROM pg_stat_database d WHERE d.datname = current_database()
"""
_STATEMENTS = """
    SELECT /* of benchbook */ queryid, sum(calls)::bigint, sum(shared_blks_hit)::bigint, sum(shared_blks_read)::bigint,
           sum(total_exec_time)::float8
    FROM {} WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND queryid IS NOT NULL
      AND query NOT LIKE '%/* of benchbook */%'
    GROUP BY queryid ORDER BY sum(shared_blks_hit + shared_blks_read) DESC LIMIT {}
"""


class Blocks(NamedTuple):
    """Requests for blocks that the pool had, and that were read into it: of rows, and of indexes."""

    heap_hit: int = 0
    heap_read: int = 0
    index_hit: int = 0
    index_read: int = 0

    @property
    def asked(self) -> int:
        return sum(self)

    @property
    def read(self) -> int:
        """Those that the pool did not have."""
        return self.heap_read + self.index_read


class Statement(NamedTuple):
    """One kind of statement: its number in pg_stat_statements, calls, blocks, and ms."""

    id: int
    calls: int
    hit: int
    read: int
    ms: float


@dataclass(frozen=True)
class Counted:
    """All at one time. replica: the counters are of what was asked of this replica."""

    blocks: Mapping[int, Blocks]
    statements: Mapping[int, Statement] | None
    started: datetime
    reset: datetime | None
    replica: bool


def counted(connection: Connection, tables: Sequence[Table], statements: sql.Identifier | None) -> Counted:
    """statements: the view to ask. Raises MachineError where the server counts nothing."""
    row = one(connection, _COUNTING)
    if row is None:
        raise strange()
    counting, started, reset, replica = row
    if not counting:
        raise MachineError(
            f"the server of {SERVICE} counts no requests: track_counts is off", "set track_counts = on and reload it"
        )
    rows = many(connection, _BLOCKS, ([each.oid for each in tables],), most=len(tables))
    blocks = {int(oid): Blocks(*map(int, values)) for oid, *values in rows}
    asked = None
    if statements is not None:
        ask = sql.SQL(_STATEMENTS).format(statements, sql.Literal(MOST_STATEMENTS))
        asked = {each[0]: Statement(*each) for each in many(connection, ask, most=MOST_STATEMENTS)}
    return Counted(blocks, asked, started, reset, bool(replica))


def between(before: Counted, after: Counted) -> tuple[dict[int, Blocks], list[Statement] | None]:
    """What was counted in between, by table and by statement, of these the ones with most blocks first.

    Raises MachineError where the counters began anew: a restart, a reset, a failover, or a table that is gone.
    """
    anew = before.started != after.started or before.reset != after.reset or before.replica != after.replica
    blocks = {
        oid: Blocks(*(b - a for a, b in zip(first, after.blocks.get(oid, Blocks()), strict=True)))
        for oid, first in before.blocks.items()
    }
    if anew or any(min(each) < 0 for each in blocks.values()):
        raise MachineError(
            f"counters of the server of {SERVICE} began anew in the window: they were reset, the server was restarted, "
            "or a table is gone",
            "give the same command again",
        )
    if before.statements is None or after.statements is None:
        return blocks, None
    return blocks, _more(before.statements, after.statements)


def _more(before: Mapping[int, Statement], after: Mapping[int, Statement]) -> list[Statement]:
    """A statement whose counters were reset, or that was forgotten and came again, counts from 0."""
    found = []
    for each in after.values():
        first = before.get(each.id, Statement(each.id, 0, 0, 0, 0.0))
        if first.calls > each.calls or first.hit > each.hit or first.read > each.read:
            first = Statement(each.id, 0, 0, 0, 0.0)
        gained = [now - then for now, then in zip(each[1:], first[1:], strict=True)]
        if gained[0]:
            found.append(Statement(each.id, int(gained[0]), int(gained[1]), int(gained[2]), float(gained[3])))
    return sorted(found, key=lambda each: each.hit + each.read, reverse=True)
