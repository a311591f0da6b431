"""The read path without an engine: its parameters, arms, requests, and what is made of a probe's answer."""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.read_path.arms import (
    ALEX_ABSENT,
    ALEX_PRESENT,
    BTREE_ROCKSDB,
    BYPASS,
    BYPASS_AGAIN,
    COMPACTED,
    CUCKOO_TABLE,
    DURABLE,
    HASH_PRESENT,
    INDEX,
    LARGER_CACHE,
    OPTION_A,
    PLAIN_TABLE,
    RIVALS,
    ROCKSDB_HALF,
    ROCKSDB_TUNED,
    SECOND,
    SQLITE_AS_RUN,
    SQLITE_AUTOCOMMIT,
    SQLITE_BEST,
    STRIDE,
    UNIFORM,
    VALUE_FILE,
    VALUE_FILE_AGAIN,
    VALUE_FILE_BESIDE,
    VALUE_FILE_HASH,
    VALUE_FILE_HASH_SMALL,
    VALUE_FILE_SMALL,
    Parameters,
    configurations,
)
from benchbook.chapters.read_path.measure import NOT_COUNTED, READ, WARM, cache_state, metrics, request_of
from benchbook.chapters.read_path.numbers import NUMBERS
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.measuring.kv.costs import seconds
from benchbook.model import Outcome, Run
from benchbook.numbers import read_ahead

chapter = lab.experiment("read_path")

pytestmark = pytest.mark.usefixtures("still_machine")

ARMS = {arm.name: arm for arm in configurations(Parameters())}
MEMORY = {
    "mapped_bytes": 5_000,
    "major_faults": 1,
    "anonymous_bytes": 4096,
    "huge_page_bytes": 2048,
    "heap_bytes": 1_000,
}
NO_SYNCS = {"fsync": 0, "fdatasync": 0, "msync": 0, "sync_file_range": 0}


def answer(engine: dict[str, Any] | None = None, **settings: Any) -> Answer:
    """What the probe says of 1,000 rows, 512 look-ups in two batches or, one by one, in 512 times."""
    phase: dict[str, Any] = {"memory": MEMORY, "measured_ns": 0, "syncs": NO_SYNCS, "engine": engine or {}}
    counters = {name: copy.deepcopy(phase) for name in ("open", "written", "load", "warm", "run")}
    counters["run"] |= {
        "checked_reads": 512,
        "measured_ns": 51_200,
        "memory": MEMORY | {"major_faults": 4, "mapped_bytes": 9_000},
    }
    counters["load"]["batches"] = 10
    counters["written"]["syncs"] = NO_SYNCS | {"fsync": 1, "fdatasync": 10, "sync_file_range": 7}
    series = {"batch.service": np.array([25_000, 26_000]), "query.service": np.arange(1, 513, dtype=np.int64)}
    record = {
        "counters": counters,
        "seconds": {"load_engine": 2.0, "settle": 1.0, "reopen": 0.5},
        "settings": {"engine_options": settings},
        "timer_ns": 20.0,
    }
    return Answer(series, record)


def asked(**run: Any) -> dict[str, Any]:
    return {"load": {"rows": 1_000}, "run": {"operations": 512, "warm_operations": 100} | run}


def test_the_mean_is_that_of_all_look_ups_and_quantiles_are_those_of_single_ones() -> None:
    found = metrics(answer({"file_bytes": 140_000, "index_bytes": 18_000}), STRIDE, asked())
    assert found["batch_mean_ns"] == 100
    assert found["load_s"] == 3
    assert (found["disk_bytes_per_key"], found["index_bytes_per_key"]) == (140, 18)
    assert found["right_answers"] == found["operations"] == 512
    assert found["run_major_faults"] == 3
    assert found["mapped_bytes"] == 4_000, "what was mapped before the first look-up was not mapped by one"
    assert not [name for name in found if name.startswith("query_")], "batches say nothing of single look-ups"
    found = metrics(answer({"file_bytes": 1, "index_bytes": None}), UNIFORM, asked())
    assert found["query_p50_ns"] == 256.5
    assert found["query_p99_ns"] is None, "512 look-ups say nothing of a tail"
    assert "batch_mean_ns" not in found
    assert found["index_bytes_per_key"] is None, "a hash table that does not count is not 0"


