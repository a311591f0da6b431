"""pgbench on a private cluster: its tables made in a database of their own, one workload run, its transactions read."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg

from benchbook import children, mishaps, nofollow
from benchbook.engines import cores
from benchbook.engines.pgbench import transactions
from benchbook.engines.pgbench.log import read_log
from benchbook.engines.pgbench.transactions import Progress, Transactions
from benchbook.engines.pgbench.workload import DATABASE, Workload, check_scale
from benchbook.engines.postgres import Cluster, mishap
from benchbook.engines.postgres.cluster import ROLE
from benchbook.engines.postgres.counters import one_row
from benchbook.engines.printed import fatal_line
from benchbook.errors import BenchbookError, MachineError

PATIENCE_S = 120.0
"""How much longer than asked for pgbench may take: the last transactions may wait for a checkpoint."""
LOST_PATIENCE_S = 5.0
"""How long the server may take to say what became of it after pgbench failed."""
REST_S, REST_PER_CLIENT_S = 0.5, 0.01
"""From the report of the last second to the end: its clock runs while the clients connect, before any transaction."""


def connect(cluster: Cluster) -> psycopg.Connection[tuple[Any, ...]]:
    return cluster.connect(DATABASE)


def initialise(cluster: Cluster, scale: int) -> None:
    """Make pgbench's database and tables at a scale on a running cluster, vacuumed, and write them out.

    Raises MachineError with pgbench's last line when it fails.
    """
    check_scale(scale)
    with cluster.connect() as connection:
        connection.execute(f"CREATE DATABASE {DATABASE}")
    given = ["--initialize", "--quiet", "--scale", str(scale)]
    _pgbench(cluster, given, timeout_s=3600 + 60.0 * scale, pinned=None)
    with cluster.connect() as connection:
        connection.execute("CHECKPOINT")


def run(
    cluster: Cluster, workload: Workload, *, pinned: cores.Cores | None = None, logs: Path | None = None
) -> Transactions:
    """Run a workload on a running cluster that holds pgbench's tables, and read what happened.

    pinned: pgbench keeps to its client cores; start the server on the others. logs: a folder for the log of
    transactions while it is written, such as on another disk than a slow one; by default the cluster's. Raises
    BenchbookError before anything starts for a wrong setting, MachineError with pgbench's last line when it fails or is
    killed.
    """
    workload.check()
    _check_connections(cluster, workload)
    with log_folder(cluster, logs) as (folder, written):
        given = workload
        if isinstance(workload.script, Path):
            given = replace(workload, script=folder / "script.sql")  # where the server's account can read it
            shutil.copyfile(workload.script, folder / "script.sql")
            nofollow.let_read(folder / "script.sql")
        progress, processed, end_us = ended(cluster, given, written / "log" if workload.log else None, pinned)
        if not workload.log:
            return transactions.from_progress(workload, progress, processed)
        return transactions.from_log(workload, read_log(list(written.glob("log.*"))), progress, processed, end_us)


@contextmanager
def log_folder(cluster: Cluster, logs: Path | None) -> Iterator[tuple[Path, Path]]:
    """A new folder of ours, below ``logs`` or the cluster's, and one in it for what pgbench writes; gone at the end."""
    folder = Path(tempfile.mkdtemp(prefix="pgbench-", dir=logs or cluster.folder))
    try:
        cluster.let_through(folder)
        yield folder, cluster.made_over(folder / "written")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def ended(
    cluster: Cluster, workload: Workload, log: Path | None, pinned: cores.Cores | None = None
) -> tuple[Progress, int, int]:
    """Run a workload: its reports, how many it says it processed, and wall-clock us before which it did not stop."""
    clock = _Clock(workload, time.time() + workload.limit_s)
    timeout_s = workload.limit_s + PATIENCE_S
    said, told = _pgbench(cluster, workload.arguments(log), timeout_s=timeout_s, pinned=pinned, stop=clock.is_over)
    return *transactions.read_report(said, told), int(clock.end_s * 1e6)


class _Clock:
    """Ends a run soon after the window, which lies up to one connecting later than pgbench's reports of it."""

    def __init__(self, workload: Workload, end_s: float) -> None:
        self.end_s = end_s
        """Wall-clock time before which pgbench does not stop."""
        self._last_report_s = workload.warm_up_s + workload.duration_s
        self._rest_s = REST_S + REST_PER_CLIENT_S * workload.clients

    def is_over(self, line: str) -> bool:
        elapsed_s = transactions.reported_s(line)
        if elapsed_s is None or elapsed_s < self._last_report_s:
            return False
        time.sleep(self._rest_s)
        self.end_s = time.time()
        return True


def _pgbench(
    cluster: Cluster,
    arguments: list[str],
    *,
    timeout_s: float,
    pinned: cores.Cores | None,
    stop: Callable[[str], bool] = lambda line: False,
) -> tuple[str, str]:
    """What pgbench says on stdout and stderr. stop: told each line of stderr; when true, pgbench's time is up.

    pgbench's own clock runs from its launch and in whole seconds; SIGALRM is what that clock sends it at the end.
    """
    program, identity = cluster.program("pgbench")
    command = [str(program), *arguments, "--host", str(cluster.sockets), "--username", ROLE, DATABASE]
    try:
        with cores.on(None if pinned is None else pinned.client):
            process = children.start(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **identity
            )
    except FileNotFoundError:
        raise MachineError(
            f"there is no pgbench beside {cluster.binaries.folder / 'postgres'}",
            "install it (Debian: postgresql-contrib), or unset BENCHBOOK_PG_BIN to use the embedded one",
        ) from None
    late = threading.Event()

    def give_up() -> None:
        late.set()
        process.kill()

    watchdog = threading.Timer(timeout_s, give_up)
    watchdog.start()
    told: list[str] = []
    stopped = False
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stderr:
            told.append(line)
            if not stopped and stop(line):
                process.send_signal(signal.SIGALRM)
                stopped = True
        said = process.stdout.read()  # a page at most, so that the pipe never fills
        process.wait()
    finally:
        watchdog.cancel()
        children.end(process)  # where it was interrupted it still runs
    if late.is_set():
        raise MachineError(f"pgbench did not end within {timeout_s:.0f} s", "look for a stuck disk, or ask for less")
    if process.returncode < 0:
        raise mishaps.killed("pgbench", -process.returncode, cluster.folder.parent)
    if process.returncode:
        raise failed(cluster, process.returncode, fatal_line("".join(told)))
    return said, "".join(told)


def failed(cluster: Cluster, code: int, said: str) -> MachineError:
    """Why pgbench ended with this code: what happened to the server, or else pgbench's own words."""
    died = mishap.happened(cluster, patience_s=LOST_PATIENCE_S)  # it tells a lost connection in many ways
    return died or MachineError(f"pgbench failed ({code}): {said}", "see the message, and repeat the command")


def _check_connections(cluster: Cluster, workload: Workload) -> None:
    with cluster.connect() as connection:
        (room,) = one_row(
            connection,
            "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int",
        )
    if workload.clients + 2 > room:
        raise BenchbookError(
            f"{workload.clients} clients and two observers do not fit into the server's {room} connections",
            f"start it with max_connections of at least {workload.clients + 10}",
        )
