"""What a trial of pgbench cost: processor time by kind, operations of the device, and its throughput in short parts."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import psutil

from benchbook.engines.pgbench import kernel_counters
from benchbook.engines.postgres import Cluster

PARTS = 120
"""Parts of a trial for which throughput is stored: half a second of the notes' minute."""


T = TypeVar("T")


def grown(now: T, earlier: T) -> T:
    """Each field of a record of counts less that of an earlier one; None where either is."""

    def less(name: str) -> Any:
        last, first = getattr(now, name), getattr(earlier, name)
        return None if last is None or first is None else last - first

    return type(now)(**{name: less(name) for name in vars(now)})


@dataclass(frozen=True)
class Spent:
    """Since the server and the machine started; subtract an earlier one. None where the system does not say.

    user_s, system_s: processor time of the server's processes, ended ones included. The rest: of the device below the
    data, by whomever.
    """

    user_s: float | None = None
    system_s: float | None = None
    disk_reads: float | None = None
    disk_read_bytes: float | None = None
    disk_writes: float | None = None
    disk_written_bytes: float | None = None

    def __sub__(self, earlier: Spent) -> Spent:
        return grown(self, earlier)

    def metrics(self, transactions: int) -> dict[str, float | None]:
        """Each over so many transactions, under names such as ``user_s_per_transaction``."""
        return {
            f"{name}_per_transaction": None if value is None else value / max(1, transactions)
            for name, value in vars(self).items()
        }


def read(cluster: Cluster) -> Spent:
    """What has been spent until now by a running server, and done by the device on which its data lie."""
    disk = kernel_counters.disk(kernel_counters.device(cluster.data))
    disk.pop("disk_busy_ms", None)
    return Spent(**_processor(cluster.pid), **disk)


def _processor(pid: int | None) -> dict[str, float]:
    """Of the server and its children; the system adds the time of an ended child to its parent."""
    if pid is None:
        return {}
    try:
        server = psutil.Process(pid)
        own = server.cpu_times()
        user, system = own.user + own.children_user, own.system + own.children_system
        for child in server.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):  # it has ended since it was listed
                spent = child.cpu_times()
                user, system = user + spent.user, system + spent.system
    except (OSError, AttributeError, psutil.Error):
        return {}
    return {"user_s": user, "system_s": system}


def course(end_s: np.ndarray, seconds: float) -> dict[str, float | None]:
    """TPS in each of PARTS equal parts of a trial, as ``part_001_tps``.

    end_s: when each transaction ended, in seconds after the trial's start, float64, shape (transactions,).
    """
    made, _ = np.histogram(end_s, bins=PARTS, range=(0.0, seconds))
    return {f"part_{part + 1:03}_tps": float(count) * PARTS / seconds for part, count in enumerate(made)}


def fall(made: np.ndarray) -> int | None:
    """The half second in which throughput falls; None where it does not.

    It falls where it is below 60 % of the highest so far, and stays there on average for two seconds. made: in each
    half second of a trial, shape (halves,).
    """
    kept, highest = 4, np.maximum.accumulate(made)
    for place in range(1, len(made) - kept):
        least = 0.6 * highest[place - 1]
        if made[place] < least and made[place : place + kept].mean() < least:
            return place
    return None
