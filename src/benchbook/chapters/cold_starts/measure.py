"""The session: pgbench's tables on a volume whose reads take turns, each trial on a copy that lies in no cache."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, cast

from benchbook.chapters.cold_starts import looks
from benchbook.chapters.cold_starts.arms import NOTE_READS_PER_TRANSACTION, Parameters, configurations, warm_without_cap
from benchbook.engines import huge_pages, kernel_settings
from benchbook.engines.pgbench import Transactions, Workload
from benchbook.engines.postgres import Cluster, identity
from benchbook.engines.storage import compiling, devices, pacing
from benchbook.engines.storage.caps import SMALLEST_IOPS
from benchbook.engines.storage.devices import Device
from benchbook.engines.storage.pacing import PacedCluster, Turns
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench, storage, tables, tallies
from benchbook.measuring.pgbench.ladder import bench as ladder
from benchbook.measuring.pgbench.ladder import counted
from benchbook.measuring.pgbench.ladder.arms import Start, start_of
from benchbook.measuring.pgbench.ladder.course import along, reduce
from benchbook.measuring.pgbench.ladder.parameters import LARGEST_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import Part, Settings
from benchbook.measuring.pgbench.storage import Slowness
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

LOOKS = 60
"""At a trial: as many as the note's 60 s had samples."""
KEPT = 1.02
"""A pace is kept where a trial has no more reads than this factor of it."""
SECONDS_BESIDE, SECONDS_PER_CLIENT, CERTIFYING_S = 3.0, 0.03, 2.0
BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 400e6, 100e6 / 3
"""A trial's start, stop and connections, its certificate, the rates at which its data are put back, read and looked at,
and at which they are loaded: estimates from two processors and a local disk."""


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL; root where asked for."""
    p = parameters

    def usable() -> None:
        check(allowed=p.allow_slow_storage)
        if p.allow_slow_storage:
            compiling.compiled(pacing.NAME)
        if not p.allow_vm_settings:
            return
        refusal = kernel_settings.refusal()
        if refusal is None:
            refusal = huge_pages.refusal(int(LARGEST_RAM_OVER_DATA / 4 * p.data_bytes) + 2**28, allowed=True)
        if refusal is not None:
            raise MachineError(
                f"huge pages cannot be reserved here: {refusal}",
                "set allow_vm_settings=false to measure with ordinary pages",
            )

    beside = SECONDS_BESIDE + SECONDS_PER_CLIENT * p.clients + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE
    seconds = 0.0
    for arm in configurations(p):
        seconds += p.trial_seconds + beside + (p.warm_fill_seconds + 1 if start_of(arm) is Start.WARM else 0)
        if p.allow_slow_storage:
            seconds += CERTIFYING_S
    pilot = storage.PILOT_SECONDS + beside if p.allow_slow_storage and not p.read_iops else 0
    loading = p.data_bytes / LOADED_BYTES_PER_SECOND + pilot
    return Needs(p.disk_bytes, p.memory_bytes, identity, (p.blocks * seconds + loading) / 60, usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    p = parameters
    with storage.placed(cast(Any, p)) as place:
        if place.volume is not None:  # before the server opens any file on it
            devices.set_read_ahead(Device(place.volume.device, place.volume.number), p.read_ahead_kib)
        with tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm", place=place) as found:
            if p.allow_slow_storage:
                found = replace(found, cluster=pacing.prepared(found.cluster))
            made = Bench(cast(Any, p), found, p.read_iops)
            if p.allow_slow_storage and not p.read_iops:
                progress("making a pilot for the cap of the reads", 0.95)
                made = replace(made, iops=piloted(made))
            yield made


def piloted(made: Bench) -> int:
    """The cap in the note's proportion to the transactions that a warm pool makes here without one."""
    p = made.own.model_copy(update={"trial_seconds": storage.PILOT_SECONDS, "keep_going": False})
    pilot = replace(made, parameters=cast(Any, p)).measure(PlannedTrial(0, 0, warm_without_cap(), seed=p.seed))
    return in_proportion(pilot.metrics["tps"] or 0)


def _turns(cluster: Cluster) -> Turns:
    """What took turns so far; nothing where there are none to take."""
    return cluster.turns() if isinstance(cluster, PacedCluster) else Turns(0, 0, 0)


