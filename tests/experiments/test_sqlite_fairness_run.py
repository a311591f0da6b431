"""Tiny real runs of the key-value probe, from parameters to figures and verdicts, and what its counters must say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, check_shown_as_published, needing, times, trials

from benchbook import lab
from benchbook.chapters.sqlite_fairness.arms import (
    AFTER,
    AS_RUN,
    BEST,
    COMMITS,
    DEFAULT,
    NO_LOG,
    NOTE,
    ONCE,
    ONE_WRITE,
    TIMED,
    UNSYNCED,
    WARM,
    WRITES,
    Parameters,
    at,
    configurations,
    note,
)
from benchbook.chapters.sqlite_fairness.measure import reduce, request_of
from benchbook.engines import kv, probe
from benchbook.engines.storage import refusals
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, Run

chapter = lab.experiment("sqlite_fairness")

pytestmark = needing(kv.versions)

CHAPTER = "sqlite_fairness"

CUTS = refusals.refusal(allowed=True) is None
"""Whether a disk can lose its power here; elsewhere those trials are left out."""

PARAMETERS = Parameters.given(
    {
        "allow_power_cut": CUTS,
        "blocks": 2, "rounds": 3, "turn_ms": 20, "discard_ms": 2,
        "sizes": [1_000, 5_000], "queries": 500, "ladder_rows": 20_000, "ladder_queries": 2_560,
        "warm_queries": 500, "timed_queries": 2_000, "commits": 10, "commit_rows": 100, "one_write_rows": 2_000,
        "kept_samples": 500,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))
    assert times(run).groupby("trial").size().between(1, PARAMETERS.kept_samples).all()


def test_the_record_names_versions_and_settings_and_no_folder(run: Run) -> None:
    versions = kv.versions()
    assert run.provenance["engine_version"] == f"SQLite {versions['SQLite']}, RocksDB {versions['RocksDB']}"
    held = run.provenance["settings"]
    once, after = held[note(ONCE, 1_000)], held[note(AFTER, 1_000)]
    assert once["prepare"] == "once"
    assert once["journal_mode"] == "delete"
    assert once["synchronous"] == "2", "full"
    assert after["bloom_bits"] == 10
    assert "/" not in json.dumps(run.provenance["settings"])


def test_every_look_up_is_checked_and_none_read_a_device(run: Run) -> None:
    looked = run.trials[run.trials["asked_reads"].notna()]
    parts = {arm.name: arm.settings["part"] for arm in configurations(PARAMETERS)}
    assert looked["checked_reads"].eq(looked["asked_reads"]).all()
    assert looked["query_mean_ns"].gt(0).all()
    assert {parts[name] for name in looked["configuration"]} == {NOTE, WARM, "dependent", TIMED}


def test_each_part_keeps_its_own_kind_of_times(run: Run) -> None:
    samples = times(run).merge(run.trials[["trial", "configuration"]], on="trial")
    sizes = samples.groupby(["configuration", "trial"]).size()
    assert sizes[note(ONCE, 5_000)].eq(1).all(), "all of the benchmark's look-ups are one time"
    assert sizes[at(WARM, ONCE)].between(10, 500).all(), "complete batches, at least those that were asked for"
    assert sizes[at(TIMED, ONCE)].eq(500).all(), "one each, evenly taken"
    assert trials(run, at(TIMED, ONCE))["query_p95_ns"].gt(0).all()
    assert trials(run, at(WARM, ONCE))["query_p95_ns"].isna().all()


def test_the_notes_rows_are_read_from_memory_and_settled_ones_from_files(run: Run) -> None:
    fresh, settled = trials(run, note(AFTER, 5_000), at(WARM, AFTER)), trials(run, at(WARM, "after_settled"))
    assert fresh["memtable_share"].eq(1).all()
    assert fresh["table_files"].eq(0).all()
    assert settled["memtable_share"].eq(0).all()
    assert settled["table_files"].ge(1).all()
    assert trials(run, note(ONCE, 5_000))["memtable_share"].isna().all()


def test_a_mapped_file_spares_the_page_cache_and_a_synchronous_transaction_is_synced(run: Run) -> None:
    assert trials(run, at(WARM, ONCE))["page_lookups"].gt(0).all()
    assert trials(run, note(AS_RUN, 5_000))["insert_syncs"].ge(1).all()
    assert trials(run, at(WARM, "no_sync"))["insert_syncs"].eq(0).all()
    assert trials(run, note(AFTER, 5_000))["insert_syncs"].eq(0).all()


def test_every_log_keeps_what_was_reported_and_the_control_without_one_loses_it(run: Run) -> None:
    for part in (COMMITS, ONE_WRITE):
        for use in WRITES:
            rows = trials(run, at(part, use))
            assert rows["acknowledged_commits"].ge(rows["wanted_commits"]).all()
            if use == NO_LOG:
                assert rows["recovered_rows"].eq(0).all()
                assert rows["lost_share"].eq(1).all()
            else:
                assert rows["recovered_rows"].eq(rows["acknowledged_rows"]).all(), use
    assert trials(run, at(COMMITS, UNSYNCED))["write_syncs_per_commit"].eq(0).all()
    assert trials(run, at(COMMITS, "log_synced"))["write_syncs_per_commit"].ge(1).all()
    assert trials(run, at(COMMITS, DEFAULT))["write_syncs_per_commit"].ge(2).all(), "journal and file"


def test_stored_metrics_are_those_of_the_stored_samples(run: Run) -> None:
    check_metrics(run, reduce)


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    sentences = (
        "design", "settings", "where_rows_lie", "tails", "durable", "killed",
    )  # fmt: skip
    summary = check_chapter(run, sentences)
    found = {verdict.claim_id: verdict for verdict in chapter.judge(summary)}
    assert found["O015"].outcome is Outcome.INCONCLUSIVE, "no ten million rows"
    assert found["O094"].estimate is not None
    if PARAMETERS.allow_power_cut:
        assert found["O094"].outcome is Outcome.INCONCLUSIVE, "two blocks are too few"
        assert found["O094"].estimate.point == 0, "the path as run syncs nothing, so a loss of power takes every row"
    else:
        assert found["O094"].outcome is Outcome.DESIGN, "the path as run syncs nothing, and no row was lost"
        assert found["O094"].estimate.point == 1, "every acknowledged row was there"
    assert len(chapter.table(summary, "overview")) == len(configurations(PARAMETERS))


def request(name: str, **run: Any) -> dict[str, Any]:
    arm = next(arm for arm in configurations(PARAMETERS) if arm.name == name)
    whole = request_of(PARAMETERS, arm, 1)
    return whole | {"run": whole["run"] | run}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kill_after_batches": 0}, "from 1 on"),
        ({"kill_after_batches": 11}, "11 of 10 batches"),
        ({"operations": 5}, "operations"),
    ],
)
def test_an_impossible_kill_is_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    with pytest.raises(BenchbookError, match="refused") as refusal:
        probe.ask(kv.find(), request(at(COMMITS, DEFAULT), **change), timeout_s=20, folder=tmp_path)
    assert words in refusal.value.problem
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("options", "words"), [({"index": "alex"}, "engine alone"), ({"blom_bits": 1}, "blom_bits")])
def test_a_writer_that_cannot_begin_says_why(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    whole = request(at(COMMITS, UNSYNCED))
    with pytest.raises(BenchbookError, match="refused") as refusal:
        probe.ask(kv.find(), whole | {"options": whole["options"] | options}, timeout_s=20, folder=tmp_path)
    assert words in refusal.value.problem


def test_one_read_transaction_with_a_mapped_file_asks_the_kernel_for_no_page(run: Run) -> None:
    held = trials(run, at(WARM, BEST))
    assert held["page_lookups"].le(trials(run, at(WARM, ONCE))["page_lookups"].to_numpy()).all()


def test_without_the_engine_a_published_run_is_shown_and_nothing_else_can_be(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_shown_as_published(run, PARAMETERS, "make probe-kv", tmp_path, monkeypatch)
