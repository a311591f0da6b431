"""The session: pgbench's tables kept as a template; each trial on a copy, its caches looked at before and after."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from benchbook import mishaps
from benchbook.engines import huge_pages, pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Workload, residency, running
from benchbook.engines.postgres import Cluster, identity
from benchbook.engines.postgres.cluster import ROLE
from benchbook.errors import MachineError
from benchbook.experiments.families.pgbench import bench, tables
from benchbook.experiments.families.pgbench.parameters import RAM_OVER_DATA, SMALL_RAM_OVER_DATA
from benchbook.experiments.families.pgbench.pressure import Pressure
from benchbook.experiments.families.pgbench.settings import (
    BLOCK_BYTES,
    NOTE_002,
    NOTE_003,
    Settings,
    pool_blocks,
    restarted,
)
from benchbook.experiments.families.samples import subsample
from benchbook.experiments.needs import Needs
from benchbook.experiments.shared_buffers import tallies
from benchbook.experiments.shared_buffers.arms import Parameters, Part, configurations, part_of
from benchbook.experiments.shared_buffers.course import SAMPLES, along, reduce
from benchbook.model import Configuration, PlannedTrial, Scalar

__all__ = ["needs", "reduce", "session"]

SIZE_SCALES = (2, 10)
"""Two small data sets whose sizes give the size per unit of scale."""
HUGE_PAGE_SPARE_BYTES = 128 * 2**20
"""Shared memory beside the pool, for the check before the start: the log's buffers, the descriptions of the pages."""
LARGEST_HUGE_SHARE = 0.375
BY_HAND_PATIENCE_S = 120
_TPS = re.compile(r"^tps = ([\d.]+) \(without initial connection time\)", re.MULTILINE)
_LEAST_WAL_BUFFERS_MIB, _RAM_OVER_WAL_BUFFERS = 16, 256
"""The notes' log buffers would be a tenth of the small memory of a bound: they shrink with it, down to the default."""
_LOG_003: Settings = {"max_wal_size": "50GB", "min_wal_size": "2GB", "checkpoint_timeout": "1h"}


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL; huge pages if asked for."""
    p = parameters

    def usable() -> None:
        if p.needs_huge_pages:
            wanted = int(LARGEST_HUGE_SHARE * int(SMALL_RAM_OVER_DATA * p.data_bytes)) + HUGE_PAGE_SPARE_BYTES
            refusal = huge_pages.refusal(wanted, allowed=True)
            if refusal is not None:
                raise MachineError(
                    f"{wanted / 2**20:,.0f} MiB of huge pages cannot be reserved here: {refusal}",
                    "set allow_vm_settings=false to leave out the configurations with huge pages",
                )

    spent = {
        Part.RESTART: p.tpcb_seconds + 1,
        Part.BY_HAND: p.tpcb_seconds,
        Part.READS: p.read_fill_seconds + p.read_seconds + 1,
        Part.WARM: p.warm_fill_seconds + p.warm_seconds + 2,
    }
    beside = 1 + 2 * p.data_bytes / 2**30  # measured on two processors and a local disk
    minutes = p.blocks * sum(spent[part_of(arm)] + beside for arm in configurations(p)) / 60
    return Needs(p.disk_bytes, p.memory_bytes, identity, minutes, usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    with tables.loaded(parameters.scale, parameters.disk_bytes, progress, "pg_prewarm", before=_facts) as found:
        yield Bench(parameters, found)


def _facts(cluster: Cluster) -> Mapping[str, Any]:
    """Sizes of two small data sets, and when two settings can be changed."""
    sizes: dict[str, int] = {}
    for scale in SIZE_SCALES:
        pgbench.initialise(cluster, scale)
        sizes[str(scale)] = sum(tables.sizes(cluster))
        with cluster.connect() as connection:
            connection.execute(f"DROP DATABASE {pgbench.DATABASE}")
    with cluster.connect() as connection:
        asked = "SELECT name, context FROM pg_settings WHERE name IN ('shared_buffers', 'bgwriter_lru_maxpages')"
        return {"size_bytes_by_scale": sizes, "contexts": dict(connection.execute(asked).fetchall())}


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials of the four parts."""

    @property
    def direct_io(self) -> bool:
        """Whether the read-only trials read past the OS page cache."""
        return self.tables.cluster.direct_io_possible

    def provenance(self) -> dict[str, Any]:
        """The family's, and whether reads bypass the OS page cache."""
        return {**super().provenance(), "direct_io": self.direct_io}

    def ram_bytes(self, arm: Configuration) -> int:
        """Memory that server and page cache may use together in a trial of this configuration."""
        return int((SMALL_RAM_OVER_DATA if part_of(arm) is Part.WARM else RAM_OVER_DATA) * self.tables.data_bytes)

    def pool_blocks(self, arm: Configuration) -> int:
        """Shared buffers of a trial in blocks of 8 KiB."""
        if "pool_over_ram" in arm.settings:
            return pool_blocks(float(arm.settings["pool_over_ram"] or 0) * self.ram_bytes(arm))
        return pool_blocks(float(arm.settings["pool_over_data"] or 0) * self.tables.data_bytes)

    def settings(self, arm: Configuration) -> Settings:
        """The two notes' own settings, as far as the server has them, and what the arm varies."""
        own, part = arm.settings, part_of(arm)
        note = restarted(int(own["workers"] or 0), own["lru_maxpages"]) if "workers" in own else NOTE_002
        scaled = max(_LEAST_WAL_BUFFERS_MIB, self.ram_bytes(arm) // _RAM_OVER_WAL_BUFFERS // 2**20)
        settings = (NOTE_003 | _LOG_003 if part is Part.WARM else note) | {
            "shared_buffers": f"{self.pool_blocks(arm) * 8}kB",
            "wal_buffers": f"{min(128 if part is Part.WARM else 64, scaled)}MB",
            "max_connections": self.parameters.max_connections,
            "wal_compression": self.tables.wal_compression,
            "huge_pages": "on" if own.get("huge_pages") else "off",
        }
        past = part is Part.READS and self.direct_io and self.tables.binaries.has_direct_io
        return settings | {"debug_io_direct": "data"} if past else settings

    def uncounted(self, stack: ExitStack, arm: Configuration) -> int:
        """Huge pages, which are no part of what a control group counts."""
        if not arm.settings.get("huge_pages"):
            return 0
        shared = _shared_bytes(self.tables.cluster, self.settings(arm))
        stack.enter_context(huge_pages.reserved(shared))
        return shared

    def cached(self, arm: Configuration) -> bool:
        """Whether the OS page cache is filled with the data before the server starts."""
        return part_of(arm) is not Part.READS and bool(arm.settings.get("os_cache", True))

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """Filled or not, measured, its caches looked at before and after."""
        arm, part, cluster = planned.configuration, part_of(planned.configuration), self.tables.cluster
        metrics: bench.Metrics = {"dirty_start_bytes": residency.dirty_bytes()}
        if arm.settings.get("prewarm"):
            self._prewarm()
        if part is Part.WARM:
            metrics |= self._fill(planned)
        if part is Part.BY_HAND:
            return metrics | {"tps": by_hand(cluster, self.parameters, planned.seed)}, {}
        start = self.look()
        with cluster.connect() as observer, Pressure(bound).watching() as pressure:
            counted = _server_count(cluster, part)
            before = tallies.read(observer, cluster)
            done = pgbench.run(cluster, self._workload(part, planned.seed))
            window = tallies.read(observer, cluster) - before
        end = self.look()
        kept = subsample(done.latency_ns, SAMPLES)
        ram = self.ram_bytes(arm)
        metrics |= self.of_all(done) | along(done) | reduce(kept) | window.metrics(max(1, done.processed))
        metrics |= bench.of_caches(start, end) | pressure.metrics(ram)
        metrics |= {
            "server_transactions": float(_server_count(cluster, part) - counted),
            "pool_blocks": float(self.pool_blocks(arm)),
            "ram_blocks": float(ram // BLOCK_BYTES),
            "data_blocks": float(end.data),
            "data_in_os_cache_end": None if end.os is None else end.os / end.data,
            "resident_share_end": None if end.either is None else end.either / end.data,
        }
        return metrics, {"transaction": kept}

    def _workload(self, part: Part, seed: int) -> Workload:
        p = self.parameters
        if part is Part.READS:
            return Workload(
                "select-only", p.clients, p.threads, p.read_seconds, warm_up_s=p.read_fill_seconds, seed=seed
            )
        seconds = p.warm_seconds if part is Part.WARM else p.tpcb_seconds
        return Workload("tpcb-like", p.clients, p.threads, seconds, seed=seed)

    def _fill(self, planned: PlannedTrial) -> bench.Metrics:
        """Fill the pool (pg_prewarm, then a discarded TPC-B run); then a CHECKPOINT, unless the arm has none.

        Returns pages of pgbench's relations in the pool, and the dirty ones, on both sides of it. Nobody else is
        connected.
        """
        p, cluster = self.parameters, self.tables.cluster
        self._prewarm()
        discarded = Workload("tpcb-like", p.clients, p.threads, p.warm_fill_seconds, seed=planned.seed + 1, log=False)
        pgbench.run(cluster, discarded)
        with pgbench.connect(cluster) as connection:
            resident, dirty = residency.pool_pages(connection)
            metrics: bench.Metrics = {
                "pool_used_share": resident / self.pool_blocks(planned.configuration),
                "resident_before_checkpoint": float(resident),
                "dirty_before_checkpoint": float(dirty),
            }
            if planned.configuration.settings["checkpoint"]:
                connection.execute("CHECKPOINT")
                resident, dirty = residency.pool_pages(connection)
                metrics |= {"resident_after_checkpoint": float(resident), "dirty_after_checkpoint": float(dirty)}
        return metrics

    def _prewarm(self) -> None:
        with pgbench.connect(self.tables.cluster) as connection:
            for name in residency.RELATIONS:
                connection.execute("SELECT pg_prewarm(%s::regclass, 'buffer')", (name,))


def by_hand(cluster: Cluster, p: Parameters, seed: int) -> float:
    """TPS that plain pgbench prints, started as one would by hand: no log, no progress, nobody who looks."""
    command = [
        "-n", "-b", "tpcb-like", "-c", str(p.clients), "-j", str(p.threads), "-T", str(p.tpcb_seconds),
        "--random-seed", str(seed), "-h", str(cluster.folder), "-U", ROLE, pgbench.DATABASE,
    ]  # fmt: skip
    try:
        done = cluster.run("pgbench", *command, timeout_s=p.tpcb_seconds + BY_HAND_PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise MachineError(
            f"pgbench did not end {BY_HAND_PATIENCE_S} s after its time", "look for a stuck disk"
        ) from None
    found = _TPS.search(done.stdout)
    if done.returncode or found is None:
        last = (done.stderr.strip() or "it said nothing").splitlines()[-1]
        if done.returncode < 0:
            raise mishaps.killed("pgbench", -done.returncode, cluster.folder.parent)
        raise running.failed(cluster, done.returncode, last)
    return float(found.group(1))


def _server_count(cluster: Cluster, part: Part) -> int:
    """Transactions that the tables themselves count: rows of history, or look-ups of accounts where none is written."""
    column = "idx_scan" if part is Part.READS else "n_tup_ins"
    table = "pgbench_accounts" if part is Part.READS else "pgbench_history"
    with pgbench.connect(cluster) as connection:
        row = connection.execute(f"SELECT {column} FROM pg_stat_user_tables WHERE relname = %s", (table,)).fetchone()
    assert row is not None
    return int(row[0] or 0)


def _shared_bytes(cluster: Cluster, settings: Mapping[str, Scalar]) -> int:
    """Shared memory that a server with these settings will ask for, as it says itself; the cluster is stopped."""
    asked = [part for name, value in settings.items() if name != "huge_pages" for part in ("-c", f"{name}={value}")]
    said = cluster.run("postgres", "-D", str(cluster.data), *asked, "-C", "shared_memory_size")
    try:
        return (int(said.stdout) + 1) * 2**20
    except ValueError:
        problem = (said.stderr.strip() or "it said nothing").splitlines()[-1]
        raise MachineError(
            f"the server does not say how much shared memory it needs: {problem}",
            "use PostgreSQL 15 or later, or set allow_vm_settings=false",
        ) from None
