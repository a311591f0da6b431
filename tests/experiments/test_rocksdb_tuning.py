"""RocksDB's options without an engine: what differs between arms, requests, counters, several taken together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchbook.chapters import rocksdb_tuning as tuning
from benchbook.errors import BenchbookError
from benchbook.measuring import kv

P = tuning.Parameters()
ARMS = {arm.name: arm for arm in tuning.configurations(P)}
ASKED = {name: tuning.request_of(P, arm, 1) for name, arm in ARMS.items()}


def changed(name: str, base: str) -> set[str]:
    one, other = (ASKED[each]["options"] for each in (name, base))
    return {key for key in {**one, **other} if one.get(key) != other.get(key)}


def test_each_single_option_changes_one_thing_and_all_together_are_the_notes() -> None:
    different = {use: changed(f"benchmark_{use}", "benchmark_before") for use in tuning.SINGLES}
    needed = different.pop("pinned")
    assert all(len(each) == 1 for each in different.values())
    assert needed == {"pin_level0"} | different["cached_index"], "pinning changes what it needs too"
    assert set.union(needed, *different.values()) == changed("benchmark_after", "benchmark_before")
    assert kv.AFTER.items() <= ASKED["benchmark_after"]["options"].items()


def test_a_further_setting_is_added_to_the_five_options() -> None:
    for use in tuning.ROUND_TWO:
        assert len(changed(f"stride_{use}", "stride_after")) == (0 if use == "compacted" else 1)
    assert ASKED["stride_compacted"]["load"]["settle"] == "compact"


@pytest.mark.parametrize(
    ("way", "uses"),
    [
        ("benchmark", ["before", "again", *tuning.SINGLES, "after", "sqlite_beside_before", "sqlite_beside_after"]),
        ("stride", ["before", "again", "after", "universal", "direct", "sqlite"]),
        ("counted", ["after", "uncached_index"]),
    ],
)
def test_arms_that_are_compared_load_and_ask_alike(way: str, uses: list[str]) -> None:
    first, *others = (ASKED[f"{way}_{use}"] for use in uses)
    assert all(each["load"] == first["load"] and each["run"] == first["run"] for each in others)


def test_the_benchmark_asks_each_key_once_and_before_nothing_else() -> None:
    for name in ("benchmark_before", *(f"before_{rows}" for rows in P.smaller_rows)):
        run, load = ASKED[name]["run"], ASKED[name]["load"]
        assert run["stride"] * run["operations"] == load["rows"]
        assert "warm_operations" not in run
        assert load["batch_rows"] == 0


def test_what_takes_milliseconds_takes_no_turns_and_only_counted_trials_count() -> None:
    slow = {name for name, arm in ARMS.items() if arm.settings["slow"]}
    assert slow == {*tuning.SLOW}
    assert all(tuning.once(ARMS[name], ASKED[name]) and ASKED[name]["run"]["operations"] == 500 for name in slow)
    assert not tuning.once(ARMS["files_bloom"], ASKED["files_bloom"])
    for name, asked in ASKED.items():
        assert asked["options"].get("statistics", False) == name.startswith("counted"), name


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"smaller_rows": [5_000, 2_000]}, "must grow"),
        ({"smaller_rows": [20_000]}, "must grow"),
        ({"smaller_rows": []}, "smaller_rows"),
        ({"smaller_rows": [500]}, "different rows"),
        ({"smaller_rows": [2_000], "pilot_blocks": 3}, "leaves none"),
    ],
)
def test_parameters_that_contradict_each_other_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(BenchbookError, match=said):
        tuning.Parameters.given({"rows": 20_000, **wrong})


def counted(warm: dict[str, int], run: dict[str, int]) -> dict[str, float | None]:
    """Metrics of a trial of 100 look-ups after 50 others, with these tickers after the warm-up and at the end."""
    engine: dict[str, Any] = {
        "files_at_level": [2, 0, 1], "rocksdb.num-entries-active-mem-table": 0, "rocksdb.num-entries-imm-mem-tables": 0,
        "rocksdb.total-sst-files-size": 7, "rocksdb.block-cache-capacity": 8,
    }  # fmt: skip
    tickers = {"load": {}, "warm": warm, "run": run}
    phases: dict[str, Any] = {name: {"engine": engine | {"tickers": each}} for name, each in tickers.items()}
    phases["run"] |= {"checked_reads": 100, "measured_ns": 5_000}
    record = {"counters": phases, "seconds": {"load_engine": 1.0}, "memory": {"anonymous_bytes": 1}}
    record |= {"engine": "RocksDB", "engine_version": "7"}
    asked = {"run": {"operations": 100, "warm_operations": 50, "timing": "batches"}}
    answer = kv.Answer({"batch.service": np.ones(2)}, record)
    return dict(tuning.read(kv.Asked(P, ARMS["counted_cache"], asked, answer, None)).metrics)


def test_counters_are_of_the_look_ups_and_bytes_of_the_warm_up_too() -> None:
    hit, miss, useful = "rocksdb.block.cache.data.hit", "rocksdb.block.cache.data.miss", "rocksdb.bloom.filter.useful"
    last, others = "rocksdb.last.level.read.bytes", "rocksdb.non.last.level.read.bytes"
    found = counted({hit: 10, miss: 40, last: 300}, {hit: 85, miss: 65, useful: 25, last: 400, others: 50})
    assert found["block_requests"] == 100
    assert (found["block_cache_hit_ratio"], found["filtered_share"]) == (0.75, 0.25)
    assert (found["file_bytes_per_lookup"], found["query_mean_ns"]) == (3, 50)
    assert (found["table_files"], found["level0_files"]) == (3, 2)
    nothing = counted({}, {})
    assert (nothing["block_cache_hit_ratio"], nothing["filtered_share"]) == (None, 0)


def test_several_are_taken_together_by_their_geometric_mean() -> None:
    assert tuning.geometric(np.array([1.0, 4.0]), np.array([4.0, 9.0])) == pytest.approx([2.0, 6.0])
