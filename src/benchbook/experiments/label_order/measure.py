"""One trial: a fresh process with an empty store, the suite's peak and burst tests; a rest before a block's first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.engines import badger, probe
from benchbook.engines.badger import Build
from benchbook.experiments.cache_sizing.arms import BURST
from benchbook.experiments.cache_sizing.measure import PROCESS_BYTES, TEST_LIMIT_S, request_of
from benchbook.experiments.cache_sizing.metrics import metrics
from benchbook.experiments.cache_sizing.reduction import kept, reduce
from benchbook.experiments.label_order.arms import configurations
from benchbook.experiments.label_order.parameters import LABELS, Parameters
from benchbook.experiments.needs import Needs
from benchbook.model import PlannedTrial, Trial

TRIAL_LIMIT_S = 3 * TEST_LIMIT_S


def needs(parameters: Parameters) -> Needs:
    """Disk for one store and the kept latencies, memory for the caches filled and the process, and the probe."""
    caches = (parameters.block_cache_mib + parameters.index_cache_mib) << 20
    return Needs(disk_bytes=parameters.disk_bytes, memory_bytes=caches + PROCESS_BYTES, engine=identity)


def identity() -> dict[str, Any]:
    """Which engine would be measured."""
    return badger.identity(Build.NOTE)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """Nothing is loaded ahead: every trial fills a store of its own."""
    progress("finding the probe", 1.0)
    yield Bench(parameters, badger.find(Build.NOTE), files.scratch(parameters.disk_bytes))


@dataclass(frozen=True)
class Bench:
    """The one program behind all labels, and the disk on which the stores lie."""

    parameters: Parameters
    program: Path
    folder: Path

    def provenance(self) -> dict[str, Any]:
        """The version in the build, and Badger's options as it held them in a small trial of these settings."""
        tiny = self.parameters.model_copy(update={"events": self.parameters.bursts})
        request = request_of(tiny.suite, configurations(tiny)[0], 0)
        request["run"] |= {"tests": ["peak"], "burst_quiet_ms": 0}
        answer = probe.ask(self.program, request, timeout_s=60, folder=self.folder)
        return {
            **identity(),
            "settings": dict(answer.record["settings"]),
            "probe_timer_ns": answer.record["timer_ns"],
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one label once; the first of a block on a machine that has rested."""
        arm, suite = planned.configuration, self.parameters.suite
        if planned.index % LABELS == 0:
            time.sleep(self.parameters.rest_s)
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        request = request_of(suite, arm, planned.seed)
        answer = probe.ask(self.program, request, timeout_s=TRIAL_LIMIT_S, folder=self.folder)
        found = metrics(answer, suite, request["load"]["events"], BURST)
        samples = kept(answer.series["round_1.burst.service"], suite.kept_samples)
        labels = {"badger": str(answer.record["engine_version"]).removeprefix("v")}
        return Trial(planned, started_at, time.monotonic() - clock, found | reduce(samples), labels, {"burst": samples})
