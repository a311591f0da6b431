"""Many clients, directly or through a pooler: the open files and the pooler that they need, and their trials."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchbook.engines import pgbench, pgbouncer
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Transactions, Workload
from benchbook.engines.pgbouncer.pooler import SPARE_FILES
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.pgbench import bench, windows
from benchbook.measuring.pgbench.bench import Metrics
from benchbook.measuring.pgbench.looks import Looks
from benchbook.measuring.pgbench.parameters import SMALL_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import NOTE_003, Settings, pool_blocks
from benchbook.measuring.postgres import one_row
from benchbook.measuring.samples import of_sample, subsample
from benchbook.model import Configuration, PlannedTrial

DATA_OVER_POOL = 2.5
"""Of note 003's first round, which the claims take for its second one too."""
CLIENT_BYTES = 3 * 2**20
"""What a server takes for a connection."""
_ROUND_1: Settings = {
    "bgwriter_lru_multiplier": 2.0, "bgwriter_lru_maxpages": 1000, "effective_io_concurrency": 200,
    "commit_siblings": 5, "wal_writer_flush_after": "1MB",
}  # fmt: skip
"""What note 003 changed after its first round, as before."""
BALANCES = """SELECT (SELECT count(*) FROM pgbench_history), (SELECT coalesce(sum(delta), 0) FROM pgbench_history),
                     (SELECT sum(bbalance) FROM pgbench_branches), (SELECT sum(tbalance) FROM pgbench_tellers)"""


def files_needed(p: Any) -> int:
    """Open files of the program that needs most: pgbench, or a pooler with connections on both sides."""
    return int(p.most_clients) + (p.pool_backends if p.has_pooler else 0) + 2 * SPARE_FILES


def check(p: Any, limit: int | None = None) -> None:
    """Raise MachineError where programs may not open as many files as there are connections, or the pooler cannot.

    limit: of open files; by default ours.
    """
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1] if limit is None else limit
    wanted = files_needed(p)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise MachineError(
            f"{p.most_clients:,} clients need {wanted:,} open files in one program, the limit is {hard:,}",
            "raise it (ulimit -Hn, LimitNOFILE), or ask for fewer clients",
        )
    if not p.has_pooler:
        return
    try:
        found = pgbouncer.find()
    except BenchbookError as error:
        mend = f'{error.mend}; or leave its configurations out: parts=["counts", "protocols", "waits"]'
        raise MachineError(error.problem, mend) from None
    if p.pooled_prepared and not found.prepares:
        since = ".".join(str(part) for part in pgbouncer.PREPARED_SINCE)
        raise MachineError(
            f"PgBouncer {found.version} loses prepared statements between transactions; {since} and later keep them",
            "set pooled_prepared=false, or name a later one: BENCHBOOK_PGBOUNCER",
        )


