"""SQLite's fairness without an engine: parameters, arms, requests, metrics, estimands, and what they decide."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import OFF_AT_95_ALONE, OFF_AT_99, set_apart

from benchbook import lab
from benchbook.chapters.sqlite_fairness import numbers
from benchbook.chapters.sqlite_fairness.arms import (
    AFTER,
    AS_RUN,
    BEFORE,
    BEST,
    CLAIMED_SIZES,
    COMMITS,
    LOOKUPS,
    NO_LOG,
    ONCE,
    ONE_WRITE,
    POWER_CUT,
    UNSYNCED,
    WARM,
    WARM_AGAIN,
    Parameters,
    at,
    configurations,
    note,
    note_again,
)
from benchbook.chapters.sqlite_fairness.measure import killed, looked_up, request_of
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.measuring.kv import note as printed
from benchbook.model import Outcome, Part, Run
from benchbook.numbers import processors
from benchbook.pages.names import NOTHING

chapter = lab.experiment("sqlite_fairness")

pytestmark = pytest.mark.usefixtures("still_machine")
ABOVE = "The engine stays ahead of SQLite with a statement prepared once: say which SQLite was beaten"
BELOW = "SQLite with a statement prepared once is ahead: say which SQLite was beaten"

P = Parameters()
REQUESTS = {arm.name: request_of(P, arm, 7) for arm in configurations(P)}


def changed(name: str, base: str) -> set[str]:
    one, other = REQUESTS[name]["options"], REQUESTS[base]["options"]
    return {key for key in {*one, *other} if one.get(key) != other.get(key)}


def test_every_arm_that_an_estimand_names_is_a_configuration() -> None:
    names = {arm.name for arm in configurations(P)}
    for rows in CLAIMED_SIZES:
        assert {note(AS_RUN, rows), note(ONCE, rows), note(AFTER, rows)} <= names
    assert at(ONE_WRITE, UNSYNCED) in names


def test_the_benchmark_is_the_notes() -> None:
    for rows in CLAIMED_SIZES:
        asked = REQUESTS[note(AS_RUN, rows)]
        assert asked["load"] == {
            "rows": rows, "keys": "sequential", "value_bytes": 0, "batch_rows": 0, "settle": "nothing"
        }  # fmt: skip
        assert asked["run"] == {
            "law": "stride", "stride": rows // 1000, "operations": 1000, "batch_operations": 1000
        }  # fmt: skip
        assert asked["options"]["prepare"] == "query"
        assert not {"journal", "synchronous", "cache_kib", "mmap_bytes", "transaction"} & set(asked["options"])


def test_uses_of_sqlite_differ_in_one_thing_and_in_nothing_else() -> None:
    for use, keys in {
        AS_RUN: {"prepare"}, "full_mutex": {"mutex"}, "no_sync": {"synchronous"}, "write_ahead_log": {"journal"},
        "large_cache": {"cache_kib"}, "mapped": {"mmap_bytes"}, "exclusive": {"locking"},
        "read_held": {"transaction"}, BEST: {"transaction", "mmap_bytes"},
    }.items():  # fmt: skip
        assert changed(at(WARM, use), at(WARM, ONCE)) == keys, use
        assert REQUESTS[at(WARM, use)]["load"] == REQUESTS[at(WARM, ONCE)]["load"]
    assert changed(WARM_AGAIN, at(WARM, ONCE)) == set()
    assert REQUESTS[note_again(P)] == REQUESTS[note(ONCE, P.largest)]


def test_the_notes_options_are_those_that_it_lists() -> None:
    assert changed(at(WARM, AFTER), at(WARM, BEFORE)) == {
        "bloom_bits", "block_cache_bytes", "cache_index_and_filter_blocks", "pin_level0", "block_bytes"
    }  # fmt: skip
    assert LOOKUPS[AFTER].options["row_cache_entries"] == 1000
    assert LOOKUPS[BEFORE].options["index_load"] == LOOKUPS[AFTER].options["index_load"] == "single", "as it inserts"
    assert REQUESTS[at(WARM, "after_settled")]["options"] == REQUESTS[at(WARM, AFTER)]["options"]
    assert REQUESTS[at(WARM, "after_settled")]["load"]["settle"] == "compact"


def test_writers_have_no_index_and_are_killed_in_the_second_half() -> None:
    for name, asked in REQUESTS.items():
        if asked["workload"] == "crash":
            assert not {"index", "index_load", "row_cache_entries"} & set(asked["options"]), name
    points = {
        request_of(P, arm, seed)["run"]["kill_after_batches"]
        for arm in configurations(P)
        if arm.settings["part"] == COMMITS
        for seed in range(300)
    }
    assert min(points) == P.commits // 2
    assert max(points) == P.commits
    assert REQUESTS[at(ONE_WRITE, UNSYNCED)]["load"]["batch_rows"] == 0
    assert REQUESTS[at(ONE_WRITE, UNSYNCED)]["run"] == {"kill_after_batches": 1}


def test_the_arms_of_a_block_share_keys_and_the_moment_of_the_kill() -> None:
    for block in range(2):
        trials = [t for t in chapter.plan(Parameters(blocks=2)).trials if t.block == block]
        assert len({t.seed for t in trials}) == 1
        kills = {
            request_of(P, t.configuration, t.seed)["run"]["kill_after_batches"]
            for t in trials
            if t.configuration.settings["part"] == COMMITS
        }
        assert len(kills) == 1


@pytest.mark.parametrize(
    "values",
    [
        {"sizes": []}, {"sizes": [1000, 100]}, {"sizes": [1000, 1000]}, {"sizes": [999]}, {"sizes": [-5]},
        {"sizes": [10_000_000_000]}, {"queries": 0}, {"ladder_rows": 0}, {"ladder_queries": 100}, {"warm_queries": -1},
        {"timed_queries": 10}, {"commits": 1}, {"commit_rows": 0}, {"one_write_rows": 0}, {"kept_samples": 0},
        {"blocks": 1}, {"sizes": [True]}, {"rows": 5}, {"ladder_rows": "many"},
    ],
)  # fmt: skip
def test_impossible_parameters_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError):
        Parameters.given(values)


def phase(**more: Any) -> dict[str, Any]:
    syncs = {"fsync": 0, "fdatasync": 0, "msync": 0, "sync_file_range": 9}
    return {
        "syncs": syncs,
        "engine": {},
        "measured_ns": 0,
        "memory": {"resident_bytes": 5, "anonymous_bytes": 4, "device_read_bytes": 4096},
    } | more


def answer(engine: dict[str, Any], warm: dict[str, Any] | None = None, **series: np.ndarray) -> Answer:
    counters = {
        "open": phase(syncs={"fsync": 1, "fdatasync": 0, "msync": 0, "sync_file_range": 0}),
        "load": phase(syncs={"fsync": 3, "fdatasync": 2, "msync": 1, "sync_file_range": 7}),
        "warm": phase(engine=warm or engine),
        "run": phase(engine=engine, measured_ns=40_000, row_cache_hits=2),
    }
    counters["run"]["memory"]["device_read_bytes"] = 12_288
    record = {"counters": counters, "seconds": {"load_engine": 0.002}, "checked_reads": 30, "timer_ns": 20.5}
    return Answer(series or {"batch.service": np.arange(3)}, record)


ASKED = {"load": {"rows": 1000}, "run": {"operations": 20, "warm_operations": 10}}


def test_a_mean_is_the_measured_time_over_the_look_ups_and_syncs_are_those_of_the_load() -> None:
    found = looked_up(answer({"cache_hits": 75, "cache_misses": 35}, {"cache_hits": 15, "cache_misses": 15}), ASKED)
    assert found["query_mean_ns"] == 2000
    assert found["asked_reads"] == found["checked_reads"] == 30
    assert found["insert_syncs"] == 5, "sync_file_range promises nothing"
    assert found["insert_ns_per_row"] == found["insert_engine_ns_per_row"] == 2000
    assert found["page_hit_ratio"] == 0.75
    assert found["lookup_device_bytes"] == 8192, "what loading had read is not theirs"
    assert "memtable_share" not in found
    assert "query_p50_ns" not in found


def test_a_page_cache_that_was_never_asked_has_no_hit_ratio() -> None:
    found = looked_up(answer({"cache_hits": 5, "cache_misses": 5}), ASKED)
    assert found["page_lookups"] == 0
    assert found["page_hit_ratio"] is None


def test_device_reads_that_the_kernel_does_not_count_are_missing() -> None:
    uncounted = answer({})
    uncounted.record["counters"]["load"]["memory"]["device_read_bytes"] = None
    assert looked_up(uncounted, ASKED)["lookup_device_bytes"] is None


def test_rocksdbs_rows_are_counted_where_they_lie() -> None:
    engine = {
        "rocksdb.num-entries-active-mem-table": 600, "rocksdb.num-entries-imm-mem-tables": 300,
        "files_at_level": [1, 0, 2],
    }  # fmt: skip
    found = looked_up(answer(engine), ASKED)
    assert found["memtable_share"] == 0.9
    assert found["table_files"] == 3
    assert "page_hit_ratio" not in found


def test_tails_come_from_time_stamps_of_single_look_ups_alone() -> None:
    times = np.arange(1, 1001)
    found = looked_up(answer({}, **{"query.service": times}), ASKED)
    assert found["query_p50_ns"] == pytest.approx(500.5)
    assert found["query_p99_ns"] is None, "ten look-ups lie beyond it"


def test_what_a_killed_writer_reported_is_compared_with_what_was_found() -> None:
    crash = {"acknowledged_rows": 4000, "recovered_rows": 3000, "batches": 4, "syncs": 12}
    record = {"counters": {"crash": crash}, "seconds": {"recover": 0.5}}
    found = killed(Answer({"write.service": np.full(4, 1_000_000)}, record), {"run": {"kill_after_batches": 3}})
    assert found["lost_share"] == 0.25
    assert found["write_ns_per_row"] == 1000
    assert found["write_syncs_per_commit"] == 3
    assert found["acknowledged_commits"] == 4
    assert found["wanted_commits"] == 3


def made(arms: dict[str, dict[str, list[float]]], **given: Any) -> Any:
    """A summary of six blocks in which these arms have these values, in turn, and the others none."""
    p = Parameters.given({"blocks": 6, "allow_power_cut": False} | given)
    rows = []
    for trial in chapter.plan(p).trials:
        own = arms.get(trial.configuration.name, {})
        rows.append(
            {"trial": trial.index, "session": 0, "block": trial.block, "configuration": trial.configuration.name}
            | {name: each[trial.block % len(each)] for name, each in own.items()}
        )
    where = {"engine_version": "SQLite 3, RocksDB 7", "probe_timer_ns": 20.0}
    return chapter.summarize(
        Run(
            "x", "sqlite_fairness", 1, p.model_dump(mode="json"), "custom", p.seed, p.blocks, where,
            pd.DataFrame(rows), pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
        )
    )  # fmt: skip


def times(*values: float) -> dict[str, list[float]]:
    return {"query_mean_ns": list(values)}


def speeds(once: float, after: float, again: float = 1.0) -> dict[str, dict[str, list[float]]]:
    found = {}
    for rows in CLAIMED_SIZES:
        found[note(AS_RUN, rows)] = times(1.5 * once, 1.5001 * once)
        found[note(ONCE, rows)] = times(once, 1.0001 * once)
        found[note(AFTER, rows)] = times(after, after)
    found[note_again(P)] = times(again * once, again * 1.0002 * once)
    return found


def verdicts(summary: Any) -> dict[str, Any]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(summary)}


def test_a_speedup_is_the_geometric_mean_over_all_sizes() -> None:
    arms = speeds(2000, 1000)
    arms[note(AFTER, 10_000)] = times(250, 250)  # 8 times as fast there, 2 times elsewhere
    found = verdicts(made(arms))["O078"]
    assert found.estimate.point == pytest.approx((8 * 2**3) ** 0.25, rel=1e-3)
    assert found.outcome is Outcome.REPRODUCED


def test_faster_than_advertised_is_direction_only_and_slower_is_contradicted() -> None:
    assert verdicts(made(speeds(2000, 250)))["O078"].outcome is Outcome.DIRECTION_ONLY
    assert verdicts(made(speeds(500, 1000)))["O078"].outcome is Outcome.CONTRADICTED


def test_preparing_that_matters_contradicts_the_latency_that_the_note_prints() -> None:
    found = verdicts(made(speeds(2000, 1000)))["O015"]
    assert found.estimate.point == pytest.approx(1.5, rel=1e-3)
    assert found.outcome in {Outcome.CONTRADICTED, Outcome.DIRECTION_ONLY}
    same = speeds(2000, 1000)
    same[note(AS_RUN, 10_000_000)] = times(2050, 2052)
    assert verdicts(made(same))["O015"].outcome is Outcome.REPRODUCED


@pytest.mark.parametrize(
    ("once", "best", "title", "words"),
    [
        (2000, 1800, ABOVE, "speed-up over SQLite in one read transaction with its file "
         "mapped is 1.80: the note's engine is ahead"),
        (500, 400, BELOW, "speed-up over SQLite in one read transaction with its file "
         "mapped is 0.400: SQLite is ahead"),
    ],
)  # fmt: skip
def test_the_lesson_says_who_is_ahead_of_which_sqlite(once: float, best: float, title: str, words: str) -> None:
    arms = speeds(once, 1000) | {note(BEST, 10_000_000): times(best, best)}
    made_of = chapter.lesson(made(arms))
    assert made_of.title == title
    assert words in made_of.besides[0]
    bare = chapter.lesson(made(speeds(once, 1000, again=1.5)))
    assert bare.title.startswith("Whether the engine beats it with its statement only prepared once is open")
    assert bare.besides == ()


def test_a_baseline_that_differs_from_itself_voids_the_times() -> None:
    found = verdicts(made(speeds(2000, 1000, again=1.5)))
    assert found["O015"].outcome is Outcome.CHECK
    assert found["O078"].outcome is Outcome.CHECK


@pytest.mark.parametrize(("how", "outcome"), [(OFF_AT_95_ALONE, Outcome.REPRODUCED), (OFF_AT_99, Outcome.CHECK)])
def test_an_a_a_pair_that_is_off_at_99_percent_voids_the_times(how: str, outcome: Outcome) -> None:
    run = made(speeds(2000, 1000)).run
    found = verdicts(chapter.summarize(set_apart(run, note_again(P), note(ONCE, P.largest), "query_mean_ns", how)))
    assert found["O078"].outcome is outcome


@pytest.mark.usefixtures("moving_machine")
def test_a_machine_that_moves_decides_what_is_far_apart_and_every_count() -> None:
    same = speeds(2000, 1000)
    same[note(AS_RUN, 10_000_000)] = times(2050, 2052)
    found = verdicts(made(same | kills([9.0], [9.0])))
    assert found["O078"].outcome is Outcome.REPRODUCED, found["O078"].reason
    assert found["O015"].outcome in (Outcome.ONE_VISIT, Outcome.DESIGN)
    assert "[0.82, 1.28]" in found["O015"].reason
    assert found["O094"].outcome is Outcome.REPRODUCED, "a count does not depend on speed"


def test_fewer_than_six_blocks_decide_nothing() -> None:
    found = verdicts(made(speeds(2000, 1000) | kills([9.0], [9.0]), blocks=5))
    for identity in ("O015", "O078", "O094"):
        assert found[identity].outcome is Outcome.INCONCLUSIVE
        assert "5 blocks instead of at least 6" in found[identity].reason


def test_a_run_without_the_claimed_sizes_says_so_and_decides_nothing() -> None:
    found = verdicts(made(speeds(2000, 1000), sizes=[10_000, 100_000]))
    for identity in ("O015", "O078"):
        assert found[identity].outcome is Outcome.INCONCLUSIVE
        assert found[identity].estimate is None
        assert ",000,000 rows (add them to sizes)" in found[identity].reason


def kills(
    acknowledged: list[float], recovered: list[float], syncs: tuple[float, ...] = (1.0, 2.0), part: str = ONE_WRITE
) -> dict[str, dict[str, list[float]]]:
    return {
        at(part, UNSYNCED): {
            "acknowledged_rows": acknowledged, "recovered_rows": recovered, "write_syncs_per_commit": list(syncs)
        }
    }  # fmt: skip


@pytest.mark.parametrize(("syncs", "trials"), [((0.0,), 6), ((1.0, 0.0), 3)])
def test_rows_that_nobody_synced_prove_nothing_by_outliving_a_kill(syncs: tuple[float, ...], trials: int) -> None:
    found = verdicts(made(kills([9.0], [9.0], syncs)))["O094"]
    assert found.outcome is Outcome.DESIGN
    assert f"in {trials} of 6 trials the insert path acknowledged its rows without waiting for the disk" in found.reason


@pytest.mark.parametrize(("found", "outcome"), [(9.0, Outcome.REPRODUCED), (0.0, Outcome.CONTRADICTED)])
def test_a_loss_of_power_decides_whatever_a_kill_left(found: float, outcome: Outcome) -> None:
    cut = kills([9.0], [found], (0.0,), POWER_CUT)
    verdict = verdicts(made(kills([9.0], [9.0], (0.0,)) | cut, allow_power_cut=True))["O094"]
    assert verdict.outcome is outcome
    assert "after the disk lost its power" in verdict.reason


def test_rows_that_a_kill_takes_contradict_the_durability_whatever_was_synced() -> None:
    assert verdicts(made(kills([9.0], [8.0], (0.0,))))["O094"].outcome is Outcome.CONTRADICTED


@pytest.mark.parametrize(("syncs", "said"), [((0.0,), True), ((1.0,), False)])
def test_the_lesson_says_what_a_kill_does_not_show(syncs: tuple[float, ...], said: bool) -> None:
    text = " ".join(chapter.lesson(made(kills([9.0], [9.0], syncs))).besides)
    assert ("It had synced none of them" in text) is said


def test_one_lost_row_in_one_trial_contradicts_the_durability() -> None:
    whole = verdicts(made(kills([1000.0, 1000.0], [1000.0, 1000.0])))["O094"]
    assert whole.outcome is Outcome.REPRODUCED
    assert "6,000 of 6,000" in whole.reason
    assert "in 6 of 6 trials" in whole.reason
    torn = verdicts(made(kills([1000.0], [1000.0, 1000.0, 1000.0, 1000.0, 1000.0, 999.0])))["O094"]
    assert torn.outcome is Outcome.CONTRADICTED
    assert "5,999 of 6,000" in torn.reason
    assert "in 5 of 6 trials" in torn.reason


def test_nothing_reported_proves_no_durability() -> None:
    found = verdicts(made(kills([0.0, 1000.0], [0.0, 1000.0])))["O094"]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert verdicts(made({}))["O094"].outcome is Outcome.INCONCLUSIVE


def test_more_rows_than_were_written_void_the_count() -> None:
    assert verdicts(made(kills([9.0, 9.0], [9.0, 10.0])))["O094"].outcome is Outcome.CHECK


def test_cold_pages_void_the_times_and_not_the_count() -> None:
    reads = {"asked_reads": [1000.0] * 2, "checked_reads": [1000.0] * 2, "device_read_bytes": [1e7, 1e7]}
    cold = speeds(2000, 1000)
    cold[note(ONCE, 10_000)] |= reads
    found = verdicts(made(cold | kills([9.0, 9.0], [9.0, 9.0])))
    assert found["O078"].outcome is Outcome.CHECK
    assert "device" in found["O078"].reason
    assert found["O094"].outcome is Outcome.REPRODUCED


@pytest.mark.parametrize(
    ("read", "outcome"), [([0.0, 0.0], Outcome.REPRODUCED), ([1e7, 1e7], Outcome.CHECK)]
)  # fmt: skip
def test_what_loading_read_from_a_device_does_not_void_the_times(read: list[float], outcome: Outcome) -> None:
    reads = {"asked_reads": [1000.0] * 2, "checked_reads": [1000.0] * 2, "device_read_bytes": [1e7, 1e7]}
    arms = speeds(2000, 1000)
    arms[note(ONCE, 10_000)] |= reads | {"lookup_device_bytes": read}
    assert verdicts(made(arms))["O078"].outcome is outcome


def test_unchecked_reads_void_the_times() -> None:
    arms = speeds(2000, 1000)
    arms[note(ONCE, 10_000)] |= {
        "asked_reads": [1000.0] * 2, "checked_reads": [1000.0, 999.0], "device_read_bytes": [0.0, 0.0]
    }  # fmt: skip
    assert verdicts(made(arms))["O078"].outcome is Outcome.CHECK


def test_kinds_of_host_are_told_apart_where_there_are_several() -> None:
    arms = speeds(2000, 1000)
    for rows in CLAIMED_SIZES:
        arms[note(ONCE, rows)] = times(1000, 1001, 1002, 3000, 3003, 3006)
    arms[at(WARM, ONCE)] = times(2000, 2002, 2004, 5000, 5005, 5010)
    arms[at(WARM, "read_held")] = times(1000, 1001, 1002, 1000, 1001, 1002)
    alone = made(arms)
    with pytest.raises(BenchbookError, match="one kind of processor"):
        numbers.WORDS["faster_on"](alone)
    assert chapter.say(alone, "by_host").text == NOTHING
    parts = tuple(Part(name, 3, {"processor": name}, first) for name, first in (("slow calls", 3), ("quick calls", 0)))
    both = chapter.summarize(replace(alone.run, pool=parts[::-1]))
    assert [own.tolist() for own in processors.kinds(both).values()] == [
        [True] * 3 + [False] * 3,
        [False] * 3 + [True] * 3,
    ]
    said = chapter.say(both, "by_host").text
    assert said.startswith("It depends on the host")
    assert "times as fast on quick calls (3 blocks) and 3.00 [" in said
    assert "times as fast on slow calls (3 blocks)." in said
    assert re.search(r"takes 2(\.00)? times as long on quick calls and 5(\.00)? times as long on slow calls", said)


def test_the_title_of_hosts_that_lie_apart_is_none_of_a_pooled_number() -> None:
    arms = speeds(2000, 1000)
    for rows in CLAIMED_SIZES:
        arms[note(ONCE, rows)] = times(900, 901, 902, 903, 904, 905, 2200, 2201, 2202, 2203, 2204, 2205)
        arms[note(BEST, rows)] = times(400, 401)
    arms[note_again(P)] = arms[note(ONCE, P.largest)]
    alone = made(arms, blocks=12)
    kinds = ("slow", "slow", "quick", "quick")
    parts = tuple(Part(f"r{n}", 3, {"processor": kind}, 3 * n) for n, kind in enumerate(kinds))
    hosts = chapter.summarize(replace(alone.run, pool=parts))
    assert verdicts(hosts)["O078"].outcome is Outcome.HOST
    told = chapter.lesson(hosts)
    assert told.title.startswith("Used well, SQLite is faster than the engine over four sizes; which is faster")
    assert "0.9" in told.besides[0]
    assert " on slow and 2.2" in told.besides[0]
    assert "on quick over SQLite prepared once" in told.besides[0]


def test_kinds_of_processor_that_share_a_name_stay_apart() -> None:
    alone = made(speeds(2000, 1000))
    found = [{"processor": "one name", "processor_model": model} for model in ("1", "2")]
    parts = tuple(Part(f"r{place}", 3, provenance, 3 * place) for place, provenance in enumerate(found))
    kinds = processors.kinds(chapter.summarize(replace(alone.run, pool=parts)))
    assert [*kinds] == ["one name 1", "one name 2"]
    assert sum(own.sum() for own in kinds.values()) == 6


def test_the_notes_own_numbers_are_read_from_its_tables() -> None:
    assert printed.speedup_after() == pytest.approx(5.626 / 3.915)
    assert printed.behind("query")[10_000_000] == 1.27
    assert printed.behind("insert")[10_000] == 2.27
    assert chapter.table(made({}), "note_claims").loc["10,000,000", "note, after"] == "1.44"


def test_the_control_without_a_log_is_measured_beside_the_one_with_it() -> None:
    for part in (COMMITS, ONE_WRITE):
        assert changed(at(part, NO_LOG), at(part, UNSYNCED)) == {"write_ahead_log"}
        assert changed(at(part, "log_synced"), at(part, UNSYNCED)) == {"sync"}
