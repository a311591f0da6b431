"""Reads past the page cache that take turns, so many in a second: what looks at a trial see of them, and whether none
passed besides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from benchbook.engines.pgbench import kernel_counters
from benchbook.engines.pgbench.residency import Residency
from benchbook.engines.postgres import Cluster
from benchbook.engines.storage import pacing
from benchbook.engines.storage.caps import SMALLEST_IOPS
from benchbook.engines.storage.pacing import PacedCluster, Turns
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench as family
from benchbook.measuring.pgbench import looks, windows
from benchbook.measuring.pgbench.ladder import bench as ladder
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.measuring.pgbench.settings import Settings
from benchbook.measuring.pgbench.storage import PILOT_SECONDS, Slowness
from benchbook.measuring.postgres import Connection
from benchbook.model import Configuration, PlannedTrial

NOTE_READS_PER_TRANSACTION = 1.147
"""What note 003's data volume read in a second of its first round, 554,830 reads in 60 s, for each transaction a second
of that run's best 5 s, 8,059.7: by then most clients had stopped waiting for it (its raw report)."""
KEPT = 1.02
"""A pace is kept where a trial has no more reads than this factor of it."""


@dataclass(frozen=True)
class Look(looks.Look):
    """One look. device_reads: done by the data's device since ever; paced_reads: that had a turn; None if unknown."""

    device_reads: float | None = None
    paced_reads: float | None = None


class Looks(looks.Looks):
    """Looks while its ``with`` block lasts: at the first transaction, and then every ``every_s``."""

    def _look(self, connection: Connection, at_s: float) -> Look:
        reads = kernel_counters.disk(kernel_counters.device(self.cluster.data)).get("disk_reads")
        waited = float(turns(self.cluster).reads) if isinstance(self.cluster, PacedCluster) else None
        return Look(**vars(super()._look(connection, at_s)), device_reads=reads, paced_reads=waited)


def turns(cluster: Cluster) -> Turns:
    """What took turns so far; nothing where there are none to take."""
    return cluster.turns() if isinstance(cluster, PacedCluster) else Turns(0, 0, 0)


def at(cluster: Cluster, cap: int | None) -> AbstractContextManager[None]:
    """So many reads may pass in a second until the block ends; what is written is free. None: all."""
    return nullcontext() if cap is None or not isinstance(cluster, PacedCluster) else cluster.paced(cap)


def check_kept(cap: float | None, reads: int, seconds: float) -> None:
    """Raise MachineError, which fails the trial, where more reads passed in so many seconds than may."""
    if cap is not None and reads > KEPT * (cap * seconds + 1):
        raise MachineError(f"{reads / seconds:,.0f} reads a second had a turn instead of {cap:,.0f}", "report this")


def metrics(seen: Sequence[looks.Look], clients: int, seconds: float) -> windows.Metrics:
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


def in_proportion(warm_tps: float) -> int:
    """The reads a second that bear to these transactions the ratio of the note's."""
    return max(SMALLEST_IOPS, round(NOTE_READS_PER_TRANSACTION * warm_tps))


@dataclass(frozen=True)
class Bench(ladder.Bench):
    """The ladder's trials, their reads in turns, looked at from their first transaction. iops: turns in a second."""

    parameters: Any

    def piloted(self, arm: Configuration) -> int:
        """The cap in the note's proportion to the transactions that a warm pool makes here without one."""
        p = self.parameters.model_copy(update={"trial_seconds": PILOT_SECONDS, "keep_going": False})
        free = replace(arm, settings={**arm.settings, "capped": False})
        pilot = replace(self, parameters=p).measure(PlannedTrial(0, 0, free, seed=p.seed))
        return in_proportion(pilot.metrics["tps"] or 0)

    def provenance(self) -> dict[str, Any]:
        ahead = self.parameters.read_ahead_kib if self.parameters.allow_slow_storage else None
        return {**family.Bench.provenance(self), "read_iops": self.iops or None, "read_ahead_kib": ahead}

    def settings(self, arm: Configuration) -> Settings:
        """The ladder's, and that backends read for themselves, as the note's server had them do."""
        return super().settings(arm) | pacing.settings(self.tables.binaries)

    def slowness(self, arm: Configuration) -> Slowness:
        """None by the kernel, whose throttle lets reads pass in bursts."""
        return Slowness()

    def surrounded(self, stack: ExitStack, arm: Configuration) -> Mapping[str, str]:
        passing = f"{self.iops:,} reads/s in even turns" if arm.settings["capped"] else "not capped"
        return {**super().surrounded(stack, arm), "storage": passing}

    @contextmanager
    def watched(self, arm: Configuration, start: Residency) -> Iterator[Callable[[int], family.Metrics]]:
        """Reads take turns, and are looked at with the clients as often as the note did in its 60 s."""
        p, cluster, cap = self.parameters, self.tables.cluster, self.iops if arm.settings["capped"] else None
        before, clock = turns(cluster), time.monotonic()
        with at(cluster, cap), Looks(cluster, p.trial_seconds / 60) as looked:
            yield lambda made: {
                **metrics(looked.seen, p.clients, p.trial_seconds),
                "read_cap_iops": None if cap is None else float(cap),
                "paced_reads_per_transaction": waited.reads / made,
                "paced_wait_ms": waited.wait_ms,
                "data_blocks": float(start.data),
            }
        took, waited = time.monotonic() - clock, turns(cluster).since(before)
        check_kept(cap, waited.reads, took)
