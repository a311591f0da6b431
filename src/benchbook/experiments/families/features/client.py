"""The measured loop: one psycopg connection, one row by key from each table per request."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg

from benchbook.errors import BenchbookError
from benchbook.experiments.families.features import dataset
from benchbook.experiments.families.features.parameters import Features
from benchbook.workloads import hash_keys

DUMMY_KEY = "warmup_dummy_key"


class Client:
    """Sends requests as the note's client did, times each one, and checks every row afterwards."""

    def __init__(
        self, connection: psycopg.Connection[tuple[Any, ...]], parameters: Features, *, only_first: bool, empty: bool
    ) -> None:
        self._connection = connection
        self._pipeline = parameters.client_mode == "pipeline"
        self._only_first = only_first
        self._empty = empty
        names = dataset.tables(parameters)
        self._cursors = [connection.cursor() for _ in names]
        self._statements = ["SELECT" if empty else dataset.select(parameters, name) for name in names]

    def probe(self) -> None:
        """The note's start-up warm-up: one look-up of a key that does not exist, per table."""
        self._ask(None if self._empty else (DUMMY_KEY,))

    def run(self, ids: np.ndarray) -> tuple[np.ndarray, int]:
        """Ask for ``ids`` one after the other; latencies in ns, int64, shape (requests,), and the loop's time in ns.

        Raises BenchbookError when any row that came back is not the one that was written.
        """
        arguments: Sequence[tuple[str] | None] = (
            [None] * len(ids) if self._empty else [(key,) for key in hash_keys(ids.tolist())]
        )
        answers: list[list[Any]] = []
        latencies = np.empty(len(ids), dtype=np.int64)
        clock = time.perf_counter_ns
        gc.collect()
        gc.disable()  # a collection's pause is the client's, not the database's
        loop_start = clock()
        try:
            for i, argument in enumerate(arguments):
                start = clock()
                answers.append(self._ask(argument))
                latencies[i] = clock() - start
            elapsed_ns = clock() - loop_start
        finally:
            gc.enable()
        if not self._empty:
            self._check(ids, answers)
        return latencies, elapsed_ns

    def _ask(self, argument: tuple[str] | None) -> list[Any]:
        """One row per table: all look-ups in one pipeline, or one round trip each."""
        asked = zip(self._cursors, self._statements, strict=True)
        if not self._pipeline:
            return [cursor.execute(statement, argument, prepare=True).fetchone() for cursor, statement in asked]
        with self._connection.pipeline():
            for cursor, statement in asked:
                cursor.execute(statement, argument, prepare=True)
        return [cursor.fetchone() for cursor in self._cursors]

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
