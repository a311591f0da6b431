"""pgbench on a private cluster: its tables made in a database of their own, one workload run, its transactions read."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from benchbook.engines import cores
from benchbook.engines.pgbench import transactions
from benchbook.engines.pgbench.log import read_log
from benchbook.engines.pgbench.transactions import Transactions
from benchbook.engines.pgbench.workload import DATABASE, Workload, check_scale
from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres.cluster import ROLE
from benchbook.errors import BenchbookError, MachineError

PATIENCE_S = 120.0
"""How much longer than asked for pgbench may take: the last transactions may wait for a checkpoint."""


def connect(cluster: Cluster) -> psycopg.Connection[tuple[Any, ...]]:
    """A new connection to pgbench's database, in autocommit mode."""
    return psycopg.connect(host=str(cluster.folder), user=ROLE, dbname=DATABASE, autocommit=True, connect_timeout=10)


def initialise(cluster: Cluster, scale: int, *, fill_factor: int = 100) -> None:
    """Make pgbench's database and tables at a scale on a running cluster, vacuumed, and write them out.

    fill_factor: of the accounts' pages, in percent. Raises BenchbookError for a wrong number, MachineError with
    pgbench's last line when it fails.
    """
    check_scale(scale)
    if not 10 <= fill_factor <= 100:
        raise BenchbookError(f"fill_factor={fill_factor} is not between 10 and 100", "give a percentage")
    with cluster.connect() as connection:
        connection.execute(f"CREATE DATABASE {DATABASE}")
    given = ["--initialize", "--quiet", "--scale", str(scale), "--fillfactor", str(fill_factor)]
    _pgbench(cluster, given, timeout_s=3600 + 60.0 * scale, pinned=None)
    with cluster.connect() as connection:
        connection.execute("CHECKPOINT")


def run(cluster: Cluster, workload: Workload, *, pinned: cores.Cores | None = None) -> Transactions:
    """Run a workload on a running cluster that holds pgbench's tables, and read what happened.

    pinned: pgbench keeps to its client cores; start the server on the others. Raises BenchbookError before anything
    starts for a wrong setting, MachineError with pgbench's last line when it fails or is killed.
    """
    workload.check()
    _check_connections(cluster, workload)
    folder = Path(tempfile.mkdtemp(prefix="pgbench-", dir=cluster.folder))
    try:
        script = workload.script
        if isinstance(script, Path):
            copy = folder / "script.sql"  # where the server's account can read it
            shutil.copyfile(script, copy)
            given = Workload(**(vars(workload) | {"script": copy}))
        else:
            given = workload
        cluster.give(folder)
        launched = time.time()
        done = _pgbench(
            cluster,
            given.arguments(folder / "log" if workload.log else None),
            timeout_s=workload.seconds + PATIENCE_S,
            pinned=pinned,
        )
        progress, processed = transactions.read_report(done.stdout, done.stderr)
        if not workload.log:
            return transactions.from_progress(workload, progress, processed)
        log = read_log(list(folder.glob("log.*")), lag=workload.rate_per_s is not None)
        alarm_us = int((launched + workload.seconds) * 1e6)
        return transactions.from_log(workload, log, progress, processed, alarm_us)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _pgbench(
    cluster: Cluster, arguments: list[str], *, timeout_s: float, pinned: cores.Cores | None
) -> subprocess.CompletedProcess[str]:
    program, identity = cluster.program("pgbench")
    command = [str(program), *arguments, "--host", str(cluster.folder), "--username", ROLE, DATABASE]
    try:
        with cores.on(None if pinned is None else pinned.client):
            # killed when this process is interrupted or the time is up
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_s, **identity
            )
    except FileNotFoundError:
        raise MachineError(
            f"there is no pgbench beside {cluster.binaries.folder / 'postgres'}",
            "install it (Debian: postgresql-contrib), or unset BENCHBOOK_PG_BIN to use the embedded one",
        ) from None
    except subprocess.TimeoutExpired:
        raise MachineError(
            f"pgbench did not end within {timeout_s:.0f} s", "look for a stuck disk, or ask for less"
        ) from None
    if done.returncode:
        how = f"was killed by signal {-done.returncode}" if done.returncode < 0 else f"failed ({done.returncode})"
        raise MachineError(f"pgbench {how}: {_last_line(done.stderr)}", "see the message, and repeat the command")
    return done


def _check_connections(cluster: Cluster, workload: Workload) -> None:
    with cluster.connect() as connection:
        row = connection.execute(
            "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
        ).fetchone()
    assert row is not None
    if workload.clients + 2 > row[0]:
        raise BenchbookError(
            f"{workload.clients} clients and two observers do not fit into the server's {row[0]} connections",
            f"start it with max_connections of at least {workload.clients + 10}",
        )


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("progress:")]
    errors = [line for line in lines if "error:" in line or "FATAL" in line]
    return (errors or lines or ["it said nothing"])[-1]
