"""SQLite's fairness without an engine: metrics of an answer, checks, what a kill decides."""

from typing import Any

import numpy as np
import planting
import pytest
from planting import in_turn, verdicts

from benchbook.chapters.sqlite_fairness import SIZES, Parameters, configurations, killed, looked_up, request_of
from benchbook.engines.probe import Answer
from benchbook.model import Outcome, PlannedTrial

pytestmark = pytest.mark.usefixtures("still_machine")
P = Parameters()
ASKED = {arm.name: request_of(P, arm, 7) for arm in configurations(P)}


def test_a_writer_is_killed_in_the_second_half_and_at_the_same_commit_in_a_block() -> None:
    writers = [arm for arm in configurations(P) if arm.settings["part"] == "commits"]
    points = [{request_of(P, arm, seed)["run"]["kill_after_batches"] for arm in writers} for seed in range(300)]
    assert {len(of_block) for of_block in points} == {1}
    assert (min(map(min, points)), max(map(max, points))) == (P.commits // 2, P.commits)
    assert all("index" not in each["options"] for each in ASKED.values() if each["workload"] == "crash")


def answer(engine: dict[str, Any], warm: dict[str, Any] | None = None, **series: np.ndarray) -> Answer:
    def phase(syncs: int = 0, read: int | None = 4096, **more: Any) -> dict[str, Any]:
        calls = {"fsync": syncs, "fdatasync": syncs, "msync": 0, "sync_file_range": 9}
        memory = {"resident_bytes": 5, "anonymous_bytes": 4, "device_read_bytes": read}
        return {"syncs": calls, "engine": engine, "memory": memory, **more}

    run = phase(3, 12_288, measured_ns=40_000, row_cache_hits=2)
    counters = {"open": phase(1), "load": phase(3), "warm": phase(3) | {"engine": warm or engine}, "run": run}
    record = {"counters": counters, "seconds": {"load_engine": 0.002}, "checked_reads": 30, "timer_ns": 20.5}
    return Answer(series or {"batch.service": np.arange(3)}, record)


LOOKED = {"load": {"rows": 1000}, "run": {"operations": 20, "warm_operations": 10}}


def test_what_loading_and_warming_did_is_not_counted() -> None:
    found = looked_up(answer({"cache_hits": 75, "cache_misses": 35}, {"cache_hits": 15, "cache_misses": 15}), LOOKED)
    assert found["query_mean_ns"] == 2000
    assert found["asked_reads"] == found["checked_reads"] == 30
    assert found["insert_syncs"] == 4, "sync_file_range promises nothing"
    assert found["insert_ns_per_row"] == 2000
    assert found["page_hit_ratio"] == 0.75
    assert found["lookup_device_bytes"] == 8192
    assert looked_up(answer({"cache_hits": 5, "cache_misses": 5}), LOOKED)["page_hit_ratio"] is None, "never asked"


def test_rocksdbs_rows_are_counted_where_they_lie() -> None:
    lying = {f"rocksdb.num-entries-{where}": rows for where, rows in
             {"active-mem-table": 600, "imm-mem-tables": 300}.items()}  # fmt: skip
    found = looked_up(answer(lying | {"files_at_level": [1, 0, 2]}), LOOKED)
    assert (found["memtable_share"], found["table_files"]) == (0.9, 3)
    assert not {"page_hit_ratio", "query_p50_ns"} & {*found}


def test_what_a_killed_writer_reported_is_compared_with_what_was_found() -> None:
    crash = {"acknowledged_rows": 4000, "recovered_rows": 3000, "batches": 4, "syncs": 12}
    record = {"counters": {"crash": crash}, "seconds": {"recover": 0.5}}
    found = killed(Answer({"write.service": np.full(4, 1_000_000)}, record), {"run": {"kill_after_batches": 3}})
    assert (found["lost_share"], found["write_ns_per_row"], found["write_syncs_per_commit"]) == (0.25, 1000, 3)


def made(arms: dict[str, dict[str, list[float]]], **given: Any) -> Any:
    """A summary of six blocks in which these arms have these values, in turn, and the others none."""
    p = Parameters.given({"blocks": 6, "allow_power_cut": False} | given)

    def values(trial: PlannedTrial) -> dict[str, Any]:
        return in_turn(arms.get(trial.configuration.name, {}), trial)

    return planting.summary("sqlite_fairness", p, values, probe_timer_ns=20.0)


def speeds(once: float, after: float, **more: list[float]) -> dict[str, dict[str, list[float]]]:
    of = {use: ns for rows in SIZES for use, ns in {f"once_{rows}": once, f"after_{rows}": after}.items()}
    of[f"once_{P.largest}_again"] = once
    found = {arm: {"query_mean_ns": [ns, 1.0001 * ns]} for arm, ns in of.items()}
    found["once_10000"] |= more
    return found


def kills(acknowledged: list[float], recovered: list[float], syncs: list[float], part: str = "one_write") -> Any:
    counts = {"acknowledged_rows": acknowledged, "recovered_rows": recovered, "write_syncs_per_commit": syncs}
    return {f"{part}_log_unsynced": counts}


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ({}, Outcome.REPRODUCED),
        ({"device_read_bytes": [1e7]}, Outcome.CHECK),
        ({"device_read_bytes": [1e7], "lookup_device_bytes": [0.0]}, Outcome.REPRODUCED),
        ({"device_read_bytes": [1e7], "lookup_device_bytes": [1e7]}, Outcome.CHECK),
        ({"device_read_bytes": [0.0], "checked_reads": [1000.0, 999.0]}, Outcome.CHECK),
    ],
)
def test_pages_from_a_device_and_unchecked_reads_void_the_times(values: dict[str, Any], outcome: Outcome) -> None:
    reads = {"asked_reads": [1000.0], "checked_reads": [1000.0]} | values if values else {}
    summary = made(speeds(2000, 1000, **reads) | kills([9.0], [9.0], [1.0]))
    found = verdicts(summary, "O078", "O094")
    assert found["O078"].outcome is outcome
    assert found["O094"].outcome is Outcome.REPRODUCED, "how fast rows were read is another question"


