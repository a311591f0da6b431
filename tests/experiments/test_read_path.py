"""The read path without an engine: what is made of an answer, checks, causes, departures."""

import copy
from typing import Any

import numpy as np
import planting
import pytest
from planting import in_turn, verdicts

from benchbook import lab
from benchbook.chapters.read_path import NUMBERS, Parameters, cache_state, metrics
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, PlannedTrial

chapter = lab.experiment("read_path")
pytestmark = pytest.mark.usefixtures("still_machine")
MEMORY = dict.fromkeys(("mapped_bytes", "major_faults", "anonymous_bytes", "huge_page_bytes", "heap_bytes"), 1_000)
MEMORY |= {"mapped_bytes": 5_000, "major_faults": 1}
REQUEST = {"load": {"rows": 1_000}, "run": {"operations": 512, "warm_operations": 100}}


def answer(engine: dict[str, Any] | None = None, **settings: Any) -> Answer:
    """What the probe says of 1,000 rows, 512 look-ups in two batches or, one by one, in 512 times."""
    calls = {"fsync": 0, "fdatasync": 0, "msync": 0, "sync_file_range": 0}
    phase: dict[str, Any] = {"memory": MEMORY, "measured_ns": 0, "syncs": calls, "engine": engine or {}}
    counters = {name: copy.deepcopy(phase) for name in ("open", "written", "load", "warm", "run")}
    counters["run"] |= {"checked_reads": 512, "measured_ns": 51_200}
    counters["run"]["memory"] |= {"major_faults": 4, "mapped_bytes": 9_000}
    counters["load"]["batches"] = 10
    counters["written"]["syncs"] = calls | {"fsync": 1, "fdatasync": 10, "sync_file_range": 7}
    series = {"batch.service": np.array([25_000, 26_000]), "query.service": np.arange(1, 513, dtype=np.int64)}
    seconds = {"load_engine": 2.0, "settle": 1.0, "reopen": 0.5}
    told = {"counters": counters, "seconds": seconds, "settings": {"engine_options": settings}, "timer_ns": 20.0}
    return Answer(series, told)


def test_the_mean_is_that_of_all_look_ups_and_quantiles_are_those_of_single_ones() -> None:
    found = metrics(answer({"file_bytes": 140_000, "index_bytes": 18_000}), "stride", REQUEST)
    assert (found["batch_mean_ns"], found["load_s"], found["run_major_faults"]) == (100, 3, 3)
    assert (found["disk_bytes_per_key"], found["index_bytes_per_key"]) == (140, 18)
    assert found["mapped_bytes"] == 4_000, "what was mapped before the first look-up was not mapped by one"
    assert not [name for name in found if name.startswith("query_")], "batches say nothing of single look-ups"
    found = metrics(answer({"file_bytes": 1, "index_bytes": None}), "uniform", REQUEST)
    assert (found["query_p50_ns"], found["query_p99_ns"]) == (256.5, None), "512 look-ups say nothing of a tail"
    assert found["index_bytes_per_key"] is None, "a hash table that does not count is not 0"


@pytest.mark.parametrize(
    ("engine", "settings", "bytes_a_key"),
    [
        ({"page_count": "30"}, {"page_size": "4096"}, 122.88),
        ({"page_bytes": 4096, "branch_pages": 1, "leaf_pages": 30, "overflow_pages": 0}, {}, 126.976),
        ({"rocksdb.total-sst-files-size": 90_000}, {}, 90),
        ({"rocksdb.total-sst-files-size": 0}, {}, None),
    ],
)
def test_bytes_a_key_are_read_from_what_each_engine_tells(
    engine: dict[str, Any], settings: dict[str, Any], bytes_a_key: float | None
) -> None:
    assert metrics(answer(engine, **settings), "uniform", REQUEST)["disk_bytes_per_key"] == bytes_a_key


def test_a_durable_trial_counts_the_calls_that_made_its_writes_durable() -> None:
    stored = {"file_bytes": 1, "index_bytes": 1, "recovered_records": 1_000}
    found = metrics(answer(stored), "durable", REQUEST)
    assert (found["write_ns_per_row"], found["reopen_s"], found["scan_p50_ns"]) == (2e6, 0.5, 256.5)
    assert found["syncs_per_batch"] == 1.1, "what only starts a write is no sync"
    with pytest.raises(BenchbookError, match=r"999 of 1,000 records"):
        metrics(answer(stored | {"recovered_records": 999}), "durable", REQUEST)


def test_an_index_that_does_not_count_itself_is_what_the_heap_grew_by() -> None:
    made = answer()
    made.record["counters"]["load"] |= {"index": {"bytes": None}, "memory": MEMORY | {"heap_bytes": 22_896}}
    assert metrics(made, "index", REQUEST)["index_bytes_per_key"] == 17, "without the 612 keys that were drawn ahead"
    made.record["counters"]["load"]["index"] = {"bytes": 19_000}
    assert metrics(made, "index", REQUEST)["index_bytes_per_key"] == 19


