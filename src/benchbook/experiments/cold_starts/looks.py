"""The family's looks at a running trial, each with how many reads the data's device had done by then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook.engines.pgbench import kernel_counters
from benchbook.experiments.families.pgbench import looks, windows
from benchbook.experiments.families.pgbench.parameters import INTERVALS

Metrics = dict[str, float | None]


@dataclass(frozen=True)
class Look(looks.Look):
    """One look. device_reads: done by the data's device since ever; None where nobody says."""

    device_reads: float | None = None


class Looks(looks.Looks):
    """Looks while its ``with`` block lasts: at the first transaction, and then every ``every_s``."""

    def _look(self, connection: looks.Connection, at_s: float) -> Look:
        reads = reads_done(kernel_counters.device(self.cluster.data))
        return Look(**vars(super()._look(connection, at_s)), device_reads=reads)


def reads_done(number: tuple[int, int], path: Path = Path("/proc/diskstats")) -> float | None:
    """Reads that a device has done since ever, merged ones counted once; None where nobody says."""
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return None
    return next((float(fields[3]) for fields in lines if (int(fields[0]), int(fields[1])) == number), None)


def metrics(seen: Sequence[looks.Look], clients: int, seconds: float) -> Metrics:
    """The family's, and reads of the device a second: in each twelfth, in the trial, and in the fastest twelfth."""
    rates = [_rate(seen, (place / INTERVALS, (place + 1) / INTERVALS), seconds) for place in range(INTERVALS)]
    known = [rate for rate in rates if rate is not None]
    return {
        **windows.metrics(seen, clients, seconds),
        "device_read_iops": _rate(seen, (0.0, 1.0), seconds),
        "device_read_iops_most": max(known, default=None),
        **{f"device_read_iops_{place:02}": rate for place, rate in enumerate(rates, start=1)},
    }


def _rate(seen: Sequence[looks.Look], window: tuple[float, float], seconds: float) -> float | None:
    ends = windows.between(seen, window, seconds)
    if ends is None:
        return None
    early, late = (each.device_reads if isinstance(each, Look) else None for each in ends)
    return None if early is None or late is None else (late - early) / (ends[1].at_s - ends[0].at_s)
