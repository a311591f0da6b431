"""A tiny real run of requests by many clients, from parameters to figures and sentences."""

from __future__ import annotations

import pandas as pd
from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters.feature_clients.arms import ANY, HOT, WAYS, Parameters, at, configurations
from benchbook.chapters.feature_clients.measure import reduce
from benchbook.engines import postgres
from benchbook.model import Run

chapter = lab.experiment("feature_clients")

pytestmark = needing(postgres.find)

CHAPTER = "feature_clients"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "n_tables": 3, "rows_per_table": 3_000, "shared_buffers_mib": 1, "hot_keys": 5, "clients": [1, 4],
        "trial_seconds": 1, "kept_samples": 100,
    }
)  # fmt: skip


def _of(run: Run, keys: str) -> pd.DataFrame:
    return trials(run, *(at(keys, way, clients) for way in WAYS for clients in PARAMETERS.clients))


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))


def test_requests_were_made_and_their_costs_told(run: Run) -> None:
    assert run.trials["requests"].gt(0).all()
    assert run.trials["littles_ratio"].between(0, 1.2, inclusive="right").all(), "a busy machine keeps them from asking"
    assert (run.trials["user_s_per_request"] + run.trials["system_s_per_request"]).gt(0).all()


def test_any_key_reads_more_than_a_warmed_one(run: Run) -> None:
    assert _of(run, HOT)["reads_per_request"].max() < _of(run, ANY)["reads_per_request"].min()


def test_what_is_stored_gives_the_metrics(run: Run) -> None:
    check_metrics(run, reduce)


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    check_chapter(run, ("design", "ways", "spent"))
    assert len(chapter.table(chapter.summarize(run), "overview")) == len(configurations(PARAMETERS))
