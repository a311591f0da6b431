"""From the looks of a trial to its metrics: shares of clients in each wait, of hits and of processor time by window."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from benchbook.engines.pgbench.waits import RUNNING
from benchbook.engines.pgbench.workload import DATABASE
from benchbook.measuring.pgbench.looks import Look
from benchbook.measuring.pgbench.metric_words import STATES
from benchbook.measuring.pgbench.parameters import INTERVALS

Metrics = dict[str, float | None]
READING, WAL, EXTENDING = "IO:DataFileRead", "LWLock:WALWrite", "Lock:extend"
_ROWS = ("Lock:transactionid", "Lock:tuple")
_LOG = ("IO:WalSync", "IO:WALSync", "IO:WalWrite", "IO:WALWrite", WAL, "LWLock:WALInsert")
FIRST, WARM, LAST = (0.0, 1 / 12), (1 / 3, 1.0), (11 / 12, 1.0)
"""Windows as parts of the note's 60 s: seconds 0 to 5, 20 to 60, 55 to 60."""
EXTENDED = (0.0, 1 / 3)
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def group(event: str) -> str:
    """To which of STATES an event of an active client belongs."""
    for name, events in (("rows", _ROWS), ("flushing", _LOG), ("reading", (READING,)), ("extending", (EXTENDING,))):
        if event in events:
            return name
    return "running" if event == RUNNING else "other"


def metrics(looks: Sequence[Look], clients: int, seconds: float) -> Metrics:
    """Of a trial with so many clients and so many seconds; None where no look fell into a window."""
    first, warm = (_within(looks, window, seconds) for window in (FIRST, WARM))
    every = _within(looks, (0.0, 1.0), seconds)
    extending = [each.waits.get(EXTENDING, 0) / clients for each in _within(looks, EXTENDED, seconds)]
    found: Metrics = {
        "reading_first": _share(first, (READING,), clients),
        "reading_warm": _share(warm, (READING,), clients),
        "wal_first": _share(first, (WAL,), clients),
        "wal_warm": _share(warm, (WAL,), clients),
        "extending_most": max(extending, default=None),
        "clients_looked_at_first": float(clients * len(first)),
        "clients_looked_at_warm": float(clients * len(warm)),
        "clients_looked_at": float(clients),
        "backends_most": float(max(each.backends for each in looks)),
        "connected_most": float(max(each.connected for each in looks)),
    }
    found |= {f"waits_{name}": value for name, value in grouped(every, clients).items()}
    for place in range(INTERVALS):
        part = _within(looks, (place / INTERVALS, (place + 1) / INTERVALS), seconds)
        found |= {f"waits_{place + 1:02}_{name}": value for name, value in grouped(part, clients).items()}
    return found | _processor(looks, seconds) | _blocks(looks, seconds) | _device(looks, seconds)


def grouped(looks: Sequence[Look], clients: int) -> Metrics:
    """Mean share of the clients in each of STATES; those that are not active are between two statements."""
    if not looks:
        return dict.fromkeys(STATES)
    counts = dict.fromkeys(STATES, 0)
    for each in looks:
        for event, count in each.waits.items():
            counts[group(event)] += count
        counts["client"] += max(0, clients - sum(each.waits.values()))
    every = sum(counts.values())
    return {name: count / every for name, count in counts.items()}


def between(looks: Sequence[Look], window: tuple[float, float], seconds: float) -> tuple[Look, Look] | None:
    """The looks nearest to both ends of a window, for differences of counters; None where they are the same."""
    ends = [min(looks, key=lambda each, end=end: abs(each.at_s - end * seconds)) for end in window]  # type: ignore[misc]
    return None if ends[0] is ends[1] else (ends[0], ends[1])


def _within(looks: Sequence[Look], window: tuple[float, float], seconds: float) -> list[Look]:
    """Looks after the beginning of a window, up to a hundredth of the trial past its end."""
    low, high = (end * seconds for end in window)
    slack = seconds / 100
    return [each for each in looks if low + slack < each.at_s <= high + slack]


def _share(looks: Sequence[Look], events: Iterable[str], clients: int) -> float | None:
    if not looks:
        return None
    return min(1.0, float(np.mean([sum(each.waits.get(event, 0) for event in events) / clients for each in looks])))


def _processor(looks: Sequence[Look], seconds: float) -> Metrics:
    """Shares of all processor time in the window after the warm-up, and how many ticks of the clock it holds."""
    names = ("cpu_user", "cpu_system", "cpu_iowait", "cpu_busy", "cpu_ticks")
    ends = between(looks, WARM, seconds)
    if ends is None:
        return dict.fromkeys(names)
    user, system, iowait, every = (late - early for early, late in zip(ends[0].cpu_s, ends[1].cpu_s, strict=True))
    if every <= 0:
        return dict.fromkeys(names)
    shares = (user, system, iowait, user + system)
    kept = [min(1.0, max(0.0, each / every)) for each in shares]
    return dict(zip(names, (*kept, every * TICKS_PER_S), strict=True))


def _blocks(looks: Sequence[Look], seconds: float) -> Metrics:
    """Hit ratio in the first and the last window, of pgbench's database and of the observers'."""
    found: Metrics = {}
    requests: list[float] = []
    for database, prefix in ((DATABASE, "hit"), ("postgres", "other_hit")):
        for window, name in ((FIRST, "first"), (LAST, "last")):
            ends = between(looks, window, seconds)
            share, asked = (None, 0.0) if ends is None else _hits(ends[0].blocks, ends[1].blocks, database)
            found[f"{prefix}_{name}"] = share
            if database == DATABASE:
                requests.append(asked)
    return found | {"hit_requests": min(requests)}


def _hits(
    early: Mapping[str, tuple[int, int]], late: Mapping[str, tuple[int, int]], database: str
) -> tuple[float | None, float]:
    hits, reads = (late[database][place] - early[database][place] for place in (0, 1))
    asked = hits + reads
    return (hits / asked if asked else None), float(asked)


def _device(looks: Sequence[Look], seconds: float) -> Metrics:
    """Bytes that the data's device read in a second, first and after the warm-up."""
    found: Metrics = {}
    for window, name in ((FIRST, "first"), (WARM, "warm")):
        ends = between(looks, window, seconds)
        value = None
        if ends is not None and ends[0].device_bytes is not None and ends[1].device_bytes is not None:
            value = (ends[1].device_bytes - ends[0].device_bytes) / (ends[1].at_s - ends[0].at_s)
        found[f"device_read_{name}"] = value
    return found
