"""What is looked at in a turn: what server, machine and device have counted, and throughput along the turn."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import psutil
import psycopg

from benchbook.engines import pgbench
from benchbook.engines.pgbench import kernel_counters
from benchbook.engines.postgres import Cluster
from benchbook.measuring.pgbench import spent, tallies

Connection = psycopg.Connection[tuple[Any, ...]]
PART_MS = 500
"""Parts of a turn for which throughput is stored."""
MOST_PARTS = 120
_USER, _SYSTEM = ("user", "nice"), ("system", "irq", "softirq")


def counts(observer: Connection, cluster: Cluster, own: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """What is exact at once, by name. observer: a connection to another database. own: what the state counts."""
    observer.execute("SELECT pg_stat_clear_snapshot()")
    row = observer.execute(
        "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8, buffers_clean::float8 "
        "FROM pg_stat_bgwriter"
    ).fetchone()
    assert row is not None
    machine = psutil.cpu_times()
    found: dict[str, float | None] = {
        "wal_bytes": float(row[0]),
        "cleaned": float(row[1]),
        "wall_s": time.monotonic(),
        "machine_user_s": sum(float(getattr(machine, name, 0.0)) for name in _USER),
        "machine_system_s": sum(float(getattr(machine, name, 0.0)) for name in _SYSTEM),
        "server_read_bytes": tallies.device_bytes(cluster),
        **kernel_counters.processor(cluster.pid),
        **vars(spent.read(cluster)),
        **{name: count() for name, count in own.items()},
    }
    return {name: float(value) for name, value in found.items() if value is not None}


def over(grown: Mapping[str, float], transactions: int) -> dict[str, float | None]:
    """Metrics of what grew in the windows of a state, over so many transactions; what nobody counted is None."""

    def each(name: str) -> float | None:
        return None if name not in grown else grown[name] / transactions

    return {
        "machine_user_per_transaction_s": each("machine_user_s"),
        "machine_system_per_transaction_s": each("machine_system_s"),
        "user_s_per_transaction": each("user_s"),
        "system_s_per_transaction": each("system_s"),
        "server_read_bytes_per_transaction": each("server_read_bytes"),
        "disk_reads_per_transaction": each("disk_reads"),
        "disk_writes_per_transaction": each("disk_writes"),
        "taken_processors": grown["taken_s"] / grown["wall_s"] if "taken_s" in grown else 0.0,
        "vacuums": grown.get("vacuums", 0.0),
        "dead_rows": grown["dead_rows"],
        "processors": float(os.cpu_count() or 1),
    }


def course(end_us: np.ndarray, turns: Sequence[tuple[int, int]], turn_ms: int) -> dict[str, float | None]:
    """TPS in each half second of a turn from its beginning, mean over turns, as ``half_second_01_tps``.

    end_us: when each transaction ended, in wall-clock microseconds, ascending. turns: from and to, in the same.
    """
    step, found = PART_MS * 1_000, {}
    for part in range(min(MOST_PARTS, turn_ms // PART_MS)):
        ends = np.array([(begun + part * step, begun + (part + 1) * step) for begun, _ in turns])
        made = int(np.diff(np.searchsorted(end_us, ends), axis=1).sum())
        found[f"half_second_{part + 1:02}_tps"] = made / len(turns) * 1_000 / PART_MS
    return dict(found)


def history(cluster: Cluster) -> int:
    """Rows of the history: one for each transaction that was committed."""
    return _asked(cluster, "SELECT count(*) FROM pgbench_history")


def dead_rows(cluster: Cluster) -> float:
    """Rows of branches and tellers that no transaction to come will see, and that are still there."""
    asked = "SELECT sum(dead_tuple_count)::bigint FROM (VALUES ('pgbench_branches'), ('pgbench_tellers')) AS t(name), "
    return float(_asked(cluster, f"{asked} pgstattuple(t.name::regclass)"))


def _asked(cluster: Cluster, question: str) -> int:
    with pgbench.connect(cluster) as connection:
        row = connection.execute(question).fetchone()
    assert row is not None
    return int(row[0])
