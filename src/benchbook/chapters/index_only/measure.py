"""One trial: rows updated since the last VACUUM, look-ups of any key by a covering index, and the VACUUM at its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np
import psycopg

from benchbook.chapters.index_only.arms import COVERED, Parameters, configurations
from benchbook.engines import cores, pgbench
from benchbook.engines.pgbench import Transactions, Workload, residency
from benchbook.engines.postgres import identity, sessions
from benchbook.engines.storage import latency
from benchbook.errors import MachineError
from benchbook.measuring.features.made import FEATURES, Data, counted, made
from benchbook.measuring.features.surroundings import usable
from benchbook.measuring.postgres import Loaded
from benchbook.measuring.samples import reduced, subsample
from benchbook.model import PlannedTrial, Scalar, Trial
from benchbook.parameters.needs import Needs
from benchbook.statistics import describe

__all__ = ["needs", "reduce", "session"]

MIB, SPARE_BYTES, SERVER_BYTES = 2**20, 800_000_000, 500_000_000
SECONDS_BESIDE, LOADED_BYTES_PER_SECOND, WARM_S = 3.0, 40e6, 1
_COUNTED = """SELECT sum(idx_scan)::bigint, sum(idx_tup_fetch)::bigint, (SELECT sum(heap_blks_read)::bigint
    FROM pg_statio_user_tables) FROM pg_stat_user_indexes"""
"""Look-ups by index, rows that these fetched from heaps, and blocks of heaps read, until now."""
Connection = psycopg.Connection[tuple[Any, ...]]


def needs(parameters: Parameters) -> Needs:
    """Disk for the tables and their log, memory for the pool, a PostgreSQL, and what slows its reads."""
    p = parameters
    trials = p.blocks * len(configurations(p))
    mend = "read the published run: half of this chapter's configurations are on reads that are made slower"
    return Needs(
        disk_bytes=4 * p.data_bytes + SPARE_BYTES,
        memory_bytes=2 * p.data_bytes + SERVER_BYTES,
        engine=identity,
        usable=partial(usable, reads=True, trips=False, mend=mend),
        minutes=(trials * (p.trial_seconds + SECONDS_BESIDE) + p.data_bytes / LOADED_BYTES_PER_SECOND) / 60,
    )


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with the tables; each trial leaves all of their pages visible to all, as it found them."""
    # The VACUUM of loading came before the log of the rows was on the disk, and marks no page.
    disk = needs(parameters).disk_bytes
    with made(parameters, progress, disk, "pg_prewarm", "pg_visibility", covered=COVERED, after=vacuum) as found:
        yield Bench(parameters, *found)


@dataclass(frozen=True)
class Bench(Loaded[Parameters]):
    """The loaded tables, on a fresh server each trial."""

    data: Data

    def settings(self) -> dict[str, Scalar]:
        """Reads past the page cache by the server's own processes, slower or not; nothing works beside them."""
        return latency.settings(self.binaries) | {
            "autovacuum": False, "max_connections": 20, "enable_seqscan": False, "enable_bitmapscan": False,
        }  # fmt: skip

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        p, own = self.parameters, planned.configuration.settings
        script = self.cluster.folder / "request.sql"
        features = COVERED if own["covered"] else FEATURES
        script.write_text(self.data.script(hot=False, pipeline=True, features=features))
        work = Workload(
            script, 1, 1, p.trial_seconds, warm_up_s=WARM_S, protocol="prepared", seed=planned.seed
        )  # fmt: skip
        added = latency.add(self.cluster, read_ms=p.slow_read_ms)
        pool = self.index_bytes + p.beside_mib * MIB if own["small_pool"] else 1.5 * self.data_bytes
        own_settings: dict[str, Scalar] = {"shared_buffers": f"{round(pool / MIB)}MB"}
        self.cluster.evict()
        with cores.on(None if self.cores is None else self.cores.server):
            self.cluster.start(self.settings() | own_settings, added.environment)
        try:
            with pgbench.connect(self.cluster) as connection:
                with added.suspended():
                    self._update(connection, int(own["updated_permille"] or 0), planned.seed)
                    hidden = hidden_pages(connection, self.data)
                    heaps = () if own["small_pool"] else self.data.tables
                    residency.prewarm(connection, (*heaps, *self.data.indexes))
                labels = {"settings": sessions.checked(connection), "state": "measured"}
            before = counted(self.cluster, self.binaries, _COUNTED)
            done = pgbench.run(self.cluster, work, pinned=self.cores)
            after = counted(self.cluster, self.binaries, _COUNTED)
            added.confirm(added.delayed())
            with pgbench.connect(self.cluster) as connection, added.suspended():
                vacuum_s = vacuum(connection, self.data)
        finally:
            self.cluster.stop()
        kept = subsample(done.latency_ns, p.kept_samples)
        metrics = self._metrics(done, after - before) | {"hidden_pages": hidden, "vacuum_s": vacuum_s} | reduce(kept)
        return Trial(planned, started_at, time.monotonic() - clock, metrics, labels, {"request": kept})

    @property
    def data_bytes(self) -> int:
        """Of heaps and indexes."""
        return self.heap_bytes + self.index_bytes

    def _update(self, connection: Connection, permille: int, seed: int) -> None:
        """Write a new version of so many rows of each table, chosen by a hash; no indexed column changes."""
        if not permille:
            return
        for number, table in enumerate(self.data.tables):
            connection.execute(
                f"UPDATE {table} SET feature_{FEATURES} = feature_{FEATURES} + 1 WHERE "
                f"(hashint8extended(updated_at, {seed + number}) & 1048575) < {permille * 1048576 // 1000}".encode()
            )

    def _metrics(self, done: Transactions, counts: np.ndarray) -> dict[str, float | None]:
        """Raises MachineError where the server looked up another number of keys than was asked for."""
        lookups, fetched, read = (int(each) for each in counts)
        if done.failed or lookups != done.processed * self.parameters.n_tables:
            raise MachineError(
                f"{done.processed:,} requests and {done.failed or 0} failed ones made {lookups:,} look-ups by index",
                "report this",
            )
        return {
            **{f"latency_{name}": value for name, value in describe(done.latency_ns).items()},
            "tps": done.tps,
            "requests": float(done.processed),
            "fetched_share": fetched / lookups,
            "heap_reads": read / done.processed,
        }


def hidden_pages(connection: Connection, data: Data) -> float:
    """Share of the heaps' pages that are not marked as visible to all."""
    every, visible = 0, 0
    for table in data.tables:
        row = connection.execute(
            "SELECT pg_relation_size(%s::regclass) / 8192, all_visible FROM pg_visibility_map_summary(%s::regclass)",
            (table, table),
        ).fetchone()
        assert row is not None
        every, visible = every + int(row[0]), visible + int(row[1])
    return 1 - visible / every


def vacuum(connection: Connection, data: Data) -> float:
    """Have every page marked, and say how many seconds that took; MachineError where one stays without its mark."""
    begun = time.monotonic()
    for table in data.tables:
        connection.execute(f"VACUUM {table}".encode())
    took = time.monotonic() - begun
    if hidden_pages(connection, data):
        raise MachineError("VACUUM left pages that are not marked as visible to all", "report this")
    return took


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (samples,)."""
    return reduced(latencies, "sample")
