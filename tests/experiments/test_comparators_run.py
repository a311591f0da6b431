"""Tiny real trials of every store of the chapter: all values checked, states certified, what is missing left out."""

from pathlib import Path

import numpy as np
import pytest
from tiny_runs import check_whole, needing, times, trials

from benchbook import lab
from benchbook.chapters.comparators import Parameters, session
from benchbook.engines import kv, redis
from benchbook.engines.redis import program
from benchbook.errors import BenchbookError
from benchbook.measuring.features import remote
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
ARMS = lab.experiment(CHAPTER).configurations(PARAMETERS)
SENTENCES = (
    "design", "missing", "servers", "against_the_constants", "noise", "certificates", "pairings",
    "penalties", "warming",
)  # fmt: skip


def test_the_run_is_whole_and_every_value_of_every_request_was_compared(run: Run) -> None:
    check_whole(run, SENTENCES)
    for row in run.trials.to_dict("records"):
        if not row["configuration"].startswith("postgres") and not row["configuration"].endswith("empty"):
            assert row["checked_values"] == row["requests"] * PARAMETERS.n_tables, row["configuration"]
            assert (times(run)["trial"] == row["trial"]).sum() == row["requests"]


def test_hot_stores_read_nothing_and_cold_ones_do(run: Run) -> None:
    for name in ("postgres_hot", "redis_hot", "badger_hot"):
        assert set(trials(run, name)["cache_state"]) == {"hot"}, name
        assert (trials(run, name)["device_kib_per_request"] == 0).all(), name
    for name in ("postgres_cold", "rocksdb_cold", "sqlite_cold"):
        assert set(trials(run, name)["cache_state"]) == {"cold"}, name
        assert (trials(run, name)["device_kib_per_request"] > 0).all(), name


def test_a_store_that_is_not_installed_is_left_out_and_the_run_says_how_to_get_it(
    module_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(program.FOLDER, raising=False)
    monkeypatch.setattr(program, "NAMES", ("no-such-server",))
    with session(PARAMETERS, lambda what, share: None) as stores:
        assert "make redis" in stores.provenance()["left_out"]["Redis"]
        trial = stores.measure(PlannedTrial(0, 0, ARMS["redis_hot"], 1))
        assert trial.metrics == {}
        assert trial.labels["state"].startswith("left out")
        assert stores.measure(PlannedTrial(1, 0, ARMS["lmdb_hot"], 1)).metrics["requests"] == 200


def test_a_wrong_value_makes_the_trial_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    written = remote.value
    spoiled = iter([True])

    def value(row: np.ndarray, table: int, features: int) -> np.ndarray:
        found = written(row, table, features)
        if next(spoiled, False):
            found[:] += 1  # all rows of the first table are stored so
        return found

    monkeypatch.setattr(remote, "value", value)
    with pytest.raises(BenchbookError, match="wrong value for row"):
        remote.Redis().ask(PARAMETERS, ARMS["redis_hot"], 1)
