"""The way to a server of the user's own: a service of libpq, named by a variable; nothing of it is ever repeated."""

from __future__ import annotations

import os
import re
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from benchbook.engines import libpq
from benchbook.engines.own_server.bounded import Bounded
from benchbook.engines.own_server.words import SERVICE, strange, told
from benchbook.errors import BenchbookError, MachineError

Connection = psycopg.Connection[tuple[Any, ...]]
TIMEOUT, LOCK_TIMEOUT, TRANSACTION_TIMEOUT = "60s", "5s", "5min"
"""Of a statement, of waiting for a lock, and of doing nothing in a transaction."""
OLDEST = 140000
"""PostgreSQL 14, as for private servers."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_KEPT = ("PGSERVICEFILE", "PGSYSCONFDIR", "PGPASSFILE")
"""Files of libpq; its other variables would change what is measured, or lead elsewhere."""
_WAY = {
    "connect_timeout": "10", "keepalives": "1", "keepalives_idle": "15", "keepalives_interval": "5",
    "keepalives_count": "3", "tcp_user_timeout": "30000", "application_name": "benchbook", "client_encoding": "UTF8",
}  # fmt: skip
"""How a connection is made and watched: seconds, and ms of tcp_user_timeout. These go before what the service has."""
_LIMITS = f"""
    SELECT pg_catalog.set_config('statement_timeout', '{TIMEOUT}', false),
           pg_catalog.set_config('lock_timeout', '{LOCK_TIMEOUT}', false),
           pg_catalog.set_config('idle_in_transaction_session_timeout', '{TRANSACTION_TIMEOUT}', false),
           pg_catalog.set_config('idle_session_timeout', '0', false),
           pg_catalog.set_config('search_path', 'pg_catalog', false)
"""
"""For our session alone, which is idle for long while it holds the schema. No function that somebody put into public
is called in place of the server's own."""


def service() -> str | None:
    """The service that the caller names; None without one. Raises BenchbookError where it is no name."""
    named = os.environ.get(SERVICE, "")
    if named and not _NAME.fullmatch(named):
        raise BenchbookError(
            f"{SERVICE} holds no service's name, which has letters, digits, dots, dashes and underscores alone",
            "write host, port, dbname and user into a section of ~/.pg_service.conf and name that section; "
            "no address or password belongs into a variable",
        )
    return named or None


def named_service() -> str:
    """The same for who cannot do without one; raises BenchbookError where none is named."""
    if (name := service()) is None:
        raise BenchbookError(f"no server is named: {SERVICE} is not set", "set it to a section of ~/.pg_service.conf")
    return name


def connect(name: str) -> Connection:
    """A new connection in autocommit mode to the server of this service, bounded from the first statement on.

    Nothing of the caller's but its files counts. Raises MachineError, in words that name neither host nor user nor
    database, where none comes about.
    """
    files = {each: os.environ[each] for each in _KEPT if each in os.environ}
    with libpq.without_callers_settings(), told("cannot be reached", connecting=True):
        os.environ.update(files)
        try:
            connection = Bounded.connect(make_conninfo(service=name, **_WAY), autocommit=True)
        finally:
            for each in files:
                del os.environ[each]
    try:
        with told("cannot be asked"):
            limited(connection)
    except MachineError:
        connection.close()
        raise
    return connection


def limited(connection: Connection) -> Connection:
    """The same, whose server ends statements that take too long.

    Behind a pooler, where a setting would stay with the next client, nothing is set and nothing kept prepared; that
    it is one shows in the number of the process that answers, which is not the one that was told at the start. Raises
    MachineError where the server is older than 14.
    """
    number, pid = connection.info.server_version, connection.info.backend_pid
    if number < OLDEST:
        raise MachineError(
            f"the server of {SERVICE} is PostgreSQL {number // 10000}, older than {OLDEST // 10000}",
            "name another server",
        )
    row = connection.execute("SELECT pg_catalog.pg_backend_pid()", prepare=False).fetchone()
    if row is None or len(row) != 1 or not isinstance(row[0], int):
        raise strange()
    if row[0] == pid:
        connection.execute(_LIMITS.encode(), prepare=False)
    else:
        connection.prepare_threshold = None
    return connection


def pooled(connection: Connection) -> bool:
    """Whether another program answers before the server, as ``limited`` found."""
    return connection.prepare_threshold is None


def many(connection: Connection, statement: str | sql.Composed, values: Any = None, *, most: int) -> list[Any]:
    """All rows of the answer. Raises MachineError where there are more than ``most``."""
    asked = statement.encode() if isinstance(statement, str) else statement
    cursor = connection.execute(asked, values)
    if cursor.description is None:
        raise strange()
    if cursor.rowcount > most:
        raise MachineError(
            f"the server of {SERVICE} answers with {cursor.rowcount:,} rows where at most {most:,} are read",
            "ask for fewer tables",
        )
    return cursor.fetchall()


def one(connection: Connection, statement: str | sql.Composed, values: Any = None) -> tuple[Any, ...] | None:
    """The only row, or None."""
    rows = many(connection, statement, values, most=1)
    return rows[0] if rows else None
