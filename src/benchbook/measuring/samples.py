"""What is timed, a trial from its beginning and its requests one by one; and what of these times is stored.

The metrics of what is stored are the same when measuring and verifying.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar

import numpy as np

from benchbook.model import PlannedTrial, Trial
from benchbook.statistics import describe

S = TypeVar("S")
T = TypeVar("T")


class Begun:
    """A trial that begins now."""

    def __init__(self) -> None:
        self._at, self._clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()

    def ended(
        self, planned: PlannedTrial, metrics: Mapping[str, float | None], labels: Mapping[str, str],
        samples: Mapping[str, np.ndarray],
    ) -> Trial:  # fmt: skip
        """The trial, as long as it has taken by now."""
        return Trial(planned, self._at, time.monotonic() - self._clock, metrics, labels, samples)


def timed(ask: Callable[[S], T], spelled: Sequence[S]) -> tuple[np.ndarray, list[T], int]:
    """ns of each request, int64, shape (requests,), what was answered, and ns of the whole loop."""
    latencies, answers, clock = np.empty(len(spelled), dtype=np.int64), [], time.perf_counter_ns
    gc.collect()
    gc.disable()  # a collection's pause is the client's, not the server's
    begun = clock()
    try:
        for place, each in enumerate(spelled):
            start = clock()
            answers.append(ask(each))
            latencies[place] = clock() - start
        loop_ns = clock() - begun
    finally:
        gc.enable()
    return latencies, answers, loop_ns


def subsample(latencies: np.ndarray, most: int) -> np.ndarray:
    """At most ``most`` of the latencies, evenly taken from first to last; all when there are no more."""
    if len(latencies) <= most:
        return latencies
    return latencies[np.linspace(0, len(latencies) - 1, most).round().astype(np.int64)]


def reduced(latencies: np.ndarray, prefix: str) -> dict[str, float | None]:
    """Metrics of a subsample in ns, int64, shape (stored,), such as ``{prefix}_mean_ns``.

    It is a part of the trial's, so that published runs stay small; the metrics without the prefix come from all.
    """
    return {f"{prefix}_{name}": value for name, value in describe(latencies).items()}


def of_sample(latencies: np.ndarray) -> dict[str, float | None]:
    """The same with the prefix of chapters whose requests pgbench makes."""
    return reduced(latencies, "sample")


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """The same with the prefix of chapters on the probes."""
    return reduced(latencies, "kept")
