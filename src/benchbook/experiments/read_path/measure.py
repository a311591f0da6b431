"""One trial: a fresh process that fills a store of its own, warms it, and times look-ups whose answers are checked."""

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
from benchbook.experiments.read_path.arms import DURABLE, INDEX, STRIDE, UNIFORM, configurations
from benchbook.experiments.read_path.metrics import metrics, series_of
from benchbook.experiments.read_path.parameters import BATCH_OPERATIONS, Parameters
from benchbook.experiments.read_path.reduction import kept, reduce
from benchbook.model import Configuration, PlannedTrial, Trial

NOTE_ROW_BYTES, ROW_BYTES = 64, 48
"""Bytes that a row takes on disk at most: one of the note's with its value, and any other beside its value."""
COPIES = 3
"""A log, the files, and a compaction or checkpoint under way."""
BATCH_ROW_BYTES = 360
"""Memory of a row while all rows are written as one: the rows, the engine's batch, its memtable, and an index."""
PROCESS_BYTES = 500_000_000
FILL_S_PER_MILLION: dict[str, float] = {"rocksdb": 1.0, "sqlite": 0.9, "lmdb": 0.35, "value_file": 0.4, "none": 0.25}
COMPACT_S_PER_MILLION, SYNCED_S_PER_MILLION = 1.9, 8.0
"""Seconds in which a trial fills its store and asks it, as seen on two cores, with rows of USUAL_ROW_BYTES at most."""
USUAL_ROW_BYTES = 150
WARM_SHARE = 0.01
"""Share of the store's bytes that a trial may read from the device and still count as warm (protocol, item 13)."""
WARM, READ, NOT_COUNTED = "warm", "read from the device", "not counted"
_DEVICE_UNIT_BYTES = 512


