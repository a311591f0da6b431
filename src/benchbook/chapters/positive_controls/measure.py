"""One trial of each kind: on a restored copy of pgbench's tables, or in a store of Badger that is there."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from benchbook import files, temporary
from benchbook.chapters.positive_controls import badger_part
from benchbook.chapters.positive_controls.arms import Parameters, Part, configurations, part_of
from benchbook.chapters.positive_controls.badger_part import BUILD, Stores
from benchbook.chapters.positive_controls.postgres_part import Server
from benchbook.engines import badger, postgres
from benchbook.engines import pgbench as engine
from benchbook.measuring.pgbench import tables
from benchbook.measuring.samples import reduce, subsample
from benchbook.model import PlannedTrial, Trial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

LOG_BYTES = 700_000_000
"""Of the server's log of one trial, and what it keeps ready for the next."""
KEPT = 2_000
"""Latencies stored of a trial."""
PROCESS_BYTES = 1_000_000_000
BESIDE_S, SUM_S, CHANGE_S, LOOKUPS_PER_S, FILLED_BYTES_PER_S, LOADED_BYTES_PER_S = 1.5, 0.2, 3.0, 15_000, 100e6, 100e6
"""A trial's start and stop, a sum, a large change, and rates: estimates from two processors and a local disk."""


def identity() -> dict[str, Any]:
    """Both engines under one name; raises NoEngineError where the probe is not built, and as PostgreSQL's does."""
    server, store = postgres.identity(), badger.identity(BUILD)
    both = f"{server['engine_sha256']}{store['engine_sha256']}"
    return server | {
        "engine": "PostgreSQL, Badger",
        "engine_version": f"PostgreSQL {server['engine_version']}, Badger {store['engine_version']}",
        "engine_sha256": hashlib.sha256(both.encode()).hexdigest(),
    }


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy, log and both stores; memory for the pool and the probe; a PostgreSQL and the probe."""
    p, data = parameters, engine.data_bytes(parameters.scale)
    spent = {
        Part.TPCB: p.tpcb_seconds + BESIDE_S,
        Part.SUM: p.sums * SUM_S * p.scale / 20 + BESIDE_S,
        Part.ROUND: p.tpcb_seconds + BESIDE_S,
        Part.BITMAP: BESIDE_S,
        Part.BULK: CHANGE_S * p.scale / 20 + BESIDE_S,
        Part.INDEX: p.lookups / LOOKUPS_PER_S + 0.5,
        Part.CHECKPOINT: p.tpcb_seconds + BESIDE_S + 1,
    }
    block_s = sum(spent[part_of(arm)] for arm in configurations(p))
    before_s = data / LOADED_BYTES_PER_S + 2 * p.rows * badger_part.STORED_BYTES / FILLED_BYTES_PER_S
    return Needs(
        disk_bytes=int(2.4 * data) + LOG_BYTES + badger_part.store_bytes(p),
        memory_bytes=2 * data + PROCESS_BYTES,
        engine=identity,
        minutes=(p.blocks * block_s + before_s) / 60,
    )


@dataclass(frozen=True)
class Bench:
    """The loaded tables and the filled stores."""

    server: Server
    stores: Stores

    def provenance(self) -> dict[str, Any]:
        """Both engines, and how large the data are."""
        loaded = self.server.tables
        return {
            **identity(),
            "data_bytes": loaded.data_bytes,
            "heap_bytes": loaded.heap_bytes,
            "wal_compression": loaded.wal_compression,
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        labels = {"state": "measured"}
        if part_of(planned.configuration) is Part.INDEX:
            metrics, latencies = self.stores.measure(planned.configuration, planned.seed)
            samples = {"look-up": latencies}
        else:
            metrics, samples, more = self.server.measure(planned)
            labels |= more
        kept = {name: subsample(values, KEPT) for name, values in samples.items()}
        for values in kept.values():
            metrics |= reduce(values)
        return Trial(planned, started_at, time.monotonic() - clock, metrics, labels, kept)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """Tables loaded and kept as a template, both stores filled; all of it is gone at the end."""
    p = parameters
    disk_bytes = needs(p).disk_bytes
    with (
        tables.loaded(p.scale, disk_bytes, progress, "pg_prewarm") as loaded,
        temporary.folder("probe", files.scratch(badger_part.store_bytes(p))) as folder,
    ):
        stores = Stores(p, folder)
        progress("filling two stores of Badger", 0.95)
        stores.fill()
        yield Bench(Server(p, loaded), stores)
