"""The measured loop: the rows of one or several keys from each table per request, every row checked."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import psycopg

from benchbook.chapters.row_access.tables import TableSet
from benchbook.errors import BenchbookError
from benchbook.workloads import hash_keys

CHUNK_REQUESTS = 250
"""So many answers are kept until they are checked, outside of what is timed."""
FRAME_BYTES, FIELD_BYTES = 7, 4
"""What the protocol adds to a row, and to each of its values."""


@dataclass(frozen=True)
class Asked:
    """latencies: ns, int64, shape (requests,). loop_ns: the whole loop's time without the checks.

    value_bytes, row_bytes: by table, mean bytes of a row's values as text, and of the message that carries them.
    """

    latencies: np.ndarray
    loop_ns: int
    value_bytes: dict[str, float]
    row_bytes: dict[str, float]


class Client:
    """Sends requests over one connection, all tables of a request in one pipeline, and checks what comes back."""

    def __init__(
        self, connection: psycopg.Connection[tuple[Any, ...]], tables: TableSet, columns: str,
        written: list[dict[int, tuple[Any, ...]]],
    ) -> None:  # fmt: skip
        """written: by table and id, the rows of which values were drawn; they were read by a scan after loading."""
        self._connection = connection
        self._written = written
        self._tables = tables
        self._columns = columns
        self._cursors = [connection.cursor() for _ in tables.names]

    def run(self, ids: np.ndarray) -> Asked:
        """Ask for ``ids``, int64, shape (requests, keys of a request).

        Raises BenchbookError when a row is missing, comes twice, or is not the one that was written.
        """
        statements = [self._tables.select(t, self._columns, ids.shape[1]) for t in range(len(self._cursors))]
        latencies, loop_ns, sizes = np.empty(len(ids), dtype=np.int64), 0, [[0, 0, 0] for _ in statements]
        for start in range(0, len(ids), CHUNK_REQUESTS):
            chunk = ids[start : start + CHUNK_REQUESTS]
            arguments = [self._arguments(each) for each in chunk.tolist()]
            answers: list[list[Any]] = []
            clock = time.perf_counter_ns
            gc.collect()
            gc.disable()  # a collection's pause is the client's, not the database's
            loop_start = clock()
            try:
                for i, argument in enumerate(arguments):
                    begin = clock()
                    answers.append(self._ask(statements, argument))
                    latencies[start + i] = clock() - begin
                loop_ns += clock() - loop_start
            finally:
                gc.enable()
            self._check(chunk, answers, sizes)
        names = self._tables.names
        found = {name: [size / max(1, each[0]) for size in each] for name, each in zip(names, sizes, strict=True)}
        values = {name: size for name, (_, size, _) in found.items()}
        rows = {name: FRAME_BYTES + FIELD_BYTES * fields + size for name, (_, size, fields) in found.items()}
        return Asked(latencies, loop_ns, values, rows)

    def _arguments(self, ids: list[int]) -> list[Any]:
        return ids if self._tables.key == "business_id" else hash_keys(ids)

    def _ask(self, statements: list[str], argument: list[Any]) -> list[Any]:
        with self._connection.pipeline():
            for cursor, statement in zip(self._cursors, statements, strict=True):
                cursor.execute(statement, argument, prepare=True)
        return [(cursor.fetchall(), cursor.pgresult) for cursor in self._cursors]

    def _check(self, chunk: np.ndarray, answers: list[list[Any]], sizes: list[list[int]]) -> None:
        for ids, tables in zip(chunk.tolist(), answers, strict=True):
            for place, (rows, result) in enumerate(tables):
                if sorted(rows) != sorted(self._wanted(place, number) for number in ids):
                    raise BenchbookError(
                        f"{self._tables.tables[place]} answered {str(rows)[:200]} for rows {ids}",
                        "the data set is damaged: run again with --fresh",
                    )
                sizes[place][0] += len(rows)
                for row in range(len(rows)):
                    fields = [result.get_value(row, column) for column in range(result.nfields)]
                    sizes[place][1] += sum(len(value) for value in fields if value is not None)
                    sizes[place][2] += len(fields)

    def _wanted(self, place: int, number: int) -> tuple[Any, ...]:
        """The row that was written."""
        if self._tables.definitions:
            written = self._written[place][number]
            return written[2:5] if self._columns == "three" else written
        three = (number + place / 1024, 2.0 * number, number / 4)
        if self._columns == "three":
            return three
        others = _others(number, self._tables.characters)
        return (_key(number), number, *three, 1_700_000_000 + number % 31_536_000, others)


@cache
def _key(number: int) -> str:
    return hash_keys([number])[0]


def _others(number: int, characters: int) -> str:
    return (_key(number) * (characters // 64 + 1))[:characters]
