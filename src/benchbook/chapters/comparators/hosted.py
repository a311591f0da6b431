"""DynamoDB, where the environment names one: the hot keys in a table of our own, a batch of keys a request.

It shows that a client works and that every value comes back. What is behind the endpoint, how far away it is and what
its caches hold is not known, so its times say nothing about the service.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook.chapters.comparators.arms import Parameters
from benchbook.chapters.comparators.asked import Asked
from benchbook.chapters.comparators.remote import key_texts, timed, value
from benchbook.engines import dynamodb
from benchbook.errors import BenchbookError
from benchbook.measuring.features.keys import requests
from benchbook.model import Configuration
from benchbook.statistics import CacheState


@dataclass(frozen=True)
class DynamoDB:
    """A table for each trial, in which the hot keys lie and nothing else."""

    def identity(self) -> dict[str, Any]:
        """Its name, and whether it is an imitation."""
        found = dynamodb.identity()
        return {"store": found["engine"], "version": found["engine_version"]}

    def ask(self, parameters: Parameters, arm: Configuration, seed: int) -> Asked:
        """Fill it, warm it, measure; every value is compared with what was written."""
        p, wanted = parameters, requests(parameters, arm, seed)
        rows = np.unique(np.concatenate([wanted.warm, wanted.measured]))
        with dynamodb.private_table() as table:
            table.store(items(p, rows))
            spelled = [
                [table.spelled(keys) for keys in _requested(p, ids)] for ids in (wanted.warm, wanted.measured)
            ]  # fmt: skip
            timed(table.values, spelled[0])
            latencies, answers = timed(table.values, spelled[1])
        check(p, wanted.measured, answers)
        metrics: dict[str, float | None] = {
            "requests": float(len(latencies)),
            "checked_values": float(p.n_tables * len(wanted.measured)),
        }
        return Asked(latencies, metrics, {"cache_state": str(CacheState.NOT_CERTIFIED)})


def items(p: Parameters, rows: np.ndarray) -> Iterator[tuple[str, bytes]]:
    """Keys and values of these rows in every table. rows: int64, shape (rows,)."""
    texts = key_texts(p.rows_per_table, rows)
    for table in range(p.n_tables):
        values = value(rows, table, p.n_features)
        yield from ((_key(table, text), each.tobytes()) for text, each in zip(texts, values, strict=True))


def check(p: Parameters, ids: np.ndarray, answers: Sequence[Mapping[str, bytes]]) -> None:
    """Raise BenchbookError where a value is missing or is not the one that was written.

    ids: int64, shape (requests,). answers: of each request, values by key.
    """
    texts = key_texts(p.rows_per_table, ids)
    for table in range(p.n_tables):
        expected = value(ids, table, p.n_features)
        for row, text, wanted, answer in zip(ids.tolist(), texts, expected, answers, strict=True):
            if answer.get(_key(table, text)) != wanted.tobytes():
                raise BenchbookError(
                    f"DynamoDB answered no value or a wrong one for row {row} of table {table}", "measure again"
                )


def _requested(p: Parameters, ids: np.ndarray) -> Iterator[list[str]]:
    for text in key_texts(p.rows_per_table, ids):
        yield [_key(table, text) for table in range(p.n_tables)]


def _key(table: int, text: str) -> str:
    return f"{table:03d}:{text}"
