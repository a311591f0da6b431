"""A tiny real run of the key-value probe, from parameters to figures and verdicts, and what its counters must say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, check_shown_as_published, needing, times, trials

from benchbook import lab, store
from benchbook.chapters.alex_rocksdb.arms import (
    ABSENT,
    INDEXES,
    LOOP,
    NO_ENGINE,
    NOTHING,
    PARTS,
    POINT,
    POINT_PARTS,
    TOOL,
    WITNESS,
    WITNESS_AFTER,
    WITNESS_COMPACTED,
    Parameters,
    alone,
    configurations,
)
from benchbook.chapters.alex_rocksdb.measure import reduce, request_of
from benchbook.engines import kv, probe
from benchbook.errors import BenchbookError
from benchbook.model import Run

chapter = lab.experiment("alex_rocksdb")

pytestmark = needing(kv.versions)

CHAPTER = "alex_rocksdb"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rounds": 3, "turn_ms": 20, "discard_ms": 2,
        "rows": 20_000, "law_rows": 10_000, "between_rows": [5_000], "small_rows": 2_000,
        "index_rows": 10_000, "lookups": 2_560, "tool_lookups": 1_024, "benchmark_lookups": 100, "kept_samples": 300,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))
    assert times(run).groupby("trial").size().between(1, PARAMETERS.kept_samples).all()


def test_the_record_names_versions_and_options_and_no_folder(run: Run) -> None:
    assert run.provenance["versions"] == kv.versions()
    held = run.provenance["settings"]
    assert held[LOOP]["write_buffer_bytes"] == held[TOOL]["write_buffer_bytes"] == 256 << 20
    assert held[LOOP]["index"] == "note_flat"
    assert "row_cache_entries" in held[POINT]
    assert "max_background_jobs=" in run.provenance["rocksdb_options"]["db_options"]
    text = json.dumps(dict(run.provenance))
    assert not any(folder in text for folder in ("/var/", "/tmp/", "/root", "/home/"))


def test_every_answer_was_compared_with_what_was_written(run: Run) -> None:
    checked = run.trials[run.trials["configuration"] != NOTHING]
    assert checked["checked_reads"].eq(checked["lookups"]).all()
    assert trials(run, NOTHING)["checked_reads"].eq(0).all()


def test_rows_of_one_write_stay_in_the_memtable_and_neither_block_cache_nor_bloom_filter_is_asked(run: Run) -> None:
    memory = trials(run, LOOP, PARTS, POINT, WITNESS, WITNESS_AFTER)
    assert memory["rows_in"].eq("memtable").all()
    assert memory["files"].eq(0).all()
    assert trials(run, LOOP)["memtable_rows"].eq(PARAMETERS.rows).all()
    assert trials(run, LOOP)["writes"].eq(1).all()
    after = trials(run, WITNESS_AFTER)
    assert after["memtable_hits"].eq(after["lookups"]).all()
    for name in ("block_cache_hits", "block_cache_misses", "bloom_useful", "bloom_passed"):
        assert after[name].eq(0).all(), name


def test_a_compacted_store_is_read_from_files_through_the_block_cache(run: Run) -> None:
    settled = trials(run, WITNESS_COMPACTED, "compacted_uniform")
    assert settled["rows_in"].eq("files").all()
    assert settled["memtable_rows"].eq(0).all()
    counted = trials(run, WITNESS_COMPACTED)
    assert counted["memtable_hits"].eq(0).all()
    assert (counted["block_cache_hits"] + counted["block_cache_misses"]).eq(counted["lookups"]).all()
    assert counted["bloom_passed"].eq(counted["lookups"]).all(), "a filter turns no present key away"
    assert counted["bloom_useful"].eq(0).all()


def test_counters_that_cost_time_are_counted_in_the_witnesses_alone(run: Run) -> None:
    witnesses = {WITNESS, WITNESS_AFTER, WITNESS_COMPACTED}
    counted = set(run.trials.loc[run.trials["memtable_hits"].notna(), "configuration"])
    assert counted == witnesses


def test_parts_lie_within_their_query_and_the_clock_is_taken_off_once(run: Run) -> None:
    for row in trials(run, PARTS, POINT_PARTS, TOOL).to_dict("records"):
        parts = row["index_mean_ns"] + row["engine_mean_ns"] + row["rest_mean_ns"]
        assert parts == pytest.approx(row["query_mean_ns"], rel=1e-6)
        net = row["index_net_ns"] + row["engine_net_ns"] + row["rest_net_ns"]
        assert net == pytest.approx(row["query_net_ns"], rel=1e-6)
        assert 0 < row["timer_ns"] < 10_000
        assert row["query_mean_ns"] == pytest.approx(row["mean_ns"], rel=1e-6)


def test_what_is_left_out_holds_no_time_of_it(run: Run) -> None:
    shares = run.trials.pivot(index="block", columns="configuration", values="engine_mean_ns")
    assert shares[[PARTS, TOOL]].notna().all().all()
    assert shares[[NO_ENGINE, NOTHING, "note_flat_alone"]].isna().all().all()
    assert trials(run, ABSENT)["memtable_rows"].eq(PARAMETERS.law_rows).all()


def test_an_index_holds_at_least_its_keys_and_the_notes_trees_hold_far_more(run: Run) -> None:
    for index in INDEXES:
        rows = trials(run, alone(index, "random", "throughput"))
        assert rows["index_bytes_per_key"].isna().all() == (index in {"btree", "hash"}), index
        assert rows["rows_in"].isna().all()
    flat = trials(run, alone("note_flat", "random", "throughput"))["index_bytes_per_key"]
    assert flat.gt(100).all(), "keys, values and gaps are counted, not only the headers of leaves"


def test_stored_metrics_are_those_of_the_stored_samples(run: Run) -> None:
    check_metrics(run, reduce)


def test_the_run_verifies_and_is_small_when_published(run: Run) -> None:
    verification = pytest.importorskip("benchbook.verification")
    entry = next(each for each in store.catalogue("alex_rocksdb") if each.id == run.id)
    assert verification.verify(entry).problems == ()
    assert sum(path.stat().st_size for path in entry.folder.iterdir() if path.is_file()) < 5_000_000


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    shown = ("design", "executed", "answer", "clock", "marker", "explained", "patterns", "index_alone", "grows")
    summary = check_chapter(run, shown)
    assert not [figure.id for figure in chapter.figures(summary).values() if figure.blank]
    assert len(chapter.table(summary, "evidence")) == 9
    assert list(chapter.table(summary, "index_table").index) == list(INDEXES.values())
    assert len(chapter.table(summary, "largest")) == 6


def test_an_unknown_index_is_refused_by_the_probe_too(tmp_path: Any) -> None:
    asked = request_of(PARAMETERS, configurations(PARAMETERS)[0], 1)
    asked["options"]["index"] = "trie"
    with pytest.raises(BenchbookError, match=r"refused: .*trie"):
        probe.ask(kv.find(), asked, timeout_s=20, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_without_the_engine_a_published_run_is_shown_and_nothing_else_can_be(
    run: Run, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_shown_as_published(run, PARAMETERS, "make probe-kv", tmp_path, monkeypatch)
