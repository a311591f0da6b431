"""The session: trials on a pool that holds all data; only the range differs from which transactions draw a branch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from benchbook.experiments.pgbench_scale.arms import Parameters, configurations

from benchbook.engines import pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Workload, residency
from benchbook.engines.postgres import identity
from benchbook.measuring.pgbench import bench, tables, tallies, windows
from benchbook.measuring.pgbench.ladder.counted import check_balances
from benchbook.measuring.pgbench.looks import Looks
from benchbook.measuring.pgbench.settings import NOTE_003, Part, Settings, pool_blocks
from benchbook.measuring.samples import reduced, subsample
from benchbook.model import Configuration, PlannedTrial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SAMPLES = 500
"""Latencies of a trial that are stored; its metrics come from all."""
LOOK_EVERY_S = 0.1
POOL_OVER_DATA = 1.5
SECONDS_BESIDE, BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 2.0, 400e6, 100e6 / 3
"""A trial's start, stop and looks, and the rates at which its data are put back and read, and at which they are loaded:
estimates of two processors and a local disk."""
TRANSACTION = r"""\set aid random(1, {accounts})
\set bid random(1, {branches})
\set tid random(1, {tellers})
\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
"""
"""pgbench's own TPC-B, word for word but for the ranges."""
_ADDED = (
    "INSERT INTO pgbench_branches SELECT bid, 0 FROM generate_series(%s::int + 1, %s) AS bid",
    "INSERT INTO pgbench_tellers SELECT t, (t - 1) / 10 + 1, 0 FROM generate_series(10 * %s::int + 1, 10 * %s) AS t",
)
"""Branches and tellers beyond those of the scale, so that a few accounts suffice for many branches."""


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL."""
    p = parameters
    each = SECONDS_BESIDE + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE + p.fill_seconds + p.trial_seconds
    minutes = (p.blocks * len(configurations(p)) * each + p.data_bytes / LOADED_BYTES_PER_SECOND) / 60
    return Needs(p.disk_bytes, p.memory_bytes, identity, minutes)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    p = parameters
    with tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm") as found:
        yield Bench(p, found)


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials whose clients meet at many rows, at a few, or at one."""

    def ram_bytes(self, arm: Configuration) -> int:
        """Memory that server and page cache may use together: room for all data in both."""
        return self.parameters.memory_bytes

    def settings(self, arm: Configuration) -> Settings:
        """Note 003's of its second round, but for a pool that holds all, and without what would work beside clients."""
        return NOTE_003 | {
            "shared_buffers": f"{pool_blocks(POOL_OVER_DATA * self.tables.data_bytes) * 8}kB",
            "max_connections": self.parameters.max_connections,
            "wal_compression": self.tables.wal_compression,
            "max_wal_size": "50GB",
            "checkpoint_timeout": "1h",
            "autovacuum": False,
        }

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """On a filled pool, after a discarded run of the same clients; all balances must add up at the end."""
        p, cluster = self.parameters, self.tables.cluster
        clients, branches = (int(planned.configuration.settings[name] or 0) for name in ("clients", "branches"))
        with pgbench.connect(cluster) as connection:
            for asked in _ADDED:
                connection.execute(asked, (p.scale, p.most_branches))
            connection.execute("VACUUM ANALYZE pgbench_branches, pgbench_tellers")
            for name in residency.RELATIONS:
                connection.execute("SELECT pg_prewarm(%s::regclass, 'buffer')", (name,))
        script = cluster.folder / "transaction.sql"
        sizes = {"accounts": 100_000 * p.scale, "branches": branches, "tellers": 10 * p.most_branches}
        script.write_text(TRANSACTION.format(**sizes))
        work = Workload(script, clients, p.threads, p.trial_seconds, seed=2 * planned.seed)
        if p.fill_seconds:
            self.run(replace(work, duration_s=p.fill_seconds, seed=work.seed + 1, log=False))
        start, inserted = self.look(), tallies.transactions(cluster, Part.WARM)
        with Looks(cluster, LOOK_EVERY_S) as looks:
            done = self.run(work)
        made = tallies.transactions(cluster, Part.WARM) - inserted
        with pgbench.connect(cluster) as connection:
            check_balances(connection)
        within = [each for each in looks.seen if 0 < each.at_s <= p.trial_seconds]
        kept = subsample(done.latency_ns, SAMPLES)
        metrics: bench.Metrics = {
            **self.of_all(done),
            **reduce(kept),
            **{f"waits_{name}": share for name, share in windows.grouped(within, clients).items()},
            **bench.of_caches(start, self.look()),
            "client_looks": float(clients * len(within)),
            "server_transactions": float(made),
        }
        return metrics, {"transaction": kept}


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (samples,)."""
    return reduced(latencies, "sample")
