"""What claims to be a PostgreSQL and answers oddly: it lets everybody in, then does as it is told."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Does = Callable[[socket.socket], None]


def message(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("!i", len(content) + 4) + content


def described(columns: int) -> bytes:
    """The beginning of an answer of so many columns of texts."""
    each = b"c\0" + struct.pack("!ihihih", 0, 0, 25, -1, -1, 0)
    return message(b"1", b"") + message(b"2", b"") + message(b"T", struct.pack("!h", columns) + each * columns)


def row(*values: bytes) -> bytes:
    """A whole answer of one row of texts, up to where the server is ready again."""
    cells = b"".join(struct.pack("!i", len(each)) + each for each in values)
    whole = message(b"D", struct.pack("!h", len(values)) + cells)
    return described(len(values)) + whole + message(b"C", b"SELECT 1\0") + message(b"Z", b"I")


def error(severity: bytes, code: bytes, words: bytes) -> bytes:
    return message(b"E", b"S" + severity + b"\0V" + severity + b"\0C" + code + b"\0M" + words + b"\0\0")


def silent(client: socket.socket) -> None:
    """Says nothing more until the client goes."""
    while client.recv(65536):
        pass


def wide_row(client: socket.socket) -> None:
    """One value of 2 GB."""
    client.sendall(described(1) + b"D" + struct.pack("!ihi", 2_000_000_010, 1, 2_000_000_000))
    endlessly(b"x" * 65536)(client)


def long_error(client: socket.socket) -> None:
    """An error whose words take 1.5 GB."""
    client.sendall(b"E" + struct.pack("!i", 1_500_000_000) + b"SFATAL\0M")
    endlessly(b"x" * 65536)(client)


def endlessly(what: bytes) -> Does:
    def does(client: socket.socket) -> None:
        while True:
            client.sendall(what)

    return does


def rows_without_end(client: socket.socket) -> None:
    client.sendall(described(1))
    endlessly(message(b"D", struct.pack("!hi", 1, 500) + b"x" * 500) * 100)(client)


def answering(answer: bytes) -> Does:
    """The same answer to each statement."""

    def does(client: socket.socket) -> None:
        client.sendall(answer)
        while client.recv(65536):
            client.sendall(answer)

    return does


@contextmanager
def serving(does: Does, *, before: Does | None = None, version: bytes = b"16.4") -> Iterator[int]:
    """Its port on 127.0.0.1. before: done in place of letting in. does: from the first statement on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_accept, args=(listening, does, before, version), daemon=True).start()
        yield int(listening.getsockname()[1])


def _accept(listening: socket.socket, does: Does, before: Does | None, version: bytes) -> None:
    with suppress(OSError):
        while True:
            client, _ = listening.accept()
            threading.Thread(target=_serve, args=(client, does, before, version), daemon=True).start()


def _serve(client: socket.socket, does: Does, before: Does | None, version: bytes) -> None:
    with client, suppress(OSError):
        client.recv(65536)
        if before is not None:
            before(client)
        client.sendall(
            message(b"R", struct.pack("!i", 0))
            + message(b"S", b"server_version\0" + version + b"\0")
            + message(b"S", b"client_encoding\0UTF8\0")
            + message(b"K", struct.pack("!ii", 4711, 1))
            + message(b"Z", b"I")
        )
        client.recv(65536)
        does(client)
