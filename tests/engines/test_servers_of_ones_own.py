"""A server of the user's own: reached without a word of its name, asked little, left as it was."""

import os
import socket
from collections.abc import Callable
from dataclasses import replace

import pytest
from own_servers import DATABASE, ROLE, SCHEMA, SECRETS, Theirs, call, connect, terminated

from benchbook.doctor import State
from benchbook.doctor.programs import programs
from benchbook.engines import own_server
from benchbook.engines.postgres import Binaries
from benchbook.errors import BenchbookError, MachineError

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("given", ["host=db user=me", "postgresql://me:secret@db/x", "-x", "a" * 64, "a b"])
def test_an_address_in_place_of_a_name_is_refused_and_not_repeated(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(own_server.SERVICE, given)
    with pytest.raises(BenchbookError) as error:
        own_server.service()
    assert given not in str(error.value)
    assert "pg_service.conf" in error.value.mend


def test_without_a_name_there_is_no_server_and_clean_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(own_server.SERVICE, raising=False)
    assert own_server.service() is None
    done = call("clean", "--server")
    assert done.exit_code == 1
    assert own_server.SERVICE in done.output


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"password": "wrong"}, "refuses the password"),
        ({"port": "1"}, "nobody listens"),
        ({"dbname": "no_such_planted_database"}, "no such user, or no such database"),
        ({"host": "no-such-planted-host.invalid"}, "no address"),
    ],
)
def test_what_keeps_us_out_is_said_in_words_of_our_own(
    changed: dict[str, str], said: str, theirs: Theirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs.named(monkeypatch, **changed)
    with pytest.raises(MachineError) as error:
        connect()
    assert said in error.value.problem
    assert not [secret for secret in (*SECRETS, "planted", str(theirs.port)) if secret in str(error.value)]
    assert error.value.__suppress_context__


def test_a_service_that_nobody_described_is_named_with_how_to(named: Theirs) -> None:
    with pytest.raises(MachineError, match="no such service"):
        own_server.connect("another")


def test_variables_of_the_caller_do_not_reach_the_server(named: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c enable_indexscan=off")
    with connect() as connection:
        assert connection.execute("SHOW enable_indexscan").fetchone() == ("on",)


def test_a_role_of_few_rights_is_seen_as_it_is(named: Theirs, binaries: Binaries) -> None:
    with connect() as connection:
        found = own_server.facts(connection)
    assert not found.superuser
    assert not found.monitor
    assert not found.pooler
    assert found.pool_mib == 16
    assert 0 < found.trip_ms < 1000
    assert bool(found.tls) == named.tls
    assert found.of_role == ("work_mem=5MB",)
    assert found.version == binaries.version
    said = repr(found.record()) + repr(found.identity()) + repr(found.settings)
    assert not [secret for secret in (*SECRETS, "127.0.0.1", str(named.port)) if secret in said]


def test_the_doctor_says_what_the_role_sees_and_names_nothing(named: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {check.name: check for check in programs()}["server of your own"]
    assert found.state is State.OK
    assert "the role has no right beside CREATE" in found.detail
    assert not [secret for secret in (*SECRETS, "127.0.0.1", str(named.port)) if secret in found.detail]
    monkeypatch.setenv(own_server.SERVICE, "host=db user=me")
    refused = {check.name: check for check in programs()}["server of your own"]
    assert refused.state is State.WARNING
    assert "user=me" not in refused.detail + refused.mend


def test_a_role_that_may_make_no_schema_is_refused(named: Theirs) -> None:
    revoked = f"REVOKE CREATE ON DATABASE {DATABASE} FROM {ROLE}"
    with (
        named.having(revoked, undone=[f"GRANT CREATE ON DATABASE {DATABASE} TO {ROLE}"]),
        connect() as connection,
        pytest.raises(MachineError, match="may not make a schema"),
    ):
        own_server.facts(connection).fit()


def test_a_function_that_somebody_put_into_the_way_is_not_called(named: Theirs) -> None:
    dropped = ("DROP FUNCTION public.pg_is_in_recovery()", "DROP FUNCTION public.left(text, bigint)")
    with (
        named.having(
            "CREATE FUNCTION public.left(text, bigint) RETURNS text LANGUAGE sql AS 'SELECT $1'",
            "CREATE FUNCTION public.pg_is_in_recovery() RETURNS bool LANGUAGE sql AS 'SELECT true'",
            f"ALTER ROLE {ROLE} SET search_path = public, pg_catalog",
            undone=[*dropped, f"ALTER ROLE {ROLE} RESET search_path"],
        ),
        connect() as connection,
    ):
        assert not own_server.facts(connection).replica


@pytest.mark.parametrize(
    "statement",
    [f"SELECT '{SECRETS[0]}'::int", "SELECT * FROM pg_authid", "SET statement_timeout=1; SELECT pg_sleep(1)"],
)
def test_words_of_the_server_are_not_repeated(statement: str, named: Theirs) -> None:
    with pytest.raises(MachineError) as error, connect() as connection, own_server.told("failed"):
        connection.execute(statement.encode())
    assert SECRETS[0] not in str(error.value)
    assert "SQLSTATE" in error.value.problem


def test_finding_out_what_a_role_may_do_leaves_no_error_in_the_log(named: Theirs) -> None:
    before = named.errors()
    with connect() as connection:
        own_server.facts(connection)
    with own_server.made(connect, SCHEMA, pooler=False):
        pass
    assert call("clean", "--server", "--yes").exit_code == 0
    assert named.errors() == before


def test_statements_and_idle_transactions_are_bounded_from_the_first_on(named: Theirs) -> None:
    bounds = {"statement": "1min", "lock": "5s", "idle_in_transaction_session": "5min", "idle_session": "0"}
    with connect() as connection:
        for name, bound in bounds.items():
            assert connection.execute(f"SHOW {name}_timeout".encode()).fetchone() == (bound,)


def _cut(_: Theirs, connection: own_server.Connection) -> None:
    with socket.socket(fileno=os.dup(connection.fileno())) as ours:
        ours.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("ends", [terminated, _cut])
def test_a_lost_connection_is_told_as_one_whatever_the_words(
    ends: Callable[..., None], named: Theirs, capfd: pytest.CaptureFixture[str]
) -> None:
    def ask() -> None:
        with connect() as connection, own_server.told("failed"):
            ends(named, connection)
            with connection.transaction():
                connection.execute("SELECT 1")

    with pytest.raises(MachineError, match="is lost") as caught:
        ask()
    assert "ssl" not in f"{caught.value.problem} {caught.value.mend}".lower()
    assert not capfd.readouterr().err


def test_a_replica_is_refused_for_measuring(named: Theirs) -> None:
    with connect() as connection:
        found = own_server.facts(connection)
    with pytest.raises(MachineError, match="a replica"):
        replace(found, replica=True).fit()
    assert ", a replica" in replace(found, replica=True).words()
