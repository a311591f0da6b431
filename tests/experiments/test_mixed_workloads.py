"""Mixed workloads without an engine: YCSB's shares, equal durability, and what an answer becomes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook.chapters import mixed_workloads as mixed
from benchbook.errors import BenchbookError

P = mixed.Parameters()
ARMS = {arm.name: arm for arm in mixed.configurations(P)}
ASKED = {name: mixed.request_of(P, arm, 1) for name, arm in ARMS.items()}


def test_the_shares_of_a_workload_make_a_whole_and_one_reads_the_latest_and_one_scans() -> None:
    asked = {name: ASKED[f"{name}_rocksdb"]["run"] for name in mixed.WORKLOADS}
    for name, (_, shares) in mixed.WORKLOADS.items():
        assert sum(shares.values()) == 100
        assert shares.items() <= asked[name].items()
    assert [name for name, run in asked.items() if run["law"] == "latest"] == ["d"]
    assert [name for name, run in asked.items() if "scan_rows" in run] == ["e"]


@pytest.mark.parametrize(("name", "stores"), [*((name, mixed.STORES) for name in "abcdef"), ("lookup", mixed.LOOKUPS)])
def test_every_store_is_asked_the_same_and_waits_for_no_device(name: str, stores: list[str]) -> None:
    [first, *others] = [ASKED[f"{name}_{store}"] for store in stores]
    assert all((each["run"], each["load"]) == (first["run"], first["load"]) for each in others)
    for store in stores:
        options = ASKED[f"{name}_{store}"]["options"]
        assert not options.get("sync", False)
        assert options.get("synchronous", "off") == "off"


def test_inserts_differ_in_the_options_alone_and_the_a_a_pair_in_nothing() -> None:
    before, after = ASKED["insert_before"], ASKED["insert_after"]
    assert (before["load"], before["run"]) == (after["load"], after["run"])
    assert (before["load"]["batch_rows"], before["load"]["rows"]) == (0, 10_000_000)
    assert before["options"].items() < after["options"].items()
    assert ASKED["insert_after_again"] == after


def answered(name: str, *, flushed: int | None) -> Any:
    series = {f"{kind}.service": np.full(share, 2_000) for kind, share in mixed.WORKLOADS[name][1].items()}
    syncs = dict.fromkeys(("fsync", "fdatasync", "msync"), 0)
    counters: dict[str, Any] = {
        phase: {"memory": {"device_write_bytes": written, "anonymous_bytes": 7}, "syncs": syncs}
        for phase, written in {"warm": 1_000, "run": 2_000, "flushed": flushed}.items()
    }
    counters["run"] |= {"operations": 100, "measured_ns": 200_000}
    record = {"counters": counters, "checked_reads": 9, "engine": "RocksDB", "engine_version": "7"}
    arm, asked = ARMS[f"{name}_rocksdb"], ASKED[f"{name}_rocksdb"]
    answer: Any = SimpleNamespace(record=record, series=series)
    return mixed.read(mixed.kv.Asked(P, arm, asked, answer, None))


def test_an_answer_becomes_metrics() -> None:
    found = answered("a", flushed=1_000 + 2 * 50 * 1_008)
    assert found.metrics["operation_mean_ns"] == 2_000
    assert found.metrics["update_p99_ns"] is None, "fifty updates have no P99"
    assert found.metrics["write_amplification"] == 2
    assert len(found.times) == 100


def test_without_writes_and_without_a_count_there_is_no_amplification() -> None:
    assert "write_amplification" not in answered("c", flushed=5_000).metrics
    assert "write_amplification" not in answered("a", flushed=None).metrics


def test_writes_take_disk_beside_the_rows() -> None:
    more = mixed.needs(mixed.Parameters(operations=1_000_000)).disk_bytes
    assert more > mixed.needs(P).disk_bytes + 900_000 * 2_000


@pytest.mark.parametrize("given", [{"scan_rows": 0}, {"value_bytes": 4}, {"zipf_exponent": 0}, {"operations": 10}])
def test_impossible_parameters_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(BenchbookError):
        mixed.Parameters.given(given)
