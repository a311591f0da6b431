"""The session: pgbench's tables kept as a template; each trial on a copy, looked at from its first transaction."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook.chapters.clients.arms import COLD, Parameters, configurations
from benchbook.chapters.clients.conditions import Conditions, check_files, enough_files
from benchbook.chapters.clients.parameters import DATA_OVER_POOL
from benchbook.engines import bounds, huge_pages, kernel_settings, pgbench, pgbouncer
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Transactions, Workload, residency
from benchbook.engines.postgres import identity
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.pgbench import bench, tables, windows
from benchbook.measuring.pgbench.looks import Looks
from benchbook.measuring.pgbench.parameters import SMALL_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import Settings
from benchbook.measuring.pgbench.tables import shared_bytes
from benchbook.measuring.samples import reduced, subsample
from benchbook.model import Configuration, PlannedTrial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SAMPLES = 1_000
"""Latencies of a trial that are stored; its metrics come from all."""
SECONDS_BESIDE, SECONDS_PER_CLIENT = 2.0, 0.012
BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 500e6, 100e6 / 3
"""A trial's start and stop, connecting, and the rates at which its data are put back, read and first loaded."""
HUGE_PAGE_SPARE_BYTES = 128 * 2**20
"""Shared memory beside the pool, for the check before the start."""
_BALANCES = """SELECT (SELECT count(*) FROM pgbench_history), (SELECT coalesce(sum(delta), 0) FROM pgbench_history),
                      (SELECT sum(bbalance) FROM pgbench_branches), (SELECT sum(tbalance) FROM pgbench_tellers)"""


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for the trials; PostgreSQL; a pooler, root and files where asked for."""
    p = parameters

    def usable() -> None:
        check_files(p)
        if "pooled" in p.parts:
            check_pooler(p)
        if p.needs_huge_pages:
            wanted = int(p.data_bytes / DATA_OVER_POOL) + HUGE_PAGE_SPARE_BYTES
            refusal = kernel_settings.refusal() or huge_pages.refusal(wanted, allowed=True)
            if refusal is not None:
                raise MachineError(
                    f"huge pages cannot be reserved here: {refusal}",
                    "set allow_vm_settings=false to measure with ordinary pages",
                )

    seconds = 0.0
    for arm in configurations(p):
        clients = int(arm.settings["clients"] or 0)
        filled = p.fill_seconds + 1 + SECONDS_PER_CLIENT * p.clients if p.fill_seconds and arm.name != COLD else 0
        seconds += int(arm.settings["seconds"] or 0) + filled + SECONDS_PER_CLIENT * clients
        seconds += SECONDS_BESIDE + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE
    return Needs(
        p.disk_bytes,
        p.memory_bytes,
        identity,
        (p.blocks * seconds + p.data_bytes / LOADED_BYTES_PER_SECOND) / 60,
        usable,
    )


def check_pooler(parameters: Parameters) -> None:
    """Raise MachineError where there is no pooler, or one that cannot do what is asked."""
    try:
        found = pgbouncer.find()
    except BenchbookError as error:
        mend = f'{error.mend}; or leave its configurations out: parts=["counts", "protocols", "waits"]'
        raise MachineError(error.problem, mend) from None
    if parameters.pooled_prepared and not found.prepares:
        wanted = ".".join(str(part) for part in pgbouncer.PREPARED_SINCE)
        raise MachineError(
            f"PgBouncer {found.version} loses prepared statements between transactions; {wanted} and later keep them",
            "set pooled_prepared=false, or name a later one: BENCHBOOK_PGBOUNCER",
        )


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    p = parameters
    with enough_files(p), tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm") as found:
        yield Bench(p, found)


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (samples,)."""
    return reduced(latencies, "sample")


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials after a warm start and from a cold one, direct or through a pooler."""

    def provenance(self) -> dict[str, Any]:
        """The family's, which pooler, and the memory bound of a trial without connections."""
        pooler = pgbouncer.identity() if "pooled" in self.parameters.parts else {}
        with bounds.memory(self._limit(int(SMALL_RAM_OVER_DATA * self.tables.data_bytes))) as bound:
            label = bound.label
        return {**super().provenance(), **pooler, "memory_bound": label}

    def of(self, arm: Configuration) -> Conditions:
        """What holds in a trial of a configuration."""
        return Conditions(self.parameters, self.tables, arm)

    def ram_bytes(self, arm: Configuration) -> int:
        """Memory that server and page cache may use together in a trial of this configuration."""
        return self.of(arm).ram_bytes

    def settings(self, arm: Configuration) -> Settings:
        """Server settings of a trial of this configuration."""
        return self.of(arm).settings

    def uncounted(self, stack: ExitStack, arm: Configuration) -> int:
        """Huge pages, which are no part of what a control group counts."""
        if not arm.settings["huge_pages"]:
            return 0
        shared = shared_bytes(self.tables.cluster, self.settings(arm))
        stack.enter_context(huge_pages.reserved(shared))
        return shared

    def cached(self, arm: Configuration) -> bool:
        """Whether the OS page cache is filled with the data before the server starts."""
        return not arm.settings["cold"]

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """Filled or not, measured, and all that was written checked."""
        arm, own = planned.configuration, self.of(planned.configuration)
        discarded, metrics = (0, bench.Metrics()) if arm.settings["cold"] else self._fill(planned)
        with pgbench.connect(self.tables.cluster) as connection:
            connection.execute("CHECKPOINT")
        start = self.look()
        clients, seconds = own.number("clients"), own.number("seconds")
        workload = Workload(
            "tpcb-like", clients, own.number("threads"), seconds, protocol=str(arm.settings["protocol"]),
            seed=planned.seed,
        )  # fmt: skip
        with self.tables.cluster.connect() as observer:
            before = pgbench.read_counters(observer, self.tables.binaries)
            with Looks(self.tables.cluster, seconds / own.number("looks")) as looks:
                done, through = self._through(own, workload) if own.number("backends") else (self.run(workload), {})
            window = pgbench.read_counters(observer, self.tables.binaries) - before
        self._check(done, discarded + done.processed)
        kept = subsample(done.latency_ns, SAMPLES)
        metrics |= self.of_all(done) | windows.metrics(looks.seen, clients, seconds) | reduce(kept) | through
        metrics |= bench.of_caches(start, self.look())
        first = done.end_s < min(seconds, self.parameters.seconds)
        metrics |= {
            "start_tps": float(first.sum()) / min(seconds, self.parameters.seconds),
            "server_transactions": float(done.processed),  # else the check has failed
            "reads_per_transaction": window.reads / max(1, done.processed),
            "wal_bytes_per_transaction": window.wal_bytes / max(1, done.processed),
            "pool_blocks": float(own.pool_blocks),
            "data_blocks": float(start.data),
        }
        return metrics, {"transaction": kept}

    def _through(self, own: Conditions, workload: Workload) -> tuple[Transactions, bench.Metrics]:
        """A run through a pooler, the clients that it served to the end, and its processor time."""
        with pgbouncer.pooled(self.tables.cluster, clients=workload.clients, backends=own.number("backends")) as pooler:
            before = pooler.cpu_s()
            served = pgbouncer.run(pooler, workload, logs=self.tables.place.beside)
            after = pooler.cpu_s()
        spent = None if before is None or after is None else after - before
        return served.done, {
            "clients_served": float(served.to_the_end),
            "pooler_cpu_s": spent,
            "pooler_cpu_us_per_transaction": None if spent is None else 1e6 * spent / max(1, served.done.processed),
        }

    def _fill(self, planned: PlannedTrial) -> tuple[int, bench.Metrics]:
        """Fill the pool by pg_prewarm and a discarded run; its transactions, and the share of the pool in use."""
        p, cluster = self.parameters, self.tables.cluster
        with pgbench.connect(cluster) as connection:
            residency.prewarm(connection)
        processed = 0
        if p.fill_seconds:
            seed = planned.seed + 1
            processed = self.run(
                Workload("tpcb-like", p.clients, p.threads, p.fill_seconds, seed=seed, log=False)
            ).processed
        with pgbench.connect(cluster) as connection:
            resident, _ = residency.pool_pages(connection)
        return processed, {"pool_used_share": resident / self.of(planned.configuration).pool_blocks}

    def _check(self, done: Transactions, transactions: int) -> None:
        """Raise MachineError unless every transaction left its row, and all three sums of balances agree."""
        if done.failed:
            raise MachineError(f"{done.failed} transactions failed", "see the server's log")
        with contextlib.closing(pgbench.connect(self.tables.cluster)) as connection:
            row = connection.execute(_BALANCES).fetchone()
        assert row is not None
        rows, deltas, branches, tellers = (int(value) for value in row)
        if rows != transactions:
            raise MachineError(
                f"pgbench counts {transactions:,} transactions, its history has {rows:,} rows", "report this"
            )
        if not deltas == branches == tellers:
            raise MachineError(
                f"the balances are {deltas:,} by the history, {branches:,} of branches and {tellers:,} of tellers",
                "report this: an update was lost",
            )