def check_kept(cap: float | None, reads: int, seconds: float) -> None:
    """Raise MachineError, which fails the trial, where more reads passed in so many seconds than may."""
    if cap is not None and reads > KEPT * (cap * seconds + 1):
        raise MachineError(f"{reads / seconds:,.0f} reads a second had a turn instead of {cap:,.0f}", "report this")


def in_proportion(warm_tps: float) -> int:
    """The reads a second that bear to these transactions the ratio of the note's."""
    return max(SMALLEST_IOPS, round(NOTE_READS_PER_TRANSACTION * warm_tps))


@dataclass(frozen=True)
class Bench(ladder.Bench):
    """The ladder's trials, their reads in turns, looked at from their first transaction. iops: turns in a second."""

    @property
    def own(self) -> Parameters:
        """This chapter's parameters, which have what the ladder's bench asks of its own."""
        return cast(Parameters, self.parameters)

    def provenance(self) -> dict[str, Any]:
        """The family's, the cap, and how far the kernel reads ahead on the volume."""
        p = self.own
        return {
            **bench.Bench.provenance(self),
            "read_iops": self.iops or None,
            "read_ahead_kib": p.read_ahead_kib if p.allow_slow_storage else None,
        }

    def settings(self, arm: Configuration) -> Settings:
        """The ladder's, and that backends read for themselves, as the note's server had them do."""
        return super().settings(arm) | pacing.settings(self.tables.binaries)

    def slowness(self, arm: Configuration) -> Slowness:
        """None by the kernel, whose throttle lets reads pass in bursts."""
        return Slowness()

    def surrounded(self, stack: ExitStack, arm: Configuration) -> Mapping[str, str]:
        """The ladder's, and how many reads may pass."""
        passing = f"{self.iops:,} reads/s in even turns" if arm.settings["capped"] else "not capped"
        return {**super().surrounded(stack, arm), "storage": passing}

    def _paced(self, arm: Configuration) -> AbstractContextManager[None]:
        """The cap of the reads; what is written is free."""
        cluster = self.tables.cluster
        if not arm.settings["capped"] or not isinstance(cluster, PacedCluster):
            return nullcontext()
        return cluster.paced(self.iops)

    def _window(self, planned: PlannedTrial, number: int) -> tuple[bench.Metrics, Transactions]:
        """The measured seconds, and what was counted around them and seen in them."""
        p, cluster, arm = self.own, self.tables.cluster, planned.configuration
        seed = len(ladder.RUNS) * planned.seed + number
        workload = Workload("tpcb-like", p.clients, p.threads, p.trial_seconds, seed=seed)
        start = self.look()
        inserted, vacuumed = tallies.transactions(cluster, Part.WARM), tallies.autovacuums(cluster)
        with cluster.connect() as observer:
            tally, before = tallies.read(observer, cluster), counted.read(observer, cluster)
            waited, clock = _turns(cluster), time.monotonic()
            with self._paced(arm), looks.Looks(cluster, p.trial_seconds / LOOKS) as seen:
                done = self.run(workload)
            spent = time.monotonic() - clock
            turns = _turns(cluster).since(waited)
            window = tallies.read(observer, cluster) - tally
            after = counted.read(observer, cluster)
        transactions = max(1, done.processed)
        wal, cap = float(window.common.wal_bytes), float(self.iops) if arm.settings["capped"] else None
        check_kept(cap, turns.reads, spent)
        return {
            **self.of_all(done),
            **along(done),
            **window.metrics(transactions),
            **counted.metrics(before, after, transactions, os.cpu_count() or 1, spent, wal),
            **looks.metrics(seen.seen, p.clients, p.trial_seconds),
            "read_cap_iops": cap,
            "paced_reads_per_transaction": turns.reads / transactions,
            "paced_wait_ms": turns.wait_ms,
            **bench.of_caches(start, self.look()),
            "cleaned_per_transaction": window.cleaned / transactions,
            "server_transactions": float(tallies.transactions(cluster, Part.WARM) - inserted),
            "autovacuums": tallies.autovacuums(cluster) - vacuumed,
            "data_blocks": float(start.data),
        }, done
