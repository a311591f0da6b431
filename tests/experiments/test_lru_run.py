"""Tiny real runs of the key-value probe with a cache of rows, from parameters to figures and verdicts."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters.lru import Parameters, configurations, reduce
from benchbook.engines import kv
from benchbook.model import Run

chapter = lab.experiment("lru")

pytestmark = needing(kv.versions)

CHAPTER = "lru"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rounds": 2, "turn_ms": 10, "discard_ms": 1, "rows": 10_000, "small_entries": 10,
        "middle_entries": 1_000, "large_entries": 10_000, "lookups": 2_000, "warm_lookups": 300_000,
        "once_lookups": 2_000, "kept_samples": 100,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))


def test_every_look_up_was_compared(run: Run) -> None:
    assert run.trials["checked_reads"].eq(run.trials["lookups"]).all()


def test_a_cache_of_all_rows_has_every_one_and_a_larger_has_more_than_a_smaller(run: Run) -> None:
    for law in ("zipf", "uniform"):
        assert trials(run, f"{law}_large")["hit_ratio"].gt(0.99).all()
        smaller, middle = (trials(run, f"{law}_{use}")["hit_ratio"].mean() for use in ("small", "middle"))
        assert smaller < middle < 1
    uniform = trials(run, "uniform_middle")["hit_ratio"]
    assert uniform.between(0.05, 0.15).all(), "a tenth of the rows"
    assert trials(run, "zipf_middle")["hit_ratio"].min() > uniform.max()


def test_no_key_is_found_that_was_not_asked_before(run: Run) -> None:
    once = trials(run, "once_small", "once_large")
    assert once.loc[once["lookups"] < PARAMETERS.rows, "hit_ratio"].eq(0).all()


def test_sqlite_has_no_cache_of_rows(run: Run) -> None:
    assert trials(run, "zipf_sqlite")["hit_ratio"].isna().all()


def test_stored_metrics_are_those_of_the_stored_samples(run: Run) -> None:
    check_metrics(run, reduce)


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    summary = check_chapter(run, ("design", "gains", "hits", "speedups"))
    assert len(chapter.table(summary, "overview")) == len([*configurations(PARAMETERS)])
