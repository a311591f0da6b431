"""Causes that did not act, and runs unlike the claims, are told: of planted runs that have one number a metric."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chapters import planted_numbers

from benchbook.chapters import checkpoints, cold_starts, config_ladder, io_cliff, memory_pressure, round_trips
from benchbook.chapters import row_access as rows
from benchbook.chapters import three_rounds as rounds
from benchbook.measuring.pgbench.ladder import states
from benchbook.numbers.summary import Summary

TIMEOUT, EMPTIED = checkpoints.NUMBERS["timeout"], rounds.NUMBERS["emptied"]
PER_PAGE = {"transactions": 3 * 20 * 1_640}


def departs(summary: Any) -> str:
    return "; ".join(cold_starts.departing(summary, ""))


def disagreeing(summary: Any) -> str:
    gates = [summary.counts_agree([rows.ALL]), summary.addresses_agree(["load_uniform"])]
    return "; ".join(gate.name for gate in gates if not gate.passed)


READ = {"waits_reading": 0.6, "reading_first": 0.9, "read_cap_iops": 1.147}
EVICTING = {
    "evictions": 5e3,
    "limit_reached": 1,
}
WROTE = config_ladder.wrote_in_each_session
HALF, HOUR = ("half_minute", "checkpoints"), ("hour", "checkpoints")
CASES: list[tuple[str, Any, dict[Any, Any], str]] = [
    ("checkpoints", TIMEOUT.idle, {HALF: 2, HOUR: 0}, ""),
    ("checkpoints", TIMEOUT.idle, {HALF: 0, HOUR: 0}, "had no checkpoint"),
    ("checkpoints", TIMEOUT.idle, {HALF: 2, HOUR: 1}, "had a checkpoint"),
    ("checkpoints", TIMEOUT.departs, PER_PAGE | {HALF: 2}, ""),
    ("checkpoints", TIMEOUT.departs, PER_PAGE | {HALF: 30}, "0.1 transactions per page"),
    ("cold_starts", cold_starts.bound_by_reads, READ, ""),
    ("cold_starts", cold_starts.bound_by_reads, {"waits_reading": 0.06}, "6.0% of the clients wait for a read"),
    ("cold_starts", cold_starts.bound_at_first, READ, ""),
    ("cold_starts", cold_starts.bound_at_first, READ | {"reading_first": 0.06}, "at most 6.0% do"),
    ("cold_starts", departs, READ, ""),
    ("cold_starts", departs, READ | {"read_cap_iops": 9.0}, "where the claim names 1.15"),
    ("config_ladder", WROTE, {"backend_writes_per_transaction": [0, 0.1, 0, 0.1, 0, 0]}, ""),
    ("config_ladder", WROTE, {"backend_writes_per_transaction": [0, 0, 0, 0.1, 0, 0]}, "in 1 of 2 sessions"),
    ("io_cliff", io_cliff.nothing_slowed(io_cliff.A), EVICTING, ""),
    ("io_cliff", io_cliff.nothing_slowed(io_cliff.A), {"evictions": 0}, "evicted no page in 6 of 6 trials"),
    ("io_cliff", io_cliff.nothing_slowed(io_cliff.A), {"limit_reached": 0}, "slows writers in only 0 of 6 trials"),
    ("io_cliff", io_cliff.same_pools, {(io_cliff.B, "evictions"): 0}, ""),
    ("io_cliff", io_cliff.same_pools, {"evictions": 5e3, (io_cliff.B, "evictions"): 6e3},
     "the larger pool evicted 6,000 pages in a trial and the smaller one 5,000"),
    ("io_cliff", io_cliff.background_not_reached, {"dirty_peak_bytes": 1e8, "dirty_background_bytes": 1e8}, ""),
    ("io_cliff", io_cliff.background_not_reached, {"dirty_peak_bytes": 8.9e7, "dirty_background_bytes": 1e8},
     "from which the kernel writes in the background in only 0 of 6 trials"),
    ("io_cliff", io_cliff.unlike_course, {"transactions_per_account_page": 0.3},
     "0.30 transactions per page of the accounts where the claim names 0.62"),
    ("memory_pressure", memory_pressure.evicts, {}, ""),
    ("memory_pressure", memory_pressure.evicts, {"evictions": 0}, "evicted nothing in 6 of 6 trials"),
    ("memory_pressure", memory_pressure.presses, {"disk_reads_per_transaction": 0.1}, ""),
    ("memory_pressure", memory_pressure.presses, {"disk_reads_per_transaction": 0}, "read as few as 0 pages"),
    ("memory_pressure", memory_pressure.departs, {"transactions_per_account_page": 1.5}, ""),
    ("memory_pressure", memory_pressure.departs, {"transactions_per_account_page": 0.1}, "0.10 transactions per page"),
    ("round_trips", round_trips.fewer_trips, {"trips_serial_all": 30}, ""),
    ("round_trips", round_trips.fewer_trips, {"trips_serial_all": 30, "trips_pipeline_all": 30},
     "the pipeline waited for the server 30 times"),
    ("round_trips", round_trips.overlap_unseen, {"statements_at_once_control": 4}, ""),
    ("round_trips", round_trips.overlap_unseen, {}, "no more than 1 were seen at once either"),
    ("round_trips", round_trips.disjoint_read, {}, "did the same work"),
    ("row_access", rows.same_bytes, {}, "returned only 0.0 bytes"),
    ("row_access", rows.same_bytes, {(rows.ALL, "returned_bytes"): 9}, ""),
    ("row_access", rows.same_order, {}, "by only 0.00"),
    ("row_access", rows.same_order, {("load_uniform", "hash_correlation"): 0}, ""),
    ("row_access", rows.KEYS, {("load_uniform", "hash_correlation"): 0}, ""),
    ("row_access", rows.in_small_pool(lambda *asked: "", f"{rows.ALL}_small", f"{rows.THREE}_small"),
     {(f"{rows.THREE}_small", "evictions"): 0},
     "in one block the pool of “three columns, 1 KB, small pool” evicted no page"),
    ("row_access", disagreeing, {(rows.ALL, "index_scans"): 4}, ""),
    ("row_access", disagreeing, {}, "counts agree"),
    ("row_access", disagreeing, {(rows.ALL, "index_scans"): 4, ("load_uniform", "distinct_heap_pages"): 2},
     "pages agree"),
    ("three_rounds", EMPTIED.idle, {"data_in_pool_start": 0, "data_in_os_cache_start": 0}, ""),
    ("three_rounds", EMPTIED.idle, {"data_in_pool_start": 0.5, "data_in_os_cache_start": 0}, "was up to 50%"),
]  # fmt: skip


def planted(patch: pytest.MonkeyPatch, chapter: str, values: dict[Any, Any], **given: Any) -> Any:
    """Six blocks in which a metric, or that of one configuration, is as given, and any other 1."""

    def found(summary: Summary, arm: str, metric: str) -> np.ndarray:
        value = values.get((arm, metric), values.get(metric, 1.0))
        return np.broadcast_to(np.asarray(value, dtype=float), planted_numbers.BLOCKS)

    patch.setattr(Summary, "_values", found)
    return planted_numbers.summary(chapter, **given)


@pytest.mark.parametrize(("chapter", "ask", "values", "words"), CASES)
def test_what_did_not_act_or_departs_is_told_and_nothing_else(
    chapter: str, ask: Any, values: dict[Any, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ask(planted(monkeypatch, chapter, values))
    assert words in found
    assert bool(words) is bool(found)


@pytest.mark.parametrize(
    ("chapter", "ask", "given", "words"),
    [
        ("io_cliff", io_cliff.unlike_course, {"trial_seconds": 14}, "trials of 14 s where the claim names 60 s"),
        ("memory_pressure", memory_pressure.departs, {"allow_slow_storage": False}, "where the claim names a cap"),
        ("memory_pressure", memory_pressure.departs, {"storage_iops": 9_000}, "reads capped at 9,000 a second"),
    ],
)
def test_parameters_that_are_not_the_claims_are_told(
    chapter: str, ask: Any, given: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert words in ask(planted(monkeypatch, chapter, {}, **given))


@pytest.mark.parametrize("ask", [EMPTIED.departs, states.other_codec])
def test_another_codec_than_the_notes_departs(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = planted(monkeypatch, "three_rounds", {})
    for codec, words in (("lz4", ""), ("pglz", "pglz where the claim's server had lz4")):
        summary.run.provenance["wal_compression"] = codec
        assert ask(summary) == words