@pytest.mark.parametrize(
    ("arms", "outcome", "words"),
    [
        (kills([1e3], [1e3], [2.0]), Outcome.REPRODUCED, "6,000 of 6,000 acknowledged rows were found after kill -9"),
        (kills([9.0], [9.0] * 5 + [8.0], [0.0]), Outcome.CONTRADICTED, "all of them in 5 of 6 trials"),
        (kills([9.0], [9.0], [1.0, 0.0]), Outcome.DESIGN, "in 3 of 6 trials the insert path acknowledged its rows"),
        (kills([0.0, 9.0], [0.0, 9.0], [1.0]), Outcome.INCONCLUSIVE, "no row was acknowledged"),
        (kills([9.0], [9.0, 10.0], [1.0]), Outcome.CHECK, "found more than was written"),
        (kills([9.0], [9.0], [0.0], "power_cut"), Outcome.REPRODUCED, "after the disk lost its power"),
        (kills([9.0], [0.0], [0.0], "power_cut"), Outcome.CONTRADICTED, "after the disk lost its power"),
    ],
)
def test_rows_that_are_lost_contradict_and_rows_that_nobody_synced_prove_nothing(
    arms: Any, outcome: Outcome, words: str
) -> None:
    found = verdicts(made(arms, allow_power_cut="power_cut_log_unsynced" in arms), "O094")["O094"]
    assert found.outcome is outcome
    assert words in found.reason


def test_a_size_that_was_left_out_is_named() -> None:
    found = verdicts(made(speeds(2000, 1000), sizes=[10_000, 100_000]), "O078")["O078"]
    assert (found.outcome, found.estimate) == (Outcome.INCONCLUSIVE, None)
    assert ",000,000 rows (add them to sizes)" in found.reason
