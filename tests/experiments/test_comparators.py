"""The store it was compared with, without any store: what is refused, which rows are asked for, what is certified."""

from typing import Any

import numpy as np
import pytest
from chapters import planted_numbers
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbook import lab
from benchbook.chapters.comparators import Parameters, apart
from benchbook.measuring.features.beside import rows_of
from benchbook.measuring.features.remote import value
from benchbook.measuring.features.stores import in_memory, on_disk, request_of
from benchbook.statistics import CacheState

chapter = lab.experiment("comparators")
SMALL: dict[str, Any] = {
    "n_tables": 2, "rows_per_table": 1_000, "hot_set_keys": 50, "warmup_requests": 50, "measured_requests": 200,
    "window_requests": 100, "cold_requests": 30,
}  # fmt: skip


def test_stores_that_a_cold_cache_costs_more_or_less_and_those_that_were_not_cold_throughout_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = {"postgres_cold": 3e6, "lmdb_cold": 30e6, "sqlite_cold": 1e6}
    values = {"mean_ns": [1e6 + block for block in range(6)], "files_in_os_cache_at_start": 0.2}
    varied = {(arm, "mean_ns"): [mean + block for block in range(6)] for arm, mean in own.items()}
    summary = planted_numbers.even(monkeypatch, "comparators", values | varied)
    assert apart(summary) == {"more": ["LMDB"], "less": ["RocksDB", "SQLite", "Badger"]}
    summary.run.trials["cache_state"] = "mixed"
    assert summary.label("lmdb_cold") == "LMDB, 80 % cold"
    assert summary.cold_label("lmdb") == "LMDB (80 % cold)"
    other = planted_numbers.even(monkeypatch, "comparators", values)
    other.run.trials["cache_state"] = "cold"
    assert other.label("lmdb_cold") == "LMDB, cold"


def test_a_store_that_is_not_asked_for_has_no_configuration() -> None:
    few = chapter.configurations(Parameters.given({"stores": ["redis"]}))
    assert [name for name in few if not name.startswith("postgres")] == ["redis_hot", "redis_empty"]


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 30), st.integers(20, 60), st.integers(1, 20))
def test_hot_rows_are_those_of_one_pass_and_cold_ones_are_never_asked_twice(tables: int, hot: int, times: int) -> None:
    own = {"hot_set_keys": hot, "rows_per_table": hot * (times + 50), "warmup_requests": hot, "cold_requests": 20}
    p = Parameters.given(SMALL | {"n_tables": tables} | own)
    warm, measured = rows_of(p, "same")
    nothing, cold = rows_of(p, "disjoint")
    assert set(measured.tolist()) <= set(warm.tolist())
    assert (len(np.unique(warm)), len(nothing)) == (p.n_tables * p.hot_set_keys, 0)
    assert len(np.unique(cold)) == len(cold) == p.n_tables * p.cold_requests
    assert max(*warm.tolist(), *cold.tolist()) < p.store_rows
    arms = chapter.configurations(p)
    run = request_of(p, arms["rocksdb_hot"], 1)["run"]
    assert run["stride"] * p.n_tables * p.hot_set_keys == p.store_rows, "a pass ends where it began"
    run = request_of(p, arms["rocksdb_cold"], 1)["run"]
    assert run["stride"] * run["operations"] <= p.store_rows, "no row is asked for twice"


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 90_000), st.integers(0, 199), st.integers(0, 90_000), st.integers(0, 199))
def test_no_two_rows_have_the_same_value(row: int, table: int, other: int, elsewhere: int) -> None:
    first, second = (value(np.array([r]), t, 10) for r, t in ((row, table), (other, elsewhere)))
    assert ((first == second).all()) == ((row, table) == (other, elsewhere))


def test_a_state_follows_from_what_was_read_and_what_lay_in_memory() -> None:
    states = [in_memory(0, 100), in_memory(409_600, 100), in_memory(409_600, 100, cached=1.0), in_memory(None, 100)]
    assert states == [CacheState.HOT, CacheState.MIXED, CacheState.HOT, CacheState.NOT_CERTIFIED]
    assert [on_disk(0.0), on_disk(0.5)] == [CacheState.COLD, CacheState.MIXED]
