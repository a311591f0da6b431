"""A tiny real run of requests by many clients, from parameters to figures and sentences."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters.feature_clients import WAYS, Parameters, configurations, reduce
from benchbook.engines import postgres
from benchbook.model import Run

pytestmark = needing(postgres.find)
CHAPTER = "feature_clients"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "n_tables": 3, "rows_per_table": 3_000, "shared_buffers_mib": 1, "hot_keys": 5, "clients": [1, 4],
        "trial_seconds": 1, "kept_samples": 100,
    }
)  # fmt: skip


def test_requests_were_made_in_every_cell_and_their_costs_told(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)
    assert run.trials["requests"].gt(0).all()
    assert run.trials["littles_ratio"].between(0, 1.2, inclusive="right").all(), "a busy machine keeps them from asking"
    assert (run.trials["user_s_per_request"] + run.trials["system_s_per_request"]).gt(0).all()


def test_any_key_reads_more_than_a_warmed_one(run: Run) -> None:
    hot, every = (
        trials(run, *(f"{keys}_{way}_{clients}" for way in WAYS for clients in PARAMETERS.clients))["reads_per_request"]
        for keys in ("hot", "any")
    )
    assert hot.max() < every.min()


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    summary = check_chapter(run, ("design", "ways", "spent"))
    assert len(lab.experiment(CHAPTER).table(summary, "overview")) == len([*configurations(PARAMETERS)])
