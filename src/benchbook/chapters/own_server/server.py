"""The server that is measured: the one that the user names, or else a private one, asked in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from benchbook.chapters.own_server.arms import Parameters
from benchbook.engines import own_server
from benchbook.engines.own_server import Connection, Facts
from benchbook.engines.postgres import find, private_cluster
from benchbook.errors import MachineError


@dataclass(frozen=True)
class Server:
    """connect: a new connection. identity: of the engine, for the run's record."""

    connect: Callable[[], Connection]
    facts: Facts
    identity: dict[str, Any]

    def still(self, connection: Connection) -> None:
        """Raise MachineError where its settings, or the way to it, are no longer those that the run records."""
        if own_server.state(connection) != self.facts.state:
            raise MachineError(
                f"settings of the server of {own_server.SERVICE}, or the way to it, changed while it was measured",
                "leave them as they are and give the same command again, which begins a new run",
            )


@cache
def _asked(name: str) -> Facts:
    with own_server.connect(name) as connection, own_server.told("cannot be asked"):
        return own_server.facts(connection).fit()


def facts() -> Facts | None:
    """Of the server that the user names, asked once; None without one. Raises MachineError where it cannot be used."""
    name = own_server.service()
    return None if name is None else _asked(name)


def identity() -> dict[str, Any]:
    """Which engine would be measured now."""
    named = facts()
    return find().identity() if named is None else named.identity()


@contextmanager
def opened(parameters: Parameters, bytes_needed: int) -> Iterator[Server]:
    """The server, ready to be asked."""
    name, named = own_server.service(), facts()
    if name is not None and named is not None:
        yield Server(partial(own_server.connect, name), named, named.identity())
        return
    binaries = find()
    with private_cluster(binaries, bytes_needed=bytes_needed) as cluster:
        cluster.start({"shared_buffers": f"{parameters.private_pool_mib}MB"})
        try:
            with cluster.connect() as connection:
                found = own_server.facts(connection)
            yield Server(lambda: own_server.limited(cluster.connect()), found, binaries.identity())
        finally:
            cluster.stop()
