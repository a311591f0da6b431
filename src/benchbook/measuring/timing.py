"""Requests timed one by one, from first to last."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

S = TypeVar("S")
T = TypeVar("T")


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
