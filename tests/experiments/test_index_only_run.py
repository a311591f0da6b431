"""A tiny real run of index-only scans under updates, from parameters to figures and sentences."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters.index_only.arms import LARGE, NONE, POOLS, SMALL, Parameters, at, configurations, not_covered
from benchbook.chapters.index_only.measure import reduce
from benchbook.engines import postgres
from benchbook.model import Run

chapter = lab.experiment("index_only")

pytestmark = needing(postgres.find)

CHAPTER = "index_only"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "n_tables": 2, "rows_per_table": 10_000, "updated_permille": [20], "beside_mib": 1,
        "slow_read_ms": 1.0, "trial_seconds": 1, "kept_samples": 100,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))


def test_a_covered_look_up_visits_the_heap_where_rows_were_updated_and_any_other_always(run: Run) -> None:
    for pool in POOLS:
        none, some, plain = (
            trials(run, name)["fetched_share"] for name in (at(pool, NONE), at(pool, 20), not_covered(pool))
        )
        assert none.eq(0).all()
        assert some.between(0.2, 0.8).all()
        assert plain.eq(1).all()


def test_pages_lose_their_mark_and_only_a_small_pool_reads_heaps(run: Run) -> None:
    assert trials(run, at(SMALL, NONE))["hidden_pages"].eq(0).all()
    assert trials(run, at(SMALL, 20))["hidden_pages"].between(0.2, 0.8).all()
    assert trials(run, at(LARGE, 20))["heap_reads"].eq(0).all()
    assert trials(run, not_covered(SMALL))["heap_reads"].gt(0).all()


def test_what_is_stored_gives_the_metrics(run: Run) -> None:
    check_metrics(run, reduce)


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    check_chapter(run, ("design", "pages", "large"))
    assert len(chapter.table(chapter.summarize(run), "overview")) == len(configurations(PARAMETERS))
