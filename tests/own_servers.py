"""A server as a user of the book may have one: over TCP, with a password and TLS, for a role of few rights."""

import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchbook.cli.commands import app
from benchbook.engines import own_server
from benchbook.engines.postgres import Binaries, Cluster, private_cluster

PASSWORD, ROLE, DATABASE = "planted-Secret-4711", "planted_role", "planted_database"
SECRETS = (PASSWORD, ROLE, DATABASE)
"""What no file and no message may hold."""
SERVICE, SCHEMA = "mine", "benchbook_0123456789ab"


@dataclass(frozen=True)
class Theirs:
    """cluster: asked by its superuser. folder: of the service and password files. port: on 127.0.0.1.

    settings: that it began with.
    """

    cluster: Cluster
    folder: Path
    port: int
    tls: bool
    settings: dict[str, Any]

    def restart(self, **changed: str) -> None:
        """With these settings in place of some that it began with."""
        self.cluster.stop()
        _start(self.cluster, self.port, self.settings | changed)

    def named(self, patch: pytest.MonkeyPatch, **changed: str) -> None:
        """Make it the caller's own server. changed: other lines of its service, or another ``password``."""
        password = changed.pop("password", PASSWORD)
        lines = {"host": "127.0.0.1", "port": str(self.port), "dbname": DATABASE, "user": ROLE,
                 "sslmode": "require" if self.tls else "disable"} | changed  # fmt: skip
        service, passwords = self.folder / "services", self.folder / "passwords"
        service.write_text("\n".join([f"[{SERVICE}]", *(f"{name}={value}" for name, value in lines.items()), ""]))
        passwords.write_text(f"*:*:*:*:{password}\n")
        passwords.chmod(0o600)
        patch.setenv("BENCHBOOK_PG_SERVICE", SERVICE)
        patch.setenv("PGSERVICEFILE", str(service))
        patch.setenv("PGPASSFILE", str(passwords))

    def schemas(self) -> list[str]:
        """Schemas in their database that are none of the server's own."""
        with self.connect() as connection:
            found = connection.execute(
                "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|public)' ORDER BY 1"
            )
            return [name for (name,) in found.fetchall()]

    def say(self, *statements: str) -> None:
        """The superuser says these in their database, one after the other."""
        with self.connect() as connection:
            for each in statements:
                connection.execute(each.encode())

    @contextmanager
    def having(self, *said: str, undone: Sequence[str]) -> Iterator[None]:
        """What these make is there while the block lasts."""
        self.say(*said)
        try:
            yield
        finally:
            self.say(*undone)

    def errors(self) -> list[str]:
        """Lines of its log that tell of an error."""
        words = ("ERROR: ", "FATAL: ", "PANIC: ", "WARNING: ")
        return [line for line in self.cluster.log().splitlines() if any(word in line for word in words)]

    def connect(self):  # type: ignore[no-untyped-def]  # as the cluster's
        """The superuser, in their database."""
        import psycopg

        host, user = str(self.cluster.sockets), "benchbook"
        return psycopg.connect(host=host, port=self.port, user=user, dbname=DATABASE, autocommit=True)


def connect() -> own_server.Connection:
    """To the server that is named."""
    return own_server.connect(SERVICE)


def call(*arguments: str, answer: str = "") -> Any:
    """What a command did. answer: to what it asks."""
    return CliRunner().invoke(app, list(arguments), prog_name="benchbook", input=answer)


def terminated(theirs: Theirs, connection: own_server.Connection) -> None:
    """The server ends this session."""
    with theirs.connect() as superuser:
        superuser.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))


@contextmanager
def served(binaries: Binaries, folder: Path, **others: str) -> Iterator[Theirs]:
    """Such a server while the block lasts; with TLS where its build has it. others: settings that it has too."""
    with private_cluster(binaries, bytes_needed=300_000_000) as cluster:
        (cluster.data / "pg_hba.conf").write_text(
            "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n"
        )
        port, tls = _free_port(), _certificate(cluster, folder)
        settings = {"listen_addresses": "127.0.0.1", "port": port, "shared_buffers": "16MB", "fsync": False} | others
        started = settings | ({"ssl": True} if tls else {})
        _start(cluster, port, started)
        with _at(cluster, port) as connection:
            for each in (
                f"CREATE ROLE {ROLE} LOGIN NOSUPERUSER PASSWORD '{PASSWORD}'",
                f"ALTER ROLE {ROLE} SET work_mem = '5MB'",
                f"CREATE DATABASE {DATABASE}",
                f"GRANT CONNECT, CREATE ON DATABASE {DATABASE} TO {ROLE}",
            ):
                connection.execute(each.encode())
        yield Theirs(cluster, folder, port, tls, started)


def _start(cluster: Cluster, port: int, settings: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # The private socket has another name than usual, since the port is part of it.
        patch.setattr(Cluster, "connect", lambda self: _at(self, port))
        cluster.start(settings)


def _at(cluster: Cluster, port: int):  # type: ignore[no-untyped-def]  # as the cluster's
    import psycopg

    return psycopg.connect(
        host=str(cluster.sockets), port=port, user="benchbook", dbname="postgres", autocommit=True, connect_timeout=10
    )


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _certificate(cluster: Cluster, folder: Path) -> bool:
    """A certificate of its own for a server that can TLS; whether there is one."""
    if "openssl" not in cluster.run("pg_config", "--configure").stdout:
        return False
    key, certificate = folder / "server.key", folder / "server.crt"
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-keyout", str(key), "-out", str(certificate)], capture_output=True, check=False,
    )  # fmt: skip
    if made.returncode:
        return False
    for each in (key, certificate):
        copy = cluster.folder / each.name
        copy.write_bytes(each.read_bytes())
        copy.chmod(0o600)
        cluster.give(copy)
        copy.rename(cluster.data / each.name)
    return True
