"""Added latency for the direct reads and the flushes of a private PostgreSQL, by a library preloaded into its server.

Not for readers by memory map, which get a capped volume instead.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchbook import files
from benchbook.engines import noexec
from benchbook.engines.postgres import Binaries, Cluster
from benchbook.engines.storage.compiling import check_loaded, compiled, put_into
from benchbook.engines.storage.presets import LONGEST_MS
from benchbook.errors import BenchbookError, MachineError, NoEngineError
from benchbook.model import Scalar

TOLERANCE = 0.20
NAME, _COUNTS = "latency", "latency.counts"
_COUNTED, _WAITS = struct.Struct("@QQQQQ"), struct.Struct("@QQ")
"""What the shared file holds, one after the other, as probes/latency/latency.c has it."""


@dataclass(frozen=True)
class Delayed:
    """How many reads and flushes were delayed so far, and by how much in all, as the library counted it.

    pauses: how often a process of the server slept of its own, as one does for commit_delay before a flush.
    """

    reads: int
    reads_ns: int
    syncs: int
    syncs_ns: int
    pauses: int = 0

    def since(self, earlier: Delayed) -> Delayed:
        return Delayed(*(getattr(self, name) - before for name, before in asdict(earlier).items()))

    @property
    def read_ms(self) -> float | None:
        """Mean delay of a read; None when none was delayed."""
        return self.reads_ns / self.reads / 1e6 if self.reads else None

    @property
    def sync_ms(self) -> float | None:
        """Mean delay of a flush; None when none was delayed."""
        return self.syncs_ns / self.syncs / 1e6 if self.syncs else None


@dataclass(frozen=True)
class AddedLatency:
    """What makes one cluster's server slower: give ``environment`` to ``cluster.start``, and ``settings`` to it too."""

    read_ms: float
    sync_ms: float
    cluster: Cluster
    environment: Mapping[str, str]
    settings: Mapping[str, Scalar]

    def delayed(self) -> Delayed:
        return Delayed(*_COUNTED.unpack((self.cluster.folder / _COUNTS).read_bytes()[: _COUNTED.size]))

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Meanwhile nothing waits and nothing is counted, as while a cache is warmed for what is measured then."""
        counts = self.cluster.folder / _COUNTS
        _wait(counts, 0.0, 0.0)
        try:
            yield
        finally:
            _wait(counts, self.read_ms, self.sync_ms)

    def confirm(self, delayed: Delayed) -> None:
        """Raise MachineError, which fails the trial, unless the running server's delays are those asked for, by 20 %.

        That none was counted is no error: the server may have found everything in its memory.
        """
        check_loaded(self.cluster, NAME)
        for kind, asked_ms, mean_ms in (
            ("read", self.read_ms, delayed.read_ms),
            ("flush", self.sync_ms, delayed.sync_ms),
        ):
            if mean_ms is not None and abs(mean_ms / asked_ms - 1) > TOLERANCE:
                raise MachineError(
                    f"a {kind} was delayed by {mean_ms:.3f} ms in the mean instead of {asked_ms:g}",
                    "measure on a less busy machine, or ask for a longer delay",
                )


def refusal(binaries: Binaries, place: Path) -> MachineError | None:
    """Why reads of data in ``place`` cannot be delayed, with its mend, or None when they can. Needs no root."""
    if not binaries.has_direct_io:
        return MachineError(
            f"PostgreSQL {binaries.version} has no direct reads, which alone are delayed",
            "use the embedded one, or 16 or newer",
        )
    if not files.direct_reads(place):
        return MachineError(
            f"files in {place} cannot be read past the page cache",
            "set BENCHBOOK_SCRATCH to a folder on a disk such as ext4 or xfs",
        )
    try:
        compiled(NAME)
    except NoEngineError as why:
        return why
    return noexec.refusal(place)


def add(cluster: Cluster, *, read_ms: float, sync_ms: float = 0.0) -> AddedLatency:
    """Prepare a delay of each direct read of data, and each fdatasync (of the log), of an initialised cluster.

    Reads that the server asks for in one call wait once, as one request to a volume would. The counters begin at 0.
    Raises BenchbookError for a delay outside 0 to 100 ms, MachineError where none is possible.
    """
    for name, value in (("read_ms", read_ms), ("sync_ms", sync_ms)):
        if not 0 <= value <= LONGEST_MS:
            raise BenchbookError(f"{name}={value:g} is not between 0 and {LONGEST_MS:g}", "give milliseconds")
    why = refusal(cluster.binaries, cluster.folder)
    if why is not None:
        raise why
    copy, counts = put_into(cluster, NAME), cluster.folder / _COUNTS
    counts.unlink(missing_ok=True)  # a server may still run with earlier ones
    counts.write_bytes(bytes(_COUNTED.size + _WAITS.size))
    _wait(counts, read_ms, sync_ms)
    cluster.give(counts)
    below = dict.fromkeys(each.resolve() for each in (cluster.data, cluster.wal or cluster.data))
    environment = {
        "LD_PRELOAD": str(copy),
        "BENCHBOOK_LATENCY_COUNTS": str(counts),
        "BENCHBOOK_LATENCY_FOLDERS": ":".join(map(str, below)),
    }
    return AddedLatency(read_ms, sync_ms, cluster, environment, settings(cluster.binaries))


def settings(binaries: Binaries) -> dict[str, Scalar]:
    """With which the server's own processes read its data past the page cache, so that the delay reaches them."""
    chosen: dict[str, Scalar] = {"debug_io_direct": "data"}
    if binaries.major >= 18:  # before, they always did
        chosen["io_method"] = "sync"
    return chosen


def _wait(counts: Path, read_ms: float, sync_ms: float) -> None:
    """Tell the library how long to wait from now on, without touching what it counts."""
    with counts.open("r+b") as file:
        file.seek(_COUNTED.size)
        file.write(_WAITS.pack(round(read_ms * 1e6), round(sync_ms * 1e6)))
