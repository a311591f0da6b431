"""A pace for the reads of a private PostgreSQL: those that the page cache cannot answer take evenly spaced turns.

The kernel's throttle keeps as low a rate, but lets a tenth of a second's worth pass at once: where that is more than
there are clients, these are found waiting for processors instead of for the disk.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from benchbook.engines import noexec
from benchbook.engines.postgres import Binaries, Cluster
from benchbook.engines.storage.caps import SMALLEST_IOPS
from benchbook.engines.storage.compiling import check_loaded, put_into
from benchbook.errors import BenchbookError
from benchbook.model import Scalar

NAME = "pacing"
_STATE = "pacing.state"
_COUNTED, _INTERVAL = struct.Struct("@QQQ"), struct.Struct("@Q")
_INTERVAL_AT = 4 * _INTERVAL.size
"""Where in the shared file, after what is counted and the next turn, as probes/pacing/pacing.c has it."""


@dataclass(frozen=True)
class Turns:
    """What took turns so far, as the library counted it. reads: that the page cache could not answer. waited_ns: by
    all of them, from asking for a turn until it came. cached: reads that needed none.
    """

    reads: int
    waited_ns: int
    cached: int

    def since(self, earlier: Turns) -> Turns:
        return Turns(*(getattr(self, name) - before for name, before in asdict(earlier).items()))

    @property
    def wait_ms(self) -> float | None:
        """Mean time until a read had its turn; None when none took one."""
        return self.waited_ns / self.reads / 1e6 if self.reads else None


class PacedCluster(Cluster):
    """The same server, started with the library; until a pace is set it reads as ever."""

    def __init__(self, server: Cluster, environment: Mapping[str, str]) -> None:
        self.__dict__.update(server.__dict__)
        self._preloaded = dict(environment)

    def start(self, settings: Mapping[str, Scalar], environment: Mapping[str, str] | None = None) -> None:
        super().start(settings, {**(environment or {}), **self._preloaded})

    def turns(self) -> Turns:
        """What has been counted since the library was prepared."""
        return Turns(*_COUNTED.unpack((self.folder / _STATE).read_bytes()[: _COUNTED.size]))

    @contextmanager
    def paced(self, reads_per_s: int) -> Iterator[None]:
        """Let so many reads a second pass until the end, in even turns.

        Raises BenchbookError for fewer than can be told from none, MachineError where the server runs without the
        library.
        """
        if reads_per_s < SMALLEST_IOPS:
            raise BenchbookError(f"{reads_per_s} reads a second are fewer than {SMALLEST_IOPS}", "give more")
        check_loaded(self, NAME)
        self._set(round(1e9 / reads_per_s))
        try:
            yield
        finally:
            self._set(0)

    def _set(self, interval_ns: int) -> None:
        with (self.folder / _STATE).open("r+b") as file:
            file.seek(_INTERVAL_AT)
            file.write(_INTERVAL.pack(interval_ns))


def prepared(cluster: Cluster) -> PacedCluster:
    """The same initialised cluster, whose next server can be paced. Raises NoEngineError without a C compiler.

    Raises MachineError where the cluster lies on a disk from which nothing can be preloaded.
    """
    if why := noexec.refusal(cluster.folder):
        raise why
    copy, state = put_into(cluster, NAME), cluster.folder / _STATE
    state.write_bytes(bytes(_INTERVAL_AT + _INTERVAL.size))
    cluster.give(state)
    return PacedCluster(
        cluster,
        {
            "LD_PRELOAD": str(copy),
            "BENCHBOOK_PACING_STATE": str(state),
            "BENCHBOOK_PACING_FOLDERS": str(cluster.data.resolve()),
        },
    )


def settings(binaries: Binaries) -> dict[str, Scalar]:
    """With which whoever needs a page reads it, as before PostgreSQL 18, so that it is seen waiting for it."""
    return {"io_method": "sync"} if binaries.major >= 18 else {}
