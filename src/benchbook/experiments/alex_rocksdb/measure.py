"""One trial: a fresh process, a store and an index filled anew, warmed, asked, and every answer checked."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.engines import cores, kv, probe
from benchbook.experiments.alex_rocksdb.arms import LOOP, OF_BENCHMARK, OF_TOOL, Parameters, configurations
from benchbook.experiments.alex_rocksdb.metrics import metrics, state
from benchbook.experiments.alex_rocksdb.reduction import kept, reduce
from benchbook.experiments.alex_rocksdb.settings import OPTIONS
from benchbook.experiments.needs import Needs
from benchbook.model import Configuration, PlannedTrial, Trial

TOOL_STRIDE, TOOL_WARM_LOOKUPS, TOOL_WARM_STRIDE = 100, 1_000, 1_000
WARM_STRIDE = 7_919
"""A prime, so that look-ups before a fixed stride come from everywhere and not from the keys that are measured."""
TRIAL_LIMIT_S, ROW_LIMIT_S = 300, 60e-6
ENGINE_ROW_S, INDEX_ROW_S, COMPACTED_ROW_S, TRIAL_S, LOOKUP_S = 1.05e-6, 0.28e-6, 1.5e-6, 0.08, 3e-6
"""What a row, a trial and a look-up take on two cores of a current server: enough to say how long a run will take."""


def needs(parameters: Parameters) -> Needs:
    """Disk for one store, memory for the largest trial, and the probe."""
    return Needs(
        disk_bytes=parameters.store_bytes,
        memory_bytes=parameters.memory_bytes,
        engine=identity,
        minutes=parameters.blocks * sum(_seconds(parameters, arm) for arm in configurations(parameters)) / 60,
    )


def identity() -> dict[str, Any]:
    """Which engine would be measured."""
    return kv.identity("RocksDB", "RocksDB")


def _seconds(p: Parameters, arm: Configuration) -> float:
    """How long a trial takes, as far as that can be said before."""
    request = request_of(p, arm, 0)
    rows, looked = request["load"]["rows"], request["run"]["operations"]
    each = INDEX_ROW_S if arm.settings["engine"] == "none" else ENGINE_ROW_S
    if request["load"]["settle"] == "compact":
        each += COMPACTED_ROW_S
    return float(TRIAL_S + rows * each + looked * LOOKUP_S)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """Nothing is loaded ahead: every trial fills a store of its own."""
    progress("finding the probe", 1.0)
    split = cores.split()
    pinned = None if split is None else split.client
    yield Bench(parameters, kv.find(), kv.versions(), files.scratch(needs(parameters).disk_bytes), pinned)


@dataclass(frozen=True)
class Bench:
    """The program, the disk on which the stores lie, and the core that it is kept on; None where the kernel decides."""

    parameters: Parameters
    program: Path
    versions: dict[str, str]
    folder: Path
    pinned: frozenset[int] | None

    def provenance(self) -> dict[str, Any]:
        """The versions in the build, and RocksDB's options as it held them in a small trial of the first arm."""
        tiny = self.parameters.model_copy(update={"rows": self.parameters.small_rows, "lookups": 256})
        first = next(arm for arm in configurations(tiny) if arm.name == LOOP)
        answer = self._ask(request_of(tiny, first, 0), 60)
        return {
            **identity(),
            "builds": self.versions,
            "settings": without_folders(dict(answer.record["settings"])),
            "probe_timer_ns": answer.record["timer_ns"],
            "pinned": None if self.pinned is None else [*self.pinned],
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        request = request_of(self.parameters, planned.configuration, planned.seed)
        answer = self._ask(request, TRIAL_LIMIT_S + request["load"]["rows"] * ROW_LIMIT_S)
        found = metrics(answer, request)
        series = "batch" if request["run"]["timing"] == "batches" else "query"
        samples = kept(answer.series[f"{series}.service"], self.parameters.kept_samples)
        held = state(answer)
        labels = {} if held is None else {"rows_in": held}
        duration_s = time.monotonic() - clock
        return Trial(planned, started_at, duration_s, found | reduce(samples), labels, {series: samples})

    def _ask(self, request: dict[str, Any], timeout_s: float) -> probe.Answer:
        with cores.on(self.pinned):
            return probe.ask(self.program, request, timeout_s=timeout_s, folder=self.folder)


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> dict[str, Any]:
    """What the probe is asked for in a trial (probes/kv/README.md)."""
    p, settings = parameters, arm.settings
    options: dict[str, Any] = {"engine": settings["engine"], "index": settings["index"]}
    if settings["index"] != "none":
        options["index_load"] = settings["index_load"]
    if settings["row_cache"]:
        options["row_cache_entries"] = p.row_cache_entries
    if settings["engine"] != "none":
        options |= OPTIONS[str(settings["options"])]
    if settings["statistics"]:
        options["statistics"] = True
    tool = settings["options"] == "tool"
    load = {
        "rows": settings["rows"],
        "keys": settings["keys"],
        "value_bytes": 0,
        "batch_rows": p.tool_batch_rows if tool else 0,
        "settle": settings["settle"],
    }
    run = _pattern(p, arm) | {
        "timing": settings["timing"],
        "without": settings["without"],
        "dependent": settings["dependent"],
        "absent": settings["absent"],
    }
    return {"seed": seed, "workload": "gets", "options": options, "load": load, "run": run}


def _pattern(p: Parameters, arm: Configuration) -> dict[str, Any]:
    """Which keys are asked for, how many, and which before them."""
    rows, law, whose = int(arm.settings["rows"] or 0), arm.settings["law"], arm.settings["pattern"]
    if whose == OF_BENCHMARK:
        stride = max(1, rows // p.benchmark_lookups)
        return {"law": law, "stride": stride, "operations": p.benchmark_lookups,
                "batch_operations": p.benchmark_lookups}  # fmt: skip
    if whose == OF_TOOL:
        found = {"law": law, "operations": p.tool_lookups, "warm_operations": TOOL_WARM_LOOKUPS,
                 "warm_stride": TOOL_WARM_STRIDE}  # fmt: skip
        return found | ({"stride": TOOL_STRIDE} if law == "stride" else {})
    found = {"law": law, "operations": p.lookups, "warm_operations": p.lookups // 10}
    if law == "stride":
        found |= {"stride": max(1, rows // p.lookups), "warm_stride": WARM_STRIDE}
    if law == "zipf":
        found["exponent"] = p.zipf_exponent
    return found


def without_folders(settings: Any) -> Any:
    """The same settings with every path in RocksDB's option texts replaced: a run's record names no folder."""
    if isinstance(settings, dict):
        return {name: without_folders(value) for name, value in settings.items()}
    if isinstance(settings, str):
        return re.sub(r"=[^;{}]*/[^;{}]*", "=a folder", settings)
    return settings
