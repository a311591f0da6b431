"""A tiny real run of the key-value probe, from parameters to figures and verdicts, and what its counters must say."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, check_shown_as_published, needing, trials

from benchbook import lab, store, verification
from benchbook.chapters.alex_rocksdb import INDEXES, LOOP, Parameters, configurations, reduce, request_of
from benchbook.engines import kv, probe
from benchbook.errors import BenchbookError
from benchbook.model import Run

pytestmark = needing(kv.versions)
CHAPTER = "alex_rocksdb"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rounds": 3, "turn_ms": 20, "discard_ms": 2,
        "rows": 20_000, "law_rows": 10_000, "between_rows": [5_000], "small_rows": 2_000,
        "index_rows": 10_000, "lookups": 2_560, "tool_lookups": 1_024, "benchmark_lookups": 100, "kept_samples": 300,
    }
)  # fmt: skip


def test_every_cell_is_whole_and_every_answer_compared(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)
    whole = run.trials[run.trials["configuration"] != "without_both"]
    assert whole["checked_reads"].eq(whole["lookups"]).all()
    [entry] = [each for each in store.catalogue(CHAPTER) if each.id == run.id]
    assert verification.verify(entry).problems == ()


def test_rows_of_one_write_stay_in_the_memtable_and_neither_block_cache_nor_bloom_filter_is_asked(run: Run) -> None:
    memory = trials(run, LOOP, "parts", "point_query", "witness_before", "witness_after")
    assert (memory["rows_in"].eq("memtable") & memory["files"].eq(0)).all()
    assert trials(run, LOOP)["memtable_rows"].eq(PARAMETERS.rows).all()
    after = trials(run, "witness_after")
    assert after["memtable_hits"].eq(after["lookups"]).all()
    assert not after[["block_cache_hits", "block_cache_misses", "bloom_useful", "bloom_passed"]].any(axis=None)


def test_a_compacted_store_is_read_from_files_through_the_block_cache(run: Run) -> None:
    assert trials(run, "witness_after_compacted", "compacted_uniform")["rows_in"].eq("files").all()
    counted = trials(run, "witness_after_compacted")
    assert (counted["block_cache_hits"] + counted["block_cache_misses"]).eq(counted["lookups"]).all()
    assert counted["bloom_passed"].eq(counted["lookups"]).all(), "a filter turns no present key away"
    witnesses = run.trials.loc[run.trials["memtable_hits"].notna(), "configuration"]
    assert witnesses.str.startswith("witness_").all(), "counters that cost time"


def test_parts_lie_within_their_query_and_what_is_left_out_holds_no_time(run: Run) -> None:
    for row in trials(run, "parts", "point_query_parts", "tool").to_dict("records"):
        for kind in ("mean_ns", "net_ns"):
            together = sum(row[f"{part}_{kind}"] for part in ("index", "engine", "rest"))
            assert together == pytest.approx(row[f"query_{kind}"], rel=1e-6)
        assert row["query_mean_ns"] == pytest.approx(row["mean_ns"], rel=1e-6)
    assert trials(run, "without_engine", "without_both", "note_flat_alone")["engine_mean_ns"].isna().all()


def test_an_index_holds_at_least_its_keys_and_the_notes_trees_hold_far_more(run: Run) -> None:
    counted = {index: trials(run, f"{index}_random_throughput")["index_bytes_per_key"] for index in INDEXES}
    assert {index for index, values in counted.items() if values.isna().all()} == {"btree", "hash"}
    assert counted["note_flat"].gt(100).all(), "keys, values and gaps are counted, not only the headers of leaves"


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    shown = ("design", "executed", "answer", "clock", "marker", "explained", "patterns", "index_alone", "grows")
    summary = check_chapter(run, shown)
    assert not [figure.id for figure in lab.experiment(CHAPTER).figures(summary).values() if figure.blank]


def test_an_unknown_index_is_refused_by_the_probe_too(tmp_path: Path) -> None:
    asked = request_of(PARAMETERS, next(configurations(PARAMETERS)), 1)
    asked["options"]["index"] = "trie"
    with pytest.raises(BenchbookError, match=r"refused: .*trie"):
        probe.ask(kv.find(), asked, timeout_s=20, folder=tmp_path)


def test_without_the_engine_a_published_run_is_shown(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_shown_as_published(run, PARAMETERS, "make probe-kv", tmp_path, monkeypatch)
