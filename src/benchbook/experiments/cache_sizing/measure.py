"""One trial: a fresh process with an empty store, the suite's tests one after the other, counters behind each."""

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
from benchbook.experiments.cache_sizing.arms import BURST, QUERY, SUITE, configurations
from benchbook.experiments.cache_sizing.metrics import PHASES, metrics
from benchbook.experiments.cache_sizing.parameters import Parameters
from benchbook.experiments.cache_sizing.reduction import kept, reduce
from benchbook.experiments.needs import Needs
from benchbook.model import Configuration, PlannedTrial, Trial

TESTS = {BURST: ["peak", "burst"], QUERY: ["peak", "burst", "query"], SUITE: [*PHASES]}
TEST_LIMIT_S = 120
VALUE_LOG_BYTES = 256 << 20
PROCESS_BYTES = 2_000_000_000
"""Memory of the process beside its caches: memtables, Go's heap, mapped tables."""


def needs(parameters: Parameters) -> Needs:
    """Disk for one store, memory for the largest cache filled and the process, and the three builds of the probe."""
    return Needs(
        disk_bytes=parameters.store_bytes,
        memory_bytes=(parameters.largest_cache_mib << 20) + PROCESS_BYTES,
        engine=identity,
    )


def identity() -> dict[str, Any]:
    """Which builds of Badger would be measured."""
    return badger.identity(*Build)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """Nothing is loaded ahead: every trial fills a store of its own."""
    progress("finding the probes", 1.0)
    programs = {build: badger.find(build) for build in Build}
    yield Bench(parameters, programs, badger.versions(), files.scratch(needs(parameters).disk_bytes))


@dataclass(frozen=True)
class Bench:
    """The programs, and the disk on which the stores lie."""

    parameters: Parameters
    programs: dict[Build, Path]
    versions: dict[str, str]
    folder: Path

    def provenance(self) -> dict[str, Any]:
        """The versions in the builds, and Badger's options as it held them in a small trial of the stated setting."""
        tiny = self.parameters.model_copy(update={"events": self.parameters.bursts})
        request = request_of(tiny, configurations(tiny)[0], 0)
        request["run"] |= {"tests": ["peak"], "burst_quiet_ms": 0}
        answer = probe.ask(self.programs[Build.NOTE], request, timeout_s=60, folder=self.folder)
        return {
            **identity(),
            "builds": self.versions,
            "settings": dict(answer.record["settings"]),
            "probe_timer_ns": answer.record["timer_ns"],
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        arm, p = planned.configuration, self.parameters
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        program = self.programs[Build(str(arm.settings["build"]))]
        request = request_of(p, arm, planned.seed)
        limit_s = p.rounds * (3 * TEST_LIMIT_S + p.query_s + p.concurrent_s)
        answer = probe.ask(program, request, timeout_s=limit_s, folder=self.folder)
        found = metrics(answer, p, request["load"]["events"], str(arm.settings["scope"]))
        samples = kept(answer.series["round_1.burst.service"], p.kept_samples)
        labels = {"badger": str(answer.record["engine_version"]).removeprefix("v")}
        return Trial(planned, started_at, time.monotonic() - clock, found | reduce(samples), labels, {"burst": samples})


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> dict[str, Any]:
    """What the probe is asked for in a trial (probes/badger/README.md)."""
    p, settings = parameters, arm.settings
    small, scope = bool(settings.get("small_tables")), str(settings["scope"])
    mem_table_mib = p.small_mem_table_mib if small else p.mem_table_mib
    return {
        "seed": seed,
        "workload": "suite",
        "options": {
            "block_cache_bytes": int(settings["block_mib"] or 0) << 20,
            "index_cache_bytes": int(settings["index_mib"] or 0) << 20,
            "compression": settings["compression"],
            "block_bytes": p.block_bytes,
            "mem_table_bytes": mem_table_mib << 20,
            "base_table_bytes": (p.small_base_table_mib if small else p.base_table_mib) << 20,
            "value_log_file_bytes": VALUE_LOG_BYTES,
            # Badger wants it below 15 % of a memtable; the events lie far below it either way.
            "value_threshold_bytes": min(1 << 20, (mem_table_mib << 20) // 10),
            "compact_l0_on_close": True,
        },
        "load": {"events": int(settings.get("events") or p.events), "same_time": True},
        "run": {
            "workers": p.workers,
            "rounds": p.rounds if scope == SUITE else 1,
            "tests": TESTS[scope],
            "limit_s": TEST_LIMIT_S,
            "bursts": p.bursts,
            "burst_spread_ms": p.burst_spread_ms,
            "burst_quiet_ms": p.burst_quiet_ms,
            "mixed_seeded": p.query_events // 10,
            "mixed_operations": p.mixed_operations,
            "query_seeded": p.query_events,
            "query_s": p.query_s,
            "concurrent_seeded": p.query_events // 2,
            "concurrent_s": p.concurrent_s,
            "pause_s": 0,
        },
    }
