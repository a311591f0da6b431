"""Tiny real runs of the key-value probe for RocksDB's options, from parameters to figures and verdicts."""

from __future__ import annotations

import json

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters.rocksdb_tuning import Parameters, compaction, configurations, reduce
from benchbook.engines import kv
from benchbook.model import Evidence, Outcome, Run

pytestmark = needing(kv.versions)

CHAPTER = "rocksdb_tuning"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rounds": 2, "turn_ms": 10, "discard_ms": 1, "rows": 10_000, "smaller_rows": [1_000, 2_000],
        "lookups": 2_000, "load_batch_rows": 3_000, "kept_samples": 100,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block_and_compares_every_look_up(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)
    assert run.trials["checked_reads"].eq(run.trials["lookups"]).all()


def test_one_write_leaves_all_rows_in_the_memtable(run: Run) -> None:
    held = trials(run, "benchmark_before", "benchmark_after", "stride_universal", "counted_bloom")
    assert held["memtable_rows"].eq(10_000).all()
    assert held["table_files"].eq(0).all()
    assert trials(run, "counted_bloom")["filtered_share"].eq(0).all()


def test_options_for_files_cannot_act_on_what_is_in_the_memtable(run: Run) -> None:
    chapter = lab.experiment(CHAPTER)
    summary = chapter.summarize(run)
    found = {verdict.claim_id: verdict for verdict in chapter.judge(summary)}
    for claim in ("O001", "O007", "O008", "O046", "O048", "O049", "O086", "O101"):
        assert (found[claim].outcome, found[claim].evidence) == (Outcome.CONTRADICTED, Evidence.CONSTRUCTION), claim
    assert (found["O044"].outcome, found["O044"].evidence) == (Outcome.NO_EFFECT, Evidence.CONSTRUCTION)
    files = compaction(summary) == "stride_compacted"
    assert found["O092"].evidence is (Evidence.MEASURED if files else Evidence.CONSTRUCTION), "as the pilot chose"


def test_what_is_compacted_or_flushed_is_in_files(run: Run) -> None:
    compacted = trials(run, "files_before", "files_again", "counted_cache")
    assert compacted["memtable_rows"].eq(0).all()
    assert compacted["level0_files"].eq(0).all()
    assert compacted["files_bytes"].gt(0).all()
    flushed = trials(run, "level0_after", "level0_unpinned")
    assert flushed["memtable_rows"].eq(0).all()
    assert flushed["level0_files"].ge(1).all()


def test_a_cache_that_holds_all_blocks_has_them(run: Run) -> None:
    assert trials(run, "counted_cache")["block_cache_hit_ratio"].gt(0.99).all()
    assert run.trials["block_requests"].dropna().ge(0).all()
    assert trials(run, "counted_after")["file_bytes_per_lookup"].gt(0).all()


def test_the_record_names_what_each_use_held(run: Run) -> None:
    held = run.provenance["settings"]
    assert held["stride_universal"]["compaction"] == "universal"
    assert held["stride_direct"]["direct_reads"] is True
    assert held["stride_larger_cache"]["block_cache_bytes"] == 1 << 30
    assert held["defaults_tight"]["block_cache_bytes"] == 8 << 20
    assert held["defaults_relaxed"]["bloom_bits"] == 10
    capacity = trials(run, "benchmark_before")["cache_capacity_bytes"]
    assert capacity.isin([8 << 20, 32 << 20]).all(), "by release"
    assert "/tmp" not in json.dumps(held)


def test_the_parts_of_a_query_are_shares_of_it(run: Run) -> None:
    parts = trials(run, "stride_parts")
    assert parts["engine_share"].between(0, 1).all()
    assert (parts["engine_share"] + parts["index_share"]).between(0, 1).all()


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    sentences = ("design", "where_rows_lay", "singles", "in_files", "further", "smaller_questions")
    summary = check_chapter(run, sentences)
    assert len(lab.experiment(CHAPTER).table(summary, "overview")) == len([*configurations(PARAMETERS)])
