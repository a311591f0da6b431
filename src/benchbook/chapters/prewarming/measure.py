"""One trial: a server restarted with an empty pool, warmed in one way and timed, then asked for its hot keys."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np

from benchbook.chapters.prewarming import warming
from benchbook.chapters.prewarming.arms import ASKED, LIST, MIB, Parameters, configurations
from benchbook.chapters.prewarming.warming import Read
from benchbook.engines import cores, pgbench
from benchbook.engines.pgbench import Workload
from benchbook.engines.postgres import counters as pg
from benchbook.engines.postgres import identity, sessions
from benchbook.engines.storage import latency
from benchbook.errors import MachineError
from benchbook.measuring.features.made import Data, made
from benchbook.measuring.features.surroundings import usable
from benchbook.measuring.postgres import Loaded
from benchbook.measuring.samples import reduced, subsample
from benchbook.model import PlannedTrial, Scalar, Trial
from benchbook.parameters.needs import Needs
from benchbook.statistics import describe

__all__ = ["needs", "reduce", "session"]

SPARE_BYTES, SERVER_BYTES = 800_000_000, 500_000_000
SECONDS_BESIDE, LOADED_BYTES_PER_SECOND = 5.0, 40e6
"""A trial's start, warming and stop, and how fast the tables are made: estimates of two processors."""
CATALOGUE_MIB = 32
"""Of the pool for all data, for what is not ours in it."""
PARTS = 20
"""Of the first requests, for which the mean is stored."""


