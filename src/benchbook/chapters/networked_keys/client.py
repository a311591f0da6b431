"""The family's measured loop, with storage that takes another time for each look-up, or for each request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg

from benchbook.chapters.networked_keys.arms import REQUEST
from benchbook.measuring.features.client import Client
from benchbook.measuring.features.layout import Layout

FIXED = 0.5
"""Of the mean wait; the rest is exponential. So the slowest hundredth of reads takes over 3.3 times the median."""


def waits_ns(by: str, read_ms: float, requests: int, tables: int, generator: np.random.Generator) -> np.ndarray:
    """How long the reads of each look-up wait, ns, int64, shape (requests, tables), with ``read_ms`` as their mean.

    by: what waits alike, ``LOOKUP`` or ``REQUEST``. The quantiles of the law stand at equal distances, in an order that
    is drawn, so that the mean is kept whatever is drawn.
    """
    count = requests if by == REQUEST else requests * tables
    exponential = -np.log1p(-(np.arange(count) + 0.5) / count)
    factors = FIXED + (1 - FIXED) * exponential / exponential.mean()
    drawn = np.rint(read_ms * 1e6 * generator.permutation(factors)).astype(np.int64)
    return np.broadcast_to(drawn[:, None], (requests, tables)) if by == REQUEST else drawn.reshape(requests, tables)


class VaryingClient(Client):
    """Tells the storage before each measured look-up how long its reads wait.

    waits: as ``waits_ns``, for all requests that will be measured. wait: sets it, in ns.
    """

    def __init__(
        self, connection: psycopg.Connection[tuple[Any, ...]], layout: Layout, *,
        read_bytes: Callable[[], int] | None, waits: np.ndarray, wait: Callable[[int], None],
    ) -> None:  # fmt: skip
        super().__init__(connection, layout, serial=True, only_first=False, empty=False, read_bytes=read_bytes)
        self._waits = iter(waits.tolist())
        self._wait = wait

    def _one_by_one(self, argument: tuple[str] | None) -> list[Any]:
        rows = []
        for cursor, statement, wait_ns in zip(self._cursors, self._statements, next(self._waits), strict=True):
            self._wait(wait_ns)
            rows.append(cursor.execute(statement, argument, prepare=True).fetchone())
        return rows
