"""What is counted and never timed: trips on the wire, rows that the note's code gets, statements that run at once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import groupby
from operator import eq
from pathlib import Path
from typing import Any

import psycopg

from benchbook import temporary
from benchbook.engines.postgres.cluster import ROLE
from benchbook.measuring.features import dataset
from benchbook.measuring.features.dataset import Layout
from benchbook.measuring.features.ways import Way, WayClient
from benchbook.measuring.postgres import Connection
from benchbook.workloads import hash_keys

TIMES = 3
"""A pause of the client can split what it sends, never join it: the least of so many counts holds."""
CONTROLS = 4
"""Connections over which the same statements are sent to show that statements at once would be seen."""
WORK_S = 0.003
_NAME, _PIECE_BYTES = ".s.PGSQL.5432", 1 << 16


class Relay:
    """A socket before a server's that leads each client on and notes who sends when. folder: give it to libpq."""

    def __init__(self, folder: Path, target: Path) -> None:
        self.folder, self._target = folder, target
        self._logs: list[list[str]] = []
        self._open: list[socket.socket] = []
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(folder / _NAME))
        self._door.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def connected(self, *, autocommit: bool = True) -> Connection:
        host = str(self.folder)
        return psycopg.connect(host=host, user=ROLE, dbname="postgres", autocommit=autocommit, connect_timeout=10)

    def fewest(self, ask: Callable[[], object]) -> int:
        counts = []
        for _ in range(TIMES):
            self._trips()
            ask()
            counts.append(self._trips())
        return min(counts)

    def _trips(self) -> int:
        """Round trips since the last call that waited for one another: of the connection that has most of them.

        Whatever a client sends without having received anything in between belongs to one trip.
        """
        logs = [log.copy() for log in self._logs]
        for log in self._logs:
            log.clear()
        return max(trips(log) for log in logs)

    def close(self) -> None:
        for each in (self._door, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _serve(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client, _ = self._door.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self._target))
                log: list[str] = []
                self._open += [client, server]
                self._logs.append(log)
                for way in (("client", client, server), ("server", server, client)):
                    threading.Thread(target=_pass_on, args=(*way, log), daemon=True).start()


def trips(log: list[str]) -> int:
    """How often the client sent after it had received, the first time included."""
    return sum(who == "client" for who, _ in groupby(log))


def _pass_on(who: str, source: socket.socket, sink: socket.socket, log: list[str]) -> None:
    with suppress(OSError):
        while piece := source.recv(_PIECE_BYTES):
            log.append(who)  # before it is passed on, so that an answer is always noted after its question
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)


@contextmanager
def relayed(server: Path) -> Iterator[Relay]:
    """A relay to the server whose socket lies in this folder, or to the proxy before it."""
    place = next((each for each in temporary.SHORT if each.is_dir()), None)
    with temporary.folder("delay", place) as folder:
        relay = Relay(folder, server / _NAME)
        try:
            yield relay
        finally:
            relay.close()


def by_way(relay: Relay, ways: Mapping[str, Sequence[Way]], n_columns: int, row: int) -> dict[str, list[int]]:
    """Trips of a request in each way, by its number of tables, once everything is prepared."""
    [key], found = hash_keys([row]), {}
    for mode, each in ways.items():
        with ExitStack() as stack:
            lanes = [stack.enter_context(relay.connected()) for _ in each[0].lanes]
            client = stack.enter_context(WayClient(lanes, each, n_columns))
            client.settle(key)
            found[mode] = [relay.fewest(partial(client.checked, number, row, key)) for number in range(len(each))]
    return found


def of_the_notes_code(relay: Relay, layout: Layout, row: int) -> dict[str, float | None]:
    """Trips of a request as note and feature server write it, the rows that it gets, and how many are in their place.

    A row counts once, whatever its place; in its place it stands where its table was asked for.
    """
    [key], tables = hash_keys([row]), len(layout.tables)
    wanted = [dataset.first_feature(row, table) for table in range(tables)]
    found: dict[str, float | None] = {}
    for name, (request, autocommit) in REQUESTS.items():
        with relay.connected(autocommit=autocommit) as connection:
            ask = partial(request, connection, layout, key)
            answers = [ask() for _ in range(2 * TIMES)]  # psycopg prepares what comes a sixth time
            waited = relay.fewest(ask)
        got = [[None if each is None else each[1] for each in rows] for rows in answers]
        found |= {
            f"trips_{name}": float(waited),
            f"trips_{name}_per_table": waited / tables,
            f"correct_rows_{name}": float(min(len({*rows} & {*wanted}) for rows in got)),
            f"rows_in_place_{name}": float(min(sum(map(eq, wanted, rows)) for rows in got)),
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
    texts = [(layout.select(table), (key,)) for table in range(len(layout.tables))]
    return _each_its_cursor(connection, texts)


def _each_its_cursor(connection: Connection, asked: Sequence[tuple[str, tuple[str]]]) -> list[Any]:
    cursors = [connection.cursor() for _ in asked]
    with connection.pipeline():
        for cursor, (text, argument) in zip(cursors, asked, strict=True):
            cursor.execute(text, argument)
    return [cursor.fetchone() for cursor in cursors]


REQUESTS: dict[str, tuple[Callable[[Connection, Layout, str], list[Any]], bool]] = {
    "committed": (_committed, False), "autocommit": (_committed, True), "snippet": (_snippet, True),
    "own_cursors": (_cursors, True),
}  # fmt: skip
"""The feature server's code, with and without its transaction; the note's; and one that is right: how it asks, and
whether each statement is a transaction of its own."""


def at_once(connect: Callable[[], Connection], layout: Layout, row: int) -> dict[str, float | None]:
    """Most statements in execution at one moment: of one pipelined request, and of one spread over connections.

    Each statement says when the server began to work on its row and when it had finished, some ms later.
    """
    [key], now = hash_keys([row]), "extract(epoch FROM clock_timestamp())::double precision"
    ends = {"SELECT": f"SELECT {now},", " FROM features": f", pg_sleep({WORK_S}), {now} FROM features"}
    texts = [layout.select(table) for table in range(len(layout.tables))]
    for old, new in ends.items():
        texts = [text.replace(old, new, 1) for text in texts]

    def share(texts: Sequence[str]) -> list[tuple[float, float]]:
        with connect() as connection:
            rows = _each_its_cursor(connection, [(text, (key,)) for text in texts])
        return [(each[0], each[-1]) for each in rows if each is not None]

    with ThreadPoolExecutor(CONTROLS) as threads:
        parts = list(threads.map(share, [texts[lane::CONTROLS] for lane in range(CONTROLS)]))
    return {
        "statements_at_once": float(most_at_once(share(texts))),
        "statements_at_once_control": float(most_at_once([each for part in parts for each in part])),
    }


def most_at_once(spans: Sequence[tuple[float, float]]) -> int:
    """The most spans (start, end) that have a moment in common; one that ends as another starts has none with it."""
    steps = sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans])
    now = most = 0
    for _, step in steps:
        now += step
        most = max(most, now)
    return most
