"""One trial: a fresh process that fills a store of its own, and times look-ups whose answers are checked."""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from benchbook import files
from benchbook.engines import cores, kv, probe
from benchbook.experiments.families.kv import costs
from benchbook.experiments.families.kv.metrics import Metrics
from benchbook.experiments.families.kv.requests import Request, small
from benchbook.experiments.families.samples import reduce, subsample
from benchbook.experiments.needs import Needs
from benchbook.model import Configuration, PlannedTrial, Trial

P = TypeVar("P", bound=Any)
SECTOR_BYTES = 512
"""The kernel counts what a process reads from devices in these."""
TEXTS = ("db_options", "column_family_options")
"""All of RocksDB's options as it prints them."""


@dataclass(frozen=True)
class Asked(Generic[P]):
    """A trial: what was asked and answered. device_bytes: read from a device; None where the kernel does not count."""

    parameters: P
    arm: Configuration
    request: Request
    answer: probe.Answer
    device_bytes: float | None


@dataclass(frozen=True)
class Reading:
    """What a chapter makes of it. times: of the trial in ns, int64, by the name under which some of them are stored."""

    metrics: Metrics
    series: str
    times: np.ndarray
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Probing(Generic[P]):
    """How a chapter measures.

    engine: what the chapter calls its engines. libraries: those whose versions count, all when none is named. pinned:
    whether the probe is kept on one core. The Parameters have ``blocks`` and ``kept_samples``.
    """

    engine: str
    libraries: tuple[str, ...]
    configurations: Callable[[P], Sequence[Configuration]]
    request_of: Callable[[P, Configuration, int], Request]
    read: Callable[[Asked[P]], Reading]
    pinned: bool = False

    def identity(self) -> dict[str, Any]:
        """Which engines would be measured."""
        return kv.identity(self.engine, *self.libraries)

    def requests(self, parameters: P) -> dict[str, Request]:
        """What each configuration is asked, by name."""
        return {arm.name: self.request_of(parameters, arm, 0) for arm in self.configurations(parameters)}

    def needs(self, parameters: P) -> Needs:
        """Disk and memory for the largest trial, the probe, and the minutes that all trials take together."""
        asked = self.requests(parameters).values()
        return Needs(
            disk_bytes=max(map(costs.disk_bytes, asked)),
            memory_bytes=max(map(costs.memory_bytes, asked)),
            engine=self.identity,
            minutes=parameters.blocks * sum(map(costs.seconds, asked)) / 60,
        )

    @contextmanager
    def session(self, parameters: P, progress: Callable[[str, float], None]) -> Iterator[Bench[P]]:
        """Nothing is loaded ahead: every trial fills a store of its own."""
        progress("finding the probe", 1.0)
        split = cores.split() if self.pinned else None
        core = None if split is None else split.client
        yield Bench(self, parameters, kv.find(), files.scratch(self.needs(parameters).disk_bytes), core)


@dataclass(frozen=True)
class Bench(Generic[P]):
    """The program, the disk on which the stores lie, and the core that it is kept on; None where the kernel decides."""

    probing: Probing[P]
    parameters: P
    program: Path
    folder: Path
    core: frozenset[int] | None

    def provenance(self) -> dict[str, Any]:
        """The versions in the build, and the settings as the engines held them in small trials.

        settings: by the first configuration that has them. rocksdb_options: all of RocksDB's, as it prints them.
        """
        held: dict[str, dict[str, Any]] = {}
        texts: dict[str, str] = {}
        timers = []
        for name, request in _different(self.probing.requests(self.parameters)).items():
            record = self._ask(small(request), 60).record
            own, options = dict(record["settings"]), dict(record["settings"]["engine_options"])
            del own["engine_options"]
            texts = texts or {text: without_folders(options[text]) for text in TEXTS if text in options}
            held[name] = own | {key: value for key, value in options.items() if key not in TEXTS}
            timers.append(float(record["timer_ns"]))
        return {
            **self.probing.identity(),
            "versions": kv.versions(),
            "settings": held,
            "rocksdb_options": texts,
            "probe_timer_ns": min(timers),
            "pinned": None if self.core is None else [*self.core],
            "device_reads_counted": device_read_bytes() is not None,
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        request = self.probing.request_of(self.parameters, planned.configuration, planned.seed)
        before = device_read_bytes()
        answer = self._ask(request, costs.limit_s(request))
        after = device_read_bytes()
        read = None if before is None or after is None else after - before
        found = self.probing.read(Asked(self.parameters, planned.configuration, request, answer, read))
        stored = subsample(found.times, self.parameters.kept_samples)
        metrics, duration_s = found.metrics | reduce(stored), time.monotonic() - clock
        return Trial(planned, started_at, duration_s, metrics, found.labels, {found.series: stored})

    def _ask(self, request: Request, timeout_s: float) -> probe.Answer:
        with cores.on(self.core):
            return probe.ask(self.program, request, timeout_s=timeout_s, folder=self.folder)


def device_read_bytes() -> float | None:
    """Bytes that this process's ended children have read from a device; None where the kernel does not count them."""
    if not Path("/proc/self/io").exists():
        return None
    return float(resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock * SECTOR_BYTES)


def without_folders(options: str) -> str:
    """RocksDB's option text with every path replaced: a run's record names no folder."""
    return re.sub(r"=[^;{}]*/[^;{}]*", "=a folder", options)


def _different(requests: Mapping[str, Request]) -> dict[str, Request]:
    """The first configuration of each set of an engine's options."""
    found: list[tuple[str, Request]] = []
    for name, request in requests.items():
        if request["options"]["engine"] != "none" and request["options"] not in (each["options"] for _, each in found):
            found.append((name, request))
    return dict(found)
