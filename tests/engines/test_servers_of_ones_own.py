"""A server of the user's own: reached without a word of its name, asked little, left as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from own_servers import DATABASE, ROLE, SECRETS, SERVICE, Theirs, served
from typer.testing import CliRunner

from benchbook.cli.commands import app
from benchbook.doctor import State
from benchbook.doctor.programs import programs
from benchbook.engines import own_server
from benchbook.engines.own_server import SchemaInUseError
from benchbook.engines.postgres import Binaries
from benchbook.errors import BenchbookError, MachineError

pytestmark = pytest.mark.engine
SCHEMA = "benchbook_0123456789ab"


@pytest.fixture(scope="module")
def theirs(binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theirs]:
    with served(binaries, tmp_path_factory.mktemp("own")) as made:
        yield made


@pytest.fixture
def named(theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> Theirs:
    theirs.named(monkeypatch)
    return theirs


def connect() -> own_server.Connection:
    return own_server.connect(SERVICE)


def call(*arguments: str, answer: str = "") -> Any:
    return CliRunner().invoke(app, list(arguments), prog_name="benchbook", input=answer)


@pytest.mark.parametrize("given", ["host=db user=me", "postgresql://me:secret@db/x", "-x", "a" * 64, "a b"])
def test_an_address_in_place_of_a_name_is_refused_and_not_repeated(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(own_server.SERVICE, given)
    with pytest.raises(BenchbookError) as error:
        own_server.service()
    assert given not in str(error.value)
    assert "pg_service.conf" in error.value.mend


def test_without_a_name_there_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(own_server.SERVICE, raising=False)
    assert own_server.service() is None


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
    with pytest.raises(MachineError) as error:
        own_server.connect("another")
    assert "no such service" in error.value.problem


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
    with named.connect() as connection:
        connection.execute(f"REVOKE CREATE ON DATABASE {DATABASE} FROM {ROLE}".encode())
    try:
        with connect() as connection, pytest.raises(MachineError, match="may not make a schema"):
            own_server.facts(connection).fit()
    finally:
        with named.connect() as connection:
            connection.execute(f"GRANT CREATE ON DATABASE {DATABASE} TO {ROLE}".encode())


def test_a_schema_is_ours_while_the_block_lasts(named: Theirs) -> None:
    with own_server.made(connect, SCHEMA, pooler=False) as keeper:
        keeper.execute(f"CREATE TABLE {SCHEMA}.one (id int)".encode())
        assert named.schemas() == [SCHEMA]
        with connect() as other:
            assert own_server.left_behind(other) == [], "a run holds it"
        with pytest.raises(SchemaInUseError), own_server.made(connect, SCHEMA, pooler=False):
            pass
        assert named.schemas() == [SCHEMA]
    assert named.schemas() == []


def test_an_error_and_a_lost_connection_leave_nothing(named: Theirs) -> None:
    with pytest.raises(ZeroDivisionError), own_server.made(connect, SCHEMA, pooler=False):
        1 / 0  # noqa: B018  # the error
    assert named.schemas() == []
    with own_server.made(connect, SCHEMA, pooler=False) as keeper, named.connect() as superuser:
        superuser.execute("SELECT pg_terminate_backend(%s)", (keeper.info.backend_pid,))
    assert named.schemas() == []


def test_a_schema_of_somebody_else_is_left_alone(named: Theirs) -> None:
    with named.connect() as connection:
        connection.execute(f"CREATE SCHEMA {SCHEMA} CREATE TABLE theirs (id int)".encode())
    try:
        with pytest.raises(SchemaInUseError, match="already"), own_server.made(connect, SCHEMA, pooler=False):
            pass
        with connect() as connection:
            assert own_server.left_behind(connection) == []
        assert named.schemas() == [SCHEMA]
    finally:
        with named.connect() as connection:
            connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE".encode())


@pytest.fixture
def killed(named: Theirs) -> Iterator[Theirs]:
    """What a killed run leaves: the schema with our comment, and no connection."""
    with connect() as connection:
        connection.execute(f"CREATE SCHEMA {SCHEMA}".encode())
        connection.execute(f"COMMENT ON SCHEMA {SCHEMA} IS '{own_server.comment()}'".encode())
        connection.execute(f"CREATE TABLE {SCHEMA}.one (id int)".encode())
        connection.execute("CREATE SCHEMA benchbook_notes")
    yield named
    with named.connect() as connection:
        connection.execute("DROP SCHEMA benchbook_notes")
        connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE".encode())


def test_clean_drops_what_a_killed_run_left_and_nothing_else(killed: Theirs) -> None:
    refused = call("clean", "--server", answer="n\n")
    assert refused.exit_code == 1
    assert SCHEMA in refused.stdout
    assert SCHEMA in killed.schemas()
    done = call("clean", "--server", "--yes")
    assert done.exit_code == 0, done.output
    assert killed.schemas() == ["benchbook_notes"]
    assert "nothing" not in done.stdout
    assert "no run left anything" in call("clean", "--server", "--yes").stdout
    assert not [secret for secret in SECRETS if secret in refused.output + done.output]


@pytest.mark.parametrize("arguments", [("clean",), ("clean", "--server")])
def test_clean_says_what_it_lacks(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(own_server.SERVICE, raising=False)
    done = call(*arguments)
    assert done.exit_code != 0


def test_words_of_the_server_are_not_repeated(named: Theirs) -> None:
    def wrong(statement: str) -> Callable[[], None]:
        def ask() -> None:
            with connect() as connection, own_server.told("failed"):
                connection.execute(statement.encode())

        return ask

    for statement in (
        f"SELECT '{SECRETS[0]}'::int",
        "SELECT * FROM pg_authid",
        "SET statement_timeout=1; SELECT pg_sleep(1)",
    ):
        with pytest.raises(MachineError) as error:
            wrong(statement)()
        assert SECRETS[0] not in str(error.value)
        assert "SQLSTATE" in error.value.problem
