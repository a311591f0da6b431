"""How many different blocks of some tables were asked for, seen by looks into the buffer pool: a sample of its blocks.

A block whose count of uses rose between two looks, or that came, was asked for; one that stays at the highest count may
have been. Source: PostgreSQL documentation, pg_buffercache; Waldspurger et al. 2015 for sampling blocks by a hash.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from psycopg import sql

from benchbook.engines.own_server.service import Connection, many, one
from benchbook.engines.own_server.tables import Table

SAMPLE, MOST_USES = 20_000, 5
"""Blocks of a look that come here; the highest count of uses that the server keeps."""
LOOKS, LEAST_S, DUTY = 20, 1.0, 20
"""Most looks in a window, least time between two, and how many times a look's own time to leave between them."""
_RELATIONS = """
    SELECT pg_relation_filenode(r)::bigint FROM (
        SELECT c.oid AS r FROM pg_class c WHERE c.oid = ANY(%(oids)s::oid[])
        UNION SELECT indexrelid FROM pg_index WHERE indrelid = ANY(%(oids)s::oid[])
        UNION SELECT reltoastrelid FROM pg_class WHERE oid = ANY(%(oids)s::oid[]) AND reltoastrelid <> 0
        UNION SELECT i.indexrelid FROM pg_index i JOIN pg_class c ON c.reltoastrelid = i.indrelid
              WHERE c.oid = ANY(%(oids)s::oid[])) every
    WHERE pg_relation_filenode(r) IS NOT NULL
"""
_LOOK = """
    SELECT /* of benchbook */ relfilenode::bigint, relblocknumber, usagecount FROM {view}
    WHERE relforknumber = 0 AND relfilenode = ANY(%(files)s::oid[])
      AND reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND ((relblocknumber::bigint * 2654435761 + relfilenode::bigint * 40503) >> 8) %% %(every)s = 0
"""
_UNUSED = "SELECT count(*) FILTER (WHERE relfilenode IS NULL), count(*) FROM {view}"

_Look = dict[tuple[int, int], int]


@dataclass
class Pool:
    """Looks at one pool. blocks, unused: that it has, and that held nothing at the first look.

    every: one block in so many is looked at.
    """

    connection: Connection
    view: sql.Identifier
    tables: Sequence[Table]
    blocks: int = 0
    unused: int = 0
    look_s: float = 0.0
    every: int = 1
    _files: list[int] = field(default_factory=list)
    _last: _Look = field(default_factory=dict)
    _surely: set[tuple[int, int]] = field(default_factory=set)
    _perhaps: set[tuple[int, int]] = field(default_factory=set)
    _came: int = 0

    def begin(self) -> None:
        row = one(self.connection, sql.SQL(_UNUSED).format(view=self.view))
        self.unused, self.blocks = (int(each) for each in row or (0, 0))
        self.every = max(1, self.blocks // SAMPLE)
        found = many(self.connection, _RELATIONS, {"oids": [each.oid for each in self.tables]}, most=100_000)
        self._files = [int(file) for (file,) in found]
        self._last = self._look()

    def pause_s(self, window_s: float) -> float:
        """How long to wait before the next look: the looks are no load of their own."""
        return max(window_s / LOOKS, LEAST_S, DUTY * self.look_s)

    def again(self) -> None:
        """One more look, compared with the one before."""
        seen = self._look()
        for block, uses in seen.items():
            before = self._last.get(block)
            if before is None:
                self._came += 1
            if before is None or uses > before:
                self._surely.add(block)
            elif uses == MOST_USES:
                self._perhaps.add(block)
        self._last = seen

    def distinct(self, asked: int, read: int) -> tuple[int, int]:
        """At least and at most so many different blocks were asked for, given all requests and those that were read.

        Blocks that were read and displaced again between two looks were not seen; each may be another one.
        """
        surely = self.every * len(self._surely)
        unseen = max(0, read - self.every * self._came)
        most = min(asked, self.every * len(self._surely | self._perhaps) + unseen)
        return min(surely, most), most

    def _look(self) -> _Look:
        begun = time.monotonic()
        values = {"files": self._files, "every": self.every}
        rows = many(self.connection, sql.SQL(_LOOK).format(view=self.view), values, most=4 * SAMPLE)
        self.look_s = time.monotonic() - begun
        return {(int(file), int(block)): int(uses) for file, block, uses in rows}
