"""What shows whether a setting acted: counters of the server and of the kernel around the measured seconds."""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.engines.pgbench import Waits, kernel_counters
from benchbook.engines.postgres import Cluster
from benchbook.errors import MachineError
from benchbook.measuring.postgres import Connection, one_row

READING, LOCKED, LOGGING = "IO:DataFileRead", "Lock:", ("LWLock:WAL", "IO:WAL", "IO:Wal")
"""What pgbench's connections are seen to wait for: a block, another transaction's row, the log."""


def read(observer: Connection, cluster: Cluster) -> dict[str, float | None]:
    """Counters now, by name; None where this release has none. observer: a connection to another database."""
    major = cluster.binaries.major
    observer.execute("SELECT pg_stat_clear_snapshot()")
    log = (
        "SELECT sum(writes), sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'"
        if major >= 18
        else "SELECT wal_write, wal_sync FROM pg_stat_wal"
    )
    backends = (
        "SELECT sum(writes) FROM pg_stat_io WHERE backend_type = 'client backend' AND object = 'relation'"
        if major >= 16
        else "SELECT buffers_backend FROM pg_stat_bgwriter"
    )
    launched = "parallel_workers_launched" if major >= 18 else "NULL::bigint"
    row = one_row(
        observer,
        f"""SELECT log.*, backends.*, (SELECT maxwritten_clean FROM pg_stat_bgwriter), d.*
            FROM ({log}) AS log, ({backends}) AS backends,
                 (SELECT sum(temp_files), sum({launched}) FROM pg_stat_database) AS d""",
    )
    names = ("log_writes", "flushes", "backend_writes", "clean_stops", "temp_files", "parallel_workers")
    found = {name: None if value is None else float(value) for name, value in zip(names, row, strict=True)}
    return found | kernel_counters.processor(cluster.pid)


def metrics(
    before: Mapping[str, float | None], after: Mapping[str, float | None], transactions: int, cores: int,
    seconds: float, log_bytes: float,
) -> dict[str, float | None]:  # fmt: skip
    """Metrics of a window of so many transactions; log_bytes: written in it."""

    def grown(name: str, per: float = 1.0) -> float | None:
        now, then = after.get(name), before.get(name)
        return None if now is None or then is None else (now - then) / per

    flushes, writes, busy = grown("flushes"), grown("log_writes"), grown("machine_cpu_s")
    return {
        "backend_writes_per_transaction": grown("backend_writes", transactions),
        "flushes_per_transaction": grown("flushes", transactions),
        "commits_per_flush": transactions / flushes if flushes else None,
        "log_bytes_per_write": log_bytes / writes if writes else None,
        **{name: grown(name) for name in ("clean_stops", "temp_files", "parallel_workers")},
        "cpu_per_transaction_s": grown("server_cpu_s", transactions),
        "cpu_busy_share": None if busy is None else min(1.0, busy / (cores * seconds)),
    }


def of_waits(waits: Waits, clients: int) -> dict[str, float | None]:
    """Shares of the clients seen in each kind of wait, mean over the looks; None where nobody looked."""

    def share(*beginnings: str) -> float | None:
        seen = sum(n for name, n in waits.counts.items() if name.startswith(beginnings))
        return seen / (waits.looks * clients) if waits.looks else None

    kinds = {"read": (READING,), "lock": (LOCKED,), "log": LOGGING, "none": ("running",)}
    return {f"wait_{kind}_share": share(*beginnings) for kind, beginnings in kinds.items()}


def check_balances(connection: Connection) -> None:
    """Raise MachineError unless accounts, tellers, branches and history hold the same sum, as TPC-B must leave them.

    connection: to pgbench's database, after pgbench has ended.
    """
    row = one_row(
        connection,
        """SELECT (SELECT coalesce(sum(abalance), 0) FROM pgbench_accounts),
                  (SELECT coalesce(sum(tbalance), 0) FROM pgbench_tellers),
                  (SELECT coalesce(sum(bbalance), 0) FROM pgbench_branches),
                  (SELECT coalesce(sum(delta), 0) FROM pgbench_history)""",
    )
    if len({int(value) for value in row}) != 1:
        raise MachineError(
            f"the balances of accounts, tellers, branches and history are {', '.join(map(str, row))}, not one sum",
            "look at the server's log: transactions were lost or applied twice",
        )
