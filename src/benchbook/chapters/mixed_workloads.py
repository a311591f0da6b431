"""Stores under YCSB's core workloads, the note's inserts, and look-ups in its rows beside redb."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import files, kit
from benchbook.engines import kv as programs
from benchbook.engines import probe
from benchbook.errors import NoEngineError
from benchbook.measuring import kv
from benchbook.numbers.inert import Control, cannot_act


class Parameters(kit.ExperimentParameters):
    """Defaults are the standard profile: YCSB's rows of 1,000 bytes, and the note's ten million small ones."""

    blocks: int = kit.common("blocks", 3)
    insert_rows: int = kit.param(
        10_000_000, 1_000, 100_000_000, "rows of the note's inserts, written as one", asks="rows inserted"
    )
    stride: int = kit.param(
        100, 1, 1_000_000, "distance in rows between look-ups in the note's rows; one pass is timed"
    )
    warm_stride: int = kit.param(37, 2, 1_000_000, "distance in rows between the look-ups that warm them")
    rows: int = kit.common("rows", 200_000, 1_000, words="rows before the workloads begin")
    value_bytes: int = kit.common("value_bytes", 1_000, 8, 1 << 16, "length of a value in the workloads")
    operations: int = kit.param(100_000, 256, 100_000_000, "operations of a trial")
    warm_operations: int = kit.param(50_000, 0, 100_000_000, "reads before them, by the same law")
    scan_operations: int = kit.param(5_000, 100, 100_000_000, "operations of a trial of workload E, which scans")
    scan_rows: int = kit.param(100, 1, 100_000, "rows of the longest scan; lengths are uniform from 1 on")
    zipf_exponent: float = kit.param(0.99, words="exponent of the popularity of rows", above=0, below=20)
    kept_samples: int = kit.common("kept_samples", 500)


WORKLOADS: dict[str, tuple[str, dict[str, int]]] = {
    "a": ("A: half reads, half updates", {"read": 50, "update": 50}),
    "b": ("B: 95 % reads, 5 % updates", {"read": 95, "update": 5}),
    "c": ("C: reads alone", {"read": 100}),
    "d": ("D: 95 % reads of the latest, 5 % inserts", {"read": 95, "insert": 5}),
    "e": ("E: 95 % scans, 5 % inserts", {"scan": 95, "insert": 5}),
    "f": ("F: half reads, half read and written back", {"read": 50, "modify": 50}),
}
"""YCSB's core workloads (Cooper et al. 2010), by their letters: of a hundred operations so many of each kind."""
STORES: dict[str, tuple[str, kv.Options]] = {
    "note": ("the note's engine", {**kv.ENGINE, **kv.AFTER}),
    "alex": ("ALEX before RocksDB", {"engine": "rocksdb", "index": "alex", **kv.AFTER}),
    "rocksdb": ("RocksDB", {"engine": "rocksdb", **kv.AFTER}),
    "sqlite": ("SQLite", {"engine": "sqlite", "journal": "wal", "synchronous": "off"}),
    "lmdb": ("LMDB", {"engine": "lmdb", "sync": False}),
    "redb": ("redb", {"engine": "redb", "sync": False}),
    "value_file": ("value file", {"engine": "value_file", "value_index": "alex", "sync": False}),
}
"""No write waits for the device; all survive a process that dies. Without `make redb`, redb is left out."""
LABELS = {store: label for store, (label, _) in STORES.items()}
LOOKUPS: dict[str, kv.Options] = {
    "value_file": {**kv.uses.VALUE_FILE, "sync": False},
    "lmdb": {**kv.uses.LMDB, "sync": False},
    "redb": {"engine": "redb", "transaction": "read", "sync": False},
}
"""Look-ups in the note's rows: the file that it proposes beside the store that it names, each at its best."""
INSERTS = {
    "insert_before": ("before", "inserts before the options"),
    "insert_after": ("after", "inserts with the options"),
    "insert_after_again": ("after", "inserts with the options (A/A)"),
}


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every store under every workload, the inserts, then the look-ups, in the order of the figures."""
    for name in WORKLOADS:
        for store, label in LABELS.items():
            settings = {"workload": name, "store": store}
            yield kit.Configuration(f"{name}_{store}", f"{label}, workload {name.upper()}", settings)
    for name, (options, label) in INSERTS.items():
        yield kit.Configuration(name, label, {"workload": "insert", "store": f"insert_{options}"})
    for store in LOOKUPS:
        settings = {"workload": "lookup", "store": store}
        yield kit.Configuration(f"lookup_{store}", f"look-ups, {LABELS[store]}", settings)


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    p, name, store = parameters, str(arm.settings["workload"]), str(arm.settings["store"])
    run: dict[str, Any]
    if name == "lookup":
        run = {
            "law": "stride", "stride": p.stride, "operations": max(256, p.insert_rows // p.stride),
            "warm_operations": p.insert_rows // p.warm_stride, "warm_stride": p.warm_stride,
        }  # fmt: skip
        return kv.request(seed, LOOKUPS[store], p.insert_rows, run, batch_rows=10_000)
    if name == "insert":  # the look-ups behind the inserts give the trial its sample
        engine = {**kv.ENGINE, "index_load": "single", **(kv.BEFORE if store == "insert_before" else kv.AFTER)}
        return kv.request(seed, engine, p.insert_rows, {"law": "uniform", "operations": 256})
    run = {
        "law": "latest" if name == "d" else "zipf", "exponent": p.zipf_exponent, **WORKLOADS[name][1],
        "operations": p.operations, "warm_operations": p.warm_operations,
    }  # fmt: skip
    if name == "e":
        scans = p.scan_operations
        run |= {"operations": scans, "warm_operations": min(p.warm_operations, scans), "scan_rows": p.scan_rows}
    load = {"keys": "random", "value_bytes": p.value_bytes, "batch_rows": 10_000, "settle": "flush"}
    return kv.request(seed, STORES[store][1], p.rows, run, workload="mixed", **load)


def metrics(asked: kv.Asked[Parameters]) -> kv.Metrics:
    """All metrics of a trial but those that ``reduce`` gives. What an engine does not have is missing, never 0."""
    record, sent = asked.answer.record, asked.request
    counters, rows = record["counters"], int(sent["load"]["rows"])
    if asked.arm.settings["workload"] == "lookup":
        return kv.looked_up(record, sent["run"])
    if sent["workload"] != "mixed":
        return {
            "insert_mean_ns": 1e9 * kv.inserted_s(record) / rows, "inserted_rows": float(rows),
            "insert_syncs": kv.syncs(counters, "open", "load"),
        }  # fmt: skip
    kinds = {name.partition(".")[0]: times for name, times in asked.answer.series.items()}
    run = counters["run"]
    found: kv.Metrics = {
        "operation_mean_ns": kv.mean_ns(record, int(run["operations"])),
        "operations": float(run["operations"]),
        "checked_reads": float(record["checked_reads"]),
        "run_syncs": kv.syncs(counters, "warm", "run"),
        "anonymous_bytes": float(run["memory"]["anonymous_bytes"]),
    }
    for kind, times in kinds.items():
        found |= kv.quantiles(times, kind, ("mean_ns", "p99_ns", "max_ns"))
    writes = sum(len(kinds.get(each, ())) for each in ("update", "insert", "modify"))
    before, after = (counters[phase]["memory"]["device_write_bytes"] for phase in ("warm", "flushed"))
    if writes and before is not None and after is not None:  # until all is in files, over what the store was given
        given = writes * (asked.parameters.value_bytes + 8)
        found |= {"write_amplification": (after - before) / given, "writes": float(writes)}
    return found


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """A trial's metrics, and the times of all its operations."""
    record, series = asked.answer.record, asked.answer.series
    name = "operation" if asked.request["workload"] == "mixed" else "batch"
    labels = {"engine": f"{record['engine']} {record['engine_version']}"}
    return kv.Reading(metrics(asked), name, np.concatenate([*series.values()]), labels)


