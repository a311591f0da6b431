"""The delaying proxy before a real server: rows, pipelines, large results, restarts, other accounts, and deaths."""

import os
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from eventually import eventually
from near_server import the_proxy

from benchbook.engines import delay
from benchbook.engines.delay import program
from benchbook.engines.postgres import Cluster, find, private_cluster

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("delay_built", "unhurried")]

SETTINGS = {"shared_buffers": "16MB", "max_connections": 120}
Connection = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture(scope="module")
def cluster(module_home: Path) -> Iterator[Cluster]:
    with private_cluster(find(), bytes_needed=100_000_000) as made:
        made.start(SETTINGS)
        yield made


def connect(proxy: delay.Proxy) -> Connection:
    return psycopg.connect(host=str(proxy.folder), user="benchbook", dbname="postgres", autocommit=True)


def test_each_query_takes_a_trip_and_a_pipeline_takes_one(cluster: Cluster) -> None:
    queries = 30
    with delay.proxied(cluster.sockets, round_trip_ms=20) as proxy, connect(proxy) as connection:
        least_s = 2 * proxy.certificate.hold_us / 1e6
        begun = time.monotonic()
        for number in range(5):
            assert connection.execute("SELECT %s::int", (number,)).fetchone() == (number,)
        assert time.monotonic() - begun >= 5 * least_s
        begun = time.monotonic()
        with connection.pipeline():
            cursors = [connection.execute("SELECT %s::int", (number,)) for number in range(queries)]
        assert [cursor.fetchone() for cursor in cursors] == [(number,) for number in range(queries)]
        taken_s = time.monotonic() - begun
        assert least_s <= taken_s < queries * least_s / 2
        assert connection.execute("SELECT").rowcount == 1


def test_a_query_can_be_cancelled_through_it(cluster: Cluster) -> None:
    with delay.proxied(cluster.sockets, round_trip_ms=2) as proxy, connect(proxy) as connection:
        connection.pgconn.send_query(b"SELECT pg_sleep(600)")
        asleep = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        with cluster.connect() as observer:  # what comes before the query cancels nothing
            assert eventually(lambda: observer.execute(asleep).fetchall())
        connection.cancel()
        answered = connection.pgconn.get_result()
        assert b"canceling statement" in answered.error_message
        assert connection.pgconn.get_result() is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server under another account")
def test_it_runs_under_the_servers_account_whose_programs_may_connect_and_still_comes_first(cluster: Cluster) -> None:
    owner = cluster.data.stat().st_uid
    with delay.proxied(cluster.sockets, round_trip_ms=1) as proxy:
        done = cluster.run(
            "pgbench", "--initialize", "--init-steps=d", "--host", str(proxy.folder), "--username=benchbook", "postgres"
        )
        assert done.returncode == 0, done.stderr
        assert proxy.child.answer("report")["connections"] == 1
        assert owner != 0
        assert the_proxy().uids().effective == owner
        assert proxy.folder.stat().st_uid == owner
        assert proxy.folder.parent.stat().st_uid == 0, "nobody but root puts anything beside the program"
        assert os.sched_getscheduler(the_proxy().pid) == (os.SCHED_FIFO if proxy.priority == "real time" else 0)
        assert proxy.priority == priority_of_root()


def priority_of_root() -> str:
    """What root's own programs get here: in a container it may be less than real time."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="benchbook-test-") as folder:
        words = ["proxy", "0", f"{folder}/a", f"{folder}/b"]
        with program.serving("the proxy", program.find(), *words) as child:
            return str(child.answer()["priority"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root could lead the server's account to what is root's alone")
def test_it_leads_nobody_to_a_socket_that_the_account_could_not_reach_itself(
    module_home: Path, closed: Path, as_the_account: Callable[..., int]
) -> None:
    secret = closed / "socket"
    with (
        socket.socket(socket.AF_UNIX) as listener,
        private_cluster(find(), bytes_needed=100_000_000) as made,
    ):
        listener.bind(str(secret))
        listener.listen()
        listener.settimeout(1)
        made.start({"shared_buffers": "8MB"})
        with delay.proxied(made.sockets, round_trip_ms=0) as proxy:
            assert as_the_account(made, "ln", "-sf", str(secret), str(made.sockets / ".s.PGSQL.5432")) == 0
            with pytest.raises(psycopg.OperationalError, match="behind the delaying proxy"):
                connect(proxy)
            with pytest.raises(TimeoutError):
                listener.accept()


def test_a_server_may_be_started_anew_behind_it(cluster: Cluster) -> None:
    with delay.proxied(cluster.sockets, round_trip_ms=1) as proxy:
        connect(proxy).close()
        cluster.stop()
        with pytest.raises(psycopg.OperationalError, match="behind the delaying proxy"):
            connect(proxy)
        cluster.start(SETTINGS)
        with connect(proxy) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
