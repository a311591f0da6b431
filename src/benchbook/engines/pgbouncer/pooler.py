"""A PgBouncer of one trial: started in the cluster's own folder with a private socket alone, ended with it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg

from benchbook import children, mishaps, nofollow
from benchbook.engines import guardian
from benchbook.engines.pgbench.workload import DATABASE
from benchbook.engines.pgbouncer import program
from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres.cluster import ROLE
from benchbook.engines.printed import last_line
from benchbook.engines.processes import working_in
from benchbook.errors import MachineError

NAME, DOOR = "pooler", "front"
"""Folders in the cluster's: of what is started, which stays ours, and of the socket, which the server's account has."""
SPARE_FILES = 50
"""Open files of a pooler beside one for each connection on either side."""
_PATIENCE_S = 20.0


class Behind(Cluster):
    """The same server, reached by clients through the pooler's socket; what they write lies in the pooler's folder."""

    def __init__(self, server: Cluster, folder: Path) -> None:
        self.__dict__.update(server.__dict__)
        self.folder = folder
        self.sockets = server.folder / DOOR


@dataclass(frozen=True)
class Pooler:
    """A running one. cluster: the server behind it, which clients reach through ``front``. backends: its most."""

    cluster: Cluster
    front: Behind
    backends: int
    process: subprocess.Popen[Any]

    def cpu_s(self) -> float | None:
        """Seconds of processor time that it has used; None where it has ended."""
        try:
            spent = psutil.Process(self.process.pid).cpu_times()
        except psutil.Error:
            return None
        return float(spent.user + spent.system)

    def died(self) -> MachineError | None:
        """What ended it; None while it runs."""
        code = self.process.poll()
        if code is None:
            return None
        if code < 0:
            return mishaps.killed("the pooler", -code, self.cluster.folder.parent)
        said = last_line((self.front.folder / "log").read_text(errors="replace"))
        return MachineError(f"the pooler ended with {code}: {said}", "see the message")


@contextmanager
def pooled(cluster: Cluster, *, clients: int, backends: int) -> Iterator[Pooler]:
    """A pooler in transaction mode for so many clients in front of a running cluster, with at most so many backends.

    It has no TCP port and asks for no password: its socket lies in a folder of the server's account alone. A guardian
    ends it when this process is killed. Raises MachineError where it does not start.
    """
    folder = cluster.folder / NAME
    front = Behind(cluster, folder)
    for each in (folder, front.sockets):
        shutil.rmtree(each, ignore_errors=True)
    found = program.find()
    folder.mkdir()
    (folder / "pgbouncer.ini").write_text(configuration(cluster.sockets, front.sockets, clients, backends))
    shutil.copy(found.path, folder / "pgbouncer")  # where the server's account can read it
    if found.libraries is not None:
        shutil.copytree(found.libraries, folder / "lib")
    nofollow.let_read(folder)
    cluster.made_over(front.sockets)
    with guardian.guarded(folder, ended):
        process = _started(front, folder / "lib" if found.libraries else None)
        try:
            made = Pooler(cluster, front, backends, process)
            _wait(made)
            yield made
        finally:
            children.end(process)


def configuration(server: Path, folder: Path, clients: int, backends: int) -> str:
    """The text of pgbouncer.ini. server, folder: where the two sockets lie, the server's and its own."""
    return f"""[databases]
{DATABASE} = host={server} port=5432 dbname={DATABASE} user={ROLE} pool_size={backends}
[pgbouncer]
listen_addr =
listen_port = 5432
unix_socket_dir = {folder}
unix_socket_mode = 0700
auth_type = any
pool_mode = transaction
max_client_conn = {clients + 10}
max_db_connections = {backends}
reserve_pool_size = 0
query_wait_timeout = 0
ignore_startup_parameters = extra_float_digits,options
log_connections = 0
log_disconnections = 0
log_stats = 0
"""


def ended(folder: Path) -> None:
    """End what still runs in the folder, which goes with the cluster's."""
    for process in working_in(folder, ("pgbouncer",)):
        with suppress(psutil.NoSuchProcess):
            process.kill()


def _started(front: Behind, libraries: Path | None) -> subprocess.Popen[Any]:
    options = front.program("pgbench")[1]
    options["env"] |= program.environment(libraries)
    with (front.folder / "log").open("wb") as output:
        return children.start(
            [front.folder / "pgbouncer", front.folder / "pgbouncer.ini"], death=signal.SIGKILL,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, **options,
        )  # fmt: skip


def _wait(made: Pooler) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        died = made.died()
        if died is not None:
            raise died
        try:
            made.front.connect(DATABASE).close()
            return
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise MachineError(f"the pooler does not answer: {error}", "see the message") from None
            time.sleep(0.05)
