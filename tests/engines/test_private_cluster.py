"""A private server is private, and gone afterwards, however its owner ends."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest
from eventually import eventually
from eventually import working_in as on
from scripts import program

from benchbook.engines.postgres import Binaries, Cluster, find, leftovers, private_cluster, sessions
from benchbook.errors import MachineError
from benchbook.model import Scalar

pytestmark = pytest.mark.engine

OWN = """
import time
from benchbook.engines.postgres import find, private_cluster
with private_cluster(find(), bytes_needed=100_000_000) as cluster:
    cluster.start({"shared_buffers": "8MB"})
    print(cluster.folder, flush=True)
    time.sleep(600)
"""


def scratch() -> Path:
    return Path(os.environ["BENCHBOOK_SCRATCH"])


@pytest.fixture
def owner(home: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process with a running cluster of its own."""
    with subprocess.Popen([sys.executable, "-c", OWN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as it:
        yield it
        it.kill()


def folder_of(owner: subprocess.Popen[str]) -> Path:
    return Path(owner.stdout.readline().strip())


def test_only_a_private_unix_socket_leads_to_the_server_that_was_asked_for(
    cluster: Cluster, binaries: Binaries
) -> None:
    [socket] = [path for path in cluster.sockets.iterdir() if path.is_socket()]
    for path in (cluster.sockets, cluster.data, socket):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700, path
    passed_through = 0o710 if os.geteuid() == 0 else 0o700
    assert stat.S_IMODE(cluster.folder.stat().st_mode) == passed_through
    looked_at = 0
    for server in on(cluster.folder):
        with suppress(psutil.NoSuchProcess):  # an autovacuum worker may end while we look
            if server.name() == "postgres":
                sockets = server.net_connections(kind="inet")
                assert [found for found in sockets if found.status == psutil.CONN_LISTEN] == []
                looked_at += 1
    assert looked_at
    with cluster.connect() as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        assert connection.execute("SELECT inet_server_addr()").fetchone() == (None,)
        assert connection.execute("SHOW server_version").fetchone()[0].split()[0] == binaries.version


CALLERS = {
    "PGPORT": "1",
    "PGHOSTADDR": "127.0.0.1",
    "PGSERVICE": "none",
    "PGSYSCONFDIR": "/nowhere",
    "PGREQUIREAUTH": "scram-sha-256",
    "PGOPTIONS": "-c enable_indexscan=off",
    "PGAPPNAME": "somebody's",
    "PGDATESTYLE": "German",
}
"""What a caller may have set, each of which would lead elsewhere, refuse the connection or change the session."""


def test_the_callers_settings_reach_neither_server_nor_client_and_are_there_again_afterwards(
    binaries: Binaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in CALLERS.items():
        monkeypatch.setenv(name, value)
    with private_cluster(binaries, bytes_needed=100_000_000) as cluster:
        cluster.start({"shared_buffers": "8MB"})
        with cluster.connect() as connection:
            sessions.checked(connection)
            assert connection.execute("SELECT inet_server_addr() IS NULL").fetchone() == (True,)
            for name, value in (("enable_indexscan", "on"), ("application_name", ""), ("DateStyle", "ISO, MDY")):
                assert connection.execute("SELECT current_setting(%s)", (name,)).fetchone() == (value,)
            server = Path(f"/proc/{connection.info.backend_pid}/environ").read_bytes()
        assert b"\0PG" not in server.replace(b"PGDATA=", b"")
        with private_cluster(binaries, bytes_needed=100_000_000):
            pass
        assert not any(name in os.environ for name in CALLERS), "the outer one still has its server"
    assert {name: os.environ.get(name) for name in CALLERS} == CALLERS


OURS: dict[str, Scalar] = {"shared_buffers": "8MB", "random_page_cost": 1.1}


@pytest.fixture(scope="module")
def changing(binaries: Binaries) -> Iterator[Cluster]:
    """A running server in which settings are made and taken back."""
    with private_cluster(binaries, bytes_needed=100_000_000) as cluster:
        cluster.start(OURS)
        yield cluster


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("ALTER ROLE benchbook SET enable_indexscan = off", "ALTER ROLE"),
        ("ALTER ROLE ALL SET enable_indexscan = off", "ALTER ROLE ALL"),
        ("ALTER DATABASE postgres SET enable_indexscan = off", "ALTER DATABASE"),
        ("ALTER ROLE benchbook IN DATABASE postgres SET enable_indexscan = off", "IN DATABASE"),
        ("ALTER SYSTEM SET enable_indexscan = off", "ALTER SYSTEM"),
        ("ALTER ROLE benchbook SET work_mem = '64kB'", "ALTER ROLE"),
        ("ALTER SYSTEM SET work_mem = '64kB'", "ALTER SYSTEM"),
        ("ALTER ROLE benchbook SET jit = on", "ALTER ROLE"),
    ],
)
def test_a_session_with_settings_that_no_run_asked_for_is_refused(changing: Cluster, given: str, origin: str) -> None:
    whose, name = given.partition(" SET ")[0], given.partition(" SET ")[2].split()[0]

    def say(statement: str) -> None:
        with changing.connect() as connection:
            if statement == given:
                sessions.checked(connection)
            connection.execute(statement.encode())
        if whose == "ALTER SYSTEM":
            changing.stop()
            changing.start(OURS)

    say(given)
    with changing.connect() as connection, pytest.raises(MachineError, match=f"comes from .*{origin}") as caught:
        sessions.checked(connection)
    assert f"{name}=" in caught.value.problem
    say(f"{whose} RESET {name}")


def test_a_session_that_was_changed_by_itself_or_by_its_clients_options_is_refused(cluster: Cluster) -> None:
    with cluster.connect() as connection:
        sessions.checked(connection)
        connection.execute("SET enable_seqscan = off")
        with pytest.raises(MachineError, match=r"enable_seqscan=off.*SET in the session"):
            sessions.checked(connection)
    options = {"host": str(cluster.sockets), "user": "benchbook", "dbname": "postgres"}
    with (
        psycopg.connect(**options, options="-c enable_indexscan=off") as connection,
        pytest.raises(MachineError, match=r"enable_indexscan=off.*PGOPTIONS"),
    ):
        sessions.checked(connection)


def test_settings_hold_for_one_start(binaries: Binaries) -> None:
    with private_cluster(binaries, bytes_needed=100_000_000) as cluster:
        for pool in ("8MB", "12MB"):
            cluster.start({"shared_buffers": pool, "fsync": False})
            with cluster.connect() as connection:
                assert connection.execute("SHOW shared_buffers").fetchone() == (pool,)
                assert connection.execute("SHOW fsync").fetchone() == ("off",)
            with pytest.raises(MachineError, match="running already"):
                cluster.start({})
            cluster.stop()
            cluster.stop()  # nothing runs: nothing happens
            with pytest.raises(psycopg.OperationalError):
                cluster.connect()


def test_a_setting_that_the_server_refuses_is_told_in_its_words(binaries: Binaries) -> None:
    with private_cluster(binaries, bytes_needed=100_000_000) as cluster:
        with pytest.raises(MachineError, match="no_such_setting"):
            cluster.start({"no_such_setting": 1})
        cluster.start({"shared_buffers": "8MB"})  # and can be mended
        assert on(cluster.folder)
    assert not cluster.folder.exists()
    assert on(cluster.folder) == []


def test_nothing_is_left_after_an_error(home: Path) -> None:
    seen = []

    def fail() -> None:
        with private_cluster(find(), bytes_needed=100_000_000) as cluster:
            seen.append(cluster.folder)
            cluster.start({"shared_buffers": "8MB"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not seen[0].exists()
    assert on(seen[0]) == []
    assert list(scratch().iterdir()) == []


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])  # SIGKILL: tests/faults/test_killed_owners.py
def test_nothing_is_left_when_the_owner_is_ended(owner: subprocess.Popen[str], how: signal.Signals) -> None:
    folder = folder_of(owner)
    assert on(folder)
    owner.send_signal(how)
    owner.wait(timeout=60)
    assert eventually(lambda: not folder.exists() and not on(folder))
    assert list(scratch().iterdir()) == []


def test_nothing_is_left_when_the_owner_is_killed_as_soon_as_the_cluster_is_made(owner: subprocess.Popen[str]) -> None:
    """A little later: tests/faults/test_killed_runs.py."""
    assert eventually(lambda: bool(list(scratch().glob(f"{leftovers.PREFIX}*/data"))))
    [folder] = scratch().iterdir()
    owner.kill()
    owner.wait(timeout=60)
    assert eventually(lambda: not folder.exists() and not on(folder))


AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can write where the server's account cannot enter")


@pytest.mark.parametrize(
    ("name", "mode", "said"),
    [
        pytest.param("x" * 90, 0o755, "too long", id="its socket's path"),
        pytest.param("closed", 0o700, "cannot enter", id="the server's account", marks=AS_ROOT),
    ],
)
def test_a_scratch_folder_in_which_no_server_can_be_is_refused_in_one_sentence(
    home: Path, monkeypatch: pytest.MonkeyPatch, name: str, mode: int, said: str
) -> None:
    folder = scratch() / name
    folder.mkdir(mode=mode)
    monkeypatch.setenv("BENCHBOOK_SCRATCH", str(folder))
    with pytest.raises(MachineError, match=f"{said}.*; .*BENCHBOOK_SCRATCH"), private_cluster(find(), bytes_needed=1):
        pass
    assert list(folder.iterdir()) == []


def test_programs_of_an_unsupported_version_are_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = home / "old"
    for name in ("postgres", "initdb"):
        program(old / name, "echo 'postgres (PostgreSQL) 13.22 (Debian 13.22-1)'")
    monkeypatch.setenv("BENCHBOOK_PG_BIN", str(old))
    with pytest.raises(MachineError, match=r"13\.22 .* older than 14.*; .*BENCHBOOK_PG_BIN"):
        find()
    program(old / "postgres", "echo hello")
    with pytest.raises(MachineError, match="hello"):
        find()
    (old / "postgres").unlink()
    with pytest.raises(MachineError, match="no program 'postgres'"):
        find()
