"""Trials of the suite under each setting, as every chapter on it has them, and look-ups in stores filled before."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.chapters.cache_sizing.arms import Parameters, configurations, of_the_suite
from benchbook.engines import badger, bounds
from benchbook.engines.badger import Build
from benchbook.measuring.badger import bench, lookups, storage
from benchbook.measuring.badger.lookups import Stores
from benchbook.measuring.badger.request import LOOKUPS
from benchbook.measuring.samples import reduce, subsample
from benchbook.measuring.storage import check
from benchbook.model import PlannedTrial, Trial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SUITE_S, LOOKUP_BESIDE_S, ROWS_PER_S, CERTIFICATE_S = 6.0, 1.0, 1e6, 3.5
"""Of a trial, on average: estimates for what is said of the time."""


def kinds(p: Parameters) -> list[str]:
    """Compressions of the stores for look-ups."""
    return sorted({str(arm.settings["compression"]) for arm in configurations(p) if arm.settings["scope"] == LOOKUPS})


def needs(parameters: Parameters) -> Needs:
    """Disk, memory, the three builds of the probe, and what slow storage needs."""
    p, arms = parameters, configurations(parameters)
    suite = of_the_suite(arms)
    own = bench.needs(p, suite)
    looking = [arm for arm in arms if arm not in suite]
    capped = sum(bool(arm.settings["capped"]) for arm in looking)
    each = p.lookup_warm_s + p.lookup_s + LOOKUP_BESIDE_S + p.lookup_rows / ROWS_PER_S
    block_s = len(suite) * SUITE_S * p.events / 50_000 + len(looking) * each + capped * CERTIFICATE_S
    filling_s = 2 * lookups.size_bytes(p.lookup_rows) / lookups.FILL_BYTES_PER_S
    return Needs(
        own.disk_bytes + lookups.room_bytes(p, kinds(p)) + storage.SPARE_BYTES,
        own.memory_bytes + lookups.size_bytes(p.lookup_rows),
        lambda: badger.identity(*bench.builds(arms)),
        (p.blocks * block_s + filling_s) / 60,
        lambda: check(allowed=p.allow_slow_storage),
    )


@dataclass(frozen=True)
class Bench(bench.Bench):
    """The programs, the disk on which the suite's stores lie, and the stores for look-ups."""

    parameters: Parameters
    stores: Stores

    def provenance(self) -> dict[str, Any]:
        """The family's, and what the machine allows of bounds and caps."""
        with bounds.memory(self.parameters.lookup_memory_mib * 2**20) as bound:
            label = bound.label
        kept = "local disk" if self.stores.volume is None else "a volume of their own"
        return {**super().provenance(), "memory_bound": label, "storage": kept}

    def measure(self, planned: PlannedTrial, store: Path | None = None) -> Trial:
        """Measure one configuration once."""
        arm, p = planned.configuration, self.parameters
        if arm.settings["scope"] != LOOKUPS:
            return super().measure(planned, store)
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        program = self.programs[Build(str(arm.settings["build"]))]
        found, latencies, labels = lookups.measure(p, planned, program, self.stores, self.folder)
        samples = subsample(latencies["look-up"], p.kept_samples)
        return Trial(
            planned,
            started_at,
            time.monotonic() - clock,
            {**found, **reduce(samples)},
            dict(labels),
            {"look-up": samples},
        )


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The programs, the suite's disk, and filled stores for look-ups, which are gone at the end."""
    p, arms = parameters, configurations(parameters)
    scratch = files.scratch(needs(p).disk_bytes)
    with lookups.filled(p, kinds(p), scratch, progress) as stores:
        yield Bench(p, arms, *bench.ready(p, arms, progress), stores)
