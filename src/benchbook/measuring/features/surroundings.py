"""What a trial is measured through: the server as it is, or with slower reads and with a longer way to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass

import psycopg

from benchbook import files
from benchbook.engines import delay
from benchbook.engines.delay import Proxy
from benchbook.engines.postgres import Cluster, find
from benchbook.engines.postgres.cluster import ROLE
from benchbook.engines.storage import latency
from benchbook.engines.storage.latency import AddedLatency, Delayed
from benchbook.errors import MachineError, NoEngineError
from benchbook.measuring.features.loaded import LoadedTables
from benchbook.measuring.postgres import Connection
from benchbook.model import Scalar

NOTHING = Delayed(0, 0, 0, 0)
ENOUGH_READS = 100
"""The mean delay of fewer is recorded, but a single one that came late can carry it too far to judge by it."""


class NotAsAskedError(MachineError):
    """Storage or the way to the server was not as slow as the configuration asks for: the trial does not count."""


@dataclass(frozen=True)
class Surroundings:
    """A running server, and what stands before it. added: of its reads; proxy: on the way to it."""

    cluster: Cluster
    added: AddedLatency | None
    proxy: Proxy | None
    settings: Mapping[str, Scalar]

    def connect(self) -> Connection:
        """A new connection as the measured client has it, through the proxy if there is one."""
        if self.proxy is None:
            return self.cluster.connect()
        host = str(self.proxy.folder)
        return psycopg.connect(host=host, user=ROLE, dbname="postgres", autocommit=True, connect_timeout=10)

    def at_once(self) -> AbstractContextManager[None]:
        """Meanwhile reads take no longer than the disk's: so a cache is warmed for what is measured then."""
        return nullcontext() if self.added is None else self.added.suspended()

    def delayed(self) -> Delayed:
        """How many reads were delayed so far, and by how much."""
        return NOTHING if self.added is None else self.added.delayed()

    def certificate(self, before: Delayed, requests: int) -> dict[str, float | None]:
        """Added latency and round trip as asked and as measured; ask while the server runs. before: of ``delayed``.

        Raises NotAsAskedError where they differ by more than a fifth, or 0.1 ms for a trip; of fewer than 100 reads the
        delay is not judged.
        """
        found: dict[str, float | None] = {}
        if self.added is not None:
            seen = self.added.delayed().since(before)
            try:
                self.added.confirm(seen if seen.reads >= ENOUGH_READS else NOTHING)
            except MachineError as error:
                raise NotAsAskedError(error.problem, error.mend) from error
            found |= {
                "added_read_ms": self.added.read_ms,
                "measured_read_ms": seen.read_ms,
                "delayed_reads_per_request": seen.reads / requests,
            }
        if "trip_ms" in self.settings:
            found["added_trip_ms"] = float(self.settings["trip_ms"] or 0)
        if self.proxy is not None:
            after = self.proxy.measured()
            if not after.within:
                raise NotAsAskedError(f"at the end of the trial: {after}", "measure on a quieter machine")
            found |= {"measured_trip_ms": self.proxy.certificate.added_p50_ms, "trip_at_end_ms": after.added_p50_ms}
        return found


@contextmanager
def surrounded(bench: LoadedTables, pool_mib: int, settings: Mapping[str, Scalar]) -> Iterator[Surroundings]:
    """A fresh server with what a configuration asks for: ``read_ms`` for each read, ``trip_ms`` for a round trip."""
    added = latency.add(bench.cluster, read_ms=float(settings["read_ms"] or 0)) if "read_ms" in settings else None
    with ExitStack() as stack:
        stack.callback(bench.cluster.stop)
        bench.start({"shared_buffers": f"{pool_mib}MB"}, added.environment if added else None)
        trip_ms = float(settings.get("trip_ms") or 0)
        proxy = _proxied(stack, bench.cluster, trip_ms) if trip_ms else None
        yield Surroundings(bench.cluster, added, proxy, settings)


def _proxied(stack: ExitStack, cluster: Cluster, trip_ms: float) -> Proxy:
    try:
        return stack.enter_context(delay.proxied(cluster.sockets, round_trip_ms=trip_ms))
    except NoEngineError:
        raise
    except MachineError as error:
        raise NotAsAskedError(error.problem, error.mend) from error


def usable(*, reads: bool, trips: bool, mend: str) -> None:
    """Raise MachineError where this machine can add no latency to reads, or to round trips, with ``mend`` as well.

    It is a NoEngineError where the program that adds round trips is not built.
    """
    why = latency.refusal(find(), files.scratch()) if reads else None
    if why is not None:
        raise MachineError(f"no latency can be added to reads: {why.problem}", f"{why.mend}; or {mend}")
    if trips:
        try:
            delay.find()
        except NoEngineError as missing:
            problem = f"no round trip can be added: {missing.problem}"
            raise NoEngineError(problem, f"{missing.mend}; or {mend}") from None
