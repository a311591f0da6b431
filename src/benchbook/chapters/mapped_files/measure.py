"""One trial: a store that is filled, and asked for random rows when memory holds a share of its files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from benchbook import files
from benchbook.chapters.mapped_files.arms import MACHINES, Parameters, configurations
from benchbook.engines import bounds, kv
from benchbook.engines.storage import devices
from benchbook.engines.storage.volumes import Volume, volume
from benchbook.errors import MachineError
from benchbook.measuring.kv import bench, bounded, costs
from benchbook.measuring.kv.bench import Asked, Probing, Reading
from benchbook.measuring.kv.metrics import Metrics, lookups_made, quantiles
from benchbook.measuring.kv.requests import Request, counting, request
from benchbook.measuring.samples import reduce
from benchbook.measuring.storage import check
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs

BOUND = "bounded"
WITHIN = 0.15
"""How far the share of the files that the page cache holds may lie from what is asked for."""
SMALL_BOUND_BYTES = 1 << 30
TRIAL_S = 6.0
"""Of a trial beside filling its store, with some slow look-ups: an estimate for what is said of the time."""


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    p, options = parameters, dict(arm.settings)
    for name in ("memory_percent", "read_ahead_kib"):
        options.pop(name)
    load: dict[str, Any] = {"value_bytes": p.value_bytes} | {
        name: options.pop(name) for name in ("batch_rows", "settle")
    }
    run = {"law": "uniform", "operations": p.lookups, "warm_operations": p.lookups, "timing": "queries"}
    return request(seed, options, p.rows, run, **load)


def read(asked: Asked[Parameters]) -> Reading:
    """A trial's metrics and its single look-ups."""
    record, times = asked.answer.record, asked.answer.series["query.service"]
    found: Metrics = {
        "lookups": float(lookups_made(record, asked.request["run"])),
        "checked_reads": float(record["counters"]["run"]["checked_reads"]),
        **quantiles(times, "query", ("mean_ns", "p50_ns", "p95_ns")),
    }
    return Reading(found, "query", times)


PROBING = Probing("Value file, SQLite, LMDB, RocksDB", (), configurations, request_of, read)


def needs(parameters: Parameters) -> Needs:
    """Disk and memory for the largest trial, the probe, a control group; root and a loop device where asked for."""
    p, asked = parameters, PROBING.requests(parameters)

    def usable() -> None:
        with bounds.memory(SMALL_BOUND_BYTES) as bound:
            if not bound.bounded:
                raise MachineError(f"memory cannot be bounded here: {bound.label}", "measure as root")
        check(allowed=p.allow_slow_storage)

    each = [costs.seconds(request) + TRIAL_S for request in asked.values()]
    return Needs(
        disk_bytes=costs.SPARE_BYTES + max(map(costs.disk_bytes, asked.values())) + volume_mib(p) * 2**20,
        memory_bytes=max(map(costs.memory_bytes, asked.values())),
        engine=PROBING.identity,
        minutes=p.blocks * sum(each) / 60,
        usable=usable,
    )


def volume_mib(parameters: Parameters) -> int:
    """Size of the volume: the largest store with what it writes while it is filled; 0 where there is none."""
    if not parameters.allow_slow_storage:
        return 0
    largest = max(map(costs.disk_bytes, PROBING.requests(parameters).values()))
    return -(-(largest + costs.SPARE_BYTES) >> 20)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The family's, its stores on a volume of their own whose read-ahead is set for each trial, or on the disk."""
    progress("finding the probe", 1.0)
    own = Bench(PROBING, parameters, kv.find(), files.scratch(needs(parameters).disk_bytes), None)
    if not parameters.allow_slow_storage:
        yield own
        return
    with volume(volume_mib(parameters), allowed=True) as place:
        yield replace(own, folder=place.folder, volume=place)


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials in bounded memory. volume: on which their stores lie; None for the machine's own disk."""

    volume: Volume | None = None

    def provenance(self) -> dict[str, Any]:
        """The family's, and where the stores lie."""
        kept = "local disk" if self.volume is None else "a volume of their own, not capped"
        return {**super().provenance(), "storage": kept}

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        arm, asked = planned.configuration, self._request(planned)
        kib, share = (int(arm.settings[name] or 0) for name in ("read_ahead_kib", "memory_percent"))
        if self.volume is not None and kib != MACHINES:
            devices.set_read_ahead(devices.Device(self.volume.device, self.volume.number), kib)
        found = bounded.ask(self.program, asked, self.parameters.lookups, self.folder, share / 100, full=True)
        took_s = time.monotonic() - clock
        made = self._trial(planned, counting(asked, found.answer), found.answer, found.device_bytes, started_at, took_s)
        read_bytes, lookups = found.device_bytes, float(made.metrics["lookups"] or 0)
        metrics = {
            "held_share": found.held_share,
            "device_kib_per_lookup": None if read_bytes is None else read_bytes / 1024 / lookups,
        }
        near = abs(found.held_share - share / 100) <= WITHIN
        labels = {"memory": BOUND, "share": "as asked for" if near else "another share in memory"}
        return replace(made, metrics={**made.metrics, **metrics}, labels={**made.labels, **labels})


__all__ = ["needs", "read", "reduce", "request_of", "session"]