@pytest.mark.parametrize(
    ("engine", "settings", "bytes_a_key"),
    [
        ({"page_count": "30"}, {"page_size": "4096"}, 122.88),
        ({"page_bytes": 4096, "branch_pages": 1, "leaf_pages": 30, "overflow_pages": 0}, {}, 126.976),
        ({"rocksdb.total-sst-files-size": 90_000}, {}, 90),
        ({"rocksdb.total-sst-files-size": 0}, {}, None),
        ({"rocksdb.total-sst-files-size": None}, {}, None),
    ],
)
def test_bytes_a_key_are_read_from_what_each_engine_tells(
    engine: dict[str, Any], settings: dict[str, Any], bytes_a_key: float | None
) -> None:
    found = metrics(answer(engine, **settings), UNIFORM, asked())
    assert found["disk_bytes_per_key"] == (None if bytes_a_key is None else pytest.approx(bytes_a_key))


def test_a_durable_trial_counts_the_calls_that_made_its_writes_durable() -> None:
    found = metrics(answer({"file_bytes": 1, "index_bytes": 1, "recovered_records": 1_000}), DURABLE, asked())
    assert found["write_ns_per_row"] == 2e6
    assert found["syncs_per_batch"] == 1.1, "what only starts a write is no sync"
    assert found["reopen_s"] == 0.5
    assert found["scan_p50_ns"] == 256.5


def test_a_row_that_does_not_come_back_ends_the_trial() -> None:
    with pytest.raises(BenchbookError, match=r"999 of 1,000 records"):
        metrics(answer({"file_bytes": 1, "index_bytes": 1, "recovered_records": 999}), DURABLE, asked())


def test_an_index_that_does_not_count_itself_is_what_the_heap_grew_by() -> None:
    made = answer()
    made.record["counters"]["load"]["index"] = {"bytes": None}
    made.record["counters"]["load"]["memory"] = MEMORY | {"heap_bytes": 1_000 + 8 * 612 + 17_000}
    assert metrics(made, INDEX, asked())["index_bytes_per_key"] == 17
    made.record["counters"]["load"]["index"] = {"bytes": 19_000}
    assert metrics(made, INDEX, asked())["index_bytes_per_key"] == 19


@pytest.mark.parametrize(
    ("faults", "read", "state"),
    [(0.0, 100.0, WARM), (0.0, 101.0, READ), (1.0, 0.0, READ), (1.0, None, READ), (0.0, None, NOT_COUNTED)],
)
def test_a_trial_is_called_what_the_caches_held(faults: float, read: float | None, state: str) -> None:
    assert cache_state(faults, read, 100) == state


def test_every_arm_that_an_estimand_names_is_a_configuration() -> None:
    assert {arm for answer in chapter.answers.given for arm in answer.estimand.arms} <= set(ARMS)


