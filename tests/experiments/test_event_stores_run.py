"""A tiny real run of the chapter on event stores, from parameters to figures and sentences."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters.event_stores import STORES, Parameters, configurations, reduce
from benchbook.engines import event_stores
from benchbook.model import Run

chapter = lab.experiment("event_stores")

pytestmark = needing(event_stores.versions)

CHAPTER = "event_stores"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "events": 400, "synced_events": 40, "alone_events": 20, "burst_spread_ms": 2, "burst_quiet_ms": 0,
        "mixed_operations": 20, "query_events": 40, "query_s": 0.05, "concurrent_s": 0.05, "kept_samples": 100,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))


def test_every_store_saved_what_was_timed_and_its_answers_were_compared(run: Run) -> None:
    assert run.trials["saved_events"].eq(run.trials["timed_saves"]).all()
    assert run.trials["checked_reads"].gt(6 * 4 * 20).all()
    assert set(run.trials["engine"].str.split().str[0]) == {"Badger", "SQLite", "LMDB", "bbolt", "Pebble"}


def test_a_synced_save_is_flushed_wherever_the_device_says_so(run: Run) -> None:
    waits = trials(run, *(f"{store}_synced" for store in STORES), "sqlite_journal")
    if waits["flushes_per_save"].fillna(0).any():
        assert waits["flushes_per_save"].ge(0.9).all()


def test_the_cache_of_answers_says_how_often_it_answered(run: Run) -> None:
    assert trials(run, "badger_query_cache")["concurrent_cache_hit_ratio"].between(0, 1).all()
    assert (
        run.trials.loc[run.trials["configuration"] != "badger_query_cache", "concurrent_cache_hit_ratio"].isna().all()
    )


def test_what_is_stored_gives_the_metrics(run: Run) -> None:
    check_metrics(run, reduce)


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    check_chapter(run, ("design", "queue", "by_default", "answers"))
    assert len(chapter.table(chapter.summarize(run), "overview")) == len([*configurations(PARAMETERS)])
