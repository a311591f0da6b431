"""One trial: a store that is filled, warmed and asked along a stride, at random, for ranges; or an index alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

from benchbook.chapters.read_path.arms import (
    BATCH_OPERATIONS,
    DURABLE,
    HALF,
    INDEX,
    STRIDE,
    UNIFORM,
    Parameters,
    configurations,
)
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.measuring.kv import bench, bounded
from benchbook.measuring.kv.bench import Asked, Probing, Reading, cause, named
from benchbook.measuring.kv.costs import NOTE_ROW_BYTES, ROW_BYTES
from benchbook.measuring.kv.metrics import Metrics, drawn_bytes, lookups_made, mean_ns, quantiles, syncs
from benchbook.measuring.kv.requests import Request, counting, request
from benchbook.measuring.samples import reduce
from benchbook.model import Configuration, PlannedTrial, Trial

WARM_SHARE = 0.01
"""Share of the store's bytes that a trial may read from the device and still count as warm (protocol, item 13)."""
WARM, READ, NOT_COUNTED = "warm", "read from the device", "not counted"
HALF_HELD, OTHER_SHARE = "half in memory", "another share in memory"
HALF_WITHIN = (0.35, 0.6)
"""Shares of a store's files in the page cache that count as half of them."""
TIMES = ("mean_ns", "p50_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns")
SERIES = {
    STRIDE: "batch.service",
    INDEX: "batch.service",
    UNIFORM: "query.service",
    DURABLE: "query.service",
    HALF: "query.service",
}
"""The probe's series by way of measuring."""
SINGLE = {UNIFORM: "query", DURABLE: "scan", HALF: "query"}
"""What is timed one by one, by way of measuring."""
STORED = {STRIDE: "batch", INDEX: "batch", UNIFORM: "query", DURABLE: "scan", HALF: "query"}
"""What one stored time is, by way of measuring."""


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    p = parameters
    options = dict(arm.settings)
    way, absent = str(options.pop("way")), bool(options.pop("absent", False))
    load: dict[str, Any] = {"value_bytes": p.value_bytes}
    run: dict[str, Any] = {"warm_operations": p.warm_operations, "warm_stride": p.warm_stride}
    run |= {"batch_operations": BATCH_OPERATIONS, "law": "uniform"}
    if way in (STRIDE, UNIFORM, HALF):
        load |= {"batch_rows": options.pop("batch_rows"), "settle": options.pop("settle")}
    if way == STRIDE:
        load["value_bytes"] = 0
        run |= {"law": "stride", "stride": p.stride, "operations": p.stride_operations}
    elif way == UNIFORM:
        run |= {"operations": p.operations, "timing": "queries"}
    elif way == HALF:
        run |= {"operations": p.half_operations, "warm_operations": p.half_rows // p.warm_stride, "timing": "queries"}
    elif way == INDEX:
        load |= {"keys": "random", "batch_rows": 1}
        run |= {"operations": p.existence_keys, "dependent": True, "absent": absent}
    else:
        load |= {"batch_rows": p.durable_batch_rows, "reopen": True}
        run |= {"operations": p.scans, "scan_rows": p.scan_rows, "timing": "queries"}
        run |= {"warm_operations": p.durable_rows // p.scan_rows, "warm_stride": p.scan_rows}
    rows = {DURABLE: p.durable_rows, HALF: p.half_rows}.get(way, p.rows)
    return request(seed, options, rows, run, **load)


def read(asked: Asked[Parameters]) -> Reading:
    """A trial's metrics, its batches, single look-ups or scans, and what the caches held."""
    way, p = str(asked.arm.settings["way"]), asked.parameters
    found = metrics(asked.answer, way, asked.request)
    row = p.value_bytes + ROW_BYTES
    allowed = WARM_SHARE * max(max(NOTE_ROW_BYTES, row) * p.rows, row * p.durable_rows)
    labels = {"cache_state": cache_state(found["run_major_faults"], asked.device_bytes, allowed)}
    times = asked.answer.series[SERIES[way]]
    return Reading(found | {"device_read_bytes": asked.device_bytes}, STORED[way], times, labels)


def cache_state(major_faults: float | None, read_bytes: float | None, allowed_bytes: float) -> str:
    """What the caches held: WARM when the timed part missed no page and the whole trial read next to nothing."""
    if major_faults or (read_bytes is not None and read_bytes > allowed_bytes):
        return READ
    return NOT_COUNTED if read_bytes is None else WARM


def metrics(answer: Answer, way: str, request: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial but those that ``reduce`` gives. What an engine does not tell is missing, never 0."""
    counters, rows = answer.record["counters"], int(request["load"]["rows"])
    operations = int(request["run"]["operations"])
    run, warm = counters["run"], counters["warm"]
    found: Metrics = {
        "operations": float(lookups_made(answer.record, request["run"])),
        "right_answers": float(run["checked_reads"]),
        "timer_ns": float(answer.record["timer_ns"]),
        "run_major_faults": float(run["memory"]["major_faults"] - warm["memory"]["major_faults"]),
        "anonymous_bytes": float(run["memory"]["anonymous_bytes"]) or None,
        "huge_page_bytes": float(run["memory"]["huge_page_bytes"]),
        "mapped_bytes": float(run["memory"]["mapped_bytes"] - counters["load"]["memory"]["mapped_bytes"]),
    }
    if way in SINGLE:
        found |= quantiles(answer.series[SERIES[way]], SINGLE[way], TIMES)
    else:
        found["batch_mean_ns"] = mean_ns(answer.record, operations)
    if way == DURABLE:
        found |= _durable(answer.record, rows)
    if way == INDEX:
        found["index_bytes_per_key"] = _index_bytes(answer.record, request) / rows
    else:
        found["load_s"] = float(answer.record["seconds"]["load_engine"] + answer.record["seconds"]["settle"])
        found |= _stored(answer.record, rows)
    return found


def _durable(record: Mapping[str, Any], rows: int) -> Metrics:
    """Cost of a synced write, the calls that made it so, and the time until the store is open again."""
    counters, seconds = record["counters"], record["seconds"]
    batches = counters["load"]["batches"]
    recovered = counters["load"]["engine"].get("recovered_records")
    if recovered is not None and recovered != rows:
        raise BenchbookError(f"{recovered:,} of {rows:,} records came back when the store was opened", "run the tests")
    return {
        "write_ns_per_row": 1e9 * seconds["load_engine"] / rows,
        "syncs_per_batch": syncs(counters, "open", "written") / batches,
        "reopen_s": float(seconds["reopen"]),
    }


def _stored(record: Mapping[str, Any], rows: int) -> Metrics:
    """Bytes a key in the store's files, keys and values included, and in an index over them where it is counted."""
    held, settings = record["counters"]["run"]["engine"], record["settings"]["engine_options"]
    index: float | None = None
    if "file_bytes" in held:
        disk, index = held["file_bytes"], held["index_bytes"]
    elif "page_count" in held:
        disk = int(held["page_count"]) * int(settings["page_size"])
    elif "leaf_pages" in held:
        disk = held["page_bytes"] * (held["branch_pages"] + held["leaf_pages"] + held["overflow_pages"])
    else:
        disk = held.get("rocksdb.total-sst-files-size")
    # RocksDB has no file before its first flush: then all rows are in memory and in the log.
    return {
        "disk_bytes_per_key": disk / rows if disk else None,
        "index_bytes_per_key": None if index is None else index / rows,
    }


def _index_bytes(record: Mapping[str, Any], request: Mapping[str, Any]) -> float:
    """What the index counts itself; for one that does not, what the heap grew by, without the keys drawn ahead."""
    counters = record["counters"]
    counted = counters["load"]["index"]["bytes"]
    if counted is not None:
        return float(counted)
    grown = counters["load"]["memory"]["heap_bytes"] - counters["open"]["memory"]["heap_bytes"]
    return float(grown - drawn_bytes(record, request["run"]))


PROBING = Probing("Value file, SQLite, LMDB, RocksDB", (), configurations, request_of, read)
needs = PROBING.needs


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The family's, which also measures where memory holds half of a store."""
    with PROBING.session(parameters, progress) as made:
        yield Bench(**{each.name: getattr(made, each.name) for each in fields(made)})


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials of the family, and those in bounded memory, which take no turns: what one reads, another would find."""

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once; without a number where its memory cannot be bounded."""
        if planned.configuration.settings["way"] != HALF:
            return super().measure(planned)
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        asked = self._request(planned)
        try:
            half = bounded.ask(self.program, asked, int(asked["run"]["operations"]), self.folder)
        except bounded.UnboundedError as error:
            return Trial(planned, started_at, 0.0, {}, {"cache_state": f"left out: {error.problem}"}, {})
        took_s = time.monotonic() - clock
        lookups = counting(asked, half.answer)
        found = self._trial(planned, lookups, half.answer, half.device_bytes, started_at, took_s)
        own = {"held_share": half.held_share, "device_kib_per_lookup": None}
        if half.device_bytes is not None:
            own["device_kib_per_lookup"] = half.device_bytes / 1024 / lookups["run"]["operations"]
        low, high = HALF_WITHIN
        state = HALF_HELD if low <= half.held_share <= high else OTHER_SHARE
        return replace(found, metrics={**found.metrics, **own}, labels={**found.labels, "cache_state": state})

    def side_by_side(
        self, planned: Sequence[PlannedTrial], between: Callable[[], None], say: Callable[[str], None]
    ) -> Iterator[Trial]:
        """The family's turns; one after the other where memory is bounded."""
        if planned[0].configuration.group != HALF:
            yield from super().side_by_side(planned, between, say)
            return
        failed = []
        for each in planned:
            between()
            try:
                yield self.measure(each)
            except BenchbookError as error:
                failed.append(named(error, each.configuration))
        if failed:
            raise cause(failed)


__all__ = ["needs", "read", "reduce", "request_of", "session"]
