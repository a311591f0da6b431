"""Tiny real trials of every store of the chapter: all values checked, states certified, what is missing left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing, times, trials

from benchbook import store, verification
from benchbook.chapters.comparators import measure, remote
from benchbook.chapters.comparators.arms import BASELINE, DISJOINT, Parameters, configurations
from benchbook.chapters.comparators.measure import reduce, session
from benchbook.engines import kv, redis
from benchbook.engines.redis import program
from benchbook.errors import BenchbookError, MachineError
from benchbook.model import PlannedTrial, Run

pytestmark = needing(lambda: (kv.versions(), redis.identity()))

CHAPTER = "comparators"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "n_tables": 2, "rows_per_table": 2_000, "hot_set_keys": 50, "warmup_requests": 50,
        "measured_requests": 200, "window_requests": 100, "shared_buffers_mib": 4, "store_cache_mib": 8,
        "cold_requests": 200,
    }
)  # fmt: skip
SENTENCES = (
    "design", "missing", "servers", "against_the_constants", "noise", "certificates", "pairings",
    "penalties", "warming",
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))


def test_metrics_are_those_of_the_stored_latencies(run: Run) -> None:
    check_metrics(run, reduce)


def test_the_run_verifies_as_it_is_stored(run: Run) -> None:
    [entry] = [each for each in store.catalogue(CHAPTER) if each.id == run.id]
    assert verification.verify(entry).problems == ()


def test_every_value_of_every_request_was_compared(run: Run) -> None:
    for row in run.trials.to_dict("records"):
        if not row["configuration"].startswith("postgres") and not row["configuration"].endswith("empty"):
            assert row["checked_values"] == row["requests"] * PARAMETERS.n_tables, row["configuration"]
            assert (times(run)["trial"] == row["trial"]).sum() == row["requests"]


def test_hot_stores_read_nothing_and_cold_ones_do(run: Run) -> None:
    for name in (BASELINE, "redis_hot", "badger_hot"):
        assert set(trials(run, name)["cache_state"]) == {"hot"}, name
        assert (trials(run, name)["device_kib_per_request"] == 0).all(), name
    for name in (DISJOINT, "rocksdb_cold", "sqlite_cold"):
        assert set(trials(run, name)["cache_state"]) == {"cold"}, name
        assert (trials(run, name)["device_kib_per_request"] > 0).all(), name


def test_its_figures_verdicts_and_sentences_are_whole(run: Run) -> None:
    check_chapter(run, SENTENCES)


def test_a_store_that_is_not_installed_is_left_out_and_the_run_says_how_to_get_it(
    module_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(program.FOLDER, raising=False)
    monkeypatch.setattr(program, "NAMES", ("no-such-server",))
    arms = {arm.name: arm for arm in configurations(PARAMETERS)}
    with session(PARAMETERS, lambda what, share: None) as stores:
        assert "make redis" in stores.provenance()["left_out"]["Redis"]
        trial = stores.measure(PlannedTrial(0, 0, arms["redis_hot"], 1))
        assert trial.metrics == {}
        assert trial.labels["state"].startswith("left out")
        assert stores.measure(PlannedTrial(1, 0, arms["lmdb_hot"], 1)).metrics["requests"] == 200


def test_a_wrong_value_makes_the_trial_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    written, arms = remote.value, {arm.name: arm for arm in configurations(PARAMETERS)}
    spoiled = iter([True])

    def value(row: np.ndarray, table: int, features: int) -> np.ndarray:
        found = written(row, table, features)
        if next(spoiled, False):
            found[:] += 1  # all rows of the first table are stored so
        return found

    monkeypatch.setattr(remote, "value", value)
    with pytest.raises(BenchbookError, match="wrong value for row"):
        remote.Redis().ask(PARAMETERS, arms["redis_hot"], 1)


def test_a_folder_that_is_named_and_holds_no_redis_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(program.FOLDER, str(tmp_path))
    with pytest.raises(MachineError, match="holds neither of"):
        redis.find()


def test_disk_and_memory_are_asked_for_with_the_stores() -> None:
    whole = measure.needs(PARAMETERS)
    larger = measure.needs(Parameters.given(PARAMETERS.model_dump() | {"n_tables": 20, "rows_per_table": 100_000}))
    assert larger.disk_bytes > whole.disk_bytes
    assert replace(whole).memory_bytes > 0
