"""What chapters on a private PostgreSQL share: its data on the server's cores, what is recorded of it, extensions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import psycopg

from benchbook.engines import cores
from benchbook.engines.postgres import Binaries, Cluster, sessions
from benchbook.engines.postgres.counters import Connection as Connection
from benchbook.engines.postgres.counters import one_row as one_row
from benchbook.errors import MachineError
from benchbook.model import Scalar

P = TypeVar("P", bound=Any)
"""Parameters of a chapter, with ``direct_io`` and ``pin_cores``."""


@dataclass(frozen=True)
class Loaded(Generic[P]):
    """A data set on a private server, for trials on a fresh server each. heap_bytes, index_bytes: as loaded."""

    parameters: P
    binaries: Binaries
    cluster: Cluster
    heap_bytes: int
    index_bytes: int

    @property
    def direct_io(self) -> bool:
        """Whether the trials read and write past the OS page cache."""
        return self.parameters.direct_io and self.cluster.direct_io_possible

    @property
    def cores(self) -> cores.Cores | None:
        """Where client and server of a trial run; None when the kernel decides."""
        return cores.split() if self.parameters.pin_cores else None

    def settings(self) -> dict[str, Scalar]:
        """Server settings of every trial, or of most; a chapter's own stand over these."""
        return {"debug_io_direct": "data"} if self.direct_io else {}

    def start(
        self, own: Mapping[str, Scalar] | None = None, environment: Mapping[str, str] | None = None
    ) -> None:  # fmt: skip
        """A fresh server on its own cores. own: settings that stand over the others. environment: for it alone."""
        with cores.on(None if self.cores is None else self.cores.server):
            self.cluster.start({**self.settings(), **(own or {})}, environment)

    @contextmanager
    def fresh(self, own: Mapping[str, Scalar], environment: Mapping[str, str] | None = None) -> Iterator[None]:
        """The same server whose files no cache holds, until the end of what is done with it."""
        self.cluster.evict()
        self.start(own, environment)
        try:
            yield
        finally:
            self.cluster.stop()

    def on_client(self) -> AbstractContextManager[None]:
        """Run this thread where the client of a trial runs."""
        return cores.on(None if self.cores is None else self.cores.client)

    def provenance(self) -> dict[str, Any]:
        """The engine, its effective settings and the data set, for the run's record."""
        self.start()
        try:
            with self.cluster.connect() as connection:
                settings = sessions.effective(connection)
        finally:
            self.cluster.stop()
        return {
            **self.binaries.identity(),
            "settings": settings,
            "direct_io": self.direct_io,
            "pinned": None if self.cores is None else {"client": [*self.cores.client], "server": [*self.cores.server]},
            "heap_bytes": self.heap_bytes,
            "index_bytes": self.index_bytes,
        }


@contextmanager
def running(cluster: Cluster, settings: Mapping[str, Scalar]) -> Iterator[None]:
    """Its server, where nothing is measured: while tables are made, or it is asked what it is."""
    cluster.start(settings)
    try:
        yield
    finally:
        cluster.stop()


def extend(connection: Connection, *names: str) -> None:
    """Create these extensions in the connection's database; MachineError where the server lacks one."""
    for name in names:
        try:
            connection.execute(f"CREATE EXTENSION IF NOT EXISTS {name}")
        except psycopg.Error as error:
            raise MachineError(
                f"this PostgreSQL lacks the extension {name}: {str(error).splitlines()[0]}",
                "install its contrib package, or unset BENCHBOOK_PG_BIN to use the embedded one",
            ) from None


def wal_compression(connection: Connection) -> str:
    """lz4 as in the notes where the server was built with it, else pglz, else (before 15) on."""
    offered = one_row(connection, "SELECT enumvals FROM pg_settings WHERE name = 'wal_compression'")[0] or []
    return next((name for name in ("lz4", "pglz") if name in offered), "on")
