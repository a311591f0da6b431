"""What is counted and never timed: trips on the wire, rows that the note's code gets, statements that run at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

import psycopg

from benchbook.chapters.round_trips.arms import Parameters
from benchbook.chapters.round_trips.asking import way
from benchbook.chapters.round_trips.client import Client, Connection
from benchbook.chapters.round_trips.reduction import trips_metric
from benchbook.chapters.round_trips.relay import Relay
from benchbook.engines.postgres.cluster import ROLE
from benchbook.measuring.features import dataset
from benchbook.measuring.features.layout import Layout
from benchbook.workloads import hash_keys

TIMES = 3
"""A pause of the client can split what it sends, never join it: the least of so many counts holds."""
CONTROLS = 4
"""Connections over which the same statements are sent to show that statements at once would be seen."""
WORK_S = 0.003
Request = Callable[[Connection, Layout, str], list[Any]]


def connected(relay: Relay, *, autocommit: bool = True) -> Connection:
    """A new connection through the relay."""
    return psycopg.connect(
        host=str(relay.folder), user=ROLE, dbname="postgres", autocommit=autocommit, connect_timeout=10
    )


def trips_by_way(relay: Relay, p: Parameters, layout: Layout, row: int) -> dict[str, float | None]:
    """Trips of a request in each way, by its number of tables, once everything is prepared."""
    [key] = hash_keys([row])
    found: dict[str, float | None] = {}
    for mode in p.modes:
        ways = [way(mode, layout, size, p.tables_per_union) for size in p.sizes]
        with ExitStack() as stack:
            lanes = [stack.enter_context(connected(relay)) for _ in ways[0].lanes]
            client = stack.enter_context(Client(lanes, ways, p.n_features + 1))
            client.settle(key)
            for number in range(len(ways)):
                found[trips_metric(mode, number)] = float(_fewest(relay, partial(client.checked, number, row, key)))
    return found


def of_the_notes_code(relay: Relay, layout: Layout, row: int) -> dict[str, float | None]:
    """Trips of a request as note and feature server write it, the rows that it gets, and how many are in their place.

    A row counts once, whatever its place; in its place it stands where its table was asked for.
    """
    [key] = hash_keys([row])
    found: dict[str, float | None] = {}
    for name, (request, autocommit) in REQUESTS.items():
        answers: list[list[Any]] = []
        with connected(relay, autocommit=autocommit) as connection:
            for _ in range(2 * TIMES):  # psycopg prepares what comes a sixth time
                answers.append(request(connection, layout, key))
            trips = _fewest(relay, partial(request, connection, layout, key))
        correct, in_place = zip(*(_correct(rows, row, len(layout.tables)) for rows in answers), strict=True)
        found |= {
            f"trips_{name}": float(trips),
            f"trips_{name}_per_table": trips / len(layout.tables),
            f"correct_rows_{name}": float(min(correct)),
            f"rows_in_place_{name}": float(min(in_place)),
        }
    return found


def _committed(connection: Connection, layout: Layout, key: str) -> list[Any]:
    """As the feature server: one cursor, a transaction, all look-ups in a pipeline, the rows fetched after its end."""
    with connection.cursor() as cursor:
        with connection.pipeline():
            for table in range(len(layout.tables)):
                cursor.execute(layout.select(table), (key,))
        rows = [cursor.fetchone() for _ in layout.tables]
    connection.commit()  # as the pool does when the request gives its connection back
    return rows


def _snippet(connection: Connection, layout: Layout, key: str) -> list[Any]:
    """As the note prints it: one cursor, and the rows are fetched inside the pipeline."""
    with connection.cursor() as cursor, connection.pipeline():
        for table in range(len(layout.tables)):
            cursor.execute(layout.select(table), (key,))
        return [cursor.fetchone() for _ in layout.tables]


def _cursors(connection: Connection, layout: Layout, key: str) -> list[Any]:
    """The same with a cursor for each look-up, and the rows fetched after the pipeline's end."""
    cursors = [connection.cursor() for _ in layout.tables]
    with connection.pipeline():
        for table, cursor in enumerate(cursors):
            cursor.execute(layout.select(table), (key,))
    return [cursor.fetchone() for cursor in cursors]


REQUESTS: dict[str, tuple[Request, bool]] = {
    "committed": (_committed, False), "autocommit": (_committed, True), "snippet": (_snippet, True),
    "own_cursors": (_cursors, True),
}  # fmt: skip
"""The feature server's code, with and without its transaction; the note's; and one that is right: how it asks, and
whether each statement is a transaction of its own."""


def _correct(rows: Sequence[Any], row: int, tables: int) -> tuple[int, int]:
    """Of how many tables the right row is among those that came, and how many stand in their table's place."""
    wanted = [dataset.first_feature(row, table) for table in range(tables)]
    got = [None if each is None else each[1] for each in rows]
    return len({*got} & {*wanted}), sum(a == b for a, b in zip(got, wanted, strict=True))


def at_once(connect: Callable[[], Connection], layout: Layout, row: int) -> dict[str, float | None]:
    """Most statements in execution at one moment: of one pipelined request, and of one spread over connections.

    Each statement says when the server began to work on its row and when it had finished, some ms later.
    """
    [key] = hash_keys([row])
    texts = [_timed(layout, table) for table in range(len(layout.tables))]

    def share(texts: Sequence[str]) -> list[tuple[float, float]]:
        with connect() as connection:
            cursors = [connection.cursor() for _ in texts]
            with connection.pipeline():
                for cursor, text in zip(cursors, texts, strict=True):
                    cursor.execute(text, (key,))
            rows = [cursor.fetchone() for cursor in cursors]
            return [(each[0], each[-1]) for each in rows if each is not None]

    with ThreadPoolExecutor(CONTROLS) as threads:
        parts = list(threads.map(share, [texts[lane::CONTROLS] for lane in range(CONTROLS)]))
    return {
        "statements_at_once": float(most_at_once(share(texts))),
        "statements_at_once_control": float(most_at_once([each for part in parts for each in part])),
    }


def _timed(layout: Layout, table: int) -> str:
    now = "extract(epoch FROM clock_timestamp())::double precision"
    return layout.select(table).replace("SELECT", f"SELECT {now},", 1).replace(
        " FROM features", f", pg_sleep({WORK_S}), {now} FROM features", 1
    )  # fmt: skip


def most_at_once(spans: Sequence[tuple[float, float]]) -> int:
    """The most spans (start, end) that have a moment in common; one that ends as another starts has none with it."""
    steps = sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans])
    now = most = 0
    for _, step in steps:
        now += step
        most = max(most, now)
    return most


def _fewest(relay: Relay, ask: Callable[[], object]) -> int:
    counts = []
    for _ in range(TIMES):
        relay.trips()
        ask()
        counts.append(relay.trips())
    return min(counts)
