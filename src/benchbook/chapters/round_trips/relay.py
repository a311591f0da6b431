"""A socket before a server's that notes who sends when, so that waits for the server can be counted; never timed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path

from benchbook import temporary

_CLIENT, _SERVER = "client", "server"
_NAME = ".s.PGSQL.5432"
_PIECE_BYTES = 1 << 16


class Relay:
    """Leads each client on to the server. folder: give it to libpq as host."""

    def __init__(self, folder: Path, target: Path) -> None:
        self.folder = folder
        self._target = target
        self._logs: list[list[str]] = []
        self._open: list[socket.socket] = []
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(folder / _NAME))
        self._door.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def trips(self) -> int:
        """Round trips since the last call that waited for one another: of the connection that has most of them.

        Whatever a client sends without having received anything in between belongs to one trip.
        """
        logs = [log.copy() for log in self._logs]
        for log in self._logs:
            log.clear()
        return max(trips(log) for log in logs)

    def close(self) -> None:
        """End all connections."""
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
                for who, source, sink in ((_CLIENT, client, server), (_SERVER, server, client)):
                    threading.Thread(target=_pass_on, args=(who, source, sink, log), daemon=True).start()


def trips(log: list[str]) -> int:
    """How often the client sent after it had received, the first time included."""
    return sum(who == _CLIENT for who, _ in groupby(log))


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
