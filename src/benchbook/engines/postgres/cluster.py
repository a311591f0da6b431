"""A private cluster: its own folder, user, Unix socket and settings; started afresh per trial, always removed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg

from benchbook import accounts, children, files, mishaps, nofollow
from benchbook.engines import noexec, printed
from benchbook.engines.postgres import leftovers as guardian
from benchbook.engines.postgres import mishap
from benchbook.engines.postgres.binaries import Binaries
from benchbook.errors import MachineError
from benchbook.model import Scalar

ROLE = "benchbook"
FAST_SHUTDOWN, IMMEDIATE_SHUTDOWN = signal.SIGINT, signal.SIGQUIT
_LONGEST_SOCKET_PATH = 107
_BASE: dict[str, Scalar] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "logging_collector": False,
    "log_checkpoints": False,
    "max_connections": 20,
    "autovacuum": False,
    "jit": False,
    "huge_pages": "off",
    "wal_level": "minimal",
    "max_wal_senders": 0,
    "max_wal_size": "8GB",
    "checkpoint_timeout": "1h",
    "track_io_timing": False,
}


class Cluster:
    """One data directory and at most one running server on it.

    folder: ours, with all that root puts into it; the server's account passes through, and has only ``data``,
    ``sockets``, which clients name as host, and ``wal``, the folder of the log where that lies elsewhere.
    """

    def __init__(self, binaries: Binaries, folder: Path, wal_place: Path | None = None) -> None:
        self.binaries = binaries
        self.folder = folder
        self.wal = wal_place
        self.data = folder / "data"
        self.sockets = folder / "socket"
        self._server: subprocess.Popen[bytes] | None = None
        self._account = accounts.unprivileged() if os.geteuid() == 0 else None
        self._programs = binaries.folder
        self._log = folder / "server.log"
        self._log_start = 0
        self.died: MachineError | None = None
        """What had happened to the server that was stopped last, if it or a process of it died."""

    @property
    def direct_io_possible(self) -> bool:
        """Whether this server on this disk can read past the OS page cache."""
        return self.binaries.has_direct_io and files.direct_reads(self.folder)

    def initialise(self) -> None:
        """Make the data directory; as root, under an unprivileged account that owns it."""
        self.let_through(self.folder)
        self._check_folder()
        self._programs = self._reachable_programs()
        for each in (self.data, self.sockets):
            self.made_over(each)
        if self.wal:
            self.give(self.wal)
        # Its own server would take reserved ones, which a control group may forbid. Before 16 it has no such option.
        huge = ("-c", "huge_pages=off") if self.binaries.major >= 16 else ()
        made = self.run(
            "initdb", "--pgdata", str(self.data), "--username", ROLE, "--auth", "trust",
            "--encoding", "UTF8", "--no-locale", "--no-instructions", "--no-sync",
            *(["--waldir", str(self.wal)] if self.wal else []), *huge,
        )  # fmt: skip
        if made.returncode < 0:
            raise mishaps.killed("initdb", -made.returncode, self.folder.parent)
        if made.returncode:
            if mishaps.says_full(made.stderr):
                raise mishaps.full(self.folder.parent, printed.fatal_line(made.stderr))
            raise MachineError(f"initdb failed: {printed.fatal_line(made.stderr)}", "run `benchbook doctor`")

    def start(self, settings: Mapping[str, Scalar], environment: Mapping[str, str] | None = None) -> None:
        """Start the server with ``settings`` over the base ones and wait until it answers.

        environment: variables for the server alone, such as what is preloaded into it.
        """
        if self._server is not None:
            raise MachineError("the server is running already", "stop it first")
        both = _BASE | {"unix_socket_directories": str(self.sockets)} | dict(settings)
        arguments = [part for name, value in both.items() for part in ("-c", f"{name}={spelled(value)}")]
        self.died = None
        options = self._identity()
        options["env"] |= environment or {}
        with self._log.open("ab") as output:
            self._log_start = output.tell()
            self._server = children.start(
                [self._programs / "postgres", "-D", self.data, *arguments], death=IMMEDIATE_SHUTDOWN,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, **options,
            )  # fmt: skip
        deadline = time.monotonic() + 120
        while True:
            if self._server.poll() is not None:
                died = mishap.happened(self) if mishaps.says_full(self.log()) or self._server.returncode < 0 else None
                self.stop()
                raise died or MachineError(
                    f"PostgreSQL did not start: {printed.fatal_line(self.log())}",
                    "check the settings and the memory asked for",
                )
            try:
                self.connect().close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    self.stop()
                    raise MachineError(
                        "PostgreSQL did not answer within 120 s", "try again on a quieter machine"
                    ) from None
                time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server in order, so that it stores its statistics; does nothing when none runs.

        A server of which a process died is stopped at once instead: while it recovers it may not heed anything else.
        """
        if self._server is None:
            return
        self.died = mishap.happened(self)
        self._server.send_signal(FAST_SHUTDOWN if self.died is None else IMMEDIATE_SHUTDOWN)
        try:
            if self._server.wait(timeout=120) < 0:  # it died meanwhile
                self.died = self.died or mishap.happened(self)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        self._server = None
        if (self.data / "postmaster.pid").exists():  # it could not remove it
            guardian.stop(self.folder)

    @property
    def started(self) -> bool:
        """Whether a server was started and not yet stopped; it may have died."""
        return self._server is not None

    @property
    def pid(self) -> int | None:
        """Process number of the server that was started and not yet stopped; None without one."""
        return None if self._server is None else self._server.pid

    def stop_at_once(self) -> None:
        """End the server of a trial that failed without letting it write anything; call ``stop`` after it.

        A server that restarts after the death of one of its processes may not heed a "fast" shutdown for minutes.
        """
        if self._server is not None:
            self._server.send_signal(IMMEDIATE_SHUTDOWN)

    def status(self) -> int | None:
        """How the server that was started last ended, as subprocess gives it; None while it runs or was stopped."""
        return None if self._server is None else self._server.poll()

    def log(self) -> str:
        """What the server wrote since its last start; "" before the first."""
        try:
            with self._log.open("rb") as file:
                file.seek(self._log_start)
                return file.read().decode(errors="replace")
        except OSError:
            return ""

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[Any, ...]]:
        """A new connection in autocommit mode through the private socket."""
        return psycopg.connect(host=str(self.sockets), user=ROLE, dbname=database, autocommit=True, connect_timeout=10)

    def let_through(self, folder: Path) -> None:
        """Let the server's account pass through a folder of ours; it is passed through to what is given to it below."""
        nofollow.let_through(folder, self._account)

    def give(self, path: Path) -> None:
        """Hand a file or an empty folder of ours, in a folder of ours, to the server's account."""
        nofollow.hand_over(path, self._account)

    def made_over(self, path: Path) -> Path:
        """A new folder, in a folder of ours, for what programs under the server's account write."""
        return nofollow.made_over(path, self._account)

    def save(self, place: Path, copy: Path) -> int:
        """Copy a folder of the stopped server's account to a new one of ours; bytes copied."""
        copy.mkdir(mode=0o700)
        return nofollow.mirror(place, copy)

    def restore(self, copy: Path, place: Path) -> int:
        """Make a folder of the stopped server's account what a copy of it holds; bytes copied."""
        return nofollow.mirror(copy, place, self._account)

    def program(self, name: str) -> tuple[Path, dict[str, Any]]:
        """A program of the same installation, and the options with which ``children`` runs it as the server does."""
        return self._programs / name, self._identity()

    def evict(self) -> None:
        """Drop the data files from the OS page cache. The server must be stopped."""
        files.evict(self.data / "base")

    def _identity(self) -> dict[str, Any]:
        keep = {"PATH", "LD_LIBRARY_PATH", "TZ"}
        environment = {name: value for name, value in os.environ.items() if name in keep} | {"LC_ALL": "C"}
        return {"cwd": self.folder, "env": environment, "account": self._account}

    def run(self, program: str, *arguments: str, timeout_s: float = 300) -> subprocess.CompletedProcess[str]:
        """Run a program of the same installation, as the server's account, to its end."""
        return children.run([self._programs / program, *arguments], timeout_s=timeout_s, **self._identity())

    def _check_folder(self) -> None:
        socket = self.sockets / ".s.PGSQL.5432"
        if len(os.fsencode(socket)) > _LONGEST_SOCKET_PATH:
            raise MachineError(
                f"{self.folder} is too long a path for a Unix socket",
                "set BENCHBOOK_SCRATCH to a folder with a shorter path",
            )
        if children.run(["test", "-x", self.folder], timeout_s=60, **self._identity()).returncode:
            raise MachineError(
                f"PostgreSQL refuses to run as root, and the account that it gets cannot enter {self.folder.parent}",
                "set BENCHBOOK_SCRATCH to a folder that every account can enter, or run as an ordinary user",
            )

    def _reachable_programs(self) -> Path:
        """The programs' folder, or a copy of the installation where the unprivileged account cannot enter it."""
        try:
            if self.run("postgres", "--version").returncode == 0:
                return self._programs
        except PermissionError:
            pass
        if why := noexec.refusal(self.folder):
            raise why
        return self.binaries.copied(self.folder / "programs").folder


def spelled(value: Scalar) -> str:
    """A setting's value as the server reads it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
