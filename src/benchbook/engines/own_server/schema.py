"""The one schema that we make on a server of the user's own: ours by its comment, gone at the end."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import psycopg

from benchbook.engines.own_server.service import SERVICE, Connection, told
from benchbook.errors import BenchbookError, MachineError

Connect = Callable[[], Connection]
PREFIX = "benchbook_"
COMMENT = "made by Benchbook for a measurement, begun "
LOAD_TIMEOUT, TIMEOUT, LOCK_TIMEOUT = "30min", "60s", "5s"
_OURS = f"""
    SELECT n.nspname, obj_description(n.oid, 'pg_namespace') FROM pg_namespace n
    WHERE n.nspname LIKE 'benchbook\\_%' AND n.nspowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)
      AND obj_description(n.oid, 'pg_namespace') LIKE '{COMMENT}%' ORDER BY 1
"""


class SchemaInUseError(BenchbookError):
    """A schema of this name is there already: of a run that is being measured, or of one that was killed."""

    code = 4


def comment() -> str:
    """What marks a schema as ours, with the time."""
    return f"{COMMENT}{datetime.now(UTC).isoformat(timespec='minutes')}"


@contextmanager
def made(connect: Connect, schema: str, *, pooler: bool) -> Iterator[Connection]:
    """A new schema while the block lasts, and the connection that holds the claim to it; dropped with all it holds.

    Raises SchemaInUseError where it exists; it is left as it is. pooler: sessions keep nothing, so none claims it.
    """
    with connect() as keeper:
        with told("made no schema"):
            if not pooler and not _claimed(keeper, schema):
                raise _in_use(schema)
            try:
                with keeper.transaction():
                    keeper.execute(f"CREATE SCHEMA {schema}".encode())
                    keeper.execute(f"COMMENT ON SCHEMA {schema} IS '{comment()}'".encode())
            except psycopg.errors.DuplicateSchema:
                raise _in_use(schema) from None
        try:
            yield keeper
        except BaseException:
            with suppress(MachineError):  # what ended the run says more, and how to remove what may be left
                _drop(connect, schema, keeper)
            raise
        _drop(connect, schema, keeper)


def _in_use(schema: str) -> SchemaInUseError:
    return SchemaInUseError(
        f"the schema {schema} is on the server of {SERVICE} already: a run is being measured there, or one was killed",
        "wait for the other run, or remove what was left with `benchbook clean --server`",
    )


def _claimed(keeper: Connection, schema: str) -> bool:
    """Whether this session now claims the schema, which no other does."""
    row = keeper.execute("SELECT pg_try_advisory_lock(%s)", (_number(schema),)).fetchone()
    return bool(row and row[0])


def _drop(connect: Connect, schema: str, keeper: Connection) -> None:
    """Over the connection that there is, or else a new one."""
    what = "did not drop the schema"
    try:
        with told(what):
            _dropped(keeper, schema)
        return
    except MachineError:  # the connection is lost, mostly
        pass
    try:
        with connect() as again, told(what):
            _dropped(again, schema)
    except MachineError as error:
        raise MachineError(
            f"the schema {schema} is left on the server of {SERVICE}: {error.problem}",
            "remove it with `benchbook clean --server` once the server can be reached",
        ) from None


def _dropped(connection: Connection, schema: str) -> None:
    """Table by table, so that no transaction takes hundreds of locks; then the empty schema."""
    tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,)).fetchall()
    for (table,) in tables:
        with connection.transaction():
            connection.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'".encode())
            connection.execute(f'DROP TABLE {schema}."{table}"'.encode())
    with connection.transaction():
        connection.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'".encode())
        connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())


def left_behind(connection: Connection) -> list[tuple[str, str]]:
    """Schemas of ours that no run holds any more, each with when it was begun."""
    with told("cannot be asked"):
        found = connection.execute(_OURS.encode()).fetchall()
        return [(str(name), str(said).removeprefix(COMMENT)) for name, said in found if _free(connection, str(name))]


def removed(connection: Connection, schema: str) -> None:
    """Drop a schema that was left behind."""
    with told("did not drop the schema"):
        _dropped(connection, schema)


def _free(connection: Connection, schema: str) -> bool:
    """Whether no session claims it."""
    with connection.transaction():
        row = connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (_number(schema),)).fetchone()
    return bool(row and row[0])


def _number(schema: str) -> int:
    """The number of its advisory lock: ours in the high half."""
    return (0x62656E63 << 32) | zlib.crc32(schema.encode())
