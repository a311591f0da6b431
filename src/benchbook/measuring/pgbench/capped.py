"""Trials on storage that lets so many writes a second pass, and under limits of dirty data; what that asks of root."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from benchbook.engines import dirty_limits, kernel_settings
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.storage.caps import Cap
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench, storage, tables
from benchbook.measuring.pgbench.parameters import StorageParameters
from benchbook.measuring.pgbench.storage import Slowness
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial

CERTIFICATE_SECONDS = 4.5
"""What a certificate of the storage adds to a trial."""
P = TypeVar("P", bound=StorageParameters)
B = TypeVar("B", bound="Capped[Any]")


@dataclass(frozen=True)
class Capped(bench.Bench[P]):
    """Trials whose setting ``capped`` says whether they lie on slow storage. iops: the writes that it lets pass."""

    iops: int

    def provenance(self) -> dict[str, Any]:
        """The family's, and the cap."""
        return {**super().provenance(), "storage_iops": self.iops or None}

    def slowness(self, arm: Configuration) -> Slowness:
        """The cap, where the arm lies on slow storage."""
        return Slowness(Cap(write_iops=self.iops)) if arm.settings["capped"] else Slowness()

    def piloted(self, arm: Configuration) -> int:
        """The cap that bears the ratio of note 002's disks to the transactions that are made here without one."""
        p = self.parameters.model_copy(update={"trial_seconds": storage.PILOT_SECONDS, "keep_going": False})
        pilot = replace(self, parameters=p).measure(PlannedTrial(0, 0, arm, seed=p.seed))
        return storage.in_proportion(pilot.metrics["tps"] or 0)


def session_of(
    bench: Callable[..., B], configurations: Callable[[Any], Iterable[Configuration]], pilot: str, *extensions: str
) -> Callable[[Any, tables.Progress], AbstractContextManager[B]]:
    """The session of a chapter: loaded tables, on a volume where asked for, and the cap that they are given.

    pilot: the configuration without a cap that finds it.
    """

    @contextmanager
    def session(parameters: Any, progress: tables.Progress) -> Iterator[B]:
        p = parameters
        with (
            storage.placed(p) as place,
            tables.loaded(p.scale, p.disk_bytes, progress, *extensions, place=place) as found,
        ):
            made = bench(p, found, p.storage_iops)
            if p.allow_slow_storage and not p.storage_iops:
                progress("making a pilot for the cap of the storage", 0.95)
                made = replace(made, iops=made.piloted(next(arm for arm in configurations(p) if arm.name == pilot)))
            yield made

    return session


def usable(p: Any, mend: str = "") -> Callable[[], None]:
    """What raises MachineError where this machine lacks what these parameters ask for.

    mend: of limits of dirty data that cannot be set; "" of a chapter that sets none.
    """

    def look() -> None:
        refusal = kernel_settings.refusal() if mend and p.allow_vm_settings else None
        if refusal is not None:
            raise MachineError(f"the kernel's limits of dirty data cannot be set: {refusal}", mend)
        check(allowed=p.allow_slow_storage)

    return look


def under(wanted: DirtyLimits | None, stack: ExitStack) -> dict[str, str]:
    """Limits of dirty data until the stack ends, as a trial's label. wanted: None leaves the machine's own."""
    if wanted is None:
        return {"dirty_limits": "the machine's own"}
    stack.enter_context(dirty_limits.applied(wanted))
    limit, background = wanted.limit_bytes / 2**20, wanted.background_bytes / 2**20
    return {"dirty_limits": f"{limit:.0f} MiB, background {background:.0f} MiB"}