def test_arms_are_asked_for_what_the_claims_name() -> None:
    p = Parameters()
    requests = {name: request_of(p, arm, 1) for name, arm in ARMS.items()}
    for name in (SQLITE_AS_RUN, BYPASS, BYPASS_AGAIN, BTREE_ROCKSDB, *OPTION_A):
        load, run = requests[name]["load"], requests[name]["run"]
        assert (load["rows"], load["keys"], load["value_bytes"]) == (10_000_000, "sequential", 0), name
        assert (run["law"], run["stride"], run["operations"]) == ("stride", 100, 100_000), name
        assert "timing" not in run, name
    for name in (VALUE_FILE, VALUE_FILE_HASH, SQLITE_BEST, SQLITE_AUTOCOMMIT, ROCKSDB_TUNED, PLAIN_TABLE, CUCKOO_TABLE):
        load, run = requests[name]["load"], requests[name]["run"]
        assert (load["rows"], load["value_bytes"], run["law"]) == (10_000_000, 100, "uniform"), name
        assert run["timing"] == "queries"
    assert requests[SQLITE_AS_RUN]["options"] == {
        "engine": "sqlite",
        "prepare": "get",
        "mutex": "none",
        "index": "none",
    }
    assert requests[BYPASS]["options"]["value_index"] == "alex"
    assert requests[BTREE_ROCKSDB]["options"]["index"] == "btree"
    assert requests[COMPACTED]["load"]["settle"] == "compact"
    assert requests[LARGER_CACHE]["options"]["block_cache_bytes"] == 2 << 30
    for name, absent in ((ALEX_PRESENT, False), (ALEX_ABSENT, True)):
        request = requests[name]
        assert request["options"] == {"engine": "none", "index": "alex"}
        assert request["run"]["operations"] == 1_000_000
        assert request["run"]["absent"] is absent
        assert request["load"]["keys"] == "random", "absent keys lie between present ones"


def test_every_engine_of_the_durable_way_waits_for_the_disk() -> None:
    waits = {"value_file": ("sync", True), "sqlite": ("synchronous", "full"), "lmdb": ("sync", True)}
    waits["rocksdb"] = ("sync", True)
    seen = set()
    for arm in ARMS.values():
        if arm.settings["way"] != DURABLE:
            continue
        request = request_of(Parameters(), arm, 1)
        option, value = waits[request["options"]["engine"]]
        assert request["options"][option] == value
        assert request["load"]["reopen"] is True
        assert request["load"]["batch_rows"] == 1_000
        seen.add(request["options"]["engine"])
    assert seen == set(waits)


def test_arms_of_option_a_differ_only_in_what_their_names_say() -> None:
    p = Parameters()
    larger, compacted = (request_of(p, ARMS[name], 1) for name in OPTION_A)
    assert larger["options"] == compacted["options"]
    assert {key for key in larger["load"] if larger["load"][key] != compacted["load"][key]} == {"settle"}
    value, hashed = (request_of(p, ARMS[name], 1)["options"] for name in (VALUE_FILE, VALUE_FILE_HASH))
    assert {key for key in value if value[key] != hashed[key]} == {"value_index"}


def test_the_arms_of_a_block_share_their_keys() -> None:
    for block in range(2):
        assert len({t.seed for t in chapter.plan(Parameters(blocks=2)).trials if t.block == block}) == 1


@pytest.mark.parametrize(
    "values",
    [
        {"rows": 0}, {"rows": -1}, {"rows": 29_999}, {"rows": 1e12}, {"value_bytes": 0}, {"stride": 0},
        {"rows": 30_000, "stride": 200, "warm_stride": 37}, {"stride": 100, "warm_stride": 50}, {"warm_stride": 1},
        {"rows": 30_000, "warm_stride": 30_001}, {"operations": 0}, {"durable_batch_rows": 2_000_000},
        {"durable_rows": 2_000, "scan_rows": 2_001}, {"scans": 0}, {"option_a_cache_mib": 0}, {"value_byte": 100},
        {"existence_keys": float("nan")},
    ],
)  # fmt: skip
def test_impossible_parameters_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError):
        Parameters.given(values)


def test_the_smallest_number_of_rows_at_the_smallest_pass_is_accepted() -> None:
    assert Parameters.given({"rows": 30_000, "stride": 117}).stride_operations == 256


def test_sqlite_as_the_note_ran_it_takes_longer_to_fill_than_the_value_file() -> None:
    as_run, bypass = (seconds(request_of(Parameters(), ARMS[name], 1)) for name in (SQLITE_AS_RUN, BYPASS))
    assert as_run > 2 * bypass


