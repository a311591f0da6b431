"""One trial of the simulation: a batch of repetitions of one cell, drawn, tried and counted."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import scipy

from benchbook.chapters.calibration.arms import FEELING, PROCESSORS, Parameters
from benchbook.chapters.calibration.simulation import alone, coverage, decisions, luck, visits, worlds, wrong_ways
from benchbook.chapters.calibration.simulation.distributions import Family
from benchbook.model import PlannedTrial, Trial
from benchbook.parameters.needs import Needs

_ARRAYS = 40
"""Arrays of one number per simulated trial that a batch holds at its largest."""


def needs(parameters: Parameters) -> Needs:
    """Memory for the largest cell; the results are small."""
    of_visits = parameters.visit_repetitions * max(max(parameters.luck_visits) * max(parameters.luck_blocks), 60)
    largest = max(parameters.repetitions * max(parameters.sizes) * parameters.settings // 2, worlds.DRAWS, of_visits)
    return Needs(disk_bytes=100_000_000, memory_bytes=300_000_000 + 8 * _ARRAYS * largest, engine=identity)


def identity() -> dict[str, Any]:
    """What would draw the numbers and compute the intervals."""
    return {"engine": "simulation", "engine_version": f"numpy {np.__version__}, scipy {scipy.__version__}"}


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The truths of all families computed; nothing is started and nothing is left."""
    for place, family in enumerate(parameters.families):
        progress("computing true values", place / len(parameters.families))
        worlds.truths(parameters, family)
    yield Bench(parameters)


def reduce(latencies: np.ndarray) -> Mapping[str, float | None]:
    """Nothing: a simulated batch keeps counts, not latencies."""
    return {}


@dataclass(frozen=True)
class Bench:
    """A generator of random numbers in place of an engine."""

    parameters: Parameters

    def provenance(self) -> dict[str, Any]:
        """What drew the numbers and computed the intervals."""
        return identity()

    def measure(self, planned: PlannedTrial) -> Trial:
        """Simulate one batch of one cell. Its numbers follow from the block's seed and the cell's name alone."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        metrics = self.simulated(planned)
        return Trial(planned, started_at, time.monotonic() - clock, metrics, {}, {})

    def simulated(self, planned: PlannedTrial) -> coverage.Metrics:
        """The metrics of a batch."""
        cell = planned.configuration
        name = hashlib.sha256(cell.name.encode()).digest()
        generator = np.random.default_rng([planned.seed, int.from_bytes(name[:4])])
        p, settings = self.parameters, cell.settings
        if "seconds" in settings:
            return coverage.within(p, int(settings["seconds"] or 0), generator)
        if "alone" in settings:
            return alone.measured(p, float(settings["alone"] or 0), int(settings["size"] or 0), generator)
        if "luck" in settings:
            sd = float(settings["luck"] or 0)
            return luck.measured(p, sd, generator) | luck.levels(p, sd, generator)
        if "move" in settings:
            felt, processors = FEELING[str(settings["arms"])], PROCESSORS[str(settings["processors"])]
            sds = float(settings["move"] or 0), float(settings["block_sd"] or 0)
            return visits.measured(p, *sds, felt, processors, generator)
        family = Family(p, str(settings["family"]), generator)
        true = worlds.truths(p, family.name)
        world = worlds.draw(family, int(settings["size"] or 0), p.repetitions)
        return {
            **coverage.tried(coverage.attempts(p, world, true)),
            **wrong_ways.measured(family, world, true),
            **coverage.cliffs(p, world.flat, generator),
            **decisions.measured(p, world),
        }
