"""Where a session's data and its log lie, and how slow the storage is made for a single trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchbook import files, temporary
from benchbook.engines import guardian
from benchbook.engines.postgres import Cluster, leftovers
from benchbook.engines.storage import certificates, latency
from benchbook.engines.storage.caps import SMALLEST_IOPS, Cap
from benchbook.engines.storage.certificates import Certificate
from benchbook.engines.storage.latency import AddedLatency
from benchbook.engines.storage.volumes import Volume, volume
from benchbook.measuring.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION, StorageParameters
from benchbook.model import Scalar

UNCAPPED = Cap()
PILOT_SECONDS = 20
CERTIFY_S = 0.5
"""Of each of the six parts of a certificate, which then takes about five seconds."""
LOOK_S = 0.1
"""The same without a cap: there is nothing to confirm, and a look takes two seconds."""


@dataclass(frozen=True)
class Place:
    """Where the data lie. volume: on which they are alone; None: on the scratch disk, with everything else.

    beside: a folder on the scratch disk for the log of a cluster on a volume, and for pgbench's own.
    """

    volume: Volume | None = None
    beside: Path | None = None

    @property
    def wal(self) -> Path | None:
        """The empty folder for the server's log."""
        return None if self.beside is None else self.beside / "wal"


SCRATCH = Place()
"""All on one disk."""


@dataclass(frozen=True)
class Slowness:
    """How slow the storage of a trial is. cap: of the volume. read_ms, sync_ms: added to each read past the page cache
    and to each flush of the log, in ms.
    """

    cap: Cap = UNCAPPED
    read_ms: float = 0.0
    sync_ms: float = 0.0


@contextmanager
def placed(parameters: StorageParameters) -> Iterator[Place]:
    """A volume for the data and a folder on another disk for the log, where the parameters allow it; gone at the end.

    A guardian removes both when this process is killed. Raises MachineError where no volume can be made.
    """
    if not parameters.allow_slow_storage:
        yield SCRATCH
        return
    with (
        volume(-(-parameters.volume_bytes // 2**20), allowed=True) as made,
        temporary.folder(leftovers.KIND, files.scratch(parameters.log_bytes)) as beside,
        guardian.guarded(beside, leftovers.destroy),
    ):
        beside.chmod(0o711)  # the server's account passes through
        place = Place(made, beside)
        assert place.wal is not None
        place.wal.mkdir()
        yield place


def in_proportion(pilot_tps: float) -> int:
    """The cap that bears the ratio of note 002's disks to the transactions a second that are made without one."""
    return max(SMALLEST_IOPS, round(NOTE_WRITES_PER_TRANSACTION * pilot_tps))


@dataclass
class Slow:
    """Storage made slow for one trial: before the server starts, when it runs, and what was added in the end."""

    slowness: Slowness
    volume: Volume | None
    added: AddedLatency | None = None
    certificate: Certificate | None = None

    def prepare(self, cluster: Cluster) -> None:
        """Measure the volume as it will be, before the page cache is filled, which some kernels empty when it idles.

        Make ready what the server is started with.
        """
        if self.volume is not None:
            with self.volume.capped(self.slowness.cap):
                self.certificate = certificates.certify(
                    self.volume, duration_s=CERTIFY_S if self.slowness.cap else LOOK_S
                )
        if self.slowness.read_ms or self.slowness.sync_ms:
            self.added = latency.add(cluster, read_ms=self.slowness.read_ms, sync_ms=self.slowness.sync_ms)

    @property
    def settings(self) -> Mapping[str, Scalar]:
        """Server settings with which its reads are delayed."""
        return self.added.settings if self.added is not None and self.slowness.read_ms else {}

    @property
    def environment(self) -> Mapping[str, str]:
        """What else the server is started with."""
        return {} if self.added is None else self.added.environment

    def cap(self, stack: ExitStack) -> dict[str, float | None]:
        """Cap the volume until the stack ends; metrics of the certificate, empty without a volume.

        Raises MachineError, which fails the trial, where the cap is not kept within 20 %.
        """
        if self.volume is None or self.certificate is None:
            return {}
        self.certificate.confirm(self.slowness.cap)
        stack.enter_context(self.volume.capped(self.slowness.cap))
        return {f"storage_{name}": value for name, value in self.certificate.record().items()}

    def delays(self) -> dict[str, float | None]:
        """Mean delay of a read and of a flush in ms, None where there was none; the server still runs.

        Raises MachineError, which fails the trial, where they are not those asked for within 20 %.
        """
        if self.added is None:
            return {}
        done = self.added.delayed()
        self.added.confirm(done)
        return {"added_read_ms": done.read_ms, "added_sync_ms": done.sync_ms, "added_reads": float(done.reads)}
