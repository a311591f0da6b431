"""Ways of asking for a row of each table: their statements, and a client that times requests and checks their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import psycopg

from benchbook.errors import BenchbookError
from benchbook.measuring.features import dataset
from benchbook.measuring.features.client import Asked
from benchbook.measuring.features.dataset import Layout
from benchbook.measuring.postgres import Connection
from benchbook.measuring.samples import timed
from benchbook.workloads import hash_keys

KEY = "%(key)s"
SETTLING = 7
"""So often each statement is asked before anything is timed: from the sixth time on the server keeps its plan."""
Row = tuple[Any, ...]
Answer = list[list[Row]]
"""Rows of each statement, in the order of the lanes."""


@dataclass(frozen=True)
class Statement:
    """One of a request. tables: whose rows it gives. numbered: the table's number stands before each row. json: all
    rows come in one value, an array of objects."""

    text: str
    tables: tuple[int, ...]
    numbered: bool = False
    json: bool = False

    def rows(self, found: list[Row]) -> Iterator[tuple[int, Any, Any, int]]:
        """Table, key, first feature and number of columns of each row of an answer."""
        if self.json:
            yield from ((n, row["hashkey"], row["feature_01"], len(row)) for n, row in enumerate(found[0][0]))
            return
        for row in found:
            table, *columns = row if self.numbered else (self.tables[0], *row)
            yield table, columns[0], columns[1], len(columns)


Lane = list[tuple[psycopg.Cursor[Row], Statement]]


@dataclass(frozen=True)
class Way:
    """lanes: for each connection its statements. at_once: in one pipeline, else each after the answer to the last."""

    lanes: tuple[tuple[Statement, ...], ...]
    at_once: bool = False

    @property
    def trips(self) -> int:
        """Round trips of which each waits for the one before, by construction."""
        return 1 if self.at_once else max(map(len, self.lanes))


def way(mode: str, layout: Layout, size: int, tables_per_union: int) -> Way:
    """How ``mode`` asks for a key's rows in the first ``size`` tables."""
    tables = range(size)
    single = tuple(Statement(_select(layout, table), (table,)) for table in tables)
    if mode.startswith("connections_"):
        lanes = int(mode.rpartition("_")[2])
        return Way(tuple(single[lane::lanes] for lane in range(lanes)))
    if mode in ("unions", "one_union"):
        together = tables_per_union if mode == "unions" else size
        return Way((tuple(_union(layout, tables[at : at + together]) for at in tables[::together]),))
    if mode == "one_function":
        return Way(((Statement(f"SELECT {_function(layout, size)}({KEY})", tuple(tables), json=True),),))
    return Way((single,), at_once=mode == "pipeline")


def _select(layout: Layout, table: int) -> str:
    return layout.select(table).replace("%s", KEY)


def _union(layout: Layout, tables: Sequence[int]) -> Statement:
    parts = (_select(layout, table).replace("SELECT", f"SELECT {table},", 1) for table in tables)
    return Statement(" UNION ALL ".join(parts), tuple(tables), numbered=True)


def _function(layout: Layout, size: int) -> str:
    return f"{layout.schema}.request_{size}"


def definition(layout: Layout, size: int) -> str:
    """The statement that makes a function of the server: a look-up for each table, then one JSON array of all rows."""
    looks = "\n".join(
        f"SELECT to_jsonb(its) INTO STRICT one FROM ({_select(layout, table).replace(KEY, 'sought')}) its; "
        "everything := everything || one;"
        for table in range(size)
    )
    return (
        f"CREATE FUNCTION {_function(layout, size)}(sought char(64)) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$\n"
        f"DECLARE one jsonb; everything jsonb[] := '{{}}';\nBEGIN\n{looks}\nRETURN to_jsonb(everything);\nEND $$"
    )


class WayClient:
    """Asks over one or several connections, in ways that differ in their number of tables."""

    def __init__(self, connections: Sequence[Connection], ways: Sequence[Way], n_columns: int) -> None:
        self._connections, self._ways, self._n_columns = connections, ways, n_columns
        self._lanes: list[list[Lane]] = [
            [[(at.cursor(), each) for each in lane] for at, lane in zip(connections, way.lanes, strict=True)]
            for way in ways
        ]
        self._threads = ThreadPoolExecutor(len(connections)) if len(connections) > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
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

        def ask(place: int) -> Answer:
            return self.ask(place % len(self._ways), keys[place])

        for start in range(0, len(ids), pause_after):
            part = slice(start, start + pause_after)
            latencies[part], found, took_ns = timed(ask, range(len(ids))[part])
            answers += found
            loop_ns += took_ns
        for place, number in enumerate(ids.tolist()):
            self._check(self._ways[place % len(self._ways)], number, keys[place], answers[place])
        return Asked(latencies, None, loop_ns)

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
        statements = [each for lane in way.lanes for each in lane]
        found = [row for each, rows in zip(statements, answer, strict=True) for row in each.rows(rows)]
        tables = sorted(table for table, *_ in found)
        if tables != list(range(sum(len(each.tables) for each in statements))):
            raise BenchbookError(f"row {number} came from the tables {tables}", "the data set is damaged: use --fresh")
        for table, hashkey, first, columns in found:
            if hashkey != key or first != dataset.first_feature(number, table) or columns != self._n_columns:
                raise BenchbookError(
                    f"table {table} answered {hashkey!r}, {first!r} and {columns} columns for row {number}",
                    "the data set is damaged: run again with --fresh",
                )


def _one_by_one(lane: Lane, argument: dict[str, str]) -> Answer:
    return [cursor.execute(each.text, argument, prepare=True).fetchall() for cursor, each in lane]


def _at_once(connection: Connection, lane: Lane, argument: dict[str, str]) -> Answer:
    with connection.pipeline():
        for cursor, each in lane:
            cursor.execute(each.text, argument, prepare=True)
    return [cursor.fetchall() for cursor, _ in lane]
