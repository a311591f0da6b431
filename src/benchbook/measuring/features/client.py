"""The measured loop: one psycopg connection, one row by key from each table per request."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook.engines.postgres.counters import BLOCK_BYTES
from benchbook.errors import BenchbookError
from benchbook.measuring.features import dataset
from benchbook.measuring.features.dataset import Layout
from benchbook.measuring.postgres import Connection
from benchbook.workloads import hash_keys

DUMMY_KEY = "warmup_dummy_key"


@dataclass(frozen=True)
class Asked:
    """What a loop gave.

    latencies: ns, int64, shape (requests,). reads: blocks that each request read from the device, as latencies;
    None where nobody counts. loop_ns: the whole loop's time but for the counting.
    """

    latencies: np.ndarray
    reads: np.ndarray | None
    loop_ns: int


class Client:
    """Sends requests as the note's client did, times each one, and checks every row afterwards.

    serial: a round trip for each look-up of the measured requests; else one pipeline, as always where nothing is timed.
    read_bytes: says how much the server's process has read from the device so far; asked between requests. ask: the
    rows of a key, as the measured requests get them, by ``statements`` over ``cursors``.
    """

    def __init__(
        self, connection: Connection, layout: Layout, *,
        serial: bool, only_first: bool, empty: bool, read_bytes: Callable[[], int] | None = None,
    ) -> None:  # fmt: skip
        self._connection = connection
        self._only_first = only_first
        self._empty = empty
        self._read_bytes = read_bytes
        self.ask: Callable[[tuple[str] | None], list[Any]] = self._one_by_one if serial else self._at_once
        tables = range(len(layout.tables))
        self.cursors = [connection.cursor() for _ in tables]
        self.statements = ["SELECT" if empty else layout.select(table) for table in tables]

    def probe(self) -> None:
        """The note's start-up warm-up: one look-up of a key that does not exist, per table."""
        self._at_once(None if self._empty else (DUMMY_KEY,))

    def warm(self, ids: np.ndarray) -> None:
        """Ask for ``ids`` without measuring; errors as in ``run``."""
        self._run(ids, self._at_once, lambda: 0)

    def run(self, ids: np.ndarray) -> Asked:
        """Ask for ``ids`` one after the other.

        Raises BenchbookError when any row that came back is not the one that was written.
        """
        asked = self._run(ids, self.ask, self._read_bytes or (lambda: 0))
        return asked if self._read_bytes else Asked(asked.latencies, None, asked.loop_ns)

    def _run(self, ids: np.ndarray, ask: Callable[[tuple[str] | None], list[Any]], count: Callable[[], int]) -> Asked:
        arguments: Sequence[tuple[str] | None] = (
            [None] * len(ids) if self._empty else [(key,) for key in hash_keys(ids.tolist())]
        )
        answers: list[list[Any]] = []
        latencies = np.empty(len(ids), dtype=np.int64)
        read_bytes = np.empty(len(ids) + 1, dtype=np.int64)
        clock = time.perf_counter_ns
        gc.collect()
        gc.disable()  # a collection's pause is the client's, not the database's
        read_bytes[0] = count()
        counting_ns, loop_start = 0, clock()
        try:
            for i, argument in enumerate(arguments):
                start = clock()
                answers.append(ask(argument))
                end = clock()
                latencies[i] = end - start
                read_bytes[i + 1] = count()
                counting_ns += clock() - end
            loop_ns = clock() - loop_start - counting_ns
        finally:
            gc.enable()
        if not self._empty:
            self._check(ids, answers)
        return Asked(latencies, np.diff(read_bytes) // BLOCK_BYTES, loop_ns)

    def _one_by_one(self, argument: tuple[str] | None) -> list[Any]:
        asked = zip(self.cursors, self.statements, strict=True)
        return [cursor.execute(statement, argument, prepare=True).fetchone() for cursor, statement in asked]

    def _at_once(self, argument: tuple[str] | None) -> list[Any]:
        with self._connection.pipeline():
            for cursor, statement in zip(self.cursors, self.statements, strict=True):
                cursor.execute(statement, argument, prepare=True)
        return [cursor.fetchone() for cursor in self.cursors]

    def _check(self, ids: np.ndarray, answers: list[list[Any]]) -> None:
        for number, rows in zip(ids.tolist(), answers, strict=True):
            for table, row in enumerate(rows):
                absent = self._only_first and table > 0
                wrong = row is not None if absent else row is None or row[1] != dataset.first_feature(number, table)
                if wrong:
                    raise BenchbookError(
                        f"table {table} answered {row!r} for row {number}",
                        "the data set is damaged: run again with --fresh",
                    )