SOUND: dict[str, list[float]] = {
    "batch_mean_ns": [1000.0, 1010.0], "right_answers": [50.0, 50.0], "operations": [50.0, 50.0],
    "mapped_bytes": [0.0, 1e6], "disk_bytes_per_key": [32.0, 32.0],
}  # fmt: skip
HOST = {"processor": "AMD EPYC", "processor_model": "25-17-1"}
WHOLE_FILE = {"mapped_bytes": [320e6, 321e6]}


def made(
    values: dict[str, list[float]], arms: dict[str, dict[str, Any]] | None = None, blocks: int = 6, visits: int = 2
) -> Any:
    """A summary of six blocks in which every arm has ``values``, and some arms their own, in turn.

    visits: a day apart, of as many blocks each.
    """
    p = Parameters(blocks=blocks)
    rows = []
    for trial in chapter.plan(p).trials:
        name = trial.configuration.name
        own = values | (WHOLE_FILE if name in (BYPASS, VALUE_FILE) else {}) | (arms or {}).get(name, {})
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": name, "duration_s": 1.0,
                "started_at": f"2026-01-{17 + trial.block * visits // blocks}T10:{trial.block:02}:00+00:00",
            }
            | {name: each[trial.block % len(each)] for name, each in own.items()}
        )  # fmt: skip
    return chapter.summarize(
        Run(
            "x", "read_path", 1, p.model_dump(mode="json"), "custom", p.seed, blocks, HOST | {"engine_version": "0"},
            pd.DataFrame(rows), pd.DataFrame(), pd.DataFrame(),
        )
    )  # fmt: skip


def verdicts(summary: Any) -> dict[str, Any]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(summary)}


def times(sqlite: float, bypass: float, btree: float, option_a: tuple[float, float], visits: int = 2) -> Any:
    """A run with these mean times in ns, along the stride and at random keys.

    Every other block is a hundredth slower, every third of the value file a little, the A/A arm a little off.
    """

    def both(value: float, *steps: float) -> dict[str, list[float]]:
        return {name: [step * value for step in steps or (1, 1.01)] for name in ("batch_mean_ns", "query_mean_ns")}

    file, again = both(bypass, 1, 1.01, 1.001, 1.01, 1, 1.011), both(bypass, 1.001, 1.009)
    return made(
        SOUND,
        {
            SQLITE_AS_RUN: both(sqlite), BYPASS: file, BYPASS_AGAIN: again, BTREE_ROCKSDB: both(btree),
            LARGER_CACHE: both(option_a[0]), COMPACTED: both(option_a[1]), SQLITE_AUTOCOMMIT: both(sqlite),
            VALUE_FILE: file, VALUE_FILE_AGAIN: again,
        },
        visits=visits,
    )  # fmt: skip


def test_claims_hold_where_the_numbers_are_as_the_note_expects() -> None:
    found = verdicts(times(3500, 1000, 3000, (2500, 2400)))
    assert found["O054"].outcome is Outcome.REPRODUCED
    assert found["O054"].estimate.point == pytest.approx(3.5, rel=1e-3)
    assert found["O088"].outcome is Outcome.REPRODUCED
    assert found["O088"].estimate.point == pytest.approx(1 / 3, rel=1e-3)
    assert found["O095"].outcome is Outcome.REPRODUCED
    assert found["O095"].estimate.point == pytest.approx(2.4, rel=1e-3), "the faster setting of Option A counts"
    assert "compacted" in found["O095"].reason


def test_a_speed_up_beyond_the_forecast_is_in_its_direction_only() -> None:
    assert verdicts(times(9000, 1000, 3000, (2500, 2400)))["O054"].outcome is Outcome.DIRECTION_ONLY


def test_claims_fail_where_bypassing_brings_nothing() -> None:
    found = verdicts(times(900, 1000, 900, (950, 900)))
    for identity in ("O054", "O088", "O095"):
        assert found[identity].outcome is Outcome.CONTRADICTED, identity


