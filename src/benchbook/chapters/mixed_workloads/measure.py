"""One trial: a store filled and then worked on, each operation timed by itself; the note's inserts; look-ups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import files
from benchbook.chapters.mixed_workloads.arms import (
    INSERTS,
    LOOKUP,
    LOOKUPS,
    REDB,
    STORES,
    WORKLOADS,
    E,
    Parameters,
    configurations,
)
from benchbook.engines import kv, probe
from benchbook.errors import NoEngineError
from benchbook.measuring.kv import bench, options
from benchbook.measuring.kv.bench import Asked, Probing, Reading
from benchbook.measuring.kv.metrics import DURABLE_CALLS, Metrics, inserted_s, looked_up, mean_ns, quantiles, syncs
from benchbook.measuring.kv.requests import Request, request
from benchbook.measuring.samples import reduce
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs

BATCH_ROWS = 10_000
LOOKED_UP = 256
"""Look-ups behind the inserts, of which the last batch's time is the trial's sample."""
WRITES = ("update", "insert", "modify")
KEY_BYTES, ENTRY_BYTES = 8, 64


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    p, name, store = parameters, str(arm.settings["workload"]), str(arm.settings["store"])
    run: dict[str, Any]
    if name == LOOKUP:
        run = {
            "law": "stride", "stride": p.stride, "operations": max(LOOKED_UP, p.insert_rows // p.stride),
            "warm_operations": p.insert_rows // p.warm_stride, "warm_stride": p.warm_stride,
        }  # fmt: skip
        return request(seed, LOOKUPS[store][1], p.insert_rows, run, batch_rows=BATCH_ROWS)
    if store in INSERTS:
        engine = {**options.ENGINE, "index_load": "single", **INSERTS[store][1]}
        return request(seed, engine, p.insert_rows, {"law": "uniform", "operations": LOOKED_UP})
    workload = WORKLOADS[name]
    run = {
        "law": workload.law, "exponent": p.zipf_exponent, **workload.shares,
        "operations": p.scan_operations if name == E else p.operations,
        "warm_operations": min(p.warm_operations, p.scan_operations) if name == E else p.warm_operations,
    }  # fmt: skip
    if "scan" in workload.shares:
        run["scan_rows"] = p.scan_rows
    load = {"keys": "random", "value_bytes": p.value_bytes, "batch_rows": BATCH_ROWS, "settle": "flush"}
    return request(seed, STORES[store][1], p.rows, run, workload="mixed", **load)


def metrics(asked: Asked[Parameters]) -> Metrics:
    """All metrics of a trial but those that ``reduce`` gives. What an engine does not have is missing, never 0."""
    record, sent = asked.answer.record, asked.request
    counters = record["counters"]
    if asked.arm.settings["workload"] == LOOKUP:
        return looked_up(record, sent["run"])
    if sent["workload"] != "mixed":
        rows = int(sent["load"]["rows"])
        return {
            "insert_mean_ns": 1e9 * inserted_s(record) / rows, "inserted_rows": float(rows),
            "insert_syncs": syncs(counters, "open", "load"),
        }  # fmt: skip
    operations = int(counters["run"]["operations"])
    kinds = {name.partition(".")[0]: times for name, times in asked.answer.series.items()}
    found: Metrics = {
        "operation_mean_ns": mean_ns(record, operations),
        "operations": float(operations),
        "checked_reads": float(record["checked_reads"]),
        "run_syncs": float(
            sum(counters["run"]["syncs"][each] - counters["warm"]["syncs"][each] for each in DURABLE_CALLS)
        ),
        "anonymous_bytes": float(counters["run"]["memory"]["anonymous_bytes"]),
    }
    for kind, times in kinds.items():
        found |= quantiles(times, kind, ("mean_ns", "p99_ns", "max_ns"))
    writes = sum(len(kinds.get(each, ())) for each in WRITES)
    return found | _written(counters, writes, asked.parameters.value_bytes + KEY_BYTES)


def _written(counters: Mapping[str, Any], writes: int, row_bytes: int) -> Metrics:
    """Bytes written from the first operation until all is in files, over the bytes that were given to the store."""
    before, after = (counters[phase]["memory"]["device_write_bytes"] for phase in ("warm", "flushed"))
    if not writes or before is None or after is None:
        return {}
    return {"write_amplification": (after - before) / (writes * row_bytes), "writes": float(writes)}


def read(asked: Asked[Parameters]) -> Reading:
    """A trial's metrics, and the times of all its operations."""
    series = asked.answer.series
    name = "batch" if asked.request["workload"] != "mixed" else "operation"
    times = np.concatenate([*series.values()])
    record = asked.answer.record
    return Reading(metrics(asked), name, times, {"engine": f"{record['engine']} {record['engine_version']}"})


@dataclass(frozen=True)
class WithRedb(Probing[Parameters]):
    """The family's measuring, of two programs, one of which may be absent."""

    @contextmanager
    def session(self, parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
        """Nothing is loaded ahead: every trial fills a store of its own."""
        progress("finding the probe", 1.0)
        other, absent = Path(), ""
        try:
            other = kv.find_redb()
        except NoEngineError as error:
            absent = f"{error.problem}: {error.mend}"
        folder = files.scratch(self.needs(parameters).disk_bytes)
        yield Bench(self, parameters, kv.find(), folder, None, other, absent)


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials on the program that has their store. other: the one with redb. absent: why there is none, else empty."""

    other: Path = Path()
    absent: str = ""

    def provenance(self) -> dict[str, Any]:
        """The family's, and redb's version, or why it is left out."""
        if self.absent:
            own = replace(self.probing, configurations=_without_redb)
            return {**super(Bench, replace(self, probing=own)).provenance(), "left_out": {"redb": self.absent}}
        found = {"redb": kv.versions(self.other)["redb"], "redb_sha256": files.sha256(self.other)}
        return {**super().provenance(), **found}

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once; without a number where its store is left out."""
        if self.absent and planned.configuration.settings["store"] == REDB:
            started_at = datetime.now(UTC).isoformat(timespec="seconds")
            return Trial(planned, started_at, 0.0, {}, {"engine": f"left out: {self.absent}"}, {})
        return super().measure(planned)

    def _ask(self, request: Request, timeout_s: float) -> probe.Answer:
        program = self.other if request["options"]["engine"] == REDB else self.program
        return probe.ask(program, request, timeout_s=timeout_s, folder=self.folder)


def _without_redb(parameters: Parameters) -> list[Configuration]:
    return [arm for arm in configurations(parameters) if arm.settings["store"] != REDB]


PROBING = WithRedb("RocksDB, SQLite and LMDB", ("RocksDB", "SQLite", "LMDB"), configurations, request_of, read)
session = PROBING.session


def needs(parameters: Parameters) -> Needs:
    """The family's, and the disk on which every write of a trial may stay beside the one before it."""
    own, p = PROBING.needs(parameters), parameters
    return replace(own, disk_bytes=own.disk_bytes + 2 * p.operations * (p.value_bytes + ENTRY_BYTES))


__all__ = ["metrics", "needs", "read", "reduce", "request_of", "session"]
