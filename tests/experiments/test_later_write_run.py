"""A tiny real run of one write more, from parameters to figures and sentences, and what its counters must tell."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook.chapters.later_write import OPTIONS, Parameters, configurations, reduce
from benchbook.engines import kv
from benchbook.model import Run

pytestmark = needing(kv.versions)

CHAPTER = "later_write"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rows": [40_000, 80_000], "lookups": 500, "slow_lookups": 50, "rounds": 2, "turn_ms": 4,
        "discard_ms": 1, "kept_samples": 100, "write_buffer_mib": 1,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)


def test_after_one_write_all_rows_are_in_the_memtable(run: Run) -> None:
    for rows in PARAMETERS.rows:
        held = trials(run, *(f"one_{use}_{rows}" for use in OPTIONS))
        assert held["memtable_rows"].eq(rows).all()
        assert held["table_files"].eq(0).all()


def test_one_row_more_moves_them_into_files_and_stands_in_the_memtable_alone(run: Run) -> None:
    moved = trials(run, *(f"more_{use}_{rows}" for rows in PARAMETERS.rows for use in OPTIONS))
    assert moved["memtable_rows"].eq(1).all()
    assert moved["table_files"].gt(0).all()


def test_every_answer_was_compared_and_sqlite_has_no_memtable(run: Run) -> None:
    assert run.trials["checked_reads"].gt(0).all()
    assert trials(run, *(f"sqlite_{rows}" for rows in PARAMETERS.rows))["memtable_rows"].isna().all()


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    check_chapter(run, ("design", "held", "equal"))
