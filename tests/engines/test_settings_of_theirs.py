"""Which settings and ways make a server of the user's own another one than that of an earlier run."""

from __future__ import annotations

import re
import time

import pytest
from own_servers import DATABASE, ROLE, Theirs, connect

from benchbook.engines import own_server

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(
    "change",
    [
        "ALTER SYSTEM SET effective_cache_size = '1GB'",
        f"ALTER ROLE {ROLE} SET plan_cache_mode = force_generic_plan",
        f"ALTER DATABASE {DATABASE} SET random_page_cost = 1.5",
        f"ALTER ROLE {ROLE} SET enable_indexscan = off",
    ],
)
def test_a_setting_that_matters_makes_it_another_engine(change: str, named: Theirs) -> None:
    with connect() as connection:
        before = own_server.facts(connection)
        assert own_server.state(connection) == before.state
    undone = re.sub(r"SET (\w+) = .*", r"RESET \1", change)
    try:
        _applied(named, change)
        with connect() as connection:
            after = own_server.facts(connection)
        assert after.id == before.id
        assert after.identity()["engine_source"] != before.identity()["engine_source"]
    finally:
        _applied(named, undone)
    with connect() as connection:
        assert own_server.state(connection) == before.state


@pytest.mark.parametrize(
    "change", [f"ALTER ROLE {ROLE} SET application_name = 'x'", "ALTER SYSTEM SET log_rotation_age = '2d'"]
)
def test_a_setting_that_does_not_leaves_it_the_same(change: str, named: Theirs) -> None:
    with connect() as connection:
        before = own_server.state(connection)
    try:
        _applied(named, change)
        with connect() as connection:
            assert own_server.state(connection) == before
    finally:
        _applied(named, re.sub(r"SET (\w+) = .*", r"RESET \1", change))


def _applied(theirs: Theirs, change: str) -> None:
    """Seen by every connection that is made from now on."""
    with theirs.connect() as connection:
        connection.execute(change.encode())
        connection.execute("SELECT pg_reload_conf()")
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