def test_a_value_file_that_was_not_mapped_decides_no_claim_about_it() -> None:
    run = times(3500, 1000, 3000, (2500, 2400)).run
    trials = run.trials.copy()
    of_one_block = trials["configuration"].isin([BYPASS, VALUE_FILE]) & (trials["block"] == 3)
    trials.loc[of_one_block, "mapped_bytes"] = 150e6
    found = verdicts(chapter.summarize(replace(run, trials=trials)))
    for identity in ("O054", "O088", "O095"):
        assert found[identity].outcome is Outcome.DESIGN
        assert "in 1 of 6 blocks look-ups of the value file mapped less than 50% of it" in found[identity].reason
    assert "compacted" in found["O095"].reason, "the setting of Option A that counts"
    assert found["O053"].outcome is Outcome.REPRODUCED


def test_what_replaced_rocksdb_must_be_what_maps_the_file() -> None:
    mapped = {"mapped_bytes": [200e6, 200e6]}
    found = verdicts(made(SOUND | {"query_mean_ns": [900.0, 910.0]}, {BTREE_ROCKSDB: mapped}))
    assert found["O088"].outcome is Outcome.DESIGN
    assert "“B-tree index + RocksDB” mapped" in found["O088"].reason
    assert found["O054"].outcome is not Outcome.DESIGN


def test_every_random_look_up_takes_turns_with_the_value_file_that_it_is_held_against() -> None:
    summary = made(SOUND)
    for arm in (*RIVALS, VALUE_FILE_AGAIN, VALUE_FILE_SMALL, VALUE_FILE_HASH, VALUE_FILE_HASH_SMALL):
        assert ARMS[arm].group == ARMS[summary.base(arm)].group, arm
    assert ARMS[VALUE_FILE].settings == ARMS[VALUE_FILE_BESIDE].settings
    assert sorted(SECOND) == sorted(name for name, arm in ARMS.items() if arm.group == ARMS[VALUE_FILE_BESIDE].group)


def whole(text: str) -> str:
    """Numbers that are whole but for rounding as such: "4.00 times" as "4 times"."""
    return re.sub(r"\.0+(?=[ ;.])", "", text)


def test_multiples_are_of_the_value_file_of_their_own_group() -> None:
    p50 = {"query_p50_ns": [100.0, 101.0]}
    arms = {
        VALUE_FILE_BESIDE: {"query_p50_ns": [200.0, 202.0]}, CUCKOO_TABLE: {"query_p50_ns": [600.0, 606.0]},
        SQLITE_BEST: {"query_p50_ns": [400.0, 404.0]}, VALUE_FILE_HASH: {"query_p50_ns": [500.0, 505.0]},
        PLAIN_TABLE: {"query_p50_ns": [800.0, 808.0]}, ROCKSDB_TUNED: {"query_p50_ns": [900.0, 909.0]},
    }  # fmt: skip
    summary = made(SOUND | p50, arms)
    alt = whole(chapter.figures(summary)["gets"].alt)
    assert "SQLite, best 4;" in alt
    assert "RocksDB CuckooTable 3;" in alt
    times = chapter.table(summary, "medians")["times as long"]
    assert [float(times[engine].split()[0]) for engine in ("SQLite, best", "RocksDB CuckooTable")] == [4, 3]
    text = whole(chapter.say(summary, "rivals").text)
    assert "is 9 times as fast as RocksDB as the note tuned it" in text
    assert "times as fast as “RocksDB CuckooTable”" in text
    assert "takes 2.50" in " ".join(chapter.lesson(summary).besides)


