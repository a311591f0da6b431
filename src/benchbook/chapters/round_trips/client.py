"""The measured loop: a request in one way of asking, with fewer and with more tables in turn; every row is checked."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
import psycopg

from benchbook.chapters.round_trips.asking import Statement, Way
from benchbook.errors import BenchbookError
from benchbook.measuring.features import dataset
from benchbook.workloads import hash_keys

Connection = psycopg.Connection[tuple[Any, ...]]
Row = tuple[Any, ...]
Lane = list[tuple[psycopg.Cursor[Row], Statement]]
Answer = list[list[Row]]
"""Rows of each statement, in the order of the lanes."""
SETTLING = 7
"""So often each statement is asked before anything is timed: from the sixth time on the server keeps its plan."""


@dataclass(frozen=True)
class Asked:
    """latencies: ns, int64, shape (requests,). loop_ns: the time of the whole loop."""

    latencies: np.ndarray
    loop_ns: int


class Client:
    """Asks over one or several connections, in ways that differ in their number of tables."""

    def __init__(self, connections: Sequence[Connection], ways: Sequence[Way], n_columns: int) -> None:
        self._connections = connections
        self._ways = ways
        self._n_columns = n_columns
        self._lanes: list[list[Lane]] = [
            [[(at.cursor(), each) for each in lane] for at, lane in zip(connections, way.lanes, strict=True)]
            for way in ways
        ]
        self._threads = ThreadPoolExecutor(len(connections)) if len(connections) > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._threads is not None:
            self._threads.shutdown()

    def settle(self, key: str) -> None:
        """Have every statement prepared and planned on its connection, in pipelines, so that no trip is waited for."""
        for lanes in self._lanes:
            for connection, lane in zip(self._connections, lanes, strict=True):
                for _ in range(SETTLING):
                    _at_once(connection, lane, {"key": key})

    def run(self, ids: np.ndarray, pause_after: int) -> Asked:
        """Ask for ``ids``, one after the other; request i goes in way i modulo their number.

        Raises BenchbookError when any row that came back is not the one that was written, or one is missing.
        """
        keys = hash_keys(ids.tolist())
        latencies, loop_ns = np.empty(len(ids), dtype=np.int64), 0
        answers: list[Answer] = []
        for start in range(0, len(ids), pause_after):
            part = range(start, min(start + pause_after, len(ids)))
            loop_ns += self._part(part, keys, latencies, answers)
        for place, number in enumerate(ids.tolist()):
            self._check(self._ways[place % len(self._ways)], number, keys[place], answers[place])
        return Asked(latencies, loop_ns)

    def _part(self, part: range, keys: Sequence[str], latencies: np.ndarray, answers: list[Answer]) -> int:
        clock = time.perf_counter_ns
        gc.collect()
        gc.disable()  # a collection's pause is the client's, not the database's
        loop_start = clock()
        try:
            for place in part:
                start = clock()
                answers.append(self.ask(place % len(self._ways), keys[place]))
                latencies[place] = clock() - start
            return clock() - loop_start
        finally:
            gc.enable()

    def ask(self, number: int, key: str) -> Answer:
        """One request, in the way of this number; its rows are not checked yet."""
        lanes, argument = self._lanes[number], {"key": key}
        if self._ways[number].at_once:
            return _at_once(self._connections[0], lanes[0], argument)
        if self._threads is None:
            return _one_by_one(lanes[0], argument)
        asked: list[Answer] = list(self._threads.map(lambda lane: _one_by_one(lane, argument), lanes))
        return [rows for answer in asked for rows in answer]

    def checked(self, number: int, row: int, key: str) -> None:
        """One request whose rows are checked at once."""
        self._check(self._ways[number], row, key, self.ask(number, key))

    def _check(self, way: Way, number: int, key: str, answer: Answer) -> None:
        found = []
        for statement, rows in zip((each for lane in way.lanes for each in lane), answer, strict=True):
            found += list(_rows(statement, rows))
        tables = sorted(table for table, *_ in found)
        if tables != list(range(sum(len(each.tables) for lane in way.lanes for each in lane))):
            raise BenchbookError(f"row {number} came from the tables {tables}", "the data set is damaged: use --fresh")
        for table, hashkey, first, columns in found:
            if hashkey != key or first != dataset.first_feature(number, table) or columns != self._n_columns:
                raise BenchbookError(
                    f"table {table} answered {hashkey!r}, {first!r} and {columns} columns for row {number}",
                    "the data set is damaged: run again with --fresh",
                )


def _rows(statement: Statement, rows: list[Row]) -> Any:
    """Table, key, first feature and number of columns of each row."""
    if statement.json:
        for table, row in enumerate(rows[0][0]):
            yield table, row["hashkey"], row["feature_01"], len(row)
        return
    for row in rows:
        table, *columns = row if statement.numbered else (statement.tables[0], *row)
        yield table, columns[0], columns[1], len(columns)


def _one_by_one(lane: Lane, argument: dict[str, str]) -> Answer:
    return [cursor.execute(each.text, argument, prepare=True).fetchall() for cursor, each in lane]


def _at_once(connection: Connection, lane: Lane, argument: dict[str, str]) -> Answer:
    with connection.pipeline():
        for cursor, each in lane:
            cursor.execute(each.text, argument, prepare=True)
    return [cursor.fetchall() for cursor, _ in lane]
