"""One trial: a fresh process with an empty store, loaded and then read, or written to and killed."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.engines import kv, probe
from benchbook.experiments.needs import Needs
from benchbook.experiments.sqlite_fairness.arms import WARM, WRITTEN, at, configurations
from benchbook.experiments.sqlite_fairness.costs import disk_bytes, limit_s, memory_bytes, minutes
from benchbook.experiments.sqlite_fairness.metrics import Metrics, killed, looked_up
from benchbook.experiments.sqlite_fairness.parameters import Parameters
from benchbook.experiments.sqlite_fairness.reduction import kept, reduce
from benchbook.experiments.sqlite_fairness.requests import request_of
from benchbook.experiments.sqlite_fairness.uses import AFTER, ONCE
from benchbook.model import PlannedTrial, Trial

SECTOR_BYTES = 512
"""The kernel counts what a process reads from devices in these."""
TEXTS = ("db_options", "column_family_options")
"""RocksDB's whole options as it prints them; they hold the scratch folder's name."""


def needs(parameters: Parameters) -> Needs:
    """Disk and memory for the largest store of a trial, the time for all, and the probe."""
    return Needs(disk_bytes(parameters), memory_bytes(parameters), identity, minutes(parameters))


def identity() -> dict[str, Any]:
    """Which engines would be measured."""
    return kv.identity("SQLite and RocksDB", "SQLite", "RocksDB")


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """Nothing is loaded ahead: every trial fills a store of its own."""
    progress("finding the probe", 1.0)
    yield Bench(parameters, kv.find(), files.scratch(disk_bytes(parameters)))


@dataclass(frozen=True)
class Bench:
    """The program, and the disk on which the stores lie."""

    parameters: Parameters
    program: Path
    folder: Path

    def provenance(self) -> dict[str, Any]:
        """The engines' versions, and their settings as they held them in two small trials."""
        tiny = self.parameters.model_copy(update={"ladder_rows": 1_000, "ladder_queries": 1_024, "warm_queries": 0})
        arms = {arm.name: arm for arm in configurations(tiny)}
        settings: dict[str, Any] = {}
        timer_ns = 0.0
        for name, use in (("SQLite", ONCE), ("RocksDB", AFTER)):
            request = request_of(tiny, arms[at(WARM, use)], 0)
            record = probe.ask(self.program, request, timeout_s=60, folder=self.folder).record
            held = record["settings"]["engine_options"]
            settings[name] = {key: value for key, value in held.items() if key not in TEXTS}
            timer_ns = float(record["timer_ns"])
        return {
            **identity(),
            "settings": settings,
            "probe_timer_ns": timer_ns,
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        arm, p = planned.configuration, self.parameters
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        request = request_of(p, arm, planned.seed)
        before = _device_read_bytes()
        answer = probe.ask(self.program, request, timeout_s=limit_s(request), folder=self.folder)
        found: Metrics = {"device_read_bytes": float(_device_read_bytes() - before)}
        if arm.settings["part"] in WRITTEN:
            series, found = "write", found | killed(answer, request)
        else:
            series, found = "lookup", found | looked_up(answer, request)
        [times] = answer.series.values()
        samples = kept(times, p.kept_samples)
        labels = {"engine": str(answer.record["engine"])}
        return Trial(planned, started_at, time.monotonic() - clock, found | reduce(samples), labels, {series: samples})


def _device_read_bytes() -> int:
    """What ended child processes have read from devices; what the page cache gave them does not count."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock * SECTOR_BYTES
