"""One trial: a store that was filled before, opened for reading in a bounded memory, warmed, and asked for its rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.chapters.beyond_memory.arms import CACHES, COMPRESSIONS, Parameters, configurations, memory_mib
from benchbook.engines import badger, bounds
from benchbook.engines.badger import Build
from benchbook.measuring.badger import lookups, storage
from benchbook.measuring.badger.lookups import Stores
from benchbook.measuring.samples import reduce, subsample
from benchbook.measuring.storage import check
from benchbook.model import PlannedTrial, Trial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

BESIDE_S = 2.0
"""Of a trial beside its look-ups, an estimate for what is said of the time."""
PROCESS_BYTES = 1_000_000_000


def needs(parameters: Parameters) -> Needs:
    """Disk for a store of each compression, memory for the largest bound, and the probe."""
    p: Any = parameters
    arms = configurations(p)
    filling_s = len(COMPRESSIONS) * lookups.size_bytes(p.lookup_rows) / lookups.FILL_BYTES_PER_S
    each_s = p.lookup_warm_s + p.lookup_s + BESIDE_S
    return Needs(
        disk_bytes=lookups.room_bytes(p, COMPRESSIONS) + storage.SPARE_BYTES,
        memory_bytes=(memory_mib(p, p.memory_percent[-1]) << 20) + PROCESS_BYTES,
        engine=lambda: badger.identity(Build.NOTE),
        minutes=(filling_s + p.blocks * len(arms) * each_s) / 60,
        usable=lambda: check(allowed=p.allow_slow_storage),
    )


@dataclass(frozen=True)
class Bench:
    """The program, and the stores that were filled."""

    parameters: Parameters
    program: Path
    stores: Stores
    scratch: Path

    def provenance(self) -> dict[str, Any]:
        """Which Badger, where the stores lie, and what bounds memory."""
        with bounds.memory(memory_mib(self.parameters, self.parameters.memory_percent[0]) << 20) as bound:
            label = bound.label
        kept = "local disk" if self.stores.volume is None else "a volume of their own, not capped"
        return {**badger.identity(Build.NOTE), "memory_bound": label, "storage": kept}

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        arm = planned.configuration
        memory = memory_mib(self.parameters, int(arm.settings["memory_percent"] or 0))
        cache = int(CACHES[str(arm.settings["cache"])] * memory)
        sized = replace(planned, configuration=replace(arm, settings={**arm.settings, "block_mib": cache}))
        own: Any = self.parameters.model_copy(update={"lookup_memory_mib": memory})  # all that look-ups ask for
        found, latencies, labels = lookups.measure(own, sized, self.program, self.stores, self.scratch)
        samples = subsample(latencies, self.parameters.kept_samples)
        metrics = found | reduce(samples) | {"memory_bytes": float(memory << 20), "cache_bytes": float(cache << 20)}
        return Trial(planned, started_at, time.monotonic() - clock, metrics, labels, {"look-up": samples})


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A store of each compression, filled once, gone at the end."""
    p: Any = parameters
    scratch = files.scratch(needs(p).disk_bytes)
    with lookups.filled(p, COMPRESSIONS, scratch, progress) as stores:
        yield Bench(p, badger.find(Build.NOTE), stores, scratch)
