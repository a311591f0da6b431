"""Mixed workloads without an engine: YCSB's shares, equal durability, and what an answer becomes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook.chapters.mixed_workloads.arms import (
    AFTER,
    AGAIN,
    BEFORE,
    LOOKUP,
    LOOKUPS,
    REDB,
    STORES,
    WORKLOADS,
    A,
    C,
    D,
    E,
    Parameters,
    at,
    configurations,
)
from benchbook.chapters.mixed_workloads.measure import needs, read, request_of
from benchbook.errors import BenchbookError

P = Parameters()
ARMS = {arm.name: arm for arm in configurations(P)}
ASKED = {name: request_of(P, arm, 1) for name, arm in ARMS.items()}


def test_the_shares_are_ycsbs_and_make_a_whole() -> None:
    shares = {name: workload.shares for name, workload in WORKLOADS.items()}
    assert all(sum(each.values()) == 100 for each in shares.values())
    assert shares[A] == {"read": 50, "update": 50}
    assert shares[D] == {"read": 95, "insert": 5}
    assert {name for name, workload in WORKLOADS.items() if workload.law == "latest"} == {D}
    assert {name for name in WORKLOADS if "scan_rows" in ASKED[at(name, "rocksdb")]["run"]} == {E}


def test_every_store_is_asked_the_same_under_a_workload() -> None:
    for name in WORKLOADS:
        [first, *others] = [ASKED[at(name, store)] for store in STORES]
        assert all((each["run"], each["load"]) == (first["run"], first["load"]) for each in others)


def test_no_store_waits_for_the_device() -> None:
    held = [options for _, options in STORES.values()]
    assert not any(options.get("sync", False) for options in held)
    assert {options["synchronous"] for options in held if options["engine"] == "sqlite"} == {"off"}


def test_inserts_differ_in_the_options_alone_and_the_a_a_pair_in_nothing() -> None:
    before, after = ASKED[BEFORE], ASKED[AFTER]
    assert (before["load"], before["run"]) == (after["load"], after["run"])
    assert before["load"]["batch_rows"] == 0
    assert before["load"]["rows"] == 10_000_000
    assert {*after["options"]} - {*before["options"]} == {
        "bloom_bits", "block_cache_bytes", "cache_index_and_filter_blocks", "pin_level0", "block_bytes"
    }  # fmt: skip
    assert ASKED[AGAIN] == after


def test_look_ups_ask_every_store_for_the_same_rows_of_the_note() -> None:
    [first, *others] = [ASKED[at(LOOKUP, store)] for store in LOOKUPS]
    assert all((each["run"], each["load"]) == (first["run"], first["load"]) for each in others)
    assert (first["load"]["rows"], first["load"]["value_bytes"], first["run"]["operations"]) == (10_000_000, 0, 100_000)
    held = {store: ASKED[at(LOOKUP, store)]["options"].get("transaction") for store in LOOKUPS}
    assert held == {"value_file": None, "lmdb": "read", REDB: "read"}


def answered(name: str, *, flushed: int | None) -> Any:
    series = {f"{kind}.service": np.full(share, 2_000) for kind, share in WORKLOADS[name].shares.items()}
    syncs = dict.fromkeys(("fsync", "fdatasync", "msync"), 0)

    def phase(written: int | None) -> dict[str, Any]:
        return {"memory": {"device_write_bytes": written, "anonymous_bytes": 7}, "syncs": syncs}

    counters = {"warm": phase(1_000), "run": phase(2_000), "flushed": phase(flushed)}
    counters["run"] |= {"operations": 100, "measured_ns": 200_000}
    record = {"counters": counters, "checked_reads": 9, "engine": "RocksDB", "engine_version": "7"}
    answer = SimpleNamespace(record=record, series=series)
    return read(
        SimpleNamespace(parameters=P, arm=ARMS[at(name, "rocksdb")], request=ASKED[at(name, "rocksdb")], answer=answer)
    )


def test_an_answer_becomes_metrics() -> None:
    found = answered(A, flushed=1_000 + 2 * 50 * 1_008)
    assert found.metrics["operation_mean_ns"] == 2_000
    assert found.metrics["update_p99_ns"] is None, "fifty updates have no P99"
    assert found.metrics["write_amplification"] == 2
    assert len(found.times) == 100


def test_without_writes_and_without_a_count_there_is_no_amplification() -> None:
    assert "write_amplification" not in answered(C, flushed=5_000).metrics
    assert "write_amplification" not in answered(A, flushed=None).metrics


def test_writes_take_disk_beside_the_rows() -> None:
    assert needs(Parameters(operations=1_000_000)).disk_bytes > needs(P).disk_bytes + 900_000 * 2_000


@pytest.mark.parametrize("given", [{"scan_rows": 0}, {"value_bytes": 4}, {"zipf_exponent": 0}, {"operations": 10}])
def test_impossible_parameters_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(BenchbookError):
        Parameters.given(given)