@contextmanager
def enough_files(p: Any) -> Iterator[None]:
    """Programs started meanwhile may open as many files as their connections need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < files_needed(p):
        resource.setrlimit(resource.RLIMIT_NOFILE, (files_needed(p), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Bench(bench.Bench[Any]):
    """Trials after a warm start and from a cold one, direct or through a pooler."""

    RAM = SMALL_RAM_OVER_DATA

    def provenance(self) -> dict[str, Any]:
        return super().provenance() | (pgbouncer.identity() if self.parameters.has_pooler else {})

    @property
    def pool_blocks(self) -> int:
        return pool_blocks(self.tables.data_bytes / DATA_OVER_POOL)

    def ram_bytes(self, arm: Configuration) -> int:
        connections = int(arm.settings["backends"] or arm.settings["clients"] or 0)
        return super().ram_bytes(arm) + 64 * 2**20 + connections * CLIENT_BYTES

    def settings(self, arm: Configuration) -> Settings:
        """Note 003's of its second round, or of its first; autovacuum_naptime in lengths of a trial, as its minute was.

        The note's log buffers would be a tenth of the small memory of a bound: they shrink with it, to the default.
        """
        wal_mib = max(16, self.ram_bytes(arm) // 256 // 2**20)
        return NOTE_003 | (_ROUND_1 if arm.settings["cold"] else {}) | {
            "max_wal_size": "50GB", "min_wal_size": "2GB", "checkpoint_timeout": "1h",
            "autovacuum": True, "autovacuum_max_workers": 2, "autovacuum_naptime": f"{arm.settings['seconds']}s",
            "shared_buffers": f"{self.pool_blocks * 8}kB", "wal_buffers": f"{min(128, wal_mib)}MB",
            "max_connections": self.parameters.max_connections, "wal_compression": self.tables.wal_compression,
            "huge_pages": "on" if arm.settings["huge_pages"] else "off",
        }  # fmt: skip

    def huge(self, arm: Configuration) -> tuple[bool, int]:
        return bool(arm.settings["huge_pages"]), 0

    def cached(self, arm: Configuration) -> bool:
        return not arm.settings["cold"]

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        p, cluster, own = self.parameters, self.tables.cluster, planned.configuration.settings
        clients, threads, seconds, every = (int(own[name] or 0) for name in ("clients", "threads", "seconds", "looks"))
        discarded, metrics = (0, Metrics()) if own["cold"] else self._fill(planned)
        with pgbench.connect(cluster) as connection:
            connection.execute("CHECKPOINT")
        start, backends = self.look(), int(own["backends"] or 0)
        work = Workload("tpcb-like", clients, threads, seconds, protocol=str(own["protocol"]), seed=planned.seed)
        with cluster.connect() as observer:
            before = pgbench.read_counters(observer, self.tables.binaries)
            with Looks(cluster, seconds / every) as looks:
                done, through = self._through(work, backends) if backends else (self.run(work), {})
            window = pgbench.read_counters(observer, self.tables.binaries) - before
        self._check(done.failed or 0, discarded + done.processed)
        kept, first, made = subsample(done.latency_ns, 1_000), min(seconds, p.seconds), max(1, done.processed)
        metrics |= {
            **self.of_all(done), **windows.metrics(looks.seen, clients, seconds), **of_sample(kept), **through,
            **bench.of_caches(start, self.look()),
            "start_tps": float((done.end_s < first).sum()) / first,
            "server_transactions": float(done.processed),  # else the check has failed
            "reads_per_transaction": window.reads / made, "wal_bytes_per_transaction": window.wal_bytes / made,
            "pool_blocks": float(self.pool_blocks), "data_blocks": float(start.data),
        }  # fmt: skip
        return metrics, {"transaction": kept}

    def _through(self, work: Workload, backends: int) -> tuple[Transactions, Metrics]:
        """A run through a pooler, the clients that it served to the end, and its processor time."""
        with pgbouncer.pooled(self.tables.cluster, clients=work.clients, backends=backends) as pooler:
            before = pooler.cpu_s()
            served = pgbouncer.run(pooler, work, logs=self.tables.place.beside)
            after = pooler.cpu_s()
        spent = None if before is None or after is None else after - before
        return served.done, {
            "clients_served": float(served.to_the_end),
            "pooler_cpu_s": spent,
            "pooler_cpu_us_per_transaction": None if spent is None else 1e6 * spent / max(1, served.done.processed),
        }

    def _fill(self, planned: PlannedTrial) -> tuple[int, Metrics]:
        """Fill the pool by pg_prewarm and a discarded run; its transactions, and the share of the pool in use."""
        p = self.parameters
        work = Workload("tpcb-like", p.clients, p.threads, 1, seed=planned.seed + 1)
        return self.fill(work, p.fill_seconds), {"pool_used_share": self.used_pages() / self.pool_blocks}

    def _check(self, failed: int, transactions: int) -> None:
        """Raise MachineError unless every transaction left its row, and all three sums of balances agree."""
        if failed:
            raise MachineError(f"{failed} transactions failed", "see the server's log")
        with contextlib.closing(pgbench.connect(self.tables.cluster)) as connection:
            counted, *sums = map(int, one_row(connection, BALANCES))
        if counted != transactions or len({*sums}) != 1:
            raise MachineError(
                f"pgbench counts {transactions:,} transactions, its history has {counted:,} rows; the balances by "
                f"history, branches and tellers are {', '.join(f'{each:,}' for each in sums)}",
                "report this: an update was lost",
            )