@dataclass(frozen=True)
class WithRedb(kv.Probing[Parameters]):
    """The family's measuring, of two programs, one of which may be absent."""

    @contextmanager
    def session(self, parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
        """The family's, with the program that has redb, if there is one."""
        other, absent = Path(), ""
        try:
            other = programs.find_redb()
        except NoEngineError as error:
            absent = f"{error.problem}: {error.mend}"
        with super().session(parameters, progress) as made:
            yield Bench(**vars(made), other=other, absent=absent)


@dataclass(frozen=True)
class Bench(kv.Bench[Parameters]):
    """Trials on the program that has their store. other: the one with redb. absent: why there is none, else empty."""

    other: Path = Path()
    absent: str = ""

    def provenance(self) -> dict[str, Any]:
        """The family's, and redb's version, or why it is left out."""
        if not self.absent:
            found = {"redb": programs.versions(self.other)["redb"], "redb_sha256": files.sha256(self.other)}
            return {**super().provenance(), **found}
        own = replace(self.probing, configurations=lambda p: [arm for arm in configurations(p) if not in_redb(arm)])
        return {**super(Bench, replace(self, probing=own)).provenance(), "left_out": {"redb": self.absent}}

    def measure(self, planned: kit.PlannedTrial) -> kit.Trial:
        """Measure one configuration once; without a number where its store is left out."""
        if self.absent and in_redb(planned.configuration):
            started_at = datetime.now(UTC).isoformat(timespec="seconds")
            return kit.Trial(planned, started_at, 0.0, {}, {"engine": f"left out: {self.absent}"}, {})
        return super().measure(planned)

    def _ask(self, request: kv.Request, timeout_s: float) -> kv.Answer:
        program = self.other if request["options"]["engine"] == "redb" else self.program
        return probe.ask(program, request, timeout_s=timeout_s, folder=self.folder)


def in_redb(arm: kit.Configuration) -> bool:
    """Whether redb is its store."""
    return arm.settings["store"] == "redb"


PROBING = WithRedb("RocksDB, SQLite and LMDB", ("RocksDB", "SQLite", "LMDB"), configurations, request_of, read)
session, reduce = PROBING.session, kv.reduce


def needs(parameters: Parameters) -> kit.Needs:
    """The family's, and the disk on which every write of a trial may stay beside the one before it."""
    own, p = PROBING.needs(parameters), parameters
    return replace(own, disk_bytes=own.disk_bytes + 2 * p.operations * (p.value_bytes + 64))


METRICS = {
    **kv.METRICS,
    "insert_mean_ns": kit.Metric("mean time of an insert", "µs", 1e-3, "{:.3g}".format, "insert"),
    "operation_mean_ns": kit.Metric("mean time of an operation", "µs", 1e-3, heading="operation"),
    "read_p99_ns": kit.Metric("P99 of a read", "µs", 1e-3, heading="read, P99"),
    "update_p99_ns": kit.Metric("P99 of an update", "µs", 1e-3, heading="update, P99"),
    "update_max_ns": kit.Metric("longest update", "ms", 1e-6, "{:.3g}".format, "longest update"),
    "write_amplification": kit.Metric("bytes written for each byte given", "", 1, "{:.2f}".format, "written ÷ given"),
    "run_syncs": kit.Metric("number of syncs during the operations", heading="syncs while it works"),
}
AA = ("insert_after_again", "insert_after")
Summary = kv.Summary[Parameters]


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """No write waited for the device, in any store; RocksDB may sync when it writes a file in the background."""
    trials = summary.run.trials
    if "run_syncs" not in trials:
        return []
    each = (trials["run_syncs"] / trials["operations"]).dropna()
    said = f"{each.max():.2g} syncs for each operation at most, where background work alone may sync"
    return [kit.Gate("durability", bool(each.max() <= 0.01), float(each.max()), said)]


no_file = cannot_act(
    "table_files", ("benchmark_before", "benchmark_after"), experiment="rocksdb_tuning",
    counted="RocksDB had 0 files after the same inserts in {} trials of “The five RocksDB options”",
    why="the note writes its ten million rows as one, which goes into one memtable, and filter, block cache, pinning "
    "and the size of a block act on files alone",
    control=Control("files_before", "table_files", "flushed, the same rows make at least {} file a trial",
                    "rocksdb_tuning"),
    scope="rows that are inserted in parts are written to files meanwhile; what the options do then is not measured "
    "here",
)  # fmt: skip
"""That the options had nothing to act on: the same inserts leave no file."""
insert, time, lookup = (kit.measured(f"{what}_mean_ns") for what in ("insert", "operation", "lookup"))
reads, updates = kit.measured("read_p99_ns"), kit.measured("update_p99_ns")
amplification = kit.counted("write_amplification")
OTHERS = [store for store in STORES if store != "rocksdb"]
NUMBERS = {
    "insert": (insert["insert_before"] / insert["insert_after"]).but(inert=no_file),
    "insert_us": insert["insert_after"] / 1e3,
    **{f"{name}_{store}": time[f"{name}_{store}"] / time[f"{name}_rocksdb"] for name in WORKLOADS for store in OTHERS},
    "amplification": {store: amplification[f"a_{store}"].mean for store in STORES if store not in ("note", "alex")},
    "file_over": {store: (lookup["lookup_value_file"] / lookup[f"lookup_{store}"]).as_quantity(
        kit.Quantity.COMPARISON, insert.name) for store in ("redb", "lmdb")},  # whose A/A pair there is
    "lookup_redb": lookup["lookup_redb"] / 1e3,
    "tail_updates": updates["a_lmdb"] / updates["a_rocksdb"],
    "tail_reads": reads["a_lmdb"] / reads["a_rocksdb"],
    "worst_rocksdb": kit.measured("update_max_ns")["a_rocksdb"] / 1e6,
    "updates_cost": time["a_rocksdb"] / time["c_rocksdb"],
    "equal": insert["insert_after_again"] / insert["insert_after"],
}  # fmt: skip
WORDS = {
    "left_out": lambda summary: summary.run.provenance.get("left_out", {}),
    "redb_version": lambda summary: summary.run.provenance.get("redb", "of an unknown version"),
}
FIGURES = {
    "times": kit.Dots(
        rows={name: label for name, (label, _) in WORKLOADS.items()}, row="workload",
        series={label: time[f"{{}}_{store}"] for store, label in LABELS.items()}, heading="store",
        metric=METRICS[time.name],
    ),
    "claims": kit.ClaimFigure(what="The chapter's claim that is a ratio"),
}  # fmt: skip
