"""RocksDB's options without an engine: what differs between arms, requests, the pilot's choice, counters, defaults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.rocksdb_tuning.arms import (
    AFTER,
    AGAIN,
    BEFORE,
    BENCHMARK,
    BESIDE,
    BLOOM,
    COUNTED,
    IN_FILES,
    INDEX,
    PINNED,
    ROUND_TWO,
    SINGLES,
    STRIDE,
    USES,
    Parameters,
    at,
    configurations,
)
from benchbook.chapters.rocksdb_tuning.measure import metrics, once, request_of
from benchbook.chapters.rocksdb_tuning.summary import TIME, Summary, stated_defaults
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.measuring.kv import options
from benchbook.model import Run
from benchbook.numbers.summary import NotEstimableError

chapter = lab.experiment("rocksdb_tuning")

ARMS = {arm.name: arm for arm in configurations(Parameters())}
ASKED = {name: request_of(Parameters(), arm, 1) for name, arm in ARMS.items()}


def changed(name: str, base: str) -> set[str]:
    one, other = (ASKED[each]["options"] for each in (name, base))
    return {key for key in {**one, **other} if one.get(key) != other.get(key)}


def test_each_single_option_changes_one_thing_and_pinning_what_it_needs_too() -> None:
    different = {use: changed(at(BENCHMARK, use), at(BENCHMARK, BEFORE)) for use in SINGLES}
    needed = different.pop(PINNED)
    assert all(len(each) == 1 for each in different.values())
    assert needed == {"pin_level0"} | different[INDEX]
    assert set.union(needed, *different.values()) == changed(at(BENCHMARK, AFTER), at(BENCHMARK, BEFORE))


def test_the_five_options_are_the_notes() -> None:
    assert {key: ASKED[at(BENCHMARK, AFTER)]["options"][key] for key in options.AFTER} == dict(options.AFTER)


def test_a_further_setting_is_added_to_the_five_options() -> None:
    for use in ROUND_TWO:
        assert len(changed(at(STRIDE, use), at(STRIDE, AFTER))) == (0 if use == "compacted" else 1)
    assert ASKED[at(STRIDE, "compacted")]["load"]["settle"] == "compact"


def test_arms_that_are_compared_load_and_ask_alike() -> None:
    for way, arms in (
        (BENCHMARK, [*(at(BENCHMARK, use) for use in (BEFORE, AGAIN, *SINGLES, AFTER)), *BESIDE.values()]),
        (STRIDE, [at(STRIDE, use) for use in (BEFORE, AGAIN, AFTER, "universal", "direct", "sqlite")]),
        (COUNTED, [at(COUNTED, AFTER), at(COUNTED, "uncached_index")]),
    ):  # fmt: skip
        first, *others = (ASKED[arm] for arm in arms)
        assert all(each["load"] == first["load"] and each["run"] == first["run"] for each in others), way


def test_the_benchmark_asks_each_key_once_and_before_nothing_else() -> None:
    for rows in (*Parameters().smaller_rows, Parameters().rows):
        name = at(BENCHMARK, BEFORE) if rows == Parameters().rows else f"{BEFORE}_{rows}"
        run = ASKED[name]["run"]
        assert run["stride"] * run["operations"] == rows
        assert "warm_operations" not in run
        assert ASKED[name]["load"]["batch_rows"] == 0


def test_what_takes_milliseconds_takes_no_turns() -> None:
    slow = {name for name, arm in ARMS.items() if arm.settings["slow"]}
    assert slow == {
        at(IN_FILES, INDEX), at(IN_FILES, AFTER), at(STRIDE, "compacted"),
        at(COUNTED, AFTER), at(COUNTED, "uncached_index"),
    }  # fmt: skip
    assert all(once(ARMS[name], ASKED[name]) and ASKED[name]["run"]["operations"] == 500 for name in slow)
    assert not once(ARMS[at(IN_FILES, BLOOM)], ASKED[at(IN_FILES, BLOOM)])


def test_only_counted_trials_count() -> None:
    assert {name for name, each in ASKED.items() if each["options"].get("statistics")} == {
        name for name, arm in ARMS.items() if arm.settings["way"] == COUNTED
    }


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
        Parameters.given({"rows": 20_000, **wrong})


def counted(warm: dict[str, int], run: dict[str, int]) -> dict[str, float | None]:
    """Metrics of a trial of 100 look-ups after 50 others, with these tickers after the warm-up and at the end."""
    engine: dict[str, Any] = {
        "files_at_level": [2, 0, 1], "rocksdb.num-entries-active-mem-table": 0, "rocksdb.num-entries-imm-mem-tables": 0,
        "rocksdb.total-sst-files-size": 7, "rocksdb.block-cache-capacity": 8,
    }  # fmt: skip
    phases = {
        name: {"engine": engine | {"tickers": tickers}}
        for name, tickers in (("load", {}), ("warm", warm), ("run", run))
    }
    phases["run"] |= {"checked_reads": 100, "measured_ns": 5_000}
    record = {"counters": phases, "seconds": {"load_engine": 1.0}, "memory": {"anonymous_bytes": 1}}
    asked = {"run": {"operations": 100, "warm_operations": 50, "timing": "batches"}}
    return dict(metrics(Answer({}, record), asked))


def test_counters_are_of_the_look_ups_and_bytes_of_the_warm_up_too() -> None:
    hit, miss, useful = "rocksdb.block.cache.data.hit", "rocksdb.block.cache.data.miss", "rocksdb.bloom.filter.useful"
    found = counted({hit: 10, miss: 40, "rocksdb.last.level.read.bytes": 300}, {
        hit: 85, miss: 65, useful: 25, "rocksdb.last.level.read.bytes": 400, "rocksdb.non.last.level.read.bytes": 50,
    })  # fmt: skip
    assert found["block_requests"] == 100
    assert found["block_cache_hit_ratio"] == 0.75
    assert found["filtered_share"] == 0.25
    assert found["file_bytes_per_lookup"] == 3
    assert found["query_mean_ns"] == 50
    assert (found["table_files"], found["level0_files"]) == (3, 2)


def test_a_trial_without_a_block_request_has_no_hit_ratio() -> None:
    found = counted({}, {})
    assert found["block_cache_hit_ratio"] is None
    assert found["filtered_share"] == 0


def summary(times: dict[str, list[float]]) -> Summary:
    """A run of one session in which configurations took these times, block by block."""
    blocks = len(next(iter(times.values())))
    rows = [
        {"configuration": arm, "block": block, "session": 0, "trial": block, "started_at": "2026-01-01T00:00:00+00:00",
         TIME: values[block]}
        for arm, values in times.items() for block in range(blocks)
    ]  # fmt: skip
    run = Run(
        "r", "rocksdb_tuning", 1, {}, "standard", 1, blocks, {"started_at": "2026-01-01T00:00:00+00:00"},
        pd.DataFrame(rows), pd.DataFrame(), pd.DataFrame(),
    )  # fmt: skip
    return Summary(chapter, run, Parameters(pilot_blocks=1), ARMS)


def test_the_pilot_chooses_and_does_not_judge() -> None:
    found = summary({"a": [1.0, 9.0, 9.0, 9.0], "b": [2.0, 3.0, 3.3, 2.7], "base": [5.0, 9.0, 9.0, 9.0]})
    assert found.chosen(["a", "b"]) == "a", "though the other is faster in all blocks that judge"
    effect = found.judged("a", "base")
    assert effect.point == pytest.approx(1.0)
    assert effect.n == 3


def test_a_pilot_that_leaves_one_block_judges_nothing() -> None:
    found = summary({"a": [1.0, 2.0], "b": [1.0, 2.0]})
    with pytest.raises(NotEstimableError, match="fewer than two"):
        found.judged("a", "b")


def test_several_are_taken_together_by_their_geometric_mean() -> None:
    np.testing.assert_allclose(summary({"a": [1.0, 4.0], "b": [4.0, 9.0]}).together(["a", "b"]), [2.0, 6.0])


def test_one_of_the_two_stated_defaults_holds_in_the_pinned_release() -> None:
    assert stated_defaults(summary({"a": [1.0, 1.0]})) == 1


def test_every_use_is_measured() -> None:
    assert {str(arm.settings["use"]) for arm in ARMS.values()} == set(USES)
