"""A tiny real run of the chapter on filters and shards, from parameters to figures and sentences."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters.filter_shards import KIB, Parameters, configurations, held, reduce, turned_away
from benchbook.engines import kv
from benchbook.model import Run

pytestmark = needing(kv.versions)

CHAPTER = "filter_shards"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rounds": 2, "turn_ms": 30, "discard_ms": 2, "rows": 60_000, "filter_bits": 100,
        "cache_mib": [16, 128], "lookups": 16, "warm_lookups": 500, "kept_samples": 100,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)


def test_all_rows_lie_in_one_file(run: Run) -> None:
    assert run.trials["table_files"].eq(1).all()
    assert run.trials["memtable_rows"].eq(0).all()
    assert run.trials["checked_reads"].eq(run.trials["lookups"]).all()


def test_a_filter_larger_than_a_shard_is_read_again_for_each_look_up_and_a_smaller_one_never(run: Run) -> None:
    for kib in (PARAMETERS.control_kib, 16 * KIB):
        assert trials(run, f"cached_{kib}")["filter_misses_per_lookup"].gt(0.99).all()
    assert trials(run, f"cached_{128 * KIB}")["filter_misses_per_lookup"].eq(0).all()
    for kib in PARAMETERS.cache_kib:
        assert trials(run, f"pinned_{kib}", f"outside_{kib}")["filter_misses_per_lookup"].eq(0).all()


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    summary = check_chapter(run, ("design", "edge", "control", "read"))
    assert turned_away(summary) == [16 * KIB]
    assert held(summary) == [128 * KIB]
    assert len(lab.experiment(CHAPTER).table(summary, "overview")) == len([*configurations(PARAMETERS)])
