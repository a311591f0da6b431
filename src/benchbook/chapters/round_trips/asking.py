"""A request as its statements: which tables each reads, over which connection, and whether they go in one pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchbook.chapters.round_trips.arms import CONNECTIONS, FUNCTION, PIPELINE, UNION, UNIONS
from benchbook.measuring.features.layout import Layout

KEY = "%(key)s"


@dataclass(frozen=True)
class Statement:
    """One of them. tables: whose rows it gives. numbered: the table's number stands before each row. json: all rows
    come in one value, an array of objects."""

    text: str
    tables: tuple[int, ...]
    numbered: bool = False
    json: bool = False


@dataclass(frozen=True)
class Way:
    """lanes: for each connection its statements. at_once: in one pipeline, else each after the answer to the last."""

    lanes: tuple[tuple[Statement, ...], ...]
    at_once: bool = False

    @property
    def trips(self) -> int:
        """Round trips of which each waits for the one before, by construction."""
        return 1 if self.at_once else max(map(len, self.lanes))


def way(mode: str, layout: Layout, size: int, tables_per_union: int) -> Way:
    """How ``mode`` asks for a key's rows in the first ``size`` tables."""
    tables = range(size)
    single = tuple(Statement(_select(layout, table), (table,)) for table in tables)
    if mode.startswith(CONNECTIONS):
        lanes = int(mode.rpartition("_")[2])
        return Way(tuple(single[lane::lanes] for lane in range(lanes)))
    if mode in (UNIONS, UNION):
        together = tables_per_union if mode == UNIONS else size
        return Way((tuple(_union(layout, each) for each in _groups(tables, together)),))
    if mode == FUNCTION:
        return Way(((Statement(f"SELECT {function(layout, size)}({KEY})", tuple(tables), json=True),),))
    return Way((single,), at_once=mode == PIPELINE)


def _select(layout: Layout, table: int) -> str:
    return layout.select(table).replace("%s", KEY)


def _union(layout: Layout, tables: Sequence[int]) -> Statement:
    parts = (_select(layout, table).replace("SELECT", f"SELECT {table},", 1) for table in tables)
    return Statement(" UNION ALL ".join(parts), tuple(tables), numbered=True)


def _groups(tables: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(tables), size):
        yield tables[start : start + size]


def function(layout: Layout, size: int) -> str:
    """Name of the server's function that gives a key's rows in so many tables."""
    return f"{layout.schema}.request_{size}"


def definition(layout: Layout, size: int) -> str:
    """The statement that makes this function: a look-up for each table, then one JSON array of all rows."""
    looks = "\n".join(
        f"SELECT to_jsonb(its) INTO STRICT one FROM ({_select(layout, table).replace(KEY, 'sought')}) its; "
        "everything := everything || one;"
        for table in range(size)
    )
    return (
        f"CREATE FUNCTION {function(layout, size)}(sought char(64)) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$\n"
        f"DECLARE one jsonb; everything jsonb[] := '{{}}';\nBEGIN\n{looks}\nRETURN to_jsonb(everything);\nEND $$"
    )
