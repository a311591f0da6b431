"""One trial: a fresh process with an empty store, the suite's tests one after the other, and what they cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.chapters.event_stores.arms import BADGER, Parameters, configurations
from benchbook.engines import event_stores, probe
from benchbook.engines.probe import Answer
from benchbook.errors import MachineError
from benchbook.measuring.badger import request
from benchbook.measuring.samples import reduce, subsample
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs
from benchbook.statistics import describe

__all__ = ["metrics", "needs", "reduce", "request_of", "session"]

TESTS = ("alone", "peak", "burst", "mixed", "query", "concurrent")
TEST_LIMIT_S = 300
EVENT_BYTES = 4_000
"""Bytes that an event takes on disk at most, with its index entries, logs and pages half full."""
SPARE_BYTES, PROCESS_BYTES = 1_000_000_000, 2_000_000_000
SAVE_S, SYNCED_SAVE_S = 150e-6, 4e-3
"""Of an event, estimates for what is said of the time."""
Metrics = dict[str, float | None]


def needs(parameters: Parameters) -> Needs:
    """Disk for one store, memory for its process, and the probe."""
    p, arms = parameters, configurations(parameters)
    held = sum(bool(arm.settings["synced"]) for arm in arms)
    each_s = p.query_s + p.concurrent_s + p.bursts * (p.burst_spread_ms + p.burst_quiet_ms) / 1e3 + 2
    saving_s = 2 * ((len(arms) - held) * p.events * SAVE_S + held * p.synced_events * SYNCED_SAVE_S)
    return Needs(
        disk_bytes=(3 * p.events + 2 * p.query_events) * EVENT_BYTES + SPARE_BYTES,
        memory_bytes=PROCESS_BYTES + (p.cache_mib << 20),
        engine=event_stores.identity,
        minutes=p.blocks * (len(arms) * each_s + saving_s) / 60,
    )


def request_of(parameters: Parameters, configuration: Configuration, seed: int) -> dict[str, Any]:
    """What the probe is asked for in a trial."""
    p, settings = parameters, configuration.settings
    store, waits = str(settings["store"]), bool(settings["synced"])
    suite = request.request_of(p, request.arm(configuration.name, "", p.cache_mib, p.index_cache_mib), seed)
    own = {
        "tests": list(TESTS), "alone_events": p.alone_events, "limit_s": TEST_LIMIT_S,
        "mixed_seeded": p.query_events // 10, "mixed_operations": p.mixed_operations, "query_seeded": p.query_events,
        "query_s": p.query_s, "concurrent_seeded": p.query_events // 2, "concurrent_s": p.concurrent_s,
    }  # fmt: skip
    return suite | {
        "workload": "stores",
        "options": suite["options"] if store == BADGER else {},
        "load": {
            "events": p.synced_events if waits else p.events, "engine": store, "synced": waits,
            "query_cache": bool(settings["query_cache"]), "cache_bytes": p.cache_mib << 20,
        },
        "run": suite["run"] | own,
    }  # fmt: skip


def metrics(answer: Answer, sent: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial but those that ``reduce`` gives. What an engine or the machine does not say is missing.

    Raises MachineError when the machine was too slow to save the events within the burst's time limit.
    """
    record, series, load, run = answer.record, answer.series, sent["load"], sent["run"]
    counters, took = record["counters"], record["seconds"]
    start, alone, burst = (counters[name] for name in ("start", "round_1.alone", "round_1.burst"))
    times = series["round_1.burst.service"]
    wanted = load["events"] // run["bursts"] * run["bursts"]
    if len(times) != wanted:
        raise MachineError(
            f"the bursts saved {len(times):,} of {wanted:,} events within their time", "ask for fewer events"
        )
    saved = int(burst["saved_events"])
    found: Metrics = {
        "saved_events": float(saved),
        "timed_saves": float(sum(len(series[f"round_1.{test}.service"]) for test in ("alone", "peak", "burst"))),
        "checked_reads": float(record["checked_reads"]),
        "peak_test_events_per_s": load["events"] / took["round_1.peak"],
        "burst_events_per_s": len(times) / took["round_1.burst"],
        "response_mean_ns": float(series["round_1.burst.response"].mean()),
        "most_under_way": float(burst["most_under_way"]),
        "store_bytes_per_event": burst["store_bytes"] / saved,
        "written_bytes_per_event": _per(start["memory"], burst["memory"], "device_write_bytes", saved),
        "flushes_per_save": _per(start["device"], alone["device"], "flushes", run["alone_events"]),
        "anonymous_bytes": _number(burst["memory"], "anonymous_bytes"),
        "queries": float(len(series["round_1.query.service"])),
    }
    kinds = {
        "alone": "alone", "burst": "burst", "query": "query", "mixed_save": "mixed.save", "mixed_query": "mixed.query",
        "concurrent_save": "concurrent.save", "concurrent_query": "concurrent.query",
    }  # fmt: skip
    for name, test in kinds.items():
        values = series[f"round_1.{test}.service"]
        if len(values):
            found |= {f"{name}_{each}": value for each, value in describe(values).items() if each in _LATENCIES}
    if load["query_cache"]:
        hits, misses = (
            counters["round_1.concurrent"][each] - counters["round_1.query"][each]
            for each in ("query_cache_hits", "query_cache_misses")
        )
        found["concurrent_cache_hit_ratio"] = hits / (hits + misses) if hits + misses else None
    return found


_LATENCIES = ("mean_ns", "p50_ns", "p95_ns", "p99_ns", "max_ns")


def _per(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, name: str, divisor: int) -> float | None:
    """How much a counter grew for each of so many; None where the machine does not count it."""
    if not before or not after or name not in before or name not in after:
        return None
    return float(after[name] - before[name]) / divisor


def _number(values: Mapping[str, Any], name: str) -> float | None:
    return float(values[name]) if name in values else None


@dataclass(frozen=True)
class Bench:
    """The program, and the disk on which the stores lie."""

    parameters: Parameters
    program: Path
    folder: Path

    def provenance(self) -> dict[str, Any]:
        """The engines; what each store was set to stands with its trials."""
        return event_stores.identity()

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        sent = request_of(self.parameters, planned.configuration, planned.seed)
        limit_s = len(TESTS) * TEST_LIMIT_S
        answer = probe.ask(self.program, sent, timeout_s=limit_s, folder=self.folder)
        samples = subsample(answer.series["round_1.burst.service"], self.parameters.kept_samples)
        record = answer.record
        labels = {
            "engine": f"{record['engine']} {record['engine_version']}",
            "settings": ", ".join(f"{name} {value}" for name, value in sorted(record["settings"].items())),
        }
        found = metrics(answer, sent) | reduce(samples)
        return Trial(planned, started_at, time.monotonic() - clock, found, labels, {"burst": samples})


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """Nothing is loaded ahead: every trial fills a store of its own."""
    progress("finding the probe", 1.0)
    yield Bench(parameters, event_stores.find(), files.scratch(needs(parameters).disk_bytes))
