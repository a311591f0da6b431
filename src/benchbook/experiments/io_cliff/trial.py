"""One trial on a server that has just been started: filled or not, and watched while it is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from benchbook.engines import dirty_limits, pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.pgbench import Transactions, Watch, Workload, residency
from benchbook.experiments.io_cliff import course
from benchbook.experiments.io_cliff.loaded import Loaded
from benchbook.experiments.io_cliff.reduction import reduce, stretches
from benchbook.experiments.io_cliff.settings import pool_blocks, ram_bytes
from benchbook.model import PlannedTrial
from benchbook.statistics import describe, littles_law

PAGES_PER_SCALE = 1_640


@dataclass(frozen=True)
class Measurement:
    """What a trial gave: metrics, labels, samples by series."""

    metrics: Mapping[str, float | None]
    labels: Mapping[str, str]
    samples: Mapping[str, np.ndarray]


def measure(bench: Loaded, planned: PlannedTrial, bound: MemoryBound, limits: DirtyLimits | None) -> Measurement:
    """Measure on the running server of ``bench``. limits: those set for this trial, None for the machine's own."""
    p, arm = bench.parameters, planned.configuration
    warm = bool(arm.settings.get("warm"))
    seconds = p.checkpoint_seconds if warm else p.trial_seconds
    if warm:
        pgbench.run(bench.cluster, _workload(bench, planned, p.fill_seconds, number=1))
        with bench.cluster.connect() as connection:
            connection.execute("CHECKPOINT")
    with pgbench.connect(bench.cluster) as connection:
        start = residency.look(connection, bench.paths)
    waiting = residency.dirty_bytes()
    with bench.cluster.connect() as observer:
        before = pgbench.read_counters(observer, bench.binaries)
        with Watch(bench.cluster, bound, every_s=min(1.0, max(0.25, seconds / course.PARTS))) as watch:
            done = pgbench.run(bench.cluster, _workload(bench, planned, seconds, number=0))
        window = pgbench.read_counters(observer, bench.binaries) - before
    with pgbench.connect(bench.cluster) as connection:
        end = residency.look(connection, bench.paths)
    kept = stretches(done.end_s, seconds)
    in_force = limits or dirty_limits.current()
    memory = bound.reading()
    metrics: dict[str, float | None] = {
        **_of_transactions(done),
        **reduce(kept),
        **course.metrics(watch.watched, seconds, None if in_force is None else in_force.slows_from_bytes),
        "server_transactions": _server_count(window.commits, done),
        "transactions_per_account_page": len(done.latency_ns) / (p.scale * PAGES_PER_SCALE),
        "checkpoints": float(window.checkpoints),
        "dirty_start_bytes": waiting,
        "dirty_limit_bytes": None if in_force is None else float(in_force.limit_bytes),
        "dirty_background_bytes": None if in_force is None else float(in_force.background_bytes),
        "pool_blocks": float(pool_blocks(arm, bench.data_bytes)),
        "ram_bytes": float(ram_bytes(arm, bench.data_bytes)),
        "data_in_pool_start": start.pool / start.data,
        "data_in_os_cache_start": None if start.os is None else start.os / start.data,
        "data_in_pool_end": end.pool / end.data,
        "memory_peak_bytes": None if memory is None or memory.peak_bytes is None else float(memory.peak_bytes),
        "swapped_bytes": None if memory is None else float(memory.swapped_bytes),
        "processes_killed": None if memory is None else float(memory.killed),
    }
    return Measurement(metrics, {"state": "measured"}, {"stretch": kept})


def _workload(bench: Loaded, planned: PlannedTrial, seconds: int, *, number: int) -> Workload:
    p = bench.parameters
    return Workload("tpcb-like", p.clients, p.threads, seconds, seed=2 * planned.seed + number)


def _of_transactions(done: Transactions) -> dict[str, float | None]:
    latency = describe(done.latency_ns)
    mean_ns = latency["mean_ns"]
    assert mean_ns is not None
    return {f"latency_{name}": value for name, value in latency.items()} | {
        "tps": done.tps,
        "transactions": float(done.processed),
        "failed_transactions": None if done.failed is None else float(done.failed),
        "littles_ratio": littles_law(done.clients, done.tps, mean_ns).value if mean_ns > 0 else None,
    }


def _server_count(commits: int, done: Transactions) -> float | None:
    """Transactions that the server counted for pgbench's clients, its own questions left out."""
    own = pgbench.own_commits(done.workload)
    return None if own is None else float(commits - own)
