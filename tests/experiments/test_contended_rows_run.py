"""A tiny run of contended_rows on a real PostgreSQL: every transaction counted, all data in the pool, clients seen."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, trials

from benchbook.chapters.contended_rows import Parameters, configurations, reduce
from benchbook.model import Run

pytestmark = pytest.mark.engine

CHAPTER = "contended_rows"
PARAMETERS = Parameters.given(
    {"blocks": 2, "scale": 1, "clients": 6, "few_clients": 3, "trial_seconds": 1, "fill_seconds": 1,
     "bound_memory": False}
)  # fmt: skip


def test_every_configuration_was_measured_once_a_block_and_none_failed(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    assert set(run.trials["state"]) == {"measured"}
    check_metrics(run, reduce)
    assert (run.trials["server_transactions"] == run.trials["transactions"]).all()


def test_all_data_are_in_the_pool_and_clients_are_looked_at(run: Run) -> None:
    assert (run.trials["data_in_pool_start"] > 0.99).all()
    assert (run.trials["client_looks"] > 0).all()


def test_clients_wait_for_the_only_branch(run: Run) -> None:
    assert (trials(run, "few_single", "many_single")["waits_rows"] > 0).all()


def test_the_page_has_its_sentences(run: Run) -> None:
    check_chapter(run, ("design", "levels", "waiting", "latency", "noise"))
