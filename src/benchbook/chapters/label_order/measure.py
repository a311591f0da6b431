"""Trials of the suite's peak and burst tests on a capped disk; the machine rests before the first of a block."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchbook import files, temporary
from benchbook.chapters.label_order.arms import LABELS, Parameters, configurations
from benchbook.engines import bounds
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.storage.volumes import Volume
from benchbook.measuring.badger import bench, storage
from benchbook.measuring.samples import reduce
from benchbook.measuring.storage import check
from benchbook.model import PlannedTrial, Trial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

COUNTED_BYTES = 8 << 30
"""Of a control group that bounds nothing: it counts what its members wrote and the kernel has not."""
TRIAL_S = 5.0
"""Estimate for what is said of the time."""


def store_bytes(p: Parameters) -> int:
    """Disk that the stores of a block take, which stay until it ends."""
    return len(LABELS) * p.store_bytes


def needs(parameters: Parameters) -> Needs:
    """Disk, memory, the one build of the probe, and what slow storage needs."""
    p, arms = parameters, configurations(parameters)
    own = bench.needs(p, arms)
    pauses_s = p.rest_s + sum(float(arm.settings["pause_s"] or 0) for arm in arms)
    certificate_s = 4.0 if p.allow_slow_storage else 0.0
    block_s = pauses_s + certificate_s + len(arms) * TRIAL_S * p.events / 50_000
    return replace(
        own,
        disk_bytes=own.disk_bytes + store_bytes(p) + storage.SPARE_BYTES,
        minutes=p.blocks * block_s / 60,
        usable=lambda: check(allowed=p.allow_slow_storage),
    )


@dataclass(frozen=True)
class Block:
    """What holds for the block under way. stores: the folder in which its stores stay."""

    number: int
    stores: Path
    certificate: dict[str, float | None]


@dataclass(frozen=True)
class Bench(bench.Bench):
    """The one program behind all labels, the disk on which the stores lie, and what counts their unwritten data.

    under_way: the block, none before the first.
    """

    parameters: Parameters
    place: Path
    volume: Volume | None
    counting: MemoryBound
    under_way: list[Block] = field(default_factory=list)

    def provenance(self) -> dict[str, Any]:
        """The family's, and what the machine allowed."""
        kept = "local disk" if self.volume is None else f"a volume of their own, {self.parameters.cap}"
        return {**super().provenance(), "storage": kept, "backlog_counted": self.counting.bounded}

    def measure(self, planned: PlannedTrial, store: Path | None = None) -> Trial:
        """Measure one label once: the first of a block on a machine that has rested, a later one after its pause."""
        if self.under_way and self.under_way[-1].number == planned.block:
            time.sleep(float(planned.configuration.settings["pause_s"] or 0))
        else:
            self.under_way[:] = [self._begun(planned.block)]
        block = self.under_way[-1]
        folder = block.stores / planned.configuration.name
        folder.mkdir()
        waiting = self._backlog()
        with self.counting.inside():
            found = super().measure(planned, folder)
        own = {"backlog_start_bytes": waiting, "backlog_end_bytes": self._backlog()}
        cap = "not capped" if self.volume is None else str(self.parameters.cap)
        return replace(
            found, metrics={**found.metrics, **block.certificate, **own}, labels={**found.labels, "storage": cap}
        )

    def _begun(self, number: int) -> Block:
        """A block of which nothing is left by the one before: its stores are removed, what else waited is written."""
        stores = self.place / "stores"
        shutil.rmtree(stores, ignore_errors=True)
        stores.mkdir()
        os.sync()
        certificate = {} if self.volume is None else storage.certified(self.volume, self.parameters.cap)
        time.sleep(self.parameters.rest_s)
        return Block(number, stores, certificate)

    def _backlog(self) -> float | None:
        """What the labels wrote and the kernel has not, in bytes; None where nothing counts it."""
        now = self.counting.reading()
        return None if now is None else float(now.dirty_bytes + now.writeback_bytes)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The program, and a disk that is capped until the end."""
    p, arms = parameters, configurations(parameters)
    with ExitStack() as stack:
        volume = stack.enter_context(storage.placed(p, store_bytes(p)))
        scratch = files.scratch(store_bytes(p)) if volume is None else volume.folder
        place = stack.enter_context(temporary.folder("probe", scratch))
        counting = stack.enter_context(bounds.memory(COUNTED_BYTES))
        made = partial(Bench, place=place, volume=volume, counting=counting)
        found = stack.enter_context(bench.session(p, progress, arms, made))
        assert isinstance(found, Bench)
        if volume is not None:
            stack.enter_context(volume.capped(p.cap))
        yield found
