"""Trials on capped storage, under limits of dirty data, with pools in huge pages; what that asks of root."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

from benchbook.engines import dirty_limits, folios, huge_pages, kernel_settings
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.postgres import Cluster
from benchbook.engines.storage.caps import Cap
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench, storage, tables
from benchbook.measuring.pgbench.parameters import StorageParameters
from benchbook.measuring.pgbench.storage import Slowness
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial

CERTIFICATE_SECONDS = 4.5
"""What a certificate of the storage adds to a trial."""
RESERVED_OVER_POOL = 1.07
"""Note 003 reserved 4,400 huge pages of 2 MB for a pool of 8 GB, and 6,600 for one of 12 GB."""
P = TypeVar("P", bound=StorageParameters)
B = TypeVar("B", bound="Capped[Any]")


@dataclass(frozen=True)
class Capped(bench.Bench[P]):
    """Trials whose setting ``capped`` says whether they lie on slow storage. iops: the writes that it lets pass.

    LENGTH: the parameter that says how long the trials are by which a pilot finds it.
    """

    iops: int = 0
    LENGTH: ClassVar[str] = "trial_seconds"

    def provenance(self) -> dict[str, Any]:
        return {**super().provenance(), "storage_iops": self.iops or None}

    def slowness(self, arm: Configuration) -> Slowness:
        """The cap, where the arm lies on slow storage, with what is added to its reads and flushes."""
        if not arm.settings.get("capped"):
            return Slowness()
        delay = self.parameters.storage_latency_ms
        return Slowness(Cap(write_iops=self.iops), delay, delay)

    def with_cap(self, progress: tables.Progress, arm: Callable[[], Configuration]) -> Self:
        """The same with the cap that a pilot finds, where one is asked for and none is named."""
        p = self.parameters
        if not p.allow_slow_storage or p.storage_iops:
            return self
        progress("making a pilot for the cap of the storage", 0.95)
        return replace(self, iops=self.piloted(arm()))

    def piloted(self, arm: Configuration) -> int:
        """The cap that bears the ratio of note 002's disks to the transactions that are made here without one."""
        p = self.parameters.model_copy(update={self.LENGTH: storage.PILOT_SECONDS, "keep_going": False})
        pilot = replace(self, parameters=p).measure(PlannedTrial(0, 0, arm, seed=p.seed))
        return storage.in_proportion(pilot.metrics["tps"] or 0)


class Limited(Capped[P]):
    """The same under limits of dirty data, which stand for those of the machine while a trial lasts.

    Where the setting ``read_ahead`` is false, the OS cache is filled with single pages, before the server starts and
    outside of any bound: of what the kernel reads ahead, a write of 8 KiB makes up to 2 MiB count as dirty.
    """

    def cached(self, arm: Configuration) -> bool:
        return arm.settings.get("read_ahead") is not False

    def uncounted(self, stack: ExitStack, arm: Configuration) -> int:
        if arm.settings.get("read_ahead") is False:
            folios.read_in_pages(self.tables.paths)
        return super().uncounted(stack, arm)

    @abstractmethod
    def limits(self, arm: Configuration) -> DirtyLimits | None:
        """Those of a trial; None leaves the machine's own."""

    def surrounded(self, stack: ExitStack, arm: Configuration) -> Mapping[str, str]:
        """The limits, set last: so neither the restoring nor the server's start is slowed by them."""
        wanted = self.limits(arm)
        if wanted is None:
            return {"dirty_limits": "the machine's own"}
        stack.enter_context(dirty_limits.applied(wanted))
        limit, background = wanted.limit_bytes / 2**20, wanted.background_bytes / 2**20
        return {"dirty_limits": f"{limit:.0f} MiB, background {background:.0f} MiB"}


def session_of(
    bench: Callable[..., B],
    configurations: Callable[[Any], Iterable[Configuration]],
    pilot: str,
    *extensions: str,
    before: Callable[[Cluster], Mapping[str, Any]] = lambda cluster: {},
) -> Callable[[Any, tables.Progress], AbstractContextManager[B]]:
    """The session of a chapter: loaded tables, on a volume where asked for, and the cap that they are given.

    pilot: the configuration without a cap that finds it. before: as in ``tables.loaded``.
    """

    @contextmanager
    def session(parameters: Any, progress: tables.Progress) -> Iterator[B]:
        p = parameters
        with (
            storage.placed(p) as place,
            tables.loaded(p.scale, p.disk_bytes, progress, *extensions, before=before, place=place) as found,
        ):
            made = bench(p, found, p.storage_iops)
            yield made.with_cap(progress, lambda: next(arm for arm in configurations(p) if arm.name == pilot))

    return session


def usable(p: Any, mend: str = "") -> Callable[[], None]:
    """What raises MachineError where this machine lacks what these parameters ask for.

    mend: of limits of dirty data that cannot be set; "" of a chapter that sets none.
    """

    def look() -> None:
        if mend:
            check_vm(p, 0, "the kernel's limits of dirty data cannot be set", mend)
        check(allowed=p.allow_slow_storage)

    return look


def note_limits(ram_bytes: int) -> DirtyLimits:
    """Of note 002's raw reports, scaled to the memory of a trial: 4 and 1 %, and the ages that go with them."""
    return replace(dirty_limits.of_memory(ram_bytes, 4, 1), expire_centisecs=200, writeback_centisecs=100)


def check_vm(
    p: Any, pool_bytes: int, problem: str = "dirty limits cannot be set or huge pages reserved here",
    mend: str = "set allow_vm_settings=false to measure with the machine's own limits and ordinary pages",
) -> None:  # fmt: skip
    """Raise MachineError where the parameters allow settings of the kernel and it has none, or no such huge pages.

    pool_bytes: with all of shared memory; 0 where no pool lies in huge pages.
    """
    if not p.allow_vm_settings:
        return
    if refusal := kernel_settings.refusal() or (huge_pages.refusal(pool_bytes, allowed=True) if pool_bytes else None):
        raise MachineError(f"{problem}: {refusal}", mend)


def has_huge_pages(p: Any, pool_over_data: float, beside_mib: int = 256) -> None:
    """The same of huge pages alone. beside_mib: shared memory beside the pool."""
    mend = "set allow_vm_settings=false to measure with ordinary pages"
    check_vm(p, int(pool_over_data * p.data_bytes) + beside_mib * 2**20, "huge pages cannot be reserved here", mend)
