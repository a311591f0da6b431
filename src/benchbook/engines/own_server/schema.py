"""The one schema that we make on a server of the user's own: ours by its comment, gone at the end."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import psycopg
from psycopg import sql

from benchbook.engines.own_server.bounded import patience
from benchbook.engines.own_server.service import LOCK_TIMEOUT, Connection, many, one
from benchbook.engines.own_server.words import SERVICE, told
from benchbook.errors import BenchbookError, MachineError

Connect = Callable[[], Connection]
PREFIX = "benchbook_"
COMMENT = "made by Benchbook for a measurement, begun "
CLEAN = "once the server can be reached, remove it with `benchbook clean --server`; then give the same command again"
STATEMENT_S = 90.0
"""What one of a minute may take, with the way there and back."""
MOST_LEFT, MOST_TABLES = 1_000, 10_000
_OURS = f"""
    SELECT n.nspname::text, substr(obj_description(n.oid, 'pg_namespace'), {len(COMMENT) + 1}) FROM pg_namespace n
    WHERE n.nspname ~ '^{PREFIX}[0-9a-f]{{12}}$'
      AND n.nspowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)
      AND obj_description(n.oid, 'pg_namespace') ~ '^{COMMENT}[0-9T:+-]{{10,40}}$' ORDER BY 1 LIMIT {MOST_LEFT}
"""
"""Names and comments as we make them, to the sign: neither can hold anything that a terminal or a statement obeys."""


class SchemaInUseError(BenchbookError):
    """A schema of this name is there already: of a run that is being measured, or of one that was killed."""

    code = 4


def comment() -> str:
    """What marks a schema as ours, with the time."""
    return f"{COMMENT}{datetime.now(UTC).isoformat(timespec='minutes')}"


@contextmanager
def made(connect: Connect, schema: str, *, pooler: bool) -> Iterator[Connection]:
    """A new schema while the block lasts, and the connection that holds the claim to it; dropped with all it holds.

    Raises SchemaInUseError where it exists; it is left as it is. What ends the block and leaves the schema on the
    server, since that cannot be reached, is told with the schema's name. pooler: sessions keep nothing, so none claims
    it.
    """
    with connect() as keeper:
        with told("made no schema"):
            if not pooler and not _claimed(keeper, schema):
                raise _in_use(schema)
            if many(keeper, "SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,), most=1):
                raise _in_use(schema)
            try:
                with keeper.transaction():
                    keeper.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
                    said = sql.SQL("COMMENT ON SCHEMA {} IS {}").format(sql.Identifier(schema), sql.Literal(comment()))
                    keeper.execute(said)
            except (psycopg.errors.DuplicateSchema, psycopg.errors.UniqueViolation):  # made since, by another run
                raise _in_use(schema) from None
        try:
            yield keeper
        except BaseException as error:
            left = _drop(connect, schema, keeper)
            if left is not None and isinstance(error, BenchbookError):
                raise MachineError(f"{error.problem}; {left.problem}", left.mend) from error
            if left is not None:
                error.add_note(f"{left.problem}; {left.mend}")
            raise
        left = _drop(connect, schema, keeper)
        if left is not None:
            raise left


def _in_use(schema: str) -> SchemaInUseError:
    return SchemaInUseError(
        f"the schema {schema} is on the server of {SERVICE} already: a run is being measured there, or one was killed",
        "wait for the other run, or remove what was left with `benchbook clean --server`",
    )


def _claimed(keeper: Connection, schema: str) -> bool:
    """Whether this session now claims the schema, which no other does."""
    return one(keeper, "SELECT pg_try_advisory_lock(%s)", (_number(schema),)) == (True,)


def _drop(connect: Connect, schema: str, keeper: Connection) -> MachineError | None:
    """Over the connection that there is, or else a new one; what to tell where the schema is left."""
    what = "did not drop the schema"
    try:
        with told(what):
            _dropped(keeper, schema)
        return None
    except MachineError:  # the connection is lost, mostly
        pass
    try:
        with connect() as again, told(what):
            _dropped(again, schema)
    except MachineError as error:
        return MachineError(f"the schema {schema} is left on the server of {SERVICE}: {error.problem}", CLEAN)
    return None


def _dropped(connection: Connection, schema: str) -> None:
    """Table by table, so that no transaction takes hundreds of locks; then the schema, if nobody put more into it."""
    found = many(connection, "SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,), most=MOST_TABLES)
    for (table,) in found:
        _alone(connection, sql.SQL("DROP TABLE {}").format(sql.Identifier(schema, str(table))))
    _alone(connection, sql.SQL("DROP SCHEMA IF EXISTS {}").format(sql.Identifier(schema)))


def _alone(connection: Connection, statement: sql.Composed) -> None:
    """In a transaction of its own that waits for no lock for long."""
    with patience(connection, STATEMENT_S), connection.transaction():
        connection.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'".encode())
        connection.execute(statement)


def left_behind(connection: Connection) -> list[tuple[str, str]]:
    """Schemas of ours that no run holds any more, each with when it was begun."""
    with told("cannot be asked"):
        found = many(connection, _OURS, most=MOST_LEFT)
        return [(str(name), str(begun)) for name, begun in found if _free(connection, str(name))]


def removed(connection: Connection, schema: str) -> None:
    """Drop a schema that was left behind. Raises SchemaInUseError where a run has taken it since."""
    if schema not in {name for name, _ in left_behind(connection)}:
        raise _in_use(schema)
    with told("did not drop the schema"):
        _dropped(connection, schema)


def _free(connection: Connection, schema: str) -> bool:
    """Whether no session claims it."""
    with connection.transaction():
        return one(connection, "SELECT pg_try_advisory_xact_lock(%s)", (_number(schema),)) == (True,)


def _number(schema: str) -> int:
    """The number of its advisory lock: ours in the high half."""
    return (0x62656E63 << 32) | zlib.crc32(schema.encode())
