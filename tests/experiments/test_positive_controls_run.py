"""A tiny real run of the positive controls, on a real PostgreSQL and Badger."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab, store, verification
from benchbook.chapters.positive_controls import ENCRYPTED, LOGS, PLAIN, READS, TPCB, Parameters, checks, configurations
from benchbook.model import Run

chapter = lab.experiment("positive_controls")

pytestmark = needing(chapter.needs(Parameters()).engine)

CHAPTER = "positive_controls"
PARAMETERS = Parameters.given(
    {"blocks": 2, "scale": 5, "clients": 2, "tpcb_seconds": 1, "sums": 2, "rows": 250_000, "lookups": 1_000}
)


def test_the_run_verifies_as_it_is_stored(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, chapter.reduce)
    [entry] = [each for each in store.catalogue(CHAPTER) if each.id == run.id]
    assert verification.verify(entry).problems == ()


def test_workers_are_launched_by_sums_alone_and_by_more_of_them_with_higher_limits(run: Run) -> None:
    if "parallel_workers" not in run.trials:
        pytest.skip("this server does not count parallel workers")
    assert (trials(run, *TPCB)["parallel_workers"] == 0).all()
    assert (trials(run, "sum_baseline")["parallel_workers_planned"] == 2 * 4).all()
    assert (trials(run, "sum_scenario_a")["parallel_workers_planned"] == 2 * 7).all()
    assert (trials(run, "sum_baseline", "sum_scenario_a")["parallel_workers"] > 0).all()
    assert trials(run, "sum_scenario_a")["plan"].str.contains("Workers Planned: 7").all()


def test_only_the_encrypted_store_asks_its_index_cache_and_a_small_one_misses(run: Run) -> None:
    assert (trials(run, PLAIN)["index_cache_lookups"] == 0).all()
    assert (trials(run, *ENCRYPTED)["index_cache_lookups"] > PARAMETERS.lookups).all()
    assert (trials(run, "index_encrypted_1")["index_cache_misses"] > 0).all()
    assert (trials(run, "index_encrypted_1024")["index_cache_misses"] == 0).all()
    assert (trials(run, PLAIN, *ENCRYPTED)["checked_values"] == PARAMETERS.lookups).all()


def test_a_checkpoint_leaves_no_page_dirty_and_every_page_in_the_pool(run: Run) -> None:
    rows = trials(run, "checkpoint")
    assert (rows["dirty_pages_before"] > 0).all()
    assert (rows["dirty_pages_after"] == 0).all()
    assert (rows["resident_pages_after"] == rows["resident_pages_before"]).all()
    assert (rows["autovacuums"] == 0).all()
    assert rows["settings"].str.contains("autovacuum=off").all()
    assert all(gate.passed for gate in checks(chapter.summarize(run)))


def test_figures_verdicts_and_sentences_are_whole(run: Run) -> None:
    summary = check_chapter(run, ("design", "answer", "size", "plan", "checkpoint"))
    assert len(chapter.table(summary, "overview")) == 15


def test_a_large_change_fills_the_buffers_and_only_ranges_are_looked_up_by_bitmaps(run: Run) -> None:
    assert (trials(run, *LOGS)["log_buffers_full"] == 0).all()
    assert (trials(run, "log_bulk")["log_buffers_full"] > 0).all()
    assert (trials(run, *READS)["bitmap_rows"] == 0).all()
    assert (trials(run, "reads_bitmap")["bitmap_rows"] == 20 * PARAMETERS.sums).all()
