"""A server of the test's own at a PostgreSQL socket, a client of it, and the proxy that stands before it."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from benchbook import temporary

NAME = ".s.PGSQL.5432"
Handler = Callable[[socket.socket], None]


class Server:
    """Listens at a socket as PostgreSQL does, and serves each client in a thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.serve: Handler = send_back
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / NAME))
        self.listener.listen(256)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._one, args=(client,), daemon=True).start()

    def _one(self, client: socket.socket) -> None:
        with client, suppress(OSError):  # the proxy looks whether somebody listens, and hangs up
            self.serve(client)

    def leave(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        (self.folder / NAME).unlink(missing_ok=True)


def send_back(client: socket.socket) -> None:
    while received := client.recv(65536):
        client.sendall(received)


def connected(folder: Path) -> socket.socket:
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(60)
    client.connect(str(folder / NAME))
    return client


def exactly(client: socket.socket, size: int) -> bytes:
    whole = bytearray()
    while len(whole) < size:
        received = client.recv(min(65536, size - len(whole)))
        assert received, f"the stream ended after {len(whole)} of {size} bytes"
        whole += received
    return bytes(whole)


def the_proxy() -> psutil.Process:
    [found] = [child for child in psutil.Process().children() if child.name() == "delay" and "proxy" in child.cmdline()]
    return found


def folders() -> set[Path]:
    places = {*temporary.scratch_folders(), *temporary.SHORT}
    return {path for parent in places for path in parent.glob("benchbook-delay-*")}