def needs(parameters: Parameters) -> Needs:
    """Disk for one store and its samples, memory for all rows in one write and for the files to stay cached."""
    stored = stored_bytes(parameters)
    samples = 8 * max(parameters.operations, parameters.scans, parameters.existence_keys // BATCH_OPERATIONS)
    return Needs(
        disk_bytes=COPIES * stored + samples + PROCESS_BYTES,
        memory_bytes=BATCH_ROW_BYTES * parameters.rows + stored + PROCESS_BYTES,
        engine=identity,
        minutes=parameters.blocks * sum(trial_s(parameters, arm) for arm in configurations(parameters)) / 60,
    )


def identity() -> dict[str, Any]:
    """Which engines would be measured."""
    return kv.identity("Value file, SQLite, LMDB, RocksDB")


def stored_bytes(parameters: Parameters) -> int:
    """The largest store of any configuration."""
    row = parameters.value_bytes + ROW_BYTES
    return max(NOTE_ROW_BYTES * parameters.rows, row * parameters.rows, row * parameters.durable_rows)


def trial_s(parameters: Parameters, arm: Configuration) -> float:
    """About how long a trial takes on two cores."""
    way, rows = arm.settings["way"], parameters.rows
    per_million = FILL_S_PER_MILLION[str(arm.settings["engine"])]
    if way == DURABLE:
        per_million, rows = SYNCED_S_PER_MILLION, parameters.durable_rows
    elif arm.settings.get("settle") == "compact":
        per_million = COMPACT_S_PER_MILLION
    longer = max(1.0, (parameters.value_bytes + ROW_BYTES) / USUAL_ROW_BYTES) if way in (UNIFORM, DURABLE) else 1.0
    return 0.2 + longer * per_million * rows / 1e6


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """Nothing is loaded ahead: every trial fills a store of its own."""
    progress("finding the probe", 1.0)
    yield Bench(parameters, kv.find(), kv.versions(), files.scratch(needs(parameters).disk_bytes))


@dataclass(frozen=True)
class Bench:
    """The program, and the disk on which the stores lie."""

    parameters: Parameters
    program: Path
    versions: dict[str, str]
    folder: Path

    def provenance(self) -> dict[str, Any]:
        """The libraries' versions, and each configuration's options as its engine held them in a small trial."""
        smallest = {"rows": 3_000, "stride": 1, "warm_stride": 37, "durable_rows": 1_000, "durable_batch_rows": 1_000}
        smallest |= {"operations": 1_000, "existence_keys": 1_000, "scans": 200, "scan_rows": 1}
        tiny = self.parameters.model_copy(update=smallest)
        settings, timers = {}, []
        for arm in configurations(tiny):
            if arm.settings["engine"] == "none":
                continue
            answer = probe.ask(self.program, request_of(tiny, arm, 0), timeout_s=120, folder=self.folder)
            held = answer.record["settings"]["engine_options"]
            # RocksDB's own dumps of all options name the folder of the store, which says nothing.
            settings[arm.name] = {key: value for key, value in held.items() if not key.endswith("_options")}
            timers.append(float(answer.record["timer_ns"]))
        return {
            **identity(),
            "versions": self.versions,
            "settings": settings,
            "probe_timer_ns": min(timers),
            "device_reads_counted": device_reads_bytes() is not None,
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        arm, p = planned.configuration, self.parameters
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        request = request_of(p, arm, planned.seed)
        before = device_reads_bytes()
        answer = probe.ask(self.program, request, timeout_s=60 + 20 * trial_s(p, arm), folder=self.folder)
        after = device_reads_bytes()
        way = str(arm.settings["way"])
        found = metrics(answer, way, request)
        read = None if before is None or after is None else after - before
        found["device_read_bytes"] = read
        times = series_of(answer, way)
        samples = kept(times, p.kept_samples)
        labels = {"cache_state": cache_state(found["run_major_faults"], read, WARM_SHARE * stored_bytes(p))}
        series = {STRIDE: "batch", INDEX: "batch", UNIFORM: "query", DURABLE: "scan"}[way]
        return Trial(planned, started_at, time.monotonic() - clock, found | reduce(samples), labels, {series: samples})


def device_reads_bytes() -> float | None:
    """Bytes that this process's ended children have read from a device; None where the kernel does not count them."""
    if not Path("/proc/self/io").exists():
        return None
    return float(resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock * _DEVICE_UNIT_BYTES)


def cache_state(major_faults: float | None, read_bytes: float | None, allowed_bytes: float) -> str:
    """What the caches held: WARM when the timed part missed no page and the whole trial read next to nothing."""
    if major_faults or (read_bytes is not None and read_bytes > allowed_bytes):
        return READ
    return NOT_COUNTED if read_bytes is None else WARM


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> dict[str, Any]:
    """What the probe is asked for in a trial (probes/kv/README.md)."""
    p = parameters
    options = dict(arm.settings)
    way, absent = str(options.pop("way")), bool(options.pop("absent", False))
    load: dict[str, Any] = {"rows": p.rows, "keys": "sequential", "value_bytes": p.value_bytes}
    run: dict[str, Any] = {"warm_operations": p.warm_operations, "warm_stride": p.warm_stride}
    run |= {"batch_operations": BATCH_OPERATIONS}
    if way in (STRIDE, UNIFORM):
        load |= {"batch_rows": options.pop("batch_rows"), "settle": options.pop("settle")}
    if way == STRIDE:
        load["value_bytes"] = 0
        run |= {"law": "stride", "stride": p.stride, "operations": p.stride_operations}
    elif way == UNIFORM:
        run |= {"law": "uniform", "operations": p.operations, "timing": "queries"}
    elif way == INDEX:
        load |= {"keys": "random", "batch_rows": 1}
        run |= {"law": "uniform", "operations": p.existence_keys, "dependent": True, "absent": absent}
    else:
        load |= {"rows": p.durable_rows, "batch_rows": p.durable_batch_rows, "reopen": True}
        run |= {"law": "uniform", "operations": p.scans, "scan_rows": p.scan_rows, "timing": "queries"}
        run |= {"warm_operations": p.durable_rows // p.scan_rows, "warm_stride": p.scan_rows}
    return {"seed": seed, "workload": "gets", "options": options, "load": load, "run": run}
