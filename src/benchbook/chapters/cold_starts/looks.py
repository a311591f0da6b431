"""The family's looks at a running trial, each with how many reads there had been: of the device, and in turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook.engines.pgbench import kernel_counters
from benchbook.engines.storage.pacing import PacedCluster
from benchbook.measuring.pgbench import looks, windows
from benchbook.measuring.pgbench.parameters import INTERVALS

Metrics = dict[str, float | None]


@dataclass(frozen=True)
class Look(looks.Look):
    """One look. device_reads: done by the data's device since ever; paced_reads: that had a turn; None if unknown."""

    device_reads: float | None = None
    paced_reads: float | None = None


class Looks(looks.Looks):
    """Looks while its ``with`` block lasts: at the first transaction, and then every ``every_s``."""

    def _look(self, connection: looks.Connection, at_s: float) -> Look:
        reads = reads_done(kernel_counters.device(self.cluster.data))
        cluster = self.cluster
        turns = float(cluster.turns().reads) if isinstance(cluster, PacedCluster) else None
        return Look(**vars(super()._look(connection, at_s)), device_reads=reads, paced_reads=turns)


def reads_done(number: tuple[int, int], path: Path = Path("/proc/diskstats")) -> float | None:
    """Reads that a device has done since ever, merged ones counted once; None where nobody says."""
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return None
    return next((float(fields[3]) for fields in lines if (int(fields[0]), int(fields[1])) == number), None)


def metrics(seen: Sequence[looks.Look], clients: int, seconds: float) -> Metrics:
    """The family's, and reads in a second, of the device and in turns: of all, of each twelfth, of the fastest."""
    found = dict(windows.metrics(seen, clients, seconds))
    for counter, name in (("device_reads", "device_read_iops"), ("paced_reads", "paced_iops")):
        parts = ((place / INTERVALS, (place + 1) / INTERVALS) for place in range(INTERVALS))
        rates = [_rate(seen, part, seconds, counter) for part in parts]
        found[name] = _rate(seen, (0.0, 1.0), seconds, counter)
        found[f"{name}_most"] = max((rate for rate in rates if rate is not None), default=None)
        found |= {f"{name}_{place:02}": rate for place, rate in enumerate(rates, start=1)}
    return found


def _rate(seen: Sequence[looks.Look], window: tuple[float, float], seconds: float, counter: str) -> float | None:
    ends = windows.between(seen, window, seconds)
    if ends is None:
        return None
    early, late = (getattr(each, counter, None) for each in ends)
    return None if early is None or late is None else (late - early) / (ends[1].at_s - ends[0].at_s)