def needs(parameters: Parameters) -> Needs:
    """Disk for the tables and the log of loading them, memory for the pool, a PostgreSQL, and what slows its reads."""
    p = parameters
    trials = p.blocks * len(configurations(p))
    mend = "read the published run: most comparisons of this chapter are on reads that are made slower"
    return Needs(
        disk_bytes=2 * p.data_bytes + SPARE_BYTES,
        memory_bytes=int(1.5 * p.data_bytes) + SERVER_BYTES,
        engine=identity,
        usable=partial(usable, reads=True, trips=False, mend=mend),
        minutes=(trials * (p.trial_seconds + SECONDS_BESIDE) + p.data_bytes / LOADED_BYTES_PER_SECOND) / 60,
    )


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with the tables, which no trial changes, and the pages that hot keys need."""
    with made(parameters, progress, needs(parameters).disk_bytes, "pg_buffercache", "pg_prewarm") as found:
        yield Bench(parameters, *found, np.zeros(0, dtype=np.int64)).with_needed()


@dataclass(frozen=True)
class Bench(Loaded[Parameters]):
    """The loaded tables, on a fresh server each trial. needed: blocks that hot keys need, as codes, int64, sorted."""

    data: Data
    needed: np.ndarray

    def with_needed(self) -> Bench:
        """The same with the blocks that are in the pool after all hot keys were asked for."""
        self._start(small=False)
        try:
            with pgbench.connect(self.cluster) as connection:
                self.data.warm(connection)
                found = self._held(connection)
        finally:
            self.cluster.stop()
        return replace(self, needed=found)

    def settings(self) -> dict[str, Scalar]:
        """Reads past the page cache by the server's own processes, slower or not; nothing works beside them."""
        return latency.settings(self.binaries) | {"autovacuum": False, "max_connections": 20}

    def provenance(self) -> dict[str, Any]:
        """Also the size of the hot pages."""
        return super().provenance() | {"needed_bytes": len(self.needed) * pg.BLOCK_BYTES}

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        p, own = self.parameters, planned.configuration.settings
        way, small = str(own["warmed_by"]), bool(own["small_pool"])
        script = self.cluster.folder / "request.sql"
        others = p.hot_keys * int(own["moved_percent"] or 0) // 100
        script.write_text(self.data.script(hot=True, pipeline=True, moved=others))
        work = Workload(script, 1, 1, p.trial_seconds, protocol="prepared", seed=planned.seed)
        if way == LIST:
            self._write_list(small=small)
        added = latency.add(self.cluster, read_ms=p.slow_read_ms) if own["slow"] else None
        self._start(small=small, listed=way == LIST, environment=added.environment if added else None)
        try:
            begun = time.monotonic()
            with pgbench.connect(self.cluster) as connection:
                labels = {"settings": sessions.checked(connection), "state": "measured"}
                before = Read(0, 0) if way == LIST else warming.read(connection, self.binaries)
                warming.warm(way, self.cluster, connection, self.data)
                warmed_s = time.monotonic() - begun
                spent = warming.read(connection, self.binaries) - before
                held = self._held(connection)
                before = warming.read(connection, self.binaries)
            done = pgbench.run(self.cluster, work, pinned=self.cores)
            with pgbench.connect(self.cluster) as connection:
                missed = warming.read(connection, self.binaries) - before
            if added is not None:
                added.confirm(added.delayed())
        finally:
            self.cluster.stop()
        if done.failed or done.processed < p.first_requests:
            raise MachineError(
                f"{done.processed:,} of {p.first_requests:,} first requests were made in {p.trial_seconds} s, and "
                f"{done.failed or 0} failed", "give more trial_seconds or fewer first_requests",
            )  # fmt: skip
        first = done.latency_ns[: p.first_requests]
        kept = subsample(first, p.kept_samples)
        warm_bytes = len(np.intersect1d(held, self.needed, assume_unique=True)) * pg.BLOCK_BYTES
        metrics = self._warmed(warmed_s, spent, len(held) * pg.BLOCK_BYTES, warm_bytes)
        metrics |= _asked(first, done.latency_ns, missed) | reduce(kept)
        return Trial(planned, started_at, time.monotonic() - clock, metrics, labels, {"request": kept})

    def _start(self, *, small: bool, listed: bool = False, environment: Mapping[str, str] | None = None) -> None:
        """A fresh server with an empty pool, which holds all data or, where small, a part."""
        p = self.parameters
        data_mib = (self.heap_bytes + self.index_bytes) / MIB
        pool_mib = max(
            1, round(data_mib * p.small_pool_percent / 100) if small else round(1.1 * data_mib) + CATALOGUE_MIB
        )
        own: dict[str, Scalar] = {"shared_buffers": f"{pool_mib}MB"}
        self.cluster.evict()
        with cores.on(None if self.cores is None else self.cores.server):
            self.cluster.start(self.settings() | own | (warming.LIST_SETTINGS if listed else {}), environment)

    def _write_list(self, *, small: bool) -> None:
        """Run a server until hot keys have warmed it, and have it write down its pages as autoprewarm does."""
        self._start(small=small)
        try:
            with pgbench.connect(self.cluster) as connection:
                warming.warm(ASKED, self.cluster, connection, self.data)
                warming.write_list(connection, self.binaries)
        finally:
            self.cluster.stop()

    def _held(self, connection: pg.Connection) -> np.ndarray:
        """Blocks of tables and indexes in the pool."""
        names = (*self.data.tables, *self.data.indexes)
        return pg.buffered_blocks(connection, {name: number for number, name in enumerate(names)})

    def _warmed(self, seconds: float, spent: Read, held: int, warm: int) -> dict[str, float | None]:
        found: dict[str, float | None] = {
            "warming_s": seconds,
            "warming_reads": None if spent.operations is None else float(spent.operations),
            "warming_bytes": None if spent.bytes is None else float(spent.bytes),
            "held_bytes": float(held),
            "hot_in_pool": warm / (len(self.needed) * pg.BLOCK_BYTES),
        }
        if spent.bytes:
            found["seconds_per_gib"] = seconds / (spent.bytes / 2**30)
            found["read_kib"] = spent.bytes / (spent.operations or 1) / 1024
        return found


def _asked(first: np.ndarray, every: np.ndarray, missed: Read) -> dict[str, float | None]:
    """Of the first requests, in parts too, and how much longer they took in all than the last ones would have."""
    steady = float(np.median(every[-len(first) // 2 :]))
    parts = np.array_split(first, PARTS)
    return {
        **{f"first_{name}": value for name, value in describe(first).items()},
        **{f"part_{number + 1:02}_ns": float(part.mean()) for number, part in enumerate(parts)},
        "steady_p50_ns": steady,
        "waited_s": float(np.maximum(first - steady, 0).sum()) / 1e9,
        "requests": float(len(every)),
        "missed_reads": None if missed.operations is None else float(missed.operations),
    }


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (samples,)."""
    return reduced(latencies, "sample")
