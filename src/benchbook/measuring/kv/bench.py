"""One trial: a fresh process that fills a store of its own, and times look-ups whose answers are checked."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import psutil

from benchbook import files
from benchbook.engines import cores, kv, probe
from benchbook.errors import BenchbookError, FullDiskError
from benchbook.measuring.kv import costs
from benchbook.measuring.kv.requests import Request, counting, settings, unwarmed
from benchbook.measuring.kv.turns import divided, each_turn, of_turns, take, turning_s
from benchbook.measuring.samples import reduce, subsample
from benchbook.model import TURNS, Configuration, PlannedTrial, Trial
from benchbook.parameters import planning
from benchbook.parameters.needs import Needs

P = TypeVar("P", bound=Any)
MEMORY_SHARE = 0.9
"""Of the memory that is available, what a group may take."""
SECTOR_BYTES = 512
"""The kernel counts what a process reads from devices in these."""


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

    metrics: Mapping[str, float | None]
    series: str
    times: np.ndarray
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Probing(Generic[P]):
    """How a chapter measures.

    engine: what the chapter calls its engines. libraries: those whose versions count, all when none is named. pinned:
    whether the probe is kept on one core. once: whether a configuration is asked exactly its lookups, as soon as it is
    filled; so it is where they are not warmed, since after waiting it would be in another state. bench: what makes the
    trials, of the arguments of ``Bench``, which it is by default.
    The Parameters have ``blocks`` and ``kept_samples``, and with groups those of TurnParameters.
    """

    engine: str
    libraries: tuple[str, ...]
    configurations: Callable[[P], Iterable[Configuration]]
    request_of: Callable[[P, Configuration, int], Request]
    read: Callable[[Asked[P]], Reading]
    pinned: bool = False
    once: Callable[[Configuration, Request], bool] = unwarmed
    bench: Callable[..., Bench[P]] | None = None

    def identity(self) -> dict[str, Any]:
        return kv.identity(self.engine, *self.libraries)

    def requests(self, parameters: P) -> dict[str, Request]:
        """What each configuration is asked, by name."""
        return {arm.name: self.request_of(parameters, arm, 0) for arm in self.configurations(parameters)}

    def needs(self, parameters: P) -> Needs:
        """Disk and memory for the largest trial, the probe, and the minutes that all trials take together."""
        asked, arms = self.requests(parameters), [*self.configurations(parameters)]
        together = [[asked[arm.name] for arm in unit] for unit in planning.together(arms)]
        turns = sum(1 for arm in arms if arm.group) * turning_s(parameters)
        return Needs(
            disk_bytes=costs.SPARE_BYTES + max(sum(map(costs.disk_bytes, unit)) for unit in together),
            memory_bytes=max(map(costs.memory_bytes, asked.values())),
            engine=self.identity,
            minutes=parameters.blocks * (sum(map(costs.seconds, asked.values())) + turns) / 60,
        )

    @contextmanager
    def session(self, parameters: P, progress: Callable[[str, float], None]) -> Iterator[Bench[P]]:
        """Nothing is loaded ahead: every trial fills a store of its own."""
        progress("finding the probe", 1.0)
        split = cores.split() if self.pinned else None
        core = None if split is None else split.client
        make = self.bench or Bench
        yield make(self, parameters, kv.find(), files.scratch(self.needs(parameters).disk_bytes), core)


@dataclass(frozen=True)
class Bench(Generic[P]):
    """The program, the disk on which the stores lie, and the core that it is kept on; None where the kernel decides."""

    probing: Probing[P]
    parameters: P
    program: Path
    folder: Path
    core: frozenset[int] | None

    def provenance(self) -> dict[str, Any]:
        """The versions in the build, and the settings as the engines held them in small trials (``requests``)."""
        return {
            **self.probing.identity(),
            "versions": kv.versions(),
            **settings(self.probing.requests(self.parameters), lambda request: self._ask(request, 60).record),
            "pinned": None if self.core is None else [*self.core],
            "device_reads_counted": device_read_bytes() is not None,
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        request = self._request(planned)
        before = device_read_bytes()
        answer = self._ask(request, costs.limit_s(request))
        read = since(before)
        return self._trial(planned, request, answer, read, started_at, time.monotonic() - clock)

    def side_by_side(
        self, planned: Sequence[PlannedTrial], between: Callable[[], None], say: Callable[[str], None]
    ) -> Iterator[Trial]:
        """Measure the configurations of a group in turns; divided, and said so, where memory does not hold them all.

        Those whose first lookups count are measured as soon as they are filled, one after the other.
        """
        failed: list[BenchbookError] = []
        waiting = []
        for each in planned:
            if not self.probing.once(each.configuration, self._request(each)):
                waiting.append(each)
                continue
            between()
            try:
                trial = self.measure(each)
            except BenchbookError as error:
                failed.append(named(error, each.configuration))
            else:
                yield trial
        for part in self._parts(waiting, say):
            before = device_read_bytes()
            with cores.on(self.core):
                own = [self._request(each) for each in part]
                programs = [self.program_of(each.configuration) for each in part]
                for arm in take(programs, own, self.parameters, self.folder, between):
                    if arm.error is not None:
                        failed.append(named(arm.error, part[arm.place].configuration))
                        continue
                    assert arm.answer is not None
                    read, before = since(before), device_read_bytes()
                    request = counting(arm.request, arm.answer)
                    yield self._trial(
                        part[arm.place], request, arm.answer, read, arm.started_at, arm.took_s, arm.turns
                    )  # fmt: skip
        if failed:
            raise cause(failed)

    def program_of(self, arm: Configuration) -> Path:
        """What is started for a configuration that takes turns."""
        return self.program

    def _parts(self, planned: Sequence[PlannedTrial], say: Callable[[str], None]) -> list[list[PlannedTrial]]:
        """Those that live together, as many as memory holds."""
        requests = [self._request(each) for each in planned]
        available = int(MEMORY_SHARE * psutil.virtual_memory().available)
        live, peak = ([cost(each) for each in requests] for cost in (costs.live_bytes, costs.memory_bytes))
        parts = divided(live, peak, available)
        if len(parts) > 1:
            say(
                f"the group {planned[0].configuration.group!r} needs {sum(live) / 2**30:.1f} GiB and "
                f"{available / 2**30:.1f} GiB may be used: measured in {len(parts)} parts"
            )
        return [[planned[at] for at in part] for part in parts if part]

    def _request(self, planned: PlannedTrial) -> Request:
        return self.probing.request_of(self.parameters, planned.configuration, planned.seed)

    def _trial(
        self, planned: PlannedTrial, request: Request, answer: probe.Answer, read: float | None, started_at: str,
        duration_s: float, turns: Sequence[Mapping[str, Any]] = (),
    ) -> Trial:  # fmt: skip
        found = self.probing.read(Asked(self.parameters, planned.configuration, request, answer, read))
        stored = {found.series: subsample(found.times, self.parameters.kept_samples)}
        metrics = {**found.metrics, **reduce(stored[found.series])}
        if len(turns) > 1:
            stored[TURNS] = each_turn(turns)
            metrics |= of_turns(turns)
        return Trial(planned, started_at, duration_s, metrics, found.labels, stored)

    def _ask(self, request: Request, timeout_s: float) -> probe.Answer:
        with cores.on(self.core):
            return probe.ask(self.program, request, timeout_s=timeout_s, folder=self.folder)


def named(error: BenchbookError, arm: Configuration) -> BenchbookError:
    """The same error, which says of which configuration it is."""
    return type(error)(f"“{arm.label}”: {error.problem}", error.mend)


def cause(errors: Sequence[BenchbookError]) -> BenchbookError:
    """Which error of several configurations is told: a full disk, from which others may follow, else the first."""
    return next((each for each in errors if isinstance(each, FullDiskError)), errors[0])


def device_read_bytes() -> float | None:
    """Bytes that this process's ended children have read from a device; None where the kernel does not count them."""
    if not Path("/proc/self/io").exists():
        return None
    return float(resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock * SECTOR_BYTES)


def since(before: float | None) -> float | None:
    """Bytes read since ``device_read_bytes`` said ``before``; None where the kernel does not count."""
    after = device_read_bytes()
    return None if before is None or after is None else after - before
