"""Which settings and ways make a server of the user's own another one than that of an earlier run."""

import re
import time
from pathlib import Path

import pytest
from own_servers import DATABASE, ROLE, Theirs, connect

from benchbook.engines import own_server, pgbouncer
from benchbook.engines.pgbench.workload import DATABASE as POOLED
from benchbook.engines.postgres import Binaries, private_cluster
from benchbook.errors import MachineError

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(
    ("change", "matters"),
    [
        ("ALTER SYSTEM SET effective_cache_size = '1GB'", True),
        (f"ALTER ROLE {ROLE} SET plan_cache_mode = force_generic_plan", True),
        (f"ALTER DATABASE {DATABASE} SET random_page_cost = 1.5", True),
        (f"ALTER ROLE {ROLE} SET enable_indexscan = off", True),
        (f"ALTER ROLE {ROLE} SET application_name = 'x'", False),
        ("ALTER SYSTEM SET log_rotation_age = '2d'", False),
    ],
)
def test_a_setting_that_matters_makes_it_another_engine_and_no_other_does(
    change: str, matters: bool, named: Theirs
) -> None:
    with connect() as connection:
        before = own_server.facts(connection)
        assert own_server.state(connection) == before.state
    try:
        _applied(named, change)
        with connect() as connection:
            after = own_server.facts(connection)
        assert after.id == before.id
        assert (after.identity()["engine_source"] != before.identity()["engine_source"]) is matters
    finally:
        _applied(named, re.sub(r"SET (\w+) = .*", r"RESET \1", change))
    with connect() as connection:
        assert own_server.state(connection) == before.state


def _applied(theirs: Theirs, change: str) -> None:
    """Seen by every connection that is made from now on."""
    theirs.say(change, "SELECT pg_reload_conf()")
    time.sleep(0.2)


def test_the_same_server_by_another_way_is_another_engine(named: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    with connect() as connection:
        over_tcp = own_server.facts(connection)
    named.named(monkeypatch, host=str(named.cluster.sockets), user="benchbook", sslmode="disable")
    with connect() as connection:
        by_socket = own_server.facts(connection)
    assert over_tcp.id == by_socket.id
    assert over_tcp.state != by_socket.state
    assert (over_tcp.route, by_socket.route) == ("the loopback of this machine", "a socket of this machine")


def test_a_pooler_is_recognised_bounded_and_another_engine(
    binaries: Binaries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        pgbouncer.find()
    except MachineError as missing:
        pytest.skip(str(missing))
    with private_cluster(binaries, bytes_needed=200_000_000) as cluster:
        cluster.start({"shared_buffers": "16MB"})
        with cluster.connect() as connection:
            connection.execute(f"CREATE DATABASE {POOLED}".encode())
        with pgbouncer.pooled(cluster, clients=8, backends=2) as pooler:
            lines = f"dbname={POOLED}\nuser=benchbook\n"
            services = tmp_path / "services"
            services.write_text(
                f"[pooled]\nhost={pooler.front.sockets}\n{lines}[direct]\nhost={cluster.sockets}\n{lines}"
            )
            monkeypatch.setenv("PGSERVICEFILE", str(services))
            with own_server.connect("pooled") as through, own_server.connect("direct") as direct:
                facts, others = own_server.facts(through), own_server.facts(direct)
                limits = [each.execute("SHOW statement_timeout").fetchone() for each in (through, direct)]
                for _ in range(10):
                    assert through.execute("SELECT %s::int", (1,)).fetchone() == (1,)
        assert (facts.pooler, others.pooler) == (True, False)
        assert facts.id == others.id
        assert facts.state != others.state
        assert limits == [("0",), ("1min",)], "a setting would stay with the next client"
        assert "through a pooler" in facts.words()
        said = [line for line in cluster.log().splitlines() if "ERROR" in line]
        assert said == []
