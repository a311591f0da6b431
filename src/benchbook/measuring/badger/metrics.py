"""The metrics of a trial from a probe's answer: cache counters at the end of the burst, latencies, memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from benchbook.engines.probe import Answer
from benchbook.errors import MachineError
from benchbook.measuring.badger.request import PHASES
from benchbook.statistics import describe

DEVICE_BLOCK_BYTES = 4096
Metrics = dict[str, float | None]
STORE = ("stored_keys", "seeks", "tables", "tables_bytes", "largest_table_bytes", "index_bytes")
"""What the store says of itself at the end of the bursts."""
LATENCIES = ("mean_ns", "p50_ns", "p95_ns", "p99_ns", "max_ns")


def metrics(answer: Answer, request: Mapping[str, Any]) -> Metrics:
    """All metrics of a trial but those that ``reduce`` gives. A missing cache gives missing numbers, never 0.

    request: what the probe was asked. Raises MachineError as ``saves``.
    """
    run, counters = request["run"], answer.record["counters"]
    whole = "concurrent" in run["tests"]
    peak, end = counters["round_1.peak"], counters["round_1.burst"]
    found = saves(answer, request, ("peak", "burst"))
    found |= {name: float(end[name]) for name in STORE} | _cache(end["block_cache"]) | _device(peak, end)
    if "query" in run["tests"]:
        found |= _query(counters, answer.series["round_1.query.service"], "mixed" if whole else "burst")
    if whole:
        found |= _memory(counters[f"round_{run['rounds']}.concurrent"]) | _along(counters, run["rounds"])
    return found


def saves(answer: Answer, request: Mapping[str, Any], tests: Iterable[str]) -> Metrics:
    """What every trial with bursts has: saves, how fast they were, and their latencies in the bursts.

    tests: that save before the end of the bursts. Raises MachineError when the machine was too slow to save the events
    within the bursts' time limit.
    """
    record, series, took = answer.record, answer.series, answer.record["seconds"]
    burst, bursts, events = series["round_1.burst.service"], request["run"]["bursts"], int(request["load"]["events"])
    if len(burst) != (wanted := events // bursts * bursts):
        said = f"the bursts saved {len(burst):,} of {wanted:,} events within their time"
        raise MachineError(said, "ask for fewer events")
    return {
        "saved_events": float(record["counters"]["round_1.burst"]["saved_events"]),
        "timed_saves": float(sum(len(series[f"round_1.{test}.service"]) for test in tests)),
        "checked_reads": float(record["checked_reads"]),
        "peak_test_events_per_s": events / took["round_1.peak"],
        "burst_events_per_s": len(burst) / took["round_1.burst"],
        "response_mean_ns": float(series["round_1.burst.response"].mean()),
        **latencies("burst", burst),
    }


def latencies(prefix: str, values: np.ndarray) -> Metrics:
    """Their mean and percentiles; of none nothing. values: in ns, int64, shape (calls,)."""
    found = describe(values) if len(values) else {}
    return {f"{prefix}_{name}": value for name, value in found.items() if name in LATENCIES}


def _cache(cache: Mapping[str, Any] | None) -> Metrics:
    if cache is None:
        return {}
    hits, misses, added = cache["hits"], cache["misses"], cache["keys_added"]
    evicted, lives = cache["keys_evicted"], sum(cache["life_counts"])
    # What a miss brings in is added, replaces itself, is rejected or dropped; a block that is charged more than the
    # whole cache is turned away before any of these is counted.
    offered = added + cache["keys_updated"] + cache["sets_rejected"] + cache["sets_dropped"]
    return {
        "accesses": float(hits + misses),
        "hit_ratio": per(hits, hits + misses),
        "misses_per_hit": per(misses, hits),
        "keys_added": float(added),
        "keys_added_per_miss": per(added, misses),
        "keys_updated": float(cache["keys_updated"]),
        "keys_rejected": float(cache["sets_rejected"] + cache["sets_dropped"]),
        "turned_away_share": per(max(0, misses - offered), misses),
        "evicted_share": per(evicted, added),
        "lives": float(lives),
        "evicted_within_2s_share": per(cache["life_counts"][0], lives) if cache["life_bounds_s"][0] == 2 else None,
        "cost_added_bytes": float(cache["cost_added_bytes"]),
        "cost_per_key_bytes": per(cache["cost_added_bytes"], added),
        "resident_blocks": float(added - evicted),
    }


def _device(before: Mapping[str, Any], after: Mapping[str, Any]) -> Metrics:
    reads = difference(before["memory"], after["memory"], "device_read_bytes")
    found: Metrics = {
        "burst_device_reads": None if reads is None else reads / DEVICE_BLOCK_BYTES,
        "burst_major_faults": difference(before["memory"], after["memory"], "major_faults"),
        "device_reads_per_miss": None,
    }
    if after["block_cache"] is not None:
        misses = after["block_cache"]["misses"] - before["block_cache"]["misses"]
        found["burst_misses"] = float(misses)
        if reads is not None:
            found["device_reads_per_miss"] = per(reads / DEVICE_BLOCK_BYTES, misses)
    return found


def _query(counters: Mapping[str, Any], values: np.ndarray, before: str) -> Metrics:
    first, last = counters[f"round_1.{before}"], counters["round_1.query"]
    found: Metrics = {"queries": float(len(values)), **latencies("query", values)}
    for cache in ("block_cache", "index_cache"):
        if last[cache] is not None:
            hits = last[cache]["hits"] - first[cache]["hits"]
            lookups = hits + last[cache]["misses"] - first[cache]["misses"]
            found |= {f"query_{cache}_lookups": float(lookups), f"query_{cache}_hit_ratio": per(hits, lookups)}
    return found


def _memory(end: Mapping[str, Any]) -> Metrics:
    """The largest values over the whole suite; file-backed pages count as resident, not as anonymous."""
    peaks = end["peaks"]
    found: Metrics = {f"peak_{name}": float(value) for name, value in peaks.items()}
    found["peak_resident_bytes"] = float(end["memory"].get("peak_resident_bytes", peaks["resident_bytes"]))
    return found


def _along(counters: Mapping[str, Any], rounds: int) -> Metrics:
    """The block cache's ratio since opening at the end of each test, and that of the test alone."""
    found: Metrics = {}
    hits = lookups = 0
    for number in range(1, rounds + 1):
        for phase in PHASES:
            cache = counters[f"round_{number}.{phase}"]["block_cache"]
            if cache is None:
                return {}
            now_hits, now = cache["hits"], cache["hits"] + cache["misses"]
            found[f"hit_ratio_until_{number}_{phase}"] = per(now_hits, now)
            found[f"hit_ratio_within_{number}_{phase}"] = per(now_hits - hits, now - lookups)
            hits, lookups = now_hits, now
    return found


def difference(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, name: str) -> float | None:
    """How much a counter grew; None where the machine does not count it."""
    if not before or not after:
        return None
    return float(after[name] - before[name]) if name in before and name in after else None


def per(amount: float, divisor: float) -> float | None:
    """The quotient; None of nothing."""
    return amount / divisor if divisor else None
