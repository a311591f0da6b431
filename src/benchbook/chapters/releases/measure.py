"""The session: the same trials on two servers of different release, each on restored copies of its own tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchbook.chapters.releases.arms import NOTES, OURS, Parameters, configurations
from benchbook.engines import pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Workload, residency
from benchbook.engines.postgres import identity
from benchbook.engines.postgres.notes_release import SOURCE, find_notes_release
from benchbook.measuring.pgbench import bench, tables, tallies
from benchbook.measuring.pgbench.parameters import RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import NOTE_003, Part, Settings, pool_blocks
from benchbook.measuring.samples import reduced, subsample
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SAMPLES = 200
"""Latencies of a trial that are stored; its metrics come from all."""
SECONDS_BESIDE, BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 2.5, 400e6, 100e6 / 3
"""A trial's start, stop and looks, and the rates at which its data are put back and read, and at which they are loaded:
estimates of two processors and a local disk."""


def needs(parameters: Parameters) -> Needs:
    """Disk for templates, copies and logs; memory for what the trials may use; both releases."""
    p = parameters
    each = SECONDS_BESIDE + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE + p.fill_seconds + p.trial_seconds
    minutes = (p.blocks * len(configurations(p)) * each + 2 * p.data_bytes / LOADED_BYTES_PER_SECOND) / 60
    return Needs(p.disk_bytes, p.memory_bytes, _identity, minutes)


def _identity() -> dict[str, Any]:
    """The book's release, and the notes' beside it."""
    notes = find_notes_release().identity()
    return identity() | {
        "notes_version": notes["engine_version"], "notes_sha256": notes["engine_sha256"], "notes_source": SOURCE,
    }  # fmt: skip


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Pair]:
    """A private cluster of each release, with a template of the loaded tables; ``progress`` is told of the loading."""
    p = parameters
    with (
        tables.loaded(p.scale, p.disk_bytes // 2, progress, "pg_prewarm") as own,
        tables.loaded(p.scale, p.disk_bytes // 2, progress, "pg_prewarm", binaries=find_notes_release()) as other,
    ):
        yield Pair({OURS: Bench(p, own), NOTES: Bench(p, other)})


@dataclass(frozen=True)
class Pair:
    """A bench for each release, of which one server runs at a time."""

    benches: Mapping[str, Bench]

    def provenance(self) -> dict[str, Any]:
        """The family's of the book's release, and which the other is."""
        return self.benches[OURS].provenance() | _identity()

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once, on its release."""
        return self.benches[str(planned.configuration.settings["release"])].measure(planned)


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials on one release."""

    def ram_bytes(self, arm: Configuration) -> int:
        """Memory that server and page cache may use together: room for all data in both."""
        return int(RAM_OVER_DATA * self.tables.data_bytes)

    def settings(self, arm: Configuration) -> Settings:
        """Note 003's of its second round, and what the arm varies."""
        own = arm.settings
        blocks = pool_blocks(int(own["pool"] or 0) / 100 * self.tables.data_bytes)
        return NOTE_003 | {
            "shared_buffers": f"{blocks * 8}kB",
            "max_connections": self.parameters.max_connections,
            "wal_compression": "pglz" if own["compressed"] else "off",
            "bgwriter_lru_maxpages": own["lru_maxpages"],
            "max_wal_size": "50GB",
            "checkpoint_timeout": "1h",
        }

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """On a pool filled as far as it goes, after a discarded run of the same workload."""
        p, cluster = self.parameters, self.tables.cluster
        reads = bool(planned.configuration.settings["reads"])
        part = Part.READS if reads else Part.WARM
        with pgbench.connect(cluster) as connection:
            residency.prewarm(connection)
        script = "select-only" if reads else "tpcb-like"
        work = Workload(script, p.clients, p.threads, p.trial_seconds, seed=2 * planned.seed)
        if p.fill_seconds:
            self.run(replace(work, duration_s=p.fill_seconds, seed=work.seed + 1, log=False))
        start, counted = self.look(), tallies.transactions(cluster, part)
        with cluster.connect() as observer:
            before = tallies.read(observer, cluster)
            done = self.run(work)
            window = tallies.read(observer, cluster) - before
        kept = subsample(done.latency_ns, SAMPLES)
        metrics: bench.Metrics = {
            **self.of_all(done),
            **reduce(kept),
            **window.metrics(max(1, done.processed)),
            **bench.of_caches(start, self.look()),
            "server_transactions": float(tallies.transactions(cluster, part) - counted),
        }
        return metrics, {"transaction": kept}


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (samples,)."""
    return reduced(latencies, "sample")
