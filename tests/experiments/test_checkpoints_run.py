"""A tiny run of checkpoints on a real PostgreSQL: what is killed comes back whole, and control and cause act."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, trials

from benchbook.chapters.checkpoints import Parameters, configurations, reduce
from benchbook.engines.storage import refusals
from benchbook.model import Run

pytestmark = [pytest.mark.engine, pytest.mark.machine]

CHAPTER = "checkpoints"
SLOW = refusals.refusal(allowed=True) is None
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "scale": 4, "clients": 4, "trial_seconds": 2, "fill_seconds": 1, "storage_iops": 2_000,
        "allow_slow_storage": SLOW,
    }
)  # fmt: skip


def test_every_configuration_was_measured_once_a_block_and_none_failed(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    assert set(run.trials["state"]) == {"measured"}
    check_metrics(run, reduce)


def test_no_acknowledged_transaction_is_lost_by_a_kill(run: Run) -> None:
    assert (run.trials["lost_transactions"] == 0).all()
    assert (run.trials["server_transactions"] == run.trials["transactions"]).all()


def test_a_recovery_takes_part_of_the_time_until_the_server_answers(run: Run) -> None:
    assert (run.trials["redo_s"] <= run.trials["ready_s"]).all()
    assert (run.trials["recovery_pages"] > 0).all()
    assert (run.trials["owed_pages"] > 0).all()


def test_a_small_log_starts_checkpoints_which_write_images_and_a_large_one_none(run: Run) -> None:
    assert (trials(run, "hour_free")["checkpoints"] == 0).all()
    if not SLOW:
        pytest.skip("storage cannot be capped here")
    assert (trials(run, "hour", "hour_again")["checkpoints"] == 0).all()
    assert (trials(run, "half_minute_no_images")["full_images_per_transaction"] == 0).all()
    assert (trials(run, "half_minute")["full_images_per_transaction"] > 0).all()


def test_the_page_has_its_sentences(run: Run) -> None:
    check_chapter(run, ("design", "noise"))