def test_both_patterns_stand_beside_each_other() -> None:
    arms = {
        SQLITE_AS_RUN: {"batch_mean_ns": [8200.0, 8282.0]}, BYPASS: {"batch_mean_ns": [100.0, 101.0]},
        VALUE_FILE: {"query_mean_ns": [500.0, 505.0]}, SQLITE_BEST: {"query_mean_ns": [2000.0, 2020.0]},
        VALUE_FILE_SMALL: {"query_p50_ns": [600.0, 606.0]},
    }  # fmt: skip
    summary = made(SOUND | {"query_p50_ns": [1000.0, 1010.0], "query_mean_ns": [1000.0, 1010.0]}, arms)
    found = chapter.table(summary, "targets")["speed-up"]
    uses = ("statement prepared once", "at its best", "as the note ran it")
    assert [float(found[use].split()[0]) for use in uses] == [2, 4, 82]
    assert "in small pages, takes 6 times as long as along the stride" in whole(chapter.say(summary, "hosts").text)


@pytest.mark.usefixtures("moving_machine")
def test_one_visit_decides_what_is_far_apart_and_every_count() -> None:
    found = verdicts(times(3500, 1000, 3000, (2500, 2400), visits=1))
    for identity in ("O088", "O095"):
        assert found[identity].outcome is Outcome.REPRODUCED, found[identity].reason
        assert found[identity].visits == 1
    assert found["O053"].outcome is Outcome.REPRODUCED
    near = verdicts(times(2600, 1000, 1100, (1200, 1150), visits=1))
    for identity in ("O054", "O088", "O095"):
        assert near[identity].outcome is Outcome.ONE_VISIT, near[identity].reason
        assert near[identity].visits_needed


@pytest.mark.parametrize(("off", "outcome"), [(1.01, Outcome.REPRODUCED), (1.06, Outcome.CHECK)])
def test_an_a_a_pair_that_is_off_by_more_than_visits_may_do_voids_the_times(off: float, outcome: Outcome) -> None:
    run = times(3500, 1000, 3000, (2500, 2400)).run
    again = run.trials["configuration"].isin([BYPASS_AGAIN, VALUE_FILE_AGAIN])
    run.trials.loc[again, ["batch_mean_ns", "query_mean_ns"]] *= off
    found = verdicts(chapter.summarize(run))
    assert {found[identity].outcome for identity in ("O054", "O088", "O095")} == {outcome}
    assert found["O053"].outcome is Outcome.REPRODUCED, "right answers are counted"


def test_fewer_than_six_blocks_decide_nothing() -> None:
    found = verdicts(made(SOUND | {"query_mean_ns": [900.0, 910.0]}, blocks=5))
    for identity in ("O053", "O054", "O088", "O095"):
        assert found[identity].outcome is Outcome.INCONCLUSIVE
        assert "5 blocks instead of at least 6" in found[identity].reason


def test_existence_is_counted_by_class_and_a_wrong_answer_contradicts_it() -> None:
    assert verdicts(made(SOUND))["O053"].outcome is Outcome.REPRODUCED
    wrong = verdicts(made(SOUND, {ALEX_ABSENT: {"right_answers": [50.0, 49.0]}}))["O053"]
    assert wrong.outcome is Outcome.CONTRADICTED
    assert wrong.estimate.point == 1
    assert "absent 297 of 300" in wrong.reason


def test_what_no_measurement_decides_is_said_to_be_so() -> None:
    found = verdicts(made(SOUND))
    assert found["O055"].outcome is found["O064"].outcome is Outcome.NOT_A_MEASUREMENT


def test_missing_numbers_leave_claims_open_and_never_decide_them() -> None:
    lacking = {"batch_mean_ns": [float("nan"), 1.0], "query_mean_ns": [float("nan"), 1.0]}
    found = verdicts(made(SOUND, {SQLITE_AS_RUN: lacking, SQLITE_AUTOCOMMIT: lacking}))
    for identity in ("O054", "O095"):
        assert found[identity].outcome is Outcome.INCONCLUSIVE
        assert found[identity].estimate is None


