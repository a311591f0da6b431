"""Tables of the owner's, found by the names that they give; nothing of the tables themselves is read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchbook.engines.own_server.service import Connection, many
from benchbook.errors import BenchbookError, shortened

BUSIEST, MOST = "busiest", 200
"""The word for the tables with most requests. So many tables, with partitions, are watched at once."""
_NAME = re.compile(r'\s*("(?:[^"]|"")+"|[^".,]+)(?:\.("(?:[^"]|"")+"|[^".,]+))?\s*')
_TABLES = """
    SELECT c.oid::bigint, n.nspname::text, c.relname::text, c.relkind::text,
           CASE WHEN c.relkind IN ('r', 'm') THEN coalesce(pg_table_size(c.oid), 0) ELSE 0 END::bigint,
           CASE WHEN c.relkind IN ('r', 'm') THEN coalesce(pg_indexes_size(c.oid), 0) ELSE 0 END::bigint
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
"""
_KINDS = {"v": "a view", "f": "a foreign table", "S": "a sequence", "i": "an index", "c": "a type", "I": "an index"}


@dataclass(frozen=True)
class Table:
    """oid: the server's number of it. heap_bytes, index_bytes: of its rows, with the long values kept apart,
    and of all its indexes."""

    oid: int
    schema: str
    name: str
    heap_bytes: int
    index_bytes: int

    @property
    def full_name(self) -> str:
        """Such as "shop.orders", in signs that a terminal shows and does not obey."""
        return shown(f"{self.schema}.{self.name}")


def shown(text: str) -> str:
    """A text of the server's with "?" for every sign that is not printable, of at most 130 characters."""
    return "".join(each if each.isprintable() else "?" for each in text)[:130]


def tables(connection: Connection, given: str) -> list[Table]:
    """Those that ``given`` names, such as "shop.orders, items"; of partitioned ones the partitions.

    Raises BenchbookError where there is no such table, or what has the name holds no rows.
    """
    if given.strip() == BUSIEST:
        return _all(connection)
    found: dict[int, Table] = {}
    for schema, name in _named(given):
        found |= {each.oid: each for each in _one(connection, schema, name)}
    if len(found) > MOST:
        raise BenchbookError(
            f"{len(found):,} tables and partitions are more than {MOST} at once", "name fewer, or some partitions"
        )
    return [*found.values()]


def _named(given: str) -> list[tuple[str, str]]:
    names, place = [], 0
    while place <= len(given):
        found = _NAME.match(given, place)
        if found is None or (found.end() < len(given) and given[found.end()] != ","):
            raise BenchbookError(
                f"{shortened(given)!r} is no list of tables", "give names such as shop.orders,shop.items"
            )
        first, second = (_folded(part) for part in found.groups())
        names.append((first, second) if second else ("", first))
        place = found.end() + 1
    return names


def _folded(part: str | None) -> str:
    """As PostgreSQL reads a name: in small letters unless it is quoted."""
    if part is None:
        return ""
    return part[1:-1].replace('""', '"') if part.startswith('"') else part.strip().lower()


def _one(connection: Connection, schema: str, name: str) -> list[Table]:
    written = shown(f"{schema}.{name}" if schema else name)
    where = "n.nspname = %(schema)s" if schema else "n.nspname !~ '^(pg_|information_schema$)'"
    values = {"schema": schema, "name": name}
    rows = many(connection, f"{_TABLES} WHERE c.relname = %(name)s AND {where}", values, most=10 * MOST)
    if len(rows) > 1:
        raise BenchbookError(f"{len(rows)} schemas have a table {written}", "give its schema too")
    if not rows:
        raise BenchbookError(
            f"the database has no table {written}", "give its schema too, and quote a name with capitals"
        )
    (row,) = rows
    if row[3] == "p":
        below = f"{_TABLES} WHERE c.oid IN (SELECT relid FROM pg_partition_tree(%s::oid::regclass) WHERE isleaf)"
        rows = many(connection, below, (row[0],), most=10 * MOST)
        rows = [each for each in rows if each[3] == "r"]
        if not rows:
            raise BenchbookError(f"{written} has no partition that holds rows here", "name another table")
    elif row[3] not in "rm":
        raise BenchbookError(f"{written} is {_KINDS.get(row[3], 'no table')}", "name the tables that it reads")
    return [_table(each) for each in rows]


def _all(connection: Connection) -> list[Table]:
    """The tables with most requests since the counters began."""
    statement = f"""{_TABLES} JOIN pg_statio_user_tables s ON s.relid = c.oid
        ORDER BY coalesce(heap_blks_hit + heap_blks_read, 0) + coalesce(idx_blks_hit + idx_blks_read, 0) DESC
        LIMIT {MOST}"""
    found = [_table(each) for each in many(connection, statement, most=MOST)]
    if not found:
        raise BenchbookError("the database has no table of a user's", "name another database in the service")
    return found


def _table(row: tuple[object, ...]) -> Table:
    oid, schema, name, _, heap, index = row
    return Table(int(str(oid)), str(schema), str(name), int(str(heap)), int(str(index)))
