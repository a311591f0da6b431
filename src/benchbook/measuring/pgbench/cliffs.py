"""Trials of note 002 from a restart, under limits of dirty data and a cap, and of checkpoints on a filled pool."""

from __future__ import annotations

from typing import Any

from benchbook.engines import dirty_limits, pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.dirty_limits import DirtyLimits, of_memory
from benchbook.engines.pgbench import Watch, residency
from benchbook.engines.storage.caps import Cap
from benchbook.measuring.pgbench import bench, watched
from benchbook.measuring.pgbench.capped import Limited
from benchbook.measuring.pgbench.parameters import RAM_OVER_DATA, SMALL_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import NOTE_003, Settings, pool_blocks, restarted
from benchbook.measuring.pgbench.storage import Slowness
from benchbook.measuring.pgbench.stretches import reduce, stretches
from benchbook.model import Configuration, PlannedTrial


class Bench(Limited[Any]):
    """Trials that are watched; of a configuration that is ``warm`` on a filled pool, and about its checkpoints."""

    def provenance(self) -> dict[str, Any]:
        own = dirty_limits.current()
        return {
            **super().provenance(),
            "machine_dirty_limit_bytes": None if own is None else own.limit_bytes,
            "machine_dirty_background_bytes": None if own is None else own.background_bytes,
        }

    def ram_bytes(self, arm: Configuration) -> int:
        return int((SMALL_RAM_OVER_DATA if arm.settings.get("warm") else RAM_OVER_DATA) * self.tables.data_bytes)

    def pool_blocks(self, arm: Configuration) -> int:
        return pool_blocks(float(arm.settings["pool_over_data"] or 0) * self.tables.data_bytes)

    def settings(self, arm: Configuration) -> Settings:
        own, p, data = arm.settings, self.parameters, self.tables.data_bytes
        common: Settings = {
            "shared_buffers": f"{self.pool_blocks(arm) * 8}kB", "max_connections": p.max_connections,
            "wal_compression": self.tables.wal_compression, "wal_buffers": "16MB",
            "checkpoint_completion_target": 0.9,
        }  # fmt: skip
        if not own.get("warm"):
            return restarted(int(own["workers"] or 0), own["lru_maxpages"]) | common
        # The note's 50 GB, and PostgreSQL's 1 GB, to its 20 GB of data; where only time shall start a checkpoint, the
        # log may grow beyond the note's size.
        size = data * 0.05 / 1e6 if own["default_wal_size"] else max(data * 2.5 / 1e6, 8_000)
        hour = max(round(6 * p.checkpoint_seconds), 2 * p.checkpoint_seconds)
        timeout = p.checkpoint_timeout_s if own["default_timeout"] else hour
        return NOTE_003 | common | {
            "max_wal_size": f"{max(32, round(size))}MB", "min_wal_size": "32MB",  # the server starts with no less
            "checkpoint_timeout": f"{max(p.checkpoint_timeout_s, timeout)}s",
        }  # fmt: skip

    def limits(self, arm: Configuration) -> DirtyLimits | None:
        percent, background = (arm.settings.get(f"dirty_{kind}percent") for kind in ("", "background_"))
        if not self.parameters.allow_vm_settings or percent is None or background is None:
            return None
        return of_memory(self.ram_bytes(arm), float(percent), float(background))

    def slowness(self, arm: Configuration) -> Slowness:
        delay = self.parameters.storage_latency_ms
        return Slowness(Cap(write_iops=self.iops), sync_ms=delay) if arm.settings["capped"] else Slowness()

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        p, arm, cluster = self.parameters, planned.configuration, self.tables.cluster
        warm = bool(arm.settings.get("warm"))
        seconds = p.checkpoint_seconds if warm else p.trial_seconds
        if warm:
            self.run(self.tpcb(planned, p.fill_seconds, 1))
            with cluster.connect() as connection:
                connection.execute("CHECKPOINT")
        start, waiting = self.look(), residency.dirty_bytes()
        with cluster.connect() as observer:
            before = pgbench.read_counters(observer, self.tables.binaries)
            with Watch(cluster, bound, every_s=min(1.0, max(0.25, seconds / watched.PARTS))) as watch:
                done = self.run(self.tpcb(planned, seconds))
            window = pgbench.read_counters(observer, self.tables.binaries) - before
        kept, memory = stretches(done.end_s, seconds), bound.reading()
        limits, own = self.limits(arm) or dirty_limits.current(), pgbench.own_commits(done.workload)
        metrics: bench.Metrics = {
            **self.of_all(done),
            **reduce(kept),
            **watched.metrics(watch.watched, seconds, None if limits is None else limits.slows_from_bytes),
            **bench.of_caches(start, self.look()),
            "server_transactions": float(window.commits - own),  # its own questions left out
            "checkpoints": float(window.checkpoints),
            "waiting_over_handed": watched.over_handed(watch.watched.table),
            "dirty_start_bytes": waiting,
            "dirty_limit_bytes": None if limits is None else float(limits.limit_bytes),
            "dirty_background_bytes": None if limits is None else float(limits.background_bytes),
            "pool_blocks": float(self.pool_blocks(arm)),
            "ram_bytes": float(self.ram_bytes(arm)),
            "memory_peak_bytes": None if memory is None or memory.peak_bytes is None else float(memory.peak_bytes),
            "swapped_bytes": None if memory is None else float(memory.swapped_bytes),
            "processes_killed": None if memory is None else float(memory.killed),
        }
        return metrics, {"stretch": kept}
