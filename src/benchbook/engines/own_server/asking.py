"""Rows of a server that is not ours: no more of them, and no wider, than were asked for."""

from __future__ import annotations

from typing import Any

from psycopg import sql

from benchbook.engines.own_server.service import Connection
from benchbook.engines.own_server.words import SERVICE, strange
from benchbook.errors import MachineError


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