@pytest.mark.parametrize(
    "fault",
    [
        {BYPASS: {"right_answers": [50.0, 49.0]}},
        {BYPASS: {"cache_state": [WARM, READ]}},
        {BYPASS_AGAIN: {"batch_mean_ns": [2000.0, 2020.0]}},
    ],
)
def test_a_fault_of_the_environment_voids_the_times(fault: dict[str, dict[str, Any]]) -> None:
    states: dict[str, Any] = {"cache_state": [WARM, WARM]}
    assert verdicts(made(SOUND | states))["O088"].outcome is not Outcome.CHECK
    assert verdicts(made(SOUND | states, fault))["O088"].outcome is Outcome.CHECK


@pytest.mark.parametrize(
    ("sqlite", "title"),
    [(3500.0, "leads straight to the value beats SQLite"), (500.0, "the engine is slower than SQLite")],
)
def test_the_lesson_says_whether_the_value_file_is_faster(sqlite: float, title: str) -> None:
    assert title in chapter.lesson(times(sqlite, 1000, 1500, (1200, 1300))).title


def test_the_target_is_reached_or_not_by_the_use_of_sqlite() -> None:
    each = {"query_mean_ns": [1000.0, 1010.0]}
    arms = {
        SQLITE_AS_RUN: {"batch_mean_ns": [9000.0, 9100.0]},
        SQLITE_AUTOCOMMIT: {"query_mean_ns": [2000.0, 2021.0]},
        SQLITE_BEST: {"query_mean_ns": [1500.0, 1510.0]},
        BYPASS_AGAIN: {"batch_mean_ns": [1001.0, 1009.0]},
    }
    found = chapter.table(made(SOUND | each, arms), "targets")
    assert dict(found["target"]) == {
        "statement prepared once": "not decided", "at its best": "missed", "as the note ran it": "reached",
    }  # fmt: skip
    assert found["speed-up"]["as the note ran it"].startswith("9.00 [")


def test_the_stride_says_how_often_each_went_over_the_keys() -> None:
    asked_for = {
        BYPASS: {"operations": [8e6, 8e6], "right_answers": [8e6, 8e6], "discarded_lookups": [1e6, 1e6]},
        SQLITE_AS_RUN: {"operations": [1.2e5, 1.2e5], "right_answers": [1.2e5, 1.2e5], "discarded_lookups": [3e4, 3e4]},
    }
    summary = made(SOUND | {"query_mean_ns": [900.0, 910.0]}, asked_for)
    assert (summary.passes(BYPASS), summary.passes(SQLITE_AS_RUN)) == (90, 1.5)
    assert "90.0 passes over the keys against SQLite's 1.50" in chapter.say(summary, "answer").text
    assert "to 90.0 passes, each of which begins one row further" in chapter.figures(summary)["stride"].caption
    alone = {arm: {"operations": [1e5, 1e5], "right_answers": [1e5, 1e5]} for arm in ARMS}
    assert "Each key is asked for once." in chapter.figures(made(SOUND, alone))["stride"].caption


def test_published_runs_of_earlier_versions_stand_beside_the_numbers_and_decide_none() -> None:
    summary = made(SOUND | {"query_mean_ns": [900.0, 910.0]})
    assert summary.earlier(SQLITE_BEST, VALUE_FILE, "query_mean_ns") == {}, "a version before all of them"
    later = chapter.summarize(replace(summary.run, measurement_version=6))
    told = chapter.table(later, "earlier")
    assert {*told["how"]} == {"taking turns", "one after the other"}
    assert {*told["processor"]} == {"Intel Xeon"}
    assert "Published runs" in chapter.say(later, "hosts").text
    assert chapter.table(summary, "earlier").empty
    assert "Published runs" not in chapter.say(summary, "hosts").text
    assert any("2.48 to 5.10 over SQLite at its best." in each for each in chapter.lesson(later).besides)
    assert {name: each.outcome for name, each in verdicts(later).items()} == {
        name: each.outcome for name, each in verdicts(summary).items()
    }


