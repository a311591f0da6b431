"""One trial: a fresh process fills an empty store in one go, then looks keys up; every value is compared."""

from __future__ import annotations

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
from benchbook.experiments.scale.arms import (
    AFTER,
    AS_RUN,
    BEFORE,
    OPTIONS,
    RANDOM,
    SEQUENTIAL,
    STRIDE,
    WELL,
    configurations,
)
from benchbook.experiments.scale.metrics import metrics
from benchbook.experiments.scale.parameters import Parameters
from benchbook.experiments.scale.reduction import kept, reduce
from benchbook.model import Configuration, PlannedTrial, Trial

SAMPLES = {"batch.service": "batch", "query.service": "query"}
ROW_US = {BEFORE: 1.2, AFTER: 1.2, AS_RUN: 3.5, WELL: 1.0}
"""Time to make, write and index a row with sequential keys, for the estimate that is printed before the start."""
RANDOM_TIMES = 4
"""Random keys take up to so many times as long to write."""
TRIAL_S = 0.25
"""A trial without its rows: the process, the look-ups, the storing of what was measured."""
LIMIT_S, LIMIT_S_PER_ROW = 60.0, 1e-4
LONG_TEXTS = {"db_options", "column_family_options"}
"""RocksDB's options as one text each, with folders of the machine in them; those that were set are listed anyway."""


def needs(parameters: Parameters) -> Needs:
    """Disk and memory of the largest trial, the probe, and the minutes that all trials take together."""
    return Needs(
        disk_bytes=parameters.store_bytes,
        memory_bytes=parameters.memory_bytes,
        engine=identity,
        minutes=parameters.blocks * sum(map(_seconds, configurations(parameters))) / 60,
    )


def identity() -> dict[str, Any]:
    """Which engines would be measured."""
    return kv.identity("RocksDB and SQLite", "RocksDB", "SQLite")


def _seconds(arm: Configuration) -> float:
    times = RANDOM_TIMES if arm.settings["keys"] == RANDOM else 1
    return TRIAL_S + 1e-6 * times * ROW_US[str(arm.settings["system"])] * int(arm.settings["rows"] or 0)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """Nothing is loaded ahead: every trial fills a store of its own."""
    progress("finding the probe", 1.0)
    wanted = needs(parameters)
    yield Bench(parameters, kv.find(), files.scratch(wanted.disk_bytes))


@dataclass(frozen=True)
class Bench:
    """The program, and the disk on which the stores lie."""

    parameters: Parameters
    program: Path
    folder: Path

    def provenance(self) -> dict[str, Any]:
        """The libraries' versions, and the options as each system held them in a small trial."""
        tiny = self.parameters.model_copy(update={"lookups": 100, "batch_lookups": 100})
        settings, timer_ns = {}, 0.0
        for system in OPTIONS:
            arm = Configuration(system, system, {"system": system, "rows": 1_000, "keys": SEQUENTIAL, "law": STRIDE})
            record = probe.ask(self.program, request_of(tiny, arm, 0), timeout_s=60, folder=self.folder).record
            held = dict(record["settings"])
            options = held.pop("engine_options")
            settings[system] = held | {key: value for key, value in options.items() if key not in LONG_TEXTS}
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
        limit_s = LIMIT_S + LIMIT_S_PER_ROW * request["load"]["rows"]
        answer = probe.ask(self.program, request, timeout_s=limit_s, folder=self.folder)
        found = metrics(answer, str(arm.settings["law"]), request["run"]["operations"], p.batch_lookups)
        [(series, name)] = [(series, name) for series, name in SAMPLES.items() if series in answer.series]
        samples = kept(answer.series[series], p.kept_samples)
        labels = {"engine": f"{answer.record['engine']} {answer.record['engine_version']}"}
        return Trial(planned, started_at, time.monotonic() - clock, found | reduce(samples), labels, {name: samples})


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> dict[str, Any]:
    """What the probe is asked for in a trial (probes/kv/README.md)."""
    p, settings = parameters, arm.settings
    rows, keys = int(settings["rows"] or 0), str(settings["keys"])
    options = dict(OPTIONS[str(settings["system"])])
    if "index" in options:
        # The note's engine sorts a batch before it gives its keys to the tree one by one. With sequential keys that is
        # the order of writing; of random ones the probe sorts those that it loads in bulk, outside the clock.
        options["index_load"] = "single" if keys == SEQUENTIAL else "bulk"
    run: dict[str, Any]
    if settings["law"] == STRIDE:
        run = {
            "law": "stride",
            "stride": rows // p.lookups,
            "operations": p.lookups,
            "timing": "batches",
            "batch_operations": p.batch_lookups,
        }
    else:
        run = {
            "law": "uniform",
            "operations": p.tail_lookups,
            "warm_operations": p.tail_warm_lookups,
            "timing": "queries",
        }
    load = {"rows": rows, "keys": keys, "value_bytes": 0, "batch_rows": 0}
    return {"seed": seed, "workload": "gets", "options": options, "load": load, "run": run}
