"""What the server counted around the measured seconds, in the three tiers: shared buffers, OS cache, device."""

from __future__ import annotations

from dataclasses import dataclass

import psutil

from benchbook.engines import pgbench
from benchbook.engines.pgbench import Counters, read_counters
from benchbook.engines.postgres import Cluster
from benchbook.measuring.pgbench.settings import BLOCK_BYTES, Part
from benchbook.measuring.pgbench.spent import grown
from benchbook.measuring.postgres import Connection, one_row


@dataclass(frozen=True)
class Tally:
    """Counts since the server started; subtract an earlier one.

    common: what is counted around every run of pgbench. evictions: of used buffers (pg_stat_io; None before PostgreSQL
    16). allocations: buffers given out. cleaned: pages that the background writer wrote. full_images: whole pages in
    the log. device_bytes: read from the device by the server and all its children (None where the system does not say).
    """

    common: Counters
    evictions: int | None
    allocations: int
    cleaned: int
    full_images: int
    device_bytes: int | None

    def __sub__(self, earlier: Tally) -> Tally:
        return grown(self, earlier)

    def metrics(self, transactions: int) -> dict[str, float | None]:
        """The metrics of a window in which so many transactions were processed."""
        common = self.common
        requests = common.hits + common.reads
        device = None if self.device_bytes is None else self.device_bytes / BLOCK_BYTES
        # read-ahead may fetch more than was asked for: the device then served all that the pool had not
        served = None if device is None else min(device, float(common.reads))
        allocated = self.allocations or None
        return {
            "block_requests": float(requests),
            "reads_per_transaction": common.reads / transactions,
            "pool_share_of_requests": common.hits / requests if requests else None,
            "device_share_of_requests": served / requests if requests and served is not None else None,
            "os_share_of_requests": (common.reads - served) / requests if requests and served is not None else None,
            "device_reads_per_transaction": None if device is None else device / transactions,
            "allocations": float(self.allocations),
            "evictions": None if self.evictions is None else float(self.evictions),
            "evictions_per_allocation": (
                min(1.0, self.evictions / allocated) if allocated and self.evictions is not None else None
            ),
            "buffers_clean": float(self.cleaned),
            "checkpoints": float(common.checkpoints),
            "wal_bytes_per_transaction": common.wal_bytes / transactions,
            "full_images_per_transaction": self.full_images / transactions,
        }


def read(observer: Connection, cluster: Cluster) -> Tally:
    """The counts now, after pgbench's connections have ended. observer: a connection to another database."""
    binaries = cluster.binaries
    common = read_counters(observer, binaries)
    asked = "SELECT b.buffers_alloc, b.buffers_clean, w.wal_fpi FROM pg_stat_bgwriter b, pg_stat_wal w"
    allocations, cleaned, full_images = map(int, one_row(observer, asked))
    evictions = None
    if binaries.has_stat_io:
        [evictions] = one_row(observer, "SELECT sum(evictions)::bigint FROM pg_stat_io WHERE object = 'relation'")
    return Tally(common, evictions, allocations, cleaned, full_images, device_bytes(cluster))


def transactions(cluster: Cluster, part: Part) -> int:
    """Those that the tables themselves count: rows of history, or look-ups of accounts where none is written."""
    column = "idx_scan" if part is Part.READS else "n_tup_ins"
    table = "pgbench_accounts" if part is Part.READS else "pgbench_history"
    return asked(cluster, f"SELECT {column} FROM pg_stat_user_tables WHERE relname = '{table}'")


def autovacuums(cluster: Cluster) -> float:
    """How often autovacuum has worked on a table since the server started on its copy."""
    return float(asked(cluster, "SELECT sum(autovacuum_count)::bigint FROM pg_stat_user_tables"))


def asked(cluster: Cluster, question: str) -> int:
    """The whole number that pgbench's database answers, 0 for none."""
    with pgbench.connect(cluster) as connection:
        return int(one_row(connection, question)[0] or 0)


def device_bytes(cluster: Cluster) -> int | None:
    """Bytes that the server's processes, ended ones included, read from the device since it started.

    The kernel adds what an ended child read to its parent, so the live processes hold all of it.
    """
    if cluster.pid is None:
        return None
    try:
        server = psutil.Process(cluster.pid)
        return sum(_read_bytes(process) for process in (server, *server.children(recursive=True)))
    except (OSError, ValueError, AttributeError, psutil.Error):
        return None


def _read_bytes(process: psutil.Process) -> int:
    return int(process.io_counters().read_bytes)
