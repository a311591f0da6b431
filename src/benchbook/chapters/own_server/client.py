"""The measured loop: one connection, a row of each table per request, in one of four ways; every row is checked."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook.chapters.own_server.arms import EMPTY_WAY, JOINED_WAY, SERIAL_WAY
from benchbook.chapters.own_server.data import Data, first_feature
from benchbook.engines.own_server import Connection
from benchbook.errors import BenchbookError
from benchbook.workloads import hash_keys

SETTLING = 7
"""So often each statement is asked before anything is timed: from the sixth time on the server may keep its plan."""


@dataclass(frozen=True)
class Asked:
    """latencies: ns, int64, shape (requests,). loop_ns: the time of the whole loop."""

    latencies: np.ndarray
    loop_ns: int


class Client:
    """Asks in one way. prepare: whether the server may keep statements, which it cannot behind a pooler."""

    def __init__(self, connection: Connection, data: Data, way: str, *, prepare: bool) -> None:
        self._connection = connection
        self._data = data
        self._way = way
        self._prepare = prepare
        statements = [data.select(table) for table in range(len(data.tables))]
        if way == JOINED_WAY:
            numbered = (s.replace("SELECT", f"SELECT {table},", 1) for table, s in enumerate(statements))
            statements = [" UNION ALL ".join(numbered).replace("%s", "%(key)s")]
        self._statements = ["SELECT"] if way == EMPTY_WAY else statements
        self._cursors = [connection.cursor() for _ in self._statements]

    @property
    def trips(self) -> int:
        """Round trips of a request that wait for each other, by construction."""
        return len(self._statements) if self._way == SERIAL_WAY else 1

    @property
    def lookups(self) -> int:
        """Rows of a request."""
        return 0 if self._way == EMPTY_WAY else len(self._data.tables)

    def run(self, ids: np.ndarray) -> Asked:
        """Ask for ``ids``, one after the other. Raises BenchbookError when a row is not the one that was asked for."""
        keys = hash_keys(ids.tolist())
        latencies, answers = np.empty(len(ids), dtype=np.int64), []
        clock = time.perf_counter_ns
        gc.collect()
        gc.disable()  # a collection's pause is the client's, not the database's
        begun = clock()
        try:
            for place, key in enumerate(keys):
                start = clock()
                answers.append(self._ask(key))
                latencies[place] = clock() - start
            loop_ns = clock() - begun
        finally:
            gc.enable()
        for number, rows in zip(ids.tolist(), answers, strict=True):
            self._check(number, rows)
        return Asked(latencies, loop_ns)

    def settle(self, ids: np.ndarray) -> None:
        """Ask a few times without timing anything."""
        self.run(np.resize(ids, SETTLING))

    def _ask(self, key: str) -> list[Any]:
        if self._way == EMPTY_WAY:
            self._cursors[0].execute("SELECT", prepare=self._prepare)
            return []
        if self._way == JOINED_WAY:
            rows = self._cursors[0].execute(self._statements[0], {"key": key}, prepare=self._prepare).fetchall()
            return [row[1:] for row in sorted(rows)]
        asked = zip(self._cursors, self._statements, strict=True)
        if self._way == SERIAL_WAY:
            return [cursor.execute(each, (key,), prepare=self._prepare).fetchone() for cursor, each in asked]
        with self._connection.pipeline():
            for cursor, each in asked:
                cursor.execute(each, (key,), prepare=self._prepare)
        return [cursor.fetchone() for cursor in self._cursors]

    def _check(self, number: int, rows: list[Any]) -> None:
        wrong = len(rows) != self.lookups or any(
            row is None or row[1] != first_feature(number, table) for table, row in enumerate(rows)
        )
        if wrong:
            raise BenchbookError(
                f"the server answered with other rows than those of key {number}", "run again with --fresh"
            )
