"""The schema that a run makes on a server of the user's own: ours to the sign, gone at the end, or named."""

from collections.abc import Callable, Iterator

import pytest
from own_servers import ROLE, SCHEMA, SECRETS, Theirs, call, connect, terminated

from benchbook.engines import own_server
from benchbook.engines.own_server import SchemaInUseError
from benchbook.engines.own_server.schema import COMMENT
from benchbook.errors import MachineError

pytestmark = pytest.mark.engine


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
    with own_server.made(connect, SCHEMA, pooler=False) as keeper:
        terminated(named, keeper)
    assert named.schemas() == []


def test_a_schema_of_somebody_else_is_left_alone(named: Theirs) -> None:
    made, dropped = f"CREATE SCHEMA {SCHEMA} CREATE TABLE theirs (id int)", f"DROP SCHEMA {SCHEMA} CASCADE"
    with named.having(made, undone=[dropped]):
        with pytest.raises(SchemaInUseError, match="already"), own_server.made(connect, SCHEMA, pooler=False):
            pass
        with connect() as connection:
            assert own_server.left_behind(connection) == []
        assert named.schemas() == [SCHEMA]


@pytest.fixture
def killed(named: Theirs) -> Iterator[Theirs]:
    """What a killed run leaves: the schema with our comment, and no connection."""
    with connect() as connection:
        connection.execute(f"CREATE SCHEMA {SCHEMA}".encode())
        connection.execute(f"COMMENT ON SCHEMA {SCHEMA} IS '{own_server.comment()}'".encode())
        connection.execute(f"CREATE TABLE {SCHEMA}.one (id int)".encode())
        connection.execute("CREATE SCHEMA benchbook_notes")
    yield named
    named.say("DROP SCHEMA benchbook_notes", f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")


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


BEGUN = own_server.comment()


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ('benchbook_x"; DROP SCHEMA y; --', BEGUN), ("benchbook_\x1b[2Jx", BEGUN), ("benchbook_0123456789AB", BEGUN),
        (SCHEMA, f"{COMMENT}\x1b]0;planted\x07"), (SCHEMA, f"{COMMENT}soon"), (SCHEMA, f"{BEGUN} and more"),
    ],
)  # fmt: skip
def test_what_is_not_to_the_sign_ours_is_neither_shown_nor_dropped(name: str, comment: str, named: Theirs) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    with connect() as connection:
        connection.execute(f"CREATE SCHEMA {quoted}".encode())
        connection.execute(f"COMMENT ON SCHEMA {quoted} IS '{comment}'".encode())
    try:
        done = call("clean", "--server", "--yes")
        assert "no run left anything" in done.output
        assert "\x1b" not in done.output
        assert named.schemas() == [name]
    finally:
        named.say(f"DROP SCHEMA {quoted}")


def test_tables_of_any_name_are_dropped_and_what_others_put_beside_them_stays(killed: Theirs) -> None:
    killed.say(
        f'CREATE TABLE {SCHEMA}."two"";%s" (id int)',
        f'ALTER TABLE {SCHEMA}."two"";%s" OWNER TO {ROLE}',
        f"CREATE FUNCTION {SCHEMA}.theirs() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    )
    refused = call("clean", "--server", "--yes")
    assert refused.exit_code == MachineError.code
    assert "dependent objects still exist" in refused.output
    with killed.connect() as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = %s", (SCHEMA,)).fetchone() == (0,)
        connection.execute(f"DROP FUNCTION {SCHEMA}.theirs()".encode())
    assert call("clean", "--server", "--yes").exit_code == 0


def test_a_schema_that_cannot_be_dropped_is_named_with_the_command_that_clears_it(
    named: Theirs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ways: list[Callable[[], own_server.Connection]] = []

    def once() -> own_server.Connection:
        if ways:
            return ways.pop()()
        raise MachineError("the connection to the server is lost", "look whether it runs")

    def ended(error: BaseException) -> None:
        """A run that ends with this error, after its server ended its session."""
        with own_server.made(once, SCHEMA, pooler=False) as keeper:
            terminated(named, keeper)
            raise error

    for error in (ZeroDivisionError(), MachineError("it broke", "mend it"), KeyboardInterrupt()):
        ways[:] = [connect]
        with pytest.raises((ZeroDivisionError, MachineError, KeyboardInterrupt)) as caught:
            ended(error)
        said = f"{caught.value} {getattr(caught.value, 'mend', '')} {getattr(caught.value, '__notes__', '')}"
        assert SCHEMA in said
        assert "benchbook clean --server" in said
        assert not capfd.readouterr().err, "no line of the client library's own"
        assert call("clean", "--server", "--yes").exit_code == 0
    assert named.schemas() == []
