"""Tiny real runs of the key-value probe, from parameters to figures and verdicts, and what its counters must say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, check_shown_as_published, needing, times, trials

from benchbook.chapters.sqlite_fairness import WRITES, Parameters, all_recovered, configurations, reduce, request_of
from benchbook.engines import kv, probe
from benchbook.engines.storage import refusals
from benchbook.errors import BenchbookError
from benchbook.model import Run

pytestmark = needing(kv.versions)
CHAPTER = "sqlite_fairness"
PARAMETERS = Parameters.given(
    {
        "allow_power_cut": refusals.refusal(allowed=True) is None,
        "blocks": 2, "rounds": 3, "turn_ms": 20, "discard_ms": 2,
        "sizes": [1_000, 5_000], "queries": 500, "ladder_rows": 20_000, "ladder_queries": 2_560,
        "warm_queries": 500, "timed_queries": 2_000, "commits": 10, "commit_rows": 100, "one_write_rows": 2_000,
        "kept_samples": 500,
    }
)  # fmt: skip


def test_every_cell_is_whole_and_every_value_compared(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)
    looked = run.trials[run.trials["asked_reads"].notna()]
    assert looked["checked_reads"].eq(looked["asked_reads"]).all()
    sizes = times(run).merge(run.trials[["trial", "configuration"]], on="trial").groupby("configuration").size()
    assert sizes["once_5000"] == 2, "all of the benchmark's look-ups are one time"
    assert sizes["timed_once"] == 2 * PARAMETERS.kept_samples


def test_the_notes_rows_are_read_from_memory_and_settled_ones_from_files(run: Run) -> None:
    fresh, settled = trials(run, "after_5000", "warm_after"), trials(run, "warm_after_settled")
    assert (fresh["memtable_share"].eq(1) & fresh["table_files"].eq(0)).all()
    assert (settled["memtable_share"].eq(0) & settled["table_files"].ge(1)).all()


def test_a_mapped_file_spares_the_page_cache_and_a_synchronous_transaction_is_synced(run: Run) -> None:
    asked, spared = (trials(run, f"warm_{use}")["page_lookups"] for use in ("once", "best"))
    assert asked.gt(0).all()
    assert spared.le(asked.to_numpy()).all()
    assert trials(run, "as_run_5000")["insert_syncs"].ge(1).all()
    assert trials(run, "warm_no_sync", "after_5000")["insert_syncs"].eq(0).all()


def test_every_log_keeps_what_was_reported_and_the_control_without_one_loses_it(run: Run) -> None:
    logged = [use for use in WRITES if use != "no_log"]
    for rows in (trials(run, *(f"{part}_{use}" for use in logged)) for part in ("commits", "one_write")):
        assert rows["recovered_rows"].eq(rows["acknowledged_rows"]).all()
        assert rows["acknowledged_commits"].ge(rows["wanted_commits"]).all()
    assert trials(run, "commits_no_log", "one_write_no_log")["recovered_rows"].eq(0).all()
    syncs = {use: trials(run, f"commits_{use}")["write_syncs_per_commit"] for use in WRITES}
    assert syncs["log_unsynced"].eq(0).all()
    assert (syncs["log_synced"].ge(1) & syncs["default"].ge(2).to_numpy()).all(), "a log; journal and file"


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    summary = check_chapter(run, ("design", "settings", "where_rows_lie", "tails", "durable", "killed"))
    kept = not PARAMETERS.allow_power_cut
    assert all_recovered(summary).point == kept, "the path as run syncs nothing, so a loss of power takes every row"


@pytest.mark.parametrize(
    ("change", "words"), [({"kill_after_batches": 0}, "from 1 on"), ({"kill_after_batches": 11}, "11 of 10 batches")]
)
def test_an_impossible_kill_is_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    arm = next(arm for arm in configurations(PARAMETERS) if arm.name == "commits_default")
    with pytest.raises(BenchbookError, match="refused") as refusal:
        probe.ask(kv.find(), request_of(PARAMETERS, arm, 1) | {"run": change}, timeout_s=20, folder=tmp_path)
    assert words in refusal.value.problem


def test_without_the_engine_a_published_run_is_shown(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_shown_as_published(run, PARAMETERS, "make probe-kv", tmp_path, monkeypatch)
