"""Trials of the event suite: a fresh process with an empty store, tests one after the other, counters behind each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import files
from benchbook.engines import badger, probe
from benchbook.engines.badger import Build
from benchbook.measuring.badger.metrics import Metrics, metrics
from benchbook.measuring.badger.parameters import Bursts
from benchbook.measuring.badger.request import limit_s, request_of
from benchbook.measuring.samples import Begun, reduce, subsample
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs

PROCESS_BYTES = 2_000_000_000
"""Memory of the process beside its block cache: memtables, Go's heap, mapped tables. Its index cache stays empty."""
SAMPLE_BYTES = 8
Measured = tuple[Metrics, Mapping[str, np.ndarray], Mapping[str, str]]
"""Metrics of a trial, latencies in ns by series, int64, shape (calls,), and its labels."""


def timed(planned: PlannedTrial, kept: int, measure: Callable[[], Measured]) -> Trial:
    """A trial of what was measured, with when and how long. kept: latencies stored of a series."""
    begun = Begun()
    found, series, labels = measure()
    samples = {name: subsample(latencies, kept) for name, latencies in series.items()}
    own = {name: value for each in samples.values() for name, value in reduce(each).items()}
    return begun.ended(planned, {**found, **own}, dict(labels), samples)


@dataclass(frozen=True)
class Trials:
    """Trials that a function measures. provenance: what holds for all. kept: latencies stored of a series."""

    provenance: Callable[[], dict[str, Any]]
    measured: Callable[[PlannedTrial], Measured]
    kept: int

    def measure(self, planned: PlannedTrial) -> Trial:
        return timed(planned, self.kept, lambda: self.measured(planned))


def builds(arms: Iterable[Configuration]) -> list[Build]:
    used = {str(arm.settings["build"]) for arm in arms}
    return [build for build in Build if build in used]


def needs(parameters: Bursts, arms: Sequence[Configuration]) -> Needs:
    """Disk for one store and the stored latencies, memory for the largest block cache filled, the probe's builds."""
    largest_mib = max(int(arm.settings["block_mib"] or 0) for arm in arms)
    return Needs(
        disk_bytes=parameters.store_bytes + parameters.blocks * len(arms) * parameters.kept_samples * SAMPLE_BYTES,
        memory_bytes=(largest_mib << 20) + PROCESS_BYTES,
        engine=lambda: badger.identity(*builds(arms)),
    )


@dataclass(frozen=True)
class Bench:
    """The programs, and the disk on which the stores lie."""

    parameters: Bursts
    arms: Sequence[Configuration]
    programs: dict[Build, Path]
    folder: Path

    def provenance(self) -> dict[str, Any]:
        """The versions in the builds, and Badger's options as it held them in a small trial of the first arm."""
        tiny = self.parameters.model_copy(update={"events": self.parameters.bursts})
        request = request_of(tiny, self.arms[0], 0)
        request["run"] |= {"tests": ["peak"], "burst_quiet_ms": 0}
        first = self.programs[Build(str(self.arms[0].settings["build"]))]
        answer = probe.ask(first, request, timeout_s=60, folder=self.folder)
        return {
            **badger.identity(*self.programs),
            "builds": badger.versions(*self.programs),
            "settings": dict(answer.record["settings"]),
            "probe_timer_ns": answer.record["timer_ns"],
        }

    def measure(self, planned: PlannedTrial, store: Path | None = None) -> Trial:
        """Measure one configuration once. store: an empty folder for its store, which stays."""
        return timed(planned, self.parameters.kept_samples, lambda: self.measured(planned, store))

    def measured(self, planned: PlannedTrial, store: Path | None) -> Measured:
        request = request_of(self.parameters, planned.configuration, planned.seed)
        program = self.programs[Build(str(planned.configuration.settings["build"]))]
        answer = probe.ask(program, request, timeout_s=limit_s(request), folder=self.folder, store=store)
        labels = {"badger": str(answer.record["engine_version"]).removeprefix("v")}
        return metrics(answer, request), {"burst": answer.series["round_1.burst.service"]}, labels


def ready(
    parameters: Bursts, arms: Sequence[Configuration], progress: Callable[[str, float], None]
) -> tuple[dict[Build, Path], Path]:
    """The programs, and the disk for the suite's stores: nothing is loaded ahead, every trial fills one of its own."""
    progress("finding the probe", 1.0)
    return {build: badger.find(build) for build in builds(arms)}, files.scratch(needs(parameters, arms).disk_bytes)