def test_the_read_ahead_is_told_of_a_published_run_and_not_known_of_another() -> None:
    run = made(SOUND).run
    assert "which this run does not record" in read_ahead.in_words(run)
    assert "8,192 KiB" in read_ahead.in_words(replace(run, published=True))


def test_the_hash_tables_bytes_are_those_of_the_index_alone() -> None:
    arms = {
        VALUE_FILE_SMALL: {"index_bytes_per_key": [18.0, 18.0]},
        VALUE_FILE_HASH_SMALL: {"index_bytes_per_key": [float("nan"), float("nan")]},
        HASH_PRESENT: {"index_bytes_per_key": [28.0, 28.0]},
    }
    summary = made(SOUND | {"query_p50_ns": [1.0, 1.1], "disk_bytes_per_key": [124.0, 124.0]}, arms)
    table = chapter.figures(summary)["bytes"].data
    index = table[table["what"] == "index in memory"].set_index("configuration")["bytes per key"]
    assert index.to_dict() == {"ALEX + value file": 18.0, "hash + value file": 28.0}


@pytest.mark.parametrize(("given", "departs"), [(0.5, True), (1.0, False), (1.7, False)])
def test_an_index_that_the_kernel_left_in_small_pages_departs_from_the_design(given: float, departs: bool) -> None:
    whole = 20.0 * made(SOUND).parameters.rows
    held = {"index_bytes_per_key": [20.0, 20.0], "huge_page_bytes": [given * whole] * 2}
    summary = made(SOUND, {VALUE_FILE: held})
    assert summary.share_in_huge_pages() == pytest.approx(min(1.0, given))
    assert ("huge pages for 50% of the index" in "; ".join(summary.departures())) is departs


def test_a_value_file_that_differs_from_itself_is_told() -> None:
    times_of = {VALUE_FILE_AGAIN: {"query_p50_ns": [2.0, 2.2]}}
    found = chapter.table(made(SOUND | {"query_p50_ns": [1.0, 1.1]}, times_of), "medians")["times as long"]
    assert whole(f"{found['the value file again']}.") == "2."


def test_each_figure_says_what_it_shows_where_the_run_has_the_numbers() -> None:
    found = chapter.figures(
        made(SOUND | {"query_mean_ns": [1000.0, 1010.0]}, {SQLITE_BEST: {"query_mean_ns": [1500.0, 1510.0]}})
    )
    assert found["speed_up"].finding == "At random keys, the value file is 1.50 times as fast as SQLite at its best"


def test_rocksdb_whose_filter_did_not_fit_into_a_shard_is_compared_with_nothing() -> None:
    known = {"query_mean_ns": [1000.0, 1010.0], "device_kib_per_lookup": [20.0, 21.0], "held_share": [0.5, 0.5]}
    summary = made(SOUND | known, {ROCKSDB_HALF: {"held_share": [0.3, 0.3]}})
    assert ROCKSDB_HALF in summary.arms, "its trials stay"
    assert not [name for name, number in NUMBERS.items() if ROCKSDB_HALF in number.arms]
    assert {*chapter.table(summary, "half_memory").index} == {summary.label(arm) for arm in summary.halves()}
    assert "holds 50.0 to 50.0 %" in chapter.say(summary, "held").text
    figure = chapter.figures(summary)["half"]
    assert figure.finding.endswith("a look-up in the value file reads 20.5 KiB and takes 1.00 µs")
    assert summary.label(ROCKSDB_HALF) not in figure.alt
    assert "RocksDB" not in chapter.say(summary, "halves").text + chapter.lesson(summary).besides[-1]


def test_figures_of_a_run_without_numbers_say_so_and_are_whole() -> None:
    found = chapter.figures(made({"operations": [1.0, 1.0]}))
    assert len({figure.id for figure in found.values()}) == len(found)
    for figure in found.values():
        assert len(figure.data)
        assert figure.caption.endswith(".")
        assert "nan" not in figure.caption
