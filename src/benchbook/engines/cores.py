"""Which processor cores the client and the server of a trial may use, so that the kernel does not move them about."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Cores:
    """client: the one core of the measuring thread. server: all others that this process may use."""

    client: frozenset[int]
    server: frozenset[int]


def split() -> Cores | None:
    """The last core for the client, the others for the server; None where fewer than two can be chosen from."""
    if not hasattr(os, "sched_getaffinity"):  # macOS lets no program choose
        return None
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        return None
    return Cores(frozenset(allowed[-1:]), frozenset(allowed[:-1]))


@contextmanager
def on(cores: frozenset[int] | None) -> Iterator[None]:
    """Run this thread, and the processes that it starts, on ``cores`` alone; anywhere as before when None."""
    if cores is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
