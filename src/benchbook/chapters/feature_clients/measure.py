"""One trial: a fresh server, the warmed keys read, and pgbench's clients that each make one request after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from benchbook.chapters.feature_clients.arms import HOT, PIPELINE, Parameters, configurations
from benchbook.engines import pgbench
from benchbook.engines.pgbench import Transactions, Workload
from benchbook.engines.postgres import identity, sessions
from benchbook.errors import MachineError
from benchbook.measuring.features.made import Data, counted, made
from benchbook.measuring.pgbench import spent
from benchbook.measuring.postgres import Loaded
from benchbook.measuring.samples import reduced, subsample
from benchbook.model import PlannedTrial, Trial
from benchbook.parameters.needs import Needs
from benchbook.statistics import describe, littles_law

__all__ = ["needs", "reduce", "session"]

SPARE_BYTES, SERVER_BYTES, CLIENT_BYTES = 800_000_000, 500_000_000, 10 * 2**20
SECONDS_BESIDE, LOADED_BYTES_PER_SECOND = 1.5, 40e6
"""A trial's start, warming and stop, and how fast the tables are made: estimates of two processors."""
_COUNTED = """SELECT sum(idx_scan)::bigint, sum(idx_tup_fetch)::bigint,
    (SELECT sum(heap_blks_read + idx_blks_read)::bigint FROM pg_statio_user_tables) FROM pg_stat_user_tables"""
"""Look-ups by index, the rows that they found, and blocks read, until now."""


def needs(parameters: Parameters) -> Needs:
    """Disk for the tables and the log of loading them, memory for server and clients, and a PostgreSQL."""
    p = parameters
    trials = p.blocks * len(configurations(p))
    return Needs(
        disk_bytes=2 * p.data_bytes + SPARE_BYTES,
        memory_bytes=(p.shared_buffers_mib << 20) + SERVER_BYTES + p.clients[-1] * CLIENT_BYTES,
        engine=identity,
        minutes=(trials * (p.trial_seconds + SECONDS_BESIDE) + p.data_bytes / LOADED_BYTES_PER_SECOND) / 60,
    )


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with the tables, which no trial changes."""
    with made(parameters, progress, needs(parameters).disk_bytes) as found:
        yield Bench(parameters, *found)


@dataclass(frozen=True)
class Bench(Loaded[Parameters]):
    """The loaded tables, on a fresh server each trial."""

    data: Data

    def settings(self) -> dict[str, Any]:
        """A small pool, and room for all clients; nothing works beside them."""
        p = self.parameters
        return super().settings() | {
            "shared_buffers": f"{p.shared_buffers_mib}MB", "max_connections": p.clients[-1] + 20, "autovacuum": False,
        }  # fmt: skip

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        p, own = self.parameters, planned.configuration.settings
        clients = int(own["clients"] or 0)
        script = self.cluster.folder / "request.sql"
        script.write_text(self.data.script(hot=own["keys"] == HOT, pipeline=own["way"] == PIPELINE))
        work = Workload(
            script, clients, min(p.threads, clients), p.trial_seconds, protocol="prepared", seed=planned.seed
        )  # fmt: skip
        self.start()
        try:
            with pgbench.connect(self.cluster) as connection:
                labels = {"settings": sessions.checked(connection), "state": "measured"}
                self.data.warm(connection)
            before, begun = counted(self.cluster, self.binaries, _COUNTED), spent.read(self.cluster)
            done = pgbench.run(self.cluster, work, pinned=self.cores)
            used, after = spent.read(self.cluster) - begun, counted(self.cluster, self.binaries, _COUNTED)
        finally:
            self.cluster.stop()
        kept = subsample(done.latency_ns, p.kept_samples)
        metrics = self._metrics(done, after - before, used) | reduce(kept)
        return Trial(planned, started_at, time.monotonic() - clock, metrics, labels, {"request": kept})

    def _metrics(self, done: Transactions, counts: np.ndarray, used: spent.Spent) -> dict[str, float | None]:
        """Raises MachineError where the server found fewer rows than were asked for, or looked up others."""
        asked, (looked, found, read) = done.processed * self.parameters.n_tables, (int(each) for each in counts)
        if done.failed or not asked <= found == looked:
            raise MachineError(
                f"{done.processed:,} requests and {done.failed or 0} failed ones asked for {asked:,} rows, and the "
                f"server looked up {looked:,} and found {found:,}", "report this",
            )  # fmt: skip
        requests = looked / self.parameters.n_tables  # those that were under way at the end included
        latency = {f"latency_{name}": value for name, value in describe(done.latency_ns).items()}
        each = used.metrics(int(requests))
        mean_ns = latency["latency_mean_ns"]
        assert mean_ns is not None
        return latency | {
            "tps": done.tps,
            "requests": float(done.processed),
            "reads_per_request": read / requests,
            "user_s_per_request": each["user_s_per_transaction"],
            "system_s_per_request": each["system_s_per_transaction"],
            "littles_ratio": littles_law(done.clients, done.tps, mean_ns).value,
        }


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (samples,)."""
    return reduced(latencies, "sample")
