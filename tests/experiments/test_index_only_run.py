"""A tiny real run of index-only scans under updates, from parameters to figures and sentences."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters.index_only import POOLS, Parameters, configurations, reduce
from benchbook.engines import postgres
from benchbook.model import Run

pytestmark = needing(postgres.find)
CHAPTER = "index_only"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "n_tables": 2, "rows_per_table": 10_000, "updated_permille": [20], "beside_mib": 1,
        "slow_read_ms": 1.0, "trial_seconds": 1, "kept_samples": 100,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)


def test_a_covered_look_up_visits_the_heap_where_rows_were_updated_and_any_other_always(run: Run) -> None:
    for pool in POOLS:
        none, some, plain = (trials(run, f"{pool}_{each}")["fetched_share"] for each in ("0", "20", "not_covered"))
        assert none.eq(0).all()
        assert some.between(0.2, 0.8).all()
        assert plain.eq(1).all()


def test_pages_lose_their_mark_and_only_a_small_pool_reads_heaps(run: Run) -> None:
    assert trials(run, "small_0")["hidden_pages"].eq(0).all()
    assert trials(run, "small_20")["hidden_pages"].between(0.2, 0.8).all()
    assert trials(run, "large_20")["heap_reads"].eq(0).all()
    assert trials(run, "small_not_covered")["heap_reads"].gt(0).all()


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    summary = check_chapter(run, ("design", "pages", "large"))
    assert len(lab.experiment(CHAPTER).table(summary, "overview")) == len([*configurations(PARAMETERS)])
