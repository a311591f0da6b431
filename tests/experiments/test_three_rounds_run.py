"""A tiny run of the three rounds on a real PostgreSQL with lz4: how trials begin, and what is said of them."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook.chapters.three_rounds import NAMES, Parameters, configurations, reduce
from benchbook.measuring.pgbench.ladder import second
from benchbook.model import Run

pytestmark = [*needing(second.find), pytest.mark.machine]

CHAPTER = "three_rounds"
PARAMETERS = Parameters.given(
    {"blocks": 2, "scale": 4, "clients": 4, "trial_seconds": 1, "fill_seconds": 1, "allow_vm_settings": False}
)


def test_every_round_was_measured_once_a_block_and_none_failed(run: Run) -> None:
    check_cells(run, len(NAMES))
    assert set(run.trials["state"]) == {"measured"}
    check_metrics(run, reduce)


def test_the_server_is_the_systems_and_compresses_as_the_notes_did(run: Run) -> None:
    assert run.provenance["engine_source"] == "a package of this system"
    assert run.provenance["wal_compression"] == "lz4"
    summary = check_chapter(run, ("design", "noise", "acted"))
    assert set(summary.in_force("round_2", "wal_compression")) == {"lz4"}
    assert set(summary.in_force("round_3", "wal_compression")) <= {"off", ""}


def test_trials_begin_as_their_configuration_says(run: Run) -> None:
    for arm in configurations(PARAMETERS):
        rows = trials(run, arm.name)
        if arm.settings["start"] == "cold":
            assert (rows[["data_in_pool_start", "data_in_os_cache_start"]] < 0.05).all(axis=None), arm.name
        else:
            assert (rows["pool_used_share"] > 0.8).all(), arm.name
