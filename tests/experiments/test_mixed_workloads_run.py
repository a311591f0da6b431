"""A tiny real run of the chapter on mixed workloads, from parameters to figures and sentences."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook.engines import kv
from benchbook.experiments.mixed_workloads import chapter
from benchbook.experiments.mixed_workloads.arms import (
    AGAIN,
    INSERTS,
    STORES,
    WORKLOADS,
    A,
    C,
    Parameters,
    at,
    configurations,
)
from benchbook.experiments.mixed_workloads.measure import reduce
from benchbook.model import Run

pytestmark = needing(kv.versions)

CHAPTER = "mixed_workloads"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "insert_rows": 2_000, "rows": 1_000, "value_bytes": 50, "operations": 400, "warm_operations": 100,
        "scan_operations": 100, "scan_rows": 10, "kept_samples": 100,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))


def test_every_operation_was_made_and_its_answer_compared(run: Run) -> None:
    mixed = trials(run, *(at(name, store) for name in WORKLOADS for store in STORES))
    assert mixed["operations"].isin([400, 100]).all()
    assert mixed["checked_reads"].gt(100).all()
    assert mixed["run_syncs"].eq(0).all(), "no write waited for the device"


def test_what_was_written_is_told_where_something_was(run: Run) -> None:
    assert trials(run, *(at(C, store) for store in STORES))["write_amplification"].isna().all()
    told = trials(run, *(at(A, store) for store in STORES))["write_amplification"]
    assert told.isna().all() or told.gt(0.9).all()


def test_inserts_are_timed_for_each_row(run: Run) -> None:
    assert trials(run, *INSERTS, AGAIN)["insert_mean_ns"].gt(0).all()
    assert trials(run, *INSERTS)["inserted_rows"].eq(2_000).all()


def test_what_is_stored_gives_the_metrics(run: Run) -> None:
    check_metrics(run, reduce)


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    check_chapter(run, ("design", "inserts", "updates"))
    assert len(chapter.table(chapter.summarize(run), "ratios")) == len(WORKLOADS)
