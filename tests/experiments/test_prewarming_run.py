"""A tiny real run of the ways to warm a server, from parameters to figures and sentences."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters.prewarming import WAYS, Parameters, configurations, reduce
from benchbook.engines import postgres
from benchbook.model import Run

chapter = lab.experiment("prewarming")

pytestmark = needing(postgres.find)

CHAPTER = "prewarming"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "n_tables": 3, "rows_per_table": 2_000, "hot_keys": 160, "moved_percent": [50],
        "slow_read_ms": 0.2,
        "trial_seconds": 9, "kept_samples": 100,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))


def test_each_way_brings_the_pages_that_it_is_to_bring(run: Run) -> None:
    held = {way: trials(run, f"{way}_slow")["hot_in_pool"] for way in WAYS}
    assert held["none"].eq(0).all()
    assert held["asked"].eq(1).all()
    assert held["whole"].eq(1).all()
    assert held["list"].gt(0.95).all(), "but for what a connection keeps of an index"
    assert held["indexes"].between(0, 1, inclusive="neither").all()


def test_a_larger_way_reads_more_and_what_is_not_warmed_reads_later(run: Run) -> None:
    whole, asked, none = (trials(run, f"{way}_slow") for way in ("whole", "asked", "none"))
    assert whole["warming_bytes"].min() > asked["warming_bytes"].max()
    assert none["warming_reads"].max() < asked["warming_reads"].min()
    assert none["missed_reads"].min() > asked["missed_reads"].max()
    listed = trials(run, "list_slow")
    catalogue = listed["warming_bytes"] - listed["held_bytes"]
    assert catalogue.between(0, 4 * 2**20).all(), "what the server that wrote the list had read is not counted"


def test_what_is_stored_gives_the_metrics(run: Run) -> None:
    check_metrics(run, reduce)


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    check_chapter(run, ("design", "over", "brings"))
    assert len(chapter.table(chapter.summarize(run), "overview")) == len([*configurations(PARAMETERS)])
