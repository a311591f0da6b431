"""One trial: a store loaded and then read, or written to by a process that is killed and looked through afterwards.

Before the look the disk may lose its power.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from benchbook.chapters.sqlite_fairness.arms import (
    COMMITS,
    DEPENDENT,
    LOOKUPS,
    NOTE,
    POWER_CUT,
    TIMED,
    WARM,
    WRITES,
    WRITTEN,
    Parameters,
    configurations,
)
from benchbook.engines.prepared import prepared
from benchbook.engines.probe import Answer
from benchbook.engines.storage import power, refusals
from benchbook.engines.storage.volumes import Volume, volume
from benchbook.errors import MachineError
from benchbook.measuring.kv import costs
from benchbook.measuring.kv.bench import Asked, Bench, Probing, Reading
from benchbook.measuring.kv.metrics import (
    Metrics,
    inserted_s,
    lookup_device_bytes,
    lookups_made,
    mean_ns,
    memtable_rows,
    quantiles,
    sqlite_pages,
    syncs,
    table_files,
)
from benchbook.measuring.kv.requests import Request, request
from benchbook.measuring.samples import reduce
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs
from benchbook.store import atomic

SPARE_BYTES = 512 << 20
"""For the file system of the volume that loses its power, and for files that RocksDB makes larger than they become."""
BATCH = 256
"""Look-ups between two readings of the clock where they are timed in batches."""
LARGEST_BATCH = 1 << 16
QUANTILES = ("p50_ns", "p95_ns", "p99_ns", "p999_ns")


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    part, rows = str(arm.settings["part"]), int(arm.settings["rows"] or 0)
    use = (WRITES if part in WRITTEN else LOOKUPS)[str(arm.settings["use"])]
    if part in WRITTEN:
        kill = {"kill_after_batches": _kill_after(parameters, part, seed)}
        batch = parameters.commit_rows if part == COMMITS else 0
        return request(seed, use.options, rows, kill, workload="crash", batch_rows=batch)
    return request(seed, use.options, rows, _run(parameters, part, rows), settle=use.settle)


def _run(p: Parameters, part: str, rows: int) -> dict[str, Any]:
    """The look-ups of a part. The note's are those of its benchmark: each stride-th row, once, nothing before."""
    if part == NOTE:
        found: dict[str, Any] = {"law": "stride", "stride": rows // p.queries, "operations": p.queries}
        return found | {"batch_operations": min(p.queries, LARGEST_BATCH)}
    own: dict[str, dict[str, Any]] = {
        WARM: {"operations": p.ladder_queries},
        DEPENDENT: {"operations": p.ladder_queries, "dependent": True},
        TIMED: {"operations": p.timed_queries, "timing": "queries"},
    }
    return {"law": "uniform", "warm_operations": p.warm_queries, "batch_operations": BATCH} | own[part]


def _kill_after(p: Parameters, part: str, seed: int) -> int:
    """The commit after whose report the writer is killed: the only one, or one of the second half, alike in a block."""
    if part != COMMITS:
        return 1
    return int(np.random.default_rng(seed).integers(p.commits // 2, p.commits, endpoint=True))


def read(asked: Asked[Parameters]) -> Reading:
    """A trial's metrics, and its one series of times."""
    found: Metrics = {"device_read_bytes": asked.device_bytes}
    if asked.arm.settings["part"] in WRITTEN:
        series, found = "write", found | killed(asked.answer, asked.request)
    else:
        series, found = "lookup", found | looked_up(asked.answer, asked.request)
    [times] = asked.answer.series.values()
    return Reading(found, series, times, {"engine": str(asked.answer.record["engine"])})


def looked_up(answer: Answer, request: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial of look-ups but those that ``reduce`` gives; what an engine does not count is missing."""
    record, rows = answer.record, int(request["load"]["rows"])
    counters = record["counters"]
    memory, engine = counters["run"]["memory"], counters["run"]["engine"]
    found: Metrics = {
        "query_mean_ns": mean_ns(record, request["run"]["operations"]),
        "asked_reads": float(request["run"].get("warm_operations", 0) + lookups_made(record, request["run"])),
        "checked_reads": float(record["checked_reads"]),
        "lookup_device_bytes": lookup_device_bytes(counters),
        "row_cache_hits": float(counters["run"]["row_cache_hits"]),
        "insert_ns_per_row": 1e9 * inserted_s(record) / rows,
        "insert_engine_ns_per_row": 1e9 * record["seconds"]["load_engine"] / rows,
        "insert_syncs": syncs(counters, "open", "load"),
        "resident_bytes": float(memory["resident_bytes"]),
        "anonymous_bytes": float(memory["anonymous_bytes"]),
        "timer_ns": float(record["timer_ns"]),
    }
    if "query.service" in answer.series:
        found |= quantiles(answer.series["query.service"], "query", QUANTILES)
    if "files_at_level" in engine:
        held = memtable_rows(engine)
        found |= {"memtable_share": None if held is None else held / rows, "table_files": table_files(engine)}
    if "cache_hits" in engine:  # a mapped file does not ask SQLite's page cache
        hits, misses = (sqlite_pages(counters, what) for what in ("cache_hits", "cache_misses"))
        asked = hits + misses
        found |= {"page_lookups": asked, "page_hit_ratio": hits / asked if asked else None}
    return found


def killed(answer: Answer, request: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial whose writer was killed, but those that ``reduce`` gives."""
    crash, writes = answer.record["counters"]["crash"], answer.series["write.service"]
    acknowledged = float(crash["acknowledged_rows"])
    return {
        "acknowledged_rows": acknowledged,
        "recovered_rows": float(crash["recovered_rows"]),
        "lost_share": 1 - crash["recovered_rows"] / acknowledged,
        "acknowledged_commits": float(crash["batches"]),
        "wanted_commits": float(request["run"]["kill_after_batches"]),
        "write_ns_per_row": float(writes.sum()) / acknowledged,
        "write_syncs_per_commit": crash["syncs"] / crash["batches"],
        "recover_s": float(answer.record["seconds"]["recover"]),
        "unreadable": float(bool(crash["unreadable"])) if "unreadable" in crash else None,
    }


PROBING = Probing("SQLite and RocksDB", ("SQLite", "RocksDB"), configurations, request_of, read)


def needs(parameters: Parameters) -> Needs:
    """Disk, memory and the probe, and the volume whose power is cut."""
    own = PROBING.needs(parameters)
    return replace(
        own,
        disk_bytes=own.disk_bytes + (volume_bytes(parameters) if parameters.allow_power_cut else 0),
        usable=lambda: _check(allowed=parameters.allow_power_cut),
    )


def _check(*, allowed: bool) -> None:
    """Raise MachineError where a volume is wanted and this machine cannot have one."""
    why = refusals.refusal(allowed=True) if allowed else None
    if why is not None:
        raise MachineError(
            f"no disk can lose its power here: {why.problem}",
            f"{why.mend}; or set allow_power_cut=false to leave out the configurations that need it",
        )


def volume_bytes(parameters: Parameters) -> int:
    """Of the volume that loses its power: the largest store of such a trial, twice, and the file system itself."""
    cut = [arm for arm in configurations(parameters) if arm.settings["part"] == POWER_CUT]
    return 2 * max(costs.disk_bytes(request_of(parameters, arm, 0)) for arm in cut) + SPARE_BYTES


@dataclass(frozen=True)
class PowerBench(Bench[Parameters]):
    """The program, the disk, and the volume that loses its power; None where there is none."""

    volume: Volume | None

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        if planned.configuration.settings["part"] != POWER_CUT:
            return super().measure(planned)
        assert self.volume is not None
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        request, store = self._request(planned), self.volume.folder / "store"
        limit_s = costs.limit_s(request)
        store.mkdir()
        atomic.sync_folder(store.parent)  # the folder itself is there for good
        try:
            with prepared(self.program, request, timeout_s=limit_s, folder=self.folder, store=store) as waiting:
                power.cut(self.volume)
                answer = waiting.end(limit_s)
        finally:
            shutil.rmtree(store, ignore_errors=True)
        return self._trial(planned, request, answer, None, started_at, time.monotonic() - clock)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[PowerBench]:
    """Nothing is loaded ahead; the volume stays for all trials."""
    with ExitStack() as stack:
        made = None
        if parameters.allow_power_cut:
            made = stack.enter_context(volume(-(-volume_bytes(parameters) >> 20), allowed=True))
        found = stack.enter_context(PROBING.session(parameters, progress))
        yield PowerBench(**vars(found), volume=made)


__all__ = ["needs", "read", "reduce", "request_of", "session"]