@pytest.mark.parametrize(
    ("faults", "read", "state"),
    [(0.0, 100.0, "warm"), (0.0, 101.0, "read from the device"), (1.0, None, "read from the device"),
     (0.0, None, "not counted")],
)  # fmt: skip
def test_a_trial_is_called_what_the_caches_held(faults: float, read: float | None, state: str) -> None:
    assert cache_state(faults, read, 100) == state


def made(arms: dict[str, dict[str, Any]] | None = None, **values: Any) -> Any:
    """A summary of six blocks in which every arm has ``values``, and some arms their own, in turn."""
    sound = {"right_answers": [50.0], "operations": [50.0], "mapped_bytes": [0.0, 1e6], "disk_bytes_per_key": [32.0]}
    sound |= {"batch_mean_ns": [1000.0, 1010.0], "query_mean_ns": [1000.0, 1010.0]}

    def values_of(trial: PlannedTrial) -> dict[str, Any]:
        name = trial.configuration.name
        mapped = {"mapped_bytes": [320e6, 321e6]} if name in ("bypass", "value_file") else {}
        begun = f"2026-01-{17 + trial.block // 3}T10:{trial.block:02}:00+00:00"
        return {"duration_s": 1.0, "started_at": begun} | in_turn(
            sound | mapped | values | (arms or {}).get(name, {}), trial
        )

    host = {"processor": "AMD EPYC", "processor_model": "25-17-1"}
    return planting.summary("read_path", Parameters(blocks=6), values_of, **host)


@pytest.mark.parametrize(
    ("arms", "claims", "words"),
    [
        ({"bypass": {"mapped_bytes": [150e6] + [320e6] * 5}}, ("O088", "O095"), "in 1 of 6 blocks"),
        ({"value_file": {"mapped_bytes": [150e6]}}, ("O054",), "in 6 of 6 blocks"),
        ({"btree_and_rocksdb": {"mapped_bytes": [200e6]}}, ("O088",), "“B-tree index + RocksDB” mapped"),
    ],
)
def test_a_value_file_that_was_not_mapped_decides_no_claim_about_it(
    arms: Any, claims: tuple[str, ...], words: str
) -> None:
    found = verdicts(made(arms))
    assert {claim for claim, each in found.items() if each.outcome is Outcome.DESIGN} == {*claims}
    assert all(words in found[claim].reason for claim in claims)


@pytest.mark.parametrize(
    "fault",
    [
        {"bypass": {"right_answers": [50.0, 49.0]}},
        {"bypass": {"cache_state": ["warm", "read from the device"]}},
        {"bypass_again": {"batch_mean_ns": [2000.0, 2020.0]}},
    ],
)
def test_a_fault_of_the_environment_voids_the_times(fault: dict[str, dict[str, Any]]) -> None:
    assert verdicts(made(cache_state=["warm"]), "O088")["O088"].outcome is not Outcome.CHECK
    found = verdicts(made(fault, cache_state=["warm"]), "O088", "O054", "O053")
    assert found["O088"].outcome is Outcome.CHECK
    assert found["O054"].outcome is not Outcome.CHECK, "another time"
    assert found["O053"].outcome is Outcome.REPRODUCED, "a count"


def test_a_wrong_answer_of_the_index_alone_is_the_finding() -> None:
    found = verdicts(made({"alex_absent": {"right_answers": [50.0, 49.0]}}), "O053")["O053"]
    assert found.outcome is Outcome.CONTRADICTED
    assert "present 300 of 300, absent 297 of 300" in found.reason


@pytest.mark.parametrize(("given", "departs"), [(0.5, True), (1.0, False), (1.7, False)])
def test_an_index_that_the_kernel_left_in_small_pages_departs_from_the_design(given: float, departs: bool) -> None:
    held = {"index_bytes_per_key": [20.0], "huge_page_bytes": [given * 20.0 * Parameters().rows]}
    summary = made({"value_file": held})
    assert summary.share_in_huge_pages() == pytest.approx(min(1.0, given))
    assert ("huge pages for 50% of the index" in "; ".join(summary.departures())) is departs


def test_rocksdb_whose_filter_did_not_fit_into_a_shard_is_compared_with_nothing() -> None:
    summary = made(device_kib_per_lookup=[20.0], held_share=[0.5])
    assert {*chapter.table(summary, "half_memory").index} == {summary.label(arm) for arm in summary.halves()}
    assert "rocksdb_half" not in {arm for number in NUMBERS.values() for arm in getattr(number, "arms", ())}
