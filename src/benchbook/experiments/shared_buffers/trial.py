"""One trial on a server that has just been started: filled or not, measured, its caches looked at before and after."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from benchbook import mishaps
from benchbook.engines import pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Workload, residency, running
from benchbook.engines.postgres.cluster import ROLE
from benchbook.errors import MachineError
from benchbook.experiments.shared_buffers import tallies
from benchbook.experiments.shared_buffers.arms import Part
from benchbook.experiments.shared_buffers.loaded import Loaded
from benchbook.experiments.shared_buffers.reduction import of_transactions, reduce, thinned
from benchbook.model import PlannedTrial

LOOK_EVERY_S = 0.2
BY_HAND_PATIENCE_S = 120
_TPS = re.compile(r"^tps = ([\d.]+) \(without initial connection time\)", re.MULTILINE)


@dataclass(frozen=True)
class Measurement:
    """What a trial gave: metrics, labels, samples by series."""

    metrics: Mapping[str, float | None]
    labels: Mapping[str, str]
    samples: Mapping[str, np.ndarray]


def measure(bench: Loaded, planned: PlannedTrial, bound: MemoryBound) -> Measurement:
    """Measure on the running server of ``bench``."""
    arm = planned.configuration.settings
    part = Part(str(arm["part"]))
    metrics: dict[str, float | None] = {"dirty_start_bytes": residency.dirty_bytes()}
    if arm.get("prewarm"):
        _prewarm(bench)
    if part is Part.WARM:
        metrics |= _fill(bench, planned)
    if part is Part.BY_HAND:
        return Measurement(metrics | {"tps": by_hand(bench, planned)}, {"state": "measured"}, {})
    with pgbench.connect(bench.cluster) as connection:
        start = residency.look(connection, bench.paths)
    with bench.cluster.connect() as observer, _Pressure(bound).watching() as pressure:
        counted = _server_count(bench, part)
        before = tallies.read(observer, bench.cluster)
        done = pgbench.run(bench.cluster, _workload(bench, planned, part))
        window = tallies.read(observer, bench.cluster) - before
    with pgbench.connect(bench.cluster) as connection:
        end = residency.look(connection, bench.paths)
    kept = thinned(done.latency_ns)
    pool, ram = bench.pool_blocks(planned.configuration), bench.ram_bytes(planned.configuration)
    metrics |= of_transactions(done) | reduce(kept) | window.metrics(max(1, done.processed))
    metrics |= {
        "server_transactions": float(_server_count(bench, part) - counted),
        "transactions_per_account_page": len(done.latency_ns) / _account_pages(bench),
        "pool_blocks": float(pool),
        "ram_blocks": float(ram // tallies.BLOCK_BYTES),
        "data_blocks": float(end.data),
        "data_in_pool_start": start.pool / start.data,
        "data_in_os_cache_start": None if start.os is None else start.os / start.data,
        "data_in_pool_end": end.pool / end.data,
        "data_in_os_cache_end": None if end.os is None else end.os / end.data,
        "resident_share_end": None if end.either is None else end.either / end.data,
        **pressure.metrics(ram),
    }
    return Measurement(metrics, {"state": "measured"}, {"transaction": kept})


def by_hand(bench: Loaded, planned: PlannedTrial) -> float:
    """TPS that plain pgbench prints, started as one would by hand: no log, no progress, nobody who looks."""
    p = bench.parameters
    command = [
        "-n", "-b", "tpcb-like", "-c", str(p.clients), "-j", str(p.threads), "-T", str(p.tpcb_seconds),
        "--random-seed", str(planned.seed), "-h", str(bench.cluster.folder), "-U", ROLE, pgbench.DATABASE,
    ]  # fmt: skip
    try:
        done = bench.cluster.run("pgbench", *command, timeout_s=p.tpcb_seconds + BY_HAND_PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise MachineError(
            f"pgbench did not end {BY_HAND_PATIENCE_S} s after its time", "look for a stuck disk"
        ) from None
    found = _TPS.search(done.stdout)
    if done.returncode or found is None:
        last = (done.stderr.strip() or "it said nothing").splitlines()[-1]
        if done.returncode < 0:
            raise mishaps.killed("pgbench", -done.returncode, bench.cluster.folder.parent)
        raise running.failed(bench.cluster, done.returncode, last)
    return float(found.group(1))


def _workload(bench: Loaded, planned: PlannedTrial, part: Part) -> Workload:
    p = bench.parameters
    if part is Part.READS:
        return Workload(
            "select-only", p.clients, p.threads, p.read_seconds, warm_up_s=p.read_fill_seconds, seed=planned.seed
        )
    seconds = p.warm_seconds if part is Part.WARM else p.tpcb_seconds
    return Workload("tpcb-like", p.clients, p.threads, seconds, seed=planned.seed)


def _fill(bench: Loaded, planned: PlannedTrial) -> dict[str, float | None]:
    """Fill the pool (pg_prewarm, then a discarded TPC-B run); then a CHECKPOINT, unless the arm has none.

    Returns pages of pgbench's relations in the pool, and the dirty ones, on both sides of it. Nobody else is connected.
    """
    p = bench.parameters
    _prewarm(bench)
    discarded = Workload("tpcb-like", p.clients, p.threads, p.warm_fill_seconds, seed=planned.seed + 1, log=False)
    pgbench.run(bench.cluster, discarded)
    with pgbench.connect(bench.cluster) as connection:
        resident, dirty = residency.pool_pages(connection)
        blocks = bench.pool_blocks(planned.configuration)
        metrics: dict[str, float | None] = {
            "pool_used_share": resident / blocks,
            "resident_before_checkpoint": float(resident),
            "dirty_before_checkpoint": float(dirty),
        }
        if planned.configuration.settings["checkpoint"]:
            connection.execute("CHECKPOINT")
            resident, dirty = residency.pool_pages(connection)
            metrics |= {"resident_after_checkpoint": float(resident), "dirty_after_checkpoint": float(dirty)}
    return metrics


def _prewarm(bench: Loaded) -> None:
    with pgbench.connect(bench.cluster) as connection:
        for name in residency.RELATIONS:
            connection.execute("SELECT pg_prewarm(%s::regclass, 'buffer')", (name,))


def _server_count(bench: Loaded, part: Part) -> int:
    """Transactions that the tables themselves count: rows of history, or look-ups of accounts where none is written."""
    column = "idx_scan" if part is Part.READS else "n_tup_ins"
    table = "pgbench_accounts" if part is Part.READS else "pgbench_history"
    with pgbench.connect(bench.cluster) as connection:
        row = connection.execute(f"SELECT {column} FROM pg_stat_user_tables WHERE relname = %s", (table,)).fetchone()
    assert row is not None
    return int(row[0] or 0)


def _account_pages(bench: Loaded) -> int:
    return sum(path.stat().st_size for number, path in bench.paths if number == 0) // tallies.BLOCK_BYTES or 1


@dataclass
class _Pressure:
    """The least memory that a bound still had while somebody watched, and the most that was swapped or killed."""

    bound: MemoryBound
    least: int | None = None
    swapped: int = 0
    killed: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def watching(self) -> Iterator[_Pressure]:
        """Look every fifth of a second from a thread of its own."""
        thread = threading.Thread(target=self._watch, name="memory pressure", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            thread.join()

    def metrics(self, ram: int) -> dict[str, float | None]:
        """ram: what server and page cache may use together. Page cache counts as available, as in MemAvailable."""
        if self.least is None:
            return {"least_available_share": None, "swapped_bytes": None, "killed_processes": None}
        return {
            "least_available_share": max(0.0, min(1.0, self.least / ram)),
            "swapped_bytes": float(self.swapped),
            "killed_processes": float(self.killed),
        }

    def _watch(self) -> None:
        while True:
            try:
                now = self.bound.reading()
            except (OSError, ValueError):
                now = None  # the group ended meanwhile
            if now is not None:
                available = now.available_bytes + now.cache_bytes
                self.least = available if self.least is None else min(self.least, available)
                self.swapped, self.killed = max(self.swapped, now.swapped_bytes), max(self.killed, now.killed)
            if self._stop.wait(LOOK_EVERY_S):
                return
