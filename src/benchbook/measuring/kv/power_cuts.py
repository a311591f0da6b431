"""Trials whose store lies on a volume of its own, which loses its power as soon as the probe has killed its writer."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from benchbook.engines.prepared import prepared
from benchbook.engines.storage import power, refusals
from benchbook.engines.storage.volumes import Volume, volume
from benchbook.errors import MachineError
from benchbook.measuring.kv import bench, costs
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.base import ExperimentParameters
from benchbook.parameters.needs import Needs
from benchbook.store import atomic

P = TypeVar("P", bound=ExperimentParameters)
SPARE_BYTES = 512 << 20
"""For the volume's file system, and for files that RocksDB makes larger than they become."""


@dataclass(frozen=True, kw_only=True)
class PowerCuts(bench.Probing[P]):
    """How such a chapter measures. cut: whether the disk of a configuration loses its power."""

    cut: Callable[[Configuration], bool]

    def volume_bytes(self, parameters: P) -> int:
        """Of the volume: the largest of the stores, twice, and the file system itself; 0 where there is none."""
        cut = [arm for arm in self.configurations(parameters) if self.cut(arm)]
        stores = [costs.disk_bytes(self.request_of(parameters, arm, 0)) for arm in cut]
        return 2 * max(stores) + SPARE_BYTES if stores else 0

    def needs(self, parameters: P) -> Needs:
        own, size = super().needs(parameters), self.volume_bytes(parameters)
        return replace(own, disk_bytes=own.disk_bytes + size, usable=_check) if size else own

    @contextmanager
    def session(self, parameters: P, progress: Callable[[str, float], None]) -> Iterator[Bench[P]]:
        """Nothing is loaded ahead; the volume stays for all trials."""
        size = self.volume_bytes(parameters)
        with ExitStack() as stack:
            made = stack.enter_context(volume(-(-size >> 20), allowed=True)) if size else None
            yield Bench(**vars(stack.enter_context(super().session(parameters, progress))), cut=self.cut, volume=made)


@dataclass(frozen=True)
class Bench(bench.Bench[P]):
    """The program, the disk, and the volume that loses its power; None where there is none."""

    cut: Callable[[Configuration], bool]
    volume: Volume | None

    def measure(self, planned: PlannedTrial) -> Trial:
        if not self.cut(planned.configuration):
            return super().measure(planned)
        assert self.volume is not None
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        request, store = self._request(planned), self.volume.folder / "store"
        limit_s = costs.limit_s(request)
        store.mkdir()
        atomic.sync_folder(store.parent)  # the folder itself is there for good
        try:
            with prepared(self.program, request, timeout_s=limit_s, folder=self.folder, store=store) as waiting:
                power.cut(self.volume)
                answer = waiting.end(limit_s)
        finally:
            shutil.rmtree(store, ignore_errors=True)
        return self._trial(planned, request, answer, None, started_at, time.monotonic() - clock)


def _check() -> None:
    if why := refusals.refusal(allowed=True):
        raise MachineError(
            f"no disk can lose its power here: {why.problem}",
            f"{why.mend}; or set allow_power_cut=false to leave out the configurations that need it",
        )
