"""The store it was compared with, without any store: what is refused, which rows are asked for, what decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planting import OFF_AT_99, set_apart

from benchbook import lab
from benchbook.chapters.comparators.arms import (
    BASELINE,
    DISJOINT,
    LABELS,
    REPEATED,
    Parameters,
    configurations,
    name_of,
)
from benchbook.chapters.comparators.asked import in_memory, on_disk
from benchbook.chapters.comparators.badger_store import rows_of
from benchbook.chapters.comparators.embedded import request_of
from benchbook.chapters.comparators.remote import loading, value
from benchbook.errors import BenchbookError
from benchbook.measuring.features.summary import promised
from benchbook.model import Outcome, Run, Verdict
from benchbook.statistics import CacheState

chapter = lab.experiment("comparators")

pytestmark = pytest.mark.usefixtures("still_machine")

TIMES = dict.fromkeys(("p50_ns", "p95_ns", "p99_ns", "mean_ns", "sd_ns"), 1000000.0)
COUNTS = {
    "requests": 10_000.0, "index_scans": 300_000.0, "loop_share_in_requests": 1.0, "pool_misses_per_request": 0.0,
    "device_kib_per_request": 0.0,
}  # fmt: skip
SMALL: dict[str, Any] = {
    "n_tables": 2, "rows_per_table": 1_000, "hot_set_keys": 50, "warmup_requests": 50, "measured_requests": 200,
    "window_requests": 100, "cold_requests": 30,
}  # fmt: skip


def planted(
    arms: dict[str, dict[str, Any]], *, seed: int = 2, blocks: int = 8, parameters: Parameters | None = None
) -> Run:
    """A run whose times are alike in all configurations within 0.5 %, but where ``arms`` says otherwise."""
    parameters = parameters or Parameters.given({"blocks": blocks})
    generator, rows = np.random.default_rng(seed), []
    for trial in chapter.plan(parameters).trials:
        name = trial.configuration.name
        own = TIMES | COUNTS | ({"pool_misses_per_request": 60.0} if name == DISJOINT else {}) | arms.get(name, {})
        state = promised(trial.configuration.settings)
        row = {"trial": trial.index, "block": trial.block, "configuration": name, "session": 0}
        row |= {"cache_state": str(state or "no data")}
        noise = {metric: float(np.exp(generator.normal(0, 0.005))) for metric in TIMES}
        rows.append(row | {metric: amount * noise.get(metric, 1.0) for metric, amount in own.items()})
    return Run(
        "r", "comparators", 1, parameters.model_dump(mode="json"), "standard", parameters.seed, blocks,
        {"engine_version": "18.6", "direct_io": True, "heap_bytes": 1, "index_bytes": 1}, pd.DataFrame(rows),
        pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
    )  # fmt: skip


def times(factor: float) -> dict[str, float]:
    return {metric: factor * amount for metric, amount in TIMES.items()}


def judged(run: Run) -> dict[str, Verdict]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}


def test_a_cold_database_that_is_slower_makes_the_pairing_mislead() -> None:
    assert judged(planted({DISJOINT: times(2.8)}))["L006"].outcome is Outcome.REPRODUCED
    assert judged(planted({}))["L006"].outcome is Outcome.CONTRADICTED


def test_a_cold_arm_that_read_nothing_decides_nothing() -> None:
    same = times(2.8) | {"pool_misses_per_request": 0.0}
    assert judged(planted({DISJOINT: same}))["L006"].outcome is Outcome.DESIGN


def test_a_baseline_that_differs_from_itself_leaves_the_claim_open() -> None:
    run = set_apart(planted({DISJOINT: times(1.15)}), REPEATED, BASELINE, "p99_ns", OFF_AT_99)
    assert judged(run)["L006"].outcome is Outcome.CHECK


def test_the_systems_that_the_note_runs_are_read_whatever_was_measured() -> None:
    found = judged(planted({}))["L076"]
    assert found.outcome is Outcome.CONTRADICTED
    assert found.estimate is not None
    assert found.estimate.point == 1


@settings(max_examples=15, deadline=None)
@given(st.floats(0.01, 100))
def test_the_stand_in_cancels_however_fast_it_is(speed: float) -> None:
    rocksdb = name_of("rocksdb", "hot")
    plain, other = (chapter.summarize(planted({DISJOINT: times(3), rocksdb: times(each)})) for each in (1, speed))
    assert other.mismatch("p99_ns").point == pytest.approx(plain.mismatch("p99_ns").point)
    assert plain.mismatch("p99_ns").point == pytest.approx(plain.penalty("postgres", "p99_ns").point)


def test_dynamodb_is_in_no_comparison_and_its_sentence_claims_no_latency() -> None:
    parameters = Parameters.given({"blocks": 8, "stores": ["rocksdb", "dynamodb"]})
    run = planted({DISJOINT: times(3), name_of("dynamodb", "hot"): times(50)}, parameters=parameters)
    run.provenance["stores"] = {"DynamoDB": "an imitation on this machine"}  # type: ignore[index]
    summary = chapter.summarize(run)
    said = chapter.say(summary, "against_the_constants").text
    assert "every value as it was written" in said
    assert "no statement about the latency" in said
    assert "The slowest median here, of “PostgreSQL, cold”" in said
    assert [*summary.present("hot")] == ["rocksdb"]
    assert "DynamoDB, to see" not in chapter.figures(summary)["latency"].alt
    assert "DynamoDB" not in chapter.say(summary, "certificates").text


def test_a_store_that_was_left_out_has_no_number_and_is_named() -> None:
    run = planted({DISJOINT: times(3)})
    gone = run.trials["configuration"].str.startswith("redis")
    run.trials.loc[gone, list(TIMES)] = np.nan
    run.provenance["left_out"] = {"Redis": "there is no Redis server: run `make redis`"}  # type: ignore[index]
    summary = chapter.summarize(run)
    assert "Redis" not in summary.present("hot").values()
    assert "Redis" in chapter.say(summary, "missing").text
    assert "Redis" not in chapter.say(summary, "servers").text
    assert judged(run)["L006"].outcome is Outcome.REPRODUCED


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"stores": ["rocksdb", "rocksdb"]}, "twice"),
        ({"stores": ["cassandra"]}, "stores"),
        ({"rows_per_table": 100_001}, "no multiple of hot_set_keys=1,000"),
        ({"cold_requests": 60_000}, "more than half of rows_per_table=100,000"),
        ({"key_existence": "first_table"}, "every store here has every key"),
        ({"store_cache_mib": 1}, "store_cache_mib"),
    ],
)
def test_contradictions_are_refused_with_their_numbers(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchbookError, match=said):
        Parameters.given(wrong)


def test_redis_has_no_cold_arm_and_a_store_that_is_not_asked_for_has_none() -> None:
    names = [arm.name for arm in configurations(Parameters())]
    assert "redis_hot" in names
    assert "redis_cold" not in names
    assert {f"{store}_cold" for store in LABELS if store != "redis"} <= set(names)
    few = [arm.name for arm in configurations(Parameters.given({"stores": ["redis"]}))]
    assert [name for name in few if not name.startswith("postgres")] == ["redis_hot", "redis_empty"]


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 30), st.integers(20, 60), st.integers(1, 20))
def test_hot_rows_are_those_of_one_pass_and_cold_ones_are_never_asked_twice(tables: int, hot: int, times: int) -> None:
    rows = hot * (times + 50)
    p = Parameters.given(
        SMALL | {"n_tables": tables, "hot_set_keys": hot, "rows_per_table": rows, "warmup_requests": hot,
                 "measured_requests": 200, "cold_requests": 20}
        if rows >= hot + 1_000
        else SMALL | {"n_tables": tables}
    )  # fmt: skip
    warm, measured = rows_of(p, "same")
    assert set(measured.tolist()) <= set(warm.tolist())
    assert len(set(warm.tolist())) == p.n_tables * p.hot_set_keys
    nothing, cold = rows_of(p, "disjoint")
    assert not len(nothing)
    assert len(set(cold.tolist())) == len(cold) == p.n_tables * p.cold_requests
    assert max(*warm.tolist(), *cold.tolist()) < p.store_rows
    arms = {arm.name: arm for arm in configurations(p)}
    run = request_of(p, arms["rocksdb_hot"], 1)["run"]
    assert run["stride"] * p.n_tables * p.hot_set_keys == p.store_rows, "a pass ends where it began"
    run = request_of(p, arms["rocksdb_cold"], 1)["run"]
    assert run["stride"] * run["operations"] <= p.store_rows, "no row is asked for twice"


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 90_000), st.integers(0, 199), st.integers(0, 90_000), st.integers(0, 199))
def test_no_two_rows_have_the_same_value(row: int, table: int, other: int, elsewhere: int) -> None:
    first, second = (value(np.array([r]), t, 10) for r, t in ((row, table), (other, elsewhere)))
    assert ((first == second).all()) == ((row, table) == (other, elsewhere))


def test_what_is_sent_to_redis_is_one_command_a_row() -> None:
    p = Parameters.given(SMALL)
    parts = list(loading(p))
    assert sum(commands for _, commands in parts) == p.store_rows
    assert all(spelled.count(b"SET") == commands for spelled, commands in parts)


def test_a_state_follows_from_what_was_read_and_what_lay_in_memory() -> None:
    assert in_memory(0, 100) is CacheState.HOT
    assert in_memory(100 * 4096, 100) is CacheState.MIXED
    assert in_memory(100 * 4096, 100, cached=1.0) is CacheState.HOT
    assert in_memory(None, 100) is CacheState.NOT_CERTIFIED
    assert on_disk(0.0) is CacheState.COLD
    assert on_disk(0.5) is CacheState.MIXED
