"""A private Redis server: its own folder and Unix socket, no TCP port, nothing written to disk, always ended."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchbook import children, temporary
from benchbook.engines import guardian
from benchbook.engines.printed import last_line
from benchbook.engines.processes import working_in
from benchbook.engines.redis.client import Client
from benchbook.engines.redis.program import MEND, NAMES, find
from benchbook.errors import MachineError

KIND = "probe"
"""Of its folder: one that is removed with whatever lies in it."""
SETTINGS = {
    "port": "0",
    "unixsocketperm": "700",
    "save": "",
    "appendonly": "no",
    "daemonize": "no",
    "databases": "1",
    "loglevel": "warning",
    "set-proc-title": "no",
    "maxmemory": "0",
}
"""In memory alone, reached through its socket alone; the rest as Redis has it."""
_SOCKET = "redis.sock"
_LONGEST_SOCKET_PATH = 107
_PATIENCE_S, _END_S = 30.0, 5.0


@dataclass(frozen=True)
class Server:
    """A running server. pid: of its one process."""

    socket: Path
    pid: int

    def connect(self) -> Client:
        return Client(self.socket)


@contextmanager
def private_server(place: Path | None = None) -> Iterator[Server]:
    """An empty server, ended and removed at the end, however that comes; it dies with this process.

    It runs under this process's account, in a folder that no other account enters.
    place: a folder of ours in which its socket lies; by default where temporary files go.
    Raises NoEngineError where there is no Redis, MachineError where it does not start.
    """
    program = find()
    with temporary.folder(KIND, place) as folder, guardian.guarded(folder, destroy):
        socket = folder / _SOCKET
        if len(str(socket).encode()) > _LONGEST_SOCKET_PATH:
            raise MachineError(f"{folder} is too long a path for a Unix socket", "set TMPDIR to a shorter path")
        arguments = [part for name, value in SETTINGS.items() for part in (f"--{name}", value)]
        log = folder / "log"
        with log.open("wb") as output:
            process = children.start(
                [program, "--unixsocket", str(socket), "--dir", str(folder), *arguments], death=signal.SIGKILL,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, cwd=folder,
                env={"LC_ALL": "C"},
            )  # fmt: skip
        try:
            _wait(process, socket, log)
            yield Server(socket, process.pid)
        finally:
            process.kill()  # it has nothing to save
            process.wait()


def destroy(folder: Path) -> None:
    """End every server that works in ``folder``, then remove it; quiet when it is gone already. Nothing is kept."""
    processes = working_in(folder, NAMES)
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=_END_S)
    temporary.remove(folder)


def _wait(process: subprocess.Popen[bytes], socket: Path, log: Path) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise MachineError(f"Redis did not start: {last_line(log.read_text(errors='replace'))}", MEND)
        try:
            with Client(socket) as client:
                client.ping()
            return
        except OSError:
            time.sleep(0.01)
    raise MachineError(f"Redis did not answer within {_PATIENCE_S:.0f} s", "try again on a quieter machine")
