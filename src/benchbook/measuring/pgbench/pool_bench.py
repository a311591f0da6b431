"""Trials on pools of several sizes: from a restart, of reads alone, and after a warm start; their caches looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchbook.engines import huge_pages, pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.pgbench import Transactions, Workload, residency
from benchbook.engines.postgres import Cluster
from benchbook.measuring.pgbench import bench, tables, tallies
from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.capped import RESERVED_OVER_POOL, Limited, check_vm, note_limits, session_of
from benchbook.measuring.pgbench.ladder.course import counted, reduce
from benchbook.measuring.pgbench.looks import Pressure
from benchbook.measuring.pgbench.parameters import INTERVALS, RAM_OVER_DATA
from benchbook.measuring.pgbench.pool_arms import ROUND_2_RAM_OVER_DATA, SHARES, Parameters, configurations, part_of
from benchbook.measuring.pgbench.settings import NOTE_002, NOTE_003, Part, Settings, pool_blocks, restarted
from benchbook.measuring.samples import subsample
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SAMPLES = 2_000
"""Latencies of a trial that are stored; a P95 of them is estimable, a P99 is not."""


def needs(parameters: Parameters) -> Needs:
    """Of all trials, each with a certificate of its storage; root where asked for."""
    p = parameters
    warm = p.warm_fill_seconds + p.warm_seconds
    spent = {Part.RESTART: p.tpcb_seconds, Part.READS: p.read_fill_seconds + p.read_seconds, Part.WARM: warm}
    looked = {True: 5.0, False: 2.0} if p.allow_slow_storage else {}
    trials = [spent[part_of(arm)] + looked.get(bool(arm.settings.get("capped")), 0.0) for arm in configurations(p)]
    shared = int(max(SHARES) / 100 * ROUND_2_RAM_OVER_DATA * p.data_bytes) + 128 * 2**20

    def usable() -> None:
        check(allowed=p.allow_slow_storage)
        check_vm(p, shared if "memory" in p.parts else 0)

    return family.needs(p, trials, beside_s=1.2, usable=usable, restored=800e6)


def _facts(cluster: Cluster) -> Mapping[str, Any]:
    """Sizes of two small data sets, which give that per unit of scale, and when two settings can be changed."""
    sizes: dict[str, int] = {}
    for scale in (2, 10):
        pgbench.initialise(cluster, scale)
        sizes[str(scale)] = sum(tables.sizes(cluster))
        with cluster.connect() as connection:
            connection.execute(f"DROP DATABASE {pgbench.DATABASE}")
    with cluster.connect() as connection:
        asked = "SELECT name, context FROM pg_settings WHERE name IN ('shared_buffers', 'bgwriter_lru_maxpages')"
        return {"size_bytes_by_scale": sizes, "contexts": dict(connection.execute(asked).fetchall())}


def along(done: Transactions) -> dict[str, float | None]:
    """Throughput and latency along a trial.

    interval_NN_tps: of each twelfth; peak_tps and min_tps: the highest and lowest of these. interval_sd_ns: mean over
    the twelfths of the sd of latency, as pgbench's progress lines give it; None where one holds fewer than two
    transactions. growth: TPS of the last quarter over that of the first.
    """
    place = np.minimum((done.end_s * INTERVALS / done.duration_s).astype(np.int64), INTERVALS - 1)
    tps, deviation = counted(done, INTERVALS), None
    if np.bincount(place, minlength=INTERVALS).min() > 1:
        deviation = float(np.mean([done.latency_ns[place == number].std(ddof=1) for number in range(INTERVALS)]))
    quarter = INTERVALS // 4
    first, last = float(tps[:quarter].mean()), float(tps[-quarter:].mean())
    return {
        "window_transactions": float(len(done.latency_ns)),
        "peak_tps": float(tps.max()),
        "min_tps": float(tps.min()),
        "growth": last / first if first else None,
        "interval_sd_ns": deviation,
        **{f"interval_{number:02}_tps": float(value) for number, value in enumerate(tps, start=1)},
    }


@dataclass(frozen=True)
class Bench(Limited[Parameters]):
    """Trials from a restart, of reads alone, and after a warm start."""

    LENGTH = "tpcb_seconds"

    def provenance(self) -> dict[str, Any]:
        return {**super().provenance(), "direct_io": self.tables.cluster.direct_io_possible}

    def ram_bytes(self, arm: Configuration) -> int:
        return int(float(arm.settings.get("ram_over_data") or RAM_OVER_DATA) * self.tables.data_bytes)

    def pool_blocks(self, arm: Configuration) -> int:
        own = arm.settings
        if "pool_over_ram" in own:
            return pool_blocks(float(own["pool_over_ram"] or 0) * self.ram_bytes(arm))
        return pool_blocks(float(own["pool_over_data"] or 0) * self.tables.data_bytes)

    def huge(self, arm: Configuration) -> tuple[bool, int]:
        """Those that are kept from everything else, whether the pool lies in them or not."""
        reserved = RESERVED_OVER_POOL * float(arm.settings.get("reserved_over_ram") or 0) * self.ram_bytes(arm)
        return bool(arm.settings.get("huge_pages")), int(reserved)

    def limits(self, arm: Configuration) -> DirtyLimits | None:
        noted = part_of(arm) is Part.RESTART and self.parameters.allow_vm_settings
        return note_limits(self.ram_bytes(arm)) if noted else None

    def settings(self, arm: Configuration) -> Settings:
        own, part, p = arm.settings, part_of(arm), self.parameters
        # The notes' log buffers would be a tenth of the small memory of a bound: they shrink with it, down to 16 MB.
        scaled = max(16, self.ram_bytes(arm) // 256 // 2**20)
        common: Settings = {
            "shared_buffers": f"{self.pool_blocks(arm) * 8}kB",
            "wal_buffers": f"{min(128 if part is Part.WARM else 64, scaled)}MB",
            "max_connections": p.max_connections,
            "wal_compression": self.tables.wal_compression,
            "huge_pages": "on" if own.get("huge_pages") else "off",
        }
        if part is Part.RESTART:
            return restarted(int(own["workers"] or 0), own["lru_maxpages"]) | common
        if part is Part.READS:
            past = self.tables.cluster.direct_io_possible and self.tables.binaries.has_direct_io
            return NOTE_002 | common | ({"debug_io_direct": "data"} if past else {})
        return NOTE_003 | common | {
            "max_wal_size": "50GB", "min_wal_size": "2GB", "checkpoint_timeout": "1h",
            "bgwriter_lru_multiplier": own["multiplier"], "autovacuum": True, "autovacuum_max_workers": 2,
            "autovacuum_naptime": f"{int(own['naptime_trials'] or 0) * p.warm_seconds}s",
            **({} if own["compressed"] else {"wal_compression": "off"}),
        }  # fmt: skip

    def cached(self, arm: Configuration) -> bool:
        cold = arm.settings.get("cold") or not arm.settings.get("os_cache", True)
        return part_of(arm) is not Part.READS and not cold

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        p, cluster, arm = self.parameters, self.tables.cluster, planned.configuration
        part = part_of(arm)
        metrics: bench.Metrics = {"dirty_start_bytes": residency.dirty_bytes()}
        seconds = {Part.RESTART: p.tpcb_seconds, Part.READS: p.read_seconds, Part.WARM: p.warm_seconds}[part]
        work = Workload("tpcb-like", p.clients, p.threads, seconds, seed=planned.seed)
        if part is Part.READS:
            work = replace(work, script="select-only", warm_up_s=p.read_fill_seconds)
        if arm.settings.get("prewarm") or part is Part.READS:
            self.fill(work, 0)
        if part is Part.WARM and not arm.settings.get("cold"):
            self.fill(replace(work, seed=planned.seed + 1), p.warm_fill_seconds)
            metrics |= self._checkpointed(arm)
        start = self.look()
        with cluster.connect() as observer, Pressure(bound) as pressure:
            counted, before = tallies.transactions(cluster, part), tallies.read(observer, cluster)
            done = self.run(work)
            window = tallies.read(observer, cluster) - before
        end, kept, limits, ram = self.look(), subsample(done.latency_ns, SAMPLES), self.limits(arm), self.ram_bytes(arm)
        metrics |= self.of_all(done) | along(done) | reduce(kept) | window.metrics(max(1, done.processed))
        metrics |= bench.of_caches(start, end) | bench.at_end(end) | pressure.metrics(ram)
        return metrics | {
            "server_transactions": float(tallies.transactions(cluster, part) - counted),
            "pool_blocks": float(self.pool_blocks(arm)),
            "ram_blocks": float(ram // 8192),
            "dirty_limit_bytes": None if limits is None else float(limits.limit_bytes),
            "huge_page_bytes": float(huge_pages.taken_bytes()),
            "autovacuums": tallies.autovacuums(cluster),
        }, {"transaction": kept}

    def _checkpointed(self, arm: Configuration) -> bench.Metrics:
        """A CHECKPOINT, unless the arm has none; pages of pgbench's relations in the pool, and the dirty ones, on both
        sides of it. Nobody else is connected.
        """
        metrics: bench.Metrics = {}
        with pgbench.connect(self.tables.cluster) as connection:
            for when in ("before", "after") if arm.settings["checkpoint"] else ("before",):
                if when == "after":
                    connection.execute("CHECKPOINT")
                resident, dirty = residency.pool_pages(connection)
                metrics.setdefault("pool_used_share", resident / self.pool_blocks(arm))
                metrics[f"resident_{when}_checkpoint"] = float(resident)
                metrics[f"dirty_{when}_checkpoint"] = float(dirty)
        return metrics


session = session_of(Bench, configurations, "scenario_a_local_disk", "pg_prewarm", before=_facts)
