"""A tiny real run of the chapter on a store beyond memory, from parameters to figures and sentences."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters.beyond_memory import CACHES, COMPRESSIONS, Parameters, configurations, reduce
from benchbook.engines import badger
from benchbook.model import Run

chapter = lab.experiment("beyond_memory")

pytestmark = needing(badger.versions)

CHAPTER = "beyond_memory"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "lookup_rows": 60_000, "memory_percent": [300], "mem_table_mib": 3, "base_table_mib": 3,
        "lookup_warm_s": 0.05, "lookup_s": 0.2, "kept_samples": 100, "allow_slow_storage": False,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))


def test_the_larger_cache_is_four_times_the_smaller_one_in_the_same_memory(run: Run) -> None:
    for kind in COMPRESSIONS:
        small, large = (trials(run, f"{kind}_300_{cache}") for cache in CACHES)
        assert set(small["memory_bytes"]) == set(large["memory_bytes"])
        assert 3.5 < large["cache_bytes"].iloc[0] / small["cache_bytes"].iloc[0] < 4.6
        assert large["lookups"].gt(0).all()


def test_what_is_stored_gives_the_metrics(run: Run) -> None:
    check_metrics(run, reduce)


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    check_chapter(run, ("design", "kinds", "equal"))
    assert len(chapter.table(chapter.summarize(run), "overview")) == len([*configurations(PARAMETERS)])
