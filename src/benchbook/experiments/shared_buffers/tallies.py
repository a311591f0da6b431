"""What the server counted around the measured seconds, in the three tiers: shared buffers, OS cache, device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psutil
import psycopg

from benchbook.engines.pgbench import counters
from benchbook.engines.postgres import Cluster
from benchbook.experiments.families.pgbench.settings import BLOCK_BYTES

Connection = psycopg.Connection[tuple[Any, ...]]


@dataclass(frozen=True)
class Tally:
    """Counts since the server started; subtract an earlier one.

    hits, reads: blocks of 8 KiB asked for in pgbench's database that were in shared buffers, or were not.
    evictions: of used buffers (pg_stat_io; None before PostgreSQL 16). allocations: buffers given out. cleaned:
    pages that the background writer wrote. full_images: whole pages in the log. device_bytes: read from the device by
    the server and all its children (None where the system does not say).
    """

    hits: int
    reads: int
    evictions: int | None
    allocations: int
    cleaned: int
    checkpoints: int
    wal_bytes: int
    full_images: int
    device_bytes: int | None

    def __sub__(self, earlier: Tally) -> Tally:
        return Tally(
            self.hits - earlier.hits,
            self.reads - earlier.reads,
            _minus(self.evictions, earlier.evictions),
            self.allocations - earlier.allocations,
            self.cleaned - earlier.cleaned,
            self.checkpoints - earlier.checkpoints,
            self.wal_bytes - earlier.wal_bytes,
            self.full_images - earlier.full_images,
            _minus(self.device_bytes, earlier.device_bytes),
        )

    def metrics(self, transactions: int) -> dict[str, float | None]:
        """The metrics of a window in which so many transactions were processed."""
        requests = self.hits + self.reads
        device = None if self.device_bytes is None else self.device_bytes / BLOCK_BYTES
        # read-ahead may fetch more than was asked for: the device then served all that the pool had not
        served = None if device is None else min(device, float(self.reads))
        allocated = self.allocations or None
        return {
            "block_requests": float(requests),
            "reads_per_transaction": self.reads / transactions,
            "pool_share_of_requests": self.hits / requests if requests else None,
            "device_share_of_requests": served / requests if requests and served is not None else None,
            "os_share_of_requests": (self.reads - served) / requests if requests and served is not None else None,
            "device_reads_per_transaction": None if device is None else device / transactions,
            "allocations": float(self.allocations),
            "evictions_per_allocation": (
                min(1.0, self.evictions / allocated) if allocated and self.evictions is not None else None
            ),
            "buffers_clean": float(self.cleaned),
            "checkpoints": float(self.checkpoints),
            "wal_bytes_per_transaction": self.wal_bytes / transactions,
            "full_images_per_transaction": self.full_images / transactions,
        }


def read(observer: Connection, cluster: Cluster) -> Tally:
    """The counts now, after pgbench's connections have ended. observer: a connection to another database."""
    binaries = cluster.binaries
    common = counters.read(observer, binaries)
    row = observer.execute(
        """SELECT b.buffers_alloc, b.buffers_clean, w.wal_fpi FROM pg_stat_bgwriter b, pg_stat_wal w"""
    ).fetchone()
    assert row is not None
    allocations, cleaned, full_images = (int(value) for value in row)
    evictions = None
    if binaries.has_stat_io:
        found = observer.execute("SELECT sum(evictions)::bigint FROM pg_stat_io WHERE object = 'relation'").fetchone()
        evictions = None if found is None or found[0] is None else int(found[0])
    return Tally(
        common.hits, common.reads, evictions, allocations, cleaned, common.checkpoints, common.wal_bytes, full_images,
        device_bytes(cluster),
    )  # fmt: skip


def device_bytes(cluster: Cluster) -> int | None:
    """Bytes that the server's processes, ended ones included, read from the device since it started.

    The kernel adds what an ended child read to its parent, so the live processes hold all of it.
    """
    try:
        server = psutil.Process(int((cluster.data / "postmaster.pid").read_text().split()[0]))
        return sum(_read_bytes(process) for process in (server, *server.children(recursive=True)))
    except (OSError, ValueError, AttributeError, psutil.Error):
        return None


def _read_bytes(process: psutil.Process) -> int:
    return int(process.io_counters().read_bytes)


def _minus(later: int | None, earlier: int | None) -> int | None:
    return None if later is None or earlier is None else later - earlier
