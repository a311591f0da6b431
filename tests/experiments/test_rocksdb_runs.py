"""Tiny runs of the chapters on RocksDB, SQLite and mapped files: rows, filters and logs are as they should."""

import json
import os
from pathlib import Path

import pytest
from tiny_runs import Tiny, check_run, given, needing, times, trials

from benchbook import lab
from benchbook.chapters import later_write, mapped_files, rocksdb_tuning
from benchbook.chapters import sqlite_fairness as fairness
from benchbook.engines import kv, probe
from benchbook.engines.storage import refusals
from benchbook.errors import BenchbookError
from benchbook.model import Evidence, Outcome, Run

pytestmark = needing(kv.versions)
SLOW = refusals.refusal(allowed=True) is None
TURNS = {"blocks": 2, "rounds": 2, "turn_ms": 10, "discard_ms": 1, "kept_samples": 100}
LONGER = TURNS | {"rounds": 3, "turn_ms": 20, "discard_ms": 2, "kept_samples": 500}
RUNS = {
    "filter_shards": Tiny(
        TURNS | {
            "turn_ms": 30, "rows": 60_000, "filter_bits": 100, "cache_mib": [16, 128], "lookups": 16,
            "warm_lookups": 500,
        },
        ("design", "edge", "control", "read", "saves"),
    ),
    "later_write": Tiny(
        TURNS | {
            "rows": [40_000, 80_000], "lookups": 500, "slow_lookups": 50, "turn_ms": 4, "write_buffer_mib": 1,
        },
        ("design", "held", "equal"),
    ),
    "lru": Tiny(
        TURNS | {
            "rows": 10_000, "small_entries": 10, "middle_entries": 1_000, "large_entries": 10_000, "lookups": 2_000,
            "warm_lookups": 300_000, "once_lookups": 2_000,
        },
        ("design", "gains", "hits", "speedups"),
    ),
    "mapped_files": Tiny(
        {
            "blocks": 2, "rows": 500_000, "lookups": 300, "memory_percent": [50], "read_ahead_kib": [0, 1_024],
            "allow_slow_storage": SLOW, "kept_samples": 100,
        },
        ("design", "noise", "mapping", "calls", "rocksdb", "filter"),
        (pytest.mark.machine, pytest.mark.skipif(os.geteuid() != 0, reason="only root bounds memory")),
    ),
    "rocksdb_releases": Tiny(
        TURNS | {
            "turn_ms": 30, "rows": 500_000, "cache_mib": 8, "larger_cache_mib": 128, "lookups": 16,
            "warm_lookups": 500,
        },
        ("design", "memtable", "files", "larger", "place", "apart", "counter", "defaults", "newer", "noise"),
        tuple(needing(kv.notes_release)),
    ),
    "rocksdb_tuning": Tiny(
        TURNS | {"rows": 10_000, "smaller_rows": [1_000, 2_000], "lookups": 2_000, "load_batch_rows": 3_000},
        ("design", "where_rows_lay", "singles", "in_files", "further", "smaller_questions"),
    ),
    "sqlite_fairness": Tiny(
        LONGER | {
            "allow_power_cut": SLOW, "sizes": [1_000, 5_000], "queries": 500,
            "ladder_rows": 20_000, "ladder_queries": 2_560, "warm_queries": 500, "timed_queries": 2_000, "commits": 10,
            "commit_rows": 100, "one_write_rows": 2_000,
        },
        ("design", "settings", "where_rows_lie", "tails", "durable", "killed"),
    ),
    "system_calls": Tiny(
        LONGER | {
            "rows": 20_000, "warm_lookups": 2_000, "turn_ms": 60, "added_ns": [0, 20_000], "kept_samples": 100,
        },
        ("design", "asks", "dearer", "held", "mapped", "felt", "unmoved", "noise"),
    ),
}  # fmt: skip


@given(RUNS)
def test_the_run_is_whole_and_its_page_has_its_sentences(run: Run) -> None:
    check_run(run, RUNS[run.experiment].sentences)


@given(RUNS, "filter_shards", "lru", "mapped_files", "rocksdb_releases", "rocksdb_tuning", "system_calls")
def test_every_look_up_was_compared(run: Run) -> None:
    compared = run.trials["checked_reads"] - run.trials["lookups"]
    assert (compared.ge(0) if run.experiment == "mapped_files" else compared.eq(0)).all()


@given(RUNS, "filter_shards")
def test_a_filter_larger_than_a_shard_is_read_again_for_each_look_up_and_a_smaller_one_never(run: Run) -> None:
    assert (run.trials["table_files"].eq(1) & run.trials["memtable_rows"].eq(0)).all()
    for kib in (512, 16 * 1024):
        assert trials(run, f"cached_{kib}")["filter_misses_per_lookup"].gt(0.99).all()
    assert trials(run, f"cached_{128 * 1024}")["filter_misses_per_lookup"].eq(0).all()
    for kib in (512, 16 * 1024, 128 * 1024):
        assert trials(run, f"pinned_{kib}", f"outside_{kib}")["filter_misses_per_lookup"].eq(0).all()


@given(RUNS, "filter_shards")
def test_a_filter_rejects_keys_that_do_not_exist_and_nothing_else_does(run: Run) -> None:
    assert trials(run, "absent_filter")["rejected_per_lookup"].eq(1).all()
    others = ("absent_nothing", "absent_alex", "present_filter", "popular_filter")
    assert trials(run, *others)["rejected_per_lookup"].eq(0).all()
    assert trials(run, "absent_alex")["index_bytes_per_row"].between(16, 40).all()


@given(RUNS, "later_write")
def test_one_row_more_moves_all_rows_of_the_memtable_into_files(run: Run) -> None:
    for rows in (40_000, 80_000):
        held, moved = (
            trials(run, *(f"{load}_{use}_{rows}" for use in later_write.OPTIONS)) for load in ("one", "more")
        )
        assert (held["memtable_rows"].eq(rows) & held["table_files"].eq(0)).all()
        assert (moved["memtable_rows"].eq(1) & moved["table_files"].gt(0)).all()
        assert trials(run, f"sqlite_{rows}")["memtable_rows"].isna().all()
    assert run.trials["checked_reads"].gt(0).all()


@given(RUNS, "lru")
def test_a_larger_cache_has_more_hits_and_no_key_is_found_that_was_not_asked_before(run: Run) -> None:
    for law in ("zipf", "uniform"):
        assert trials(run, f"{law}_large")["hit_ratio"].gt(0.99).all()
        smaller, middle = (trials(run, f"{law}_{use}")["hit_ratio"].mean() for use in ("small", "middle"))
        assert smaller < middle < 1
    uniform = trials(run, "uniform_middle")["hit_ratio"]
    assert uniform.between(0.05, 0.15).all(), "a tenth of the rows"
    assert trials(run, "zipf_middle")["hit_ratio"].min() > uniform.max()
    once = trials(run, "once_small", "once_large")
    assert once.loc[once["lookups"] < 10_000, "hit_ratio"].eq(0).all()
    assert trials(run, "zipf_sqlite")["hit_ratio"].isna().all()


@given(RUNS, "mapped_files")
def test_rocksdb_finds_its_filter_outside_and_in_one_shard(run: Run) -> None:
    sizes = mapped_files.Parameters.given(run.parameters).sizes
    assert run.trials["memory"].eq("bounded").all()
    for engine in ("rocksdb", "one_shard"):
        rows = trials(run, mapped_files.at(engine, sizes[0], 50))
        assert rows["filter_misses_per_lookup"].max() <= 0.01, engine
    assert trials(run, mapped_files.at("as_tuned", sizes[0], 50))["filter_misses_per_lookup"].notna().all()


@given(RUNS, "mapped_files")
@pytest.mark.skipif(not SLOW, reason="no volume can be made here")
def test_a_mapped_file_is_read_in_pages_without_a_read_ahead_and_in_more_with_one(run: Run) -> None:
    for engine in ("value_file", "sqlite", "lmdb"):
        few, many = (trials(run, mapped_files.at(engine, kib, 50))["device_kib_per_lookup"] for kib in (0, 1_024))
        assert few.notna().all()
        assert many.min() > few.max(), engine


@given(RUNS, "rocksdb_releases")
def test_both_releases_hold_the_rows_where_the_case_says_and_read_a_filter_again_that_no_shard_holds(run: Run) -> None:
    assert run.provenance["notes_version"] == "10.4.2" != run.provenance["engine_version"]
    for release in ("ours", "notes"):
        for case in ("memtable_before", "memtable_after", "files_default", "files_before", "files_after"):
            own, in_memory = trials(run, f"{release}_{case}"), case.startswith("memtable")
            assert own["memtable_rows"].eq(500_000 if in_memory else 0).all(), (release, case)
            assert own["table_files"].gt(0).all() != in_memory, (release, case)
        assert trials(run, f"{release}_files_after")["filter_misses_per_lookup"].gt(0.9).all(), release
        assert trials(run, f"{release}_files_larger")["filter_misses_per_lookup"].lt(0.1).all(), release


@given(RUNS, "rocksdb_tuning")
def test_one_write_stays_in_the_memtable_and_what_is_compacted_or_flushed_is_in_files(run: Run) -> None:
    held = trials(run, "benchmark_before", "benchmark_after", "stride_universal", "counted_bloom")
    assert (held["memtable_rows"].eq(10_000) & held["table_files"].eq(0)).all()
    assert trials(run, "counted_bloom")["filtered_share"].eq(0).all()
    compacted = trials(run, "files_before", "files_again", "counted_cache")
    assert (compacted["memtable_rows"].eq(0) & compacted["level0_files"].eq(0) & compacted["files_bytes"].gt(0)).all()
    flushed = trials(run, "level0_after", "level0_unpinned")
    assert (flushed["memtable_rows"].eq(0) & flushed["level0_files"].ge(1)).all()
    assert trials(run, "counted_cache")["block_cache_hit_ratio"].gt(0.99).all()
    assert run.trials["block_requests"].dropna().ge(0).all()
    assert trials(run, "counted_after")["file_bytes_per_lookup"].gt(0).all()
    share = trials(run, "stride_parts")[["engine_share", "index_share"]]
    assert (share.ge(0).all(axis=1) & share.sum(axis=1).le(1)).all()


@given(RUNS, "rocksdb_tuning")
def test_options_for_files_cannot_act_on_what_is_in_the_memtable(run: Run) -> None:
    chapter = lab.experiment("rocksdb_tuning")
    summary = chapter.summarize(run)
    found = {verdict.claim_id: verdict for verdict in chapter.judge(summary)}
    for claim in ("O001", "O007", "O008", "O046", "O048", "O049", "O086", "O101"):
        assert (found[claim].outcome, found[claim].evidence) == (Outcome.CONTRADICTED, Evidence.CONSTRUCTION), claim
    assert (found["O044"].outcome, found["O044"].evidence) == (Outcome.NO_EFFECT, Evidence.CONSTRUCTION)
    files = rocksdb_tuning.compaction(summary) == "stride_compacted"
    assert found["O092"].evidence is (Evidence.MEASURED if files else Evidence.CONSTRUCTION), "as the pilot chose"


@given(RUNS, "rocksdb_tuning")
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


@given(RUNS, "sqlite_fairness")
def test_rows_are_read_from_where_they_lie_and_synchronous_transactions_are_synced(run: Run) -> None:
    looked = run.trials[run.trials["asked_reads"].notna()]
    assert looked["checked_reads"].eq(looked["asked_reads"]).all()
    sizes = times(run).merge(run.trials[["trial", "configuration"]], on="trial").groupby("configuration").size()
    assert (sizes["once_5000"], sizes["timed_once"]) == (2, 2 * 500), "all of the benchmark's look-ups are one time"
    fresh, settled = trials(run, "after_5000", "warm_after"), trials(run, "warm_after_settled")
    assert (fresh["memtable_share"].eq(1) & fresh["table_files"].eq(0)).all()
    assert (settled["memtable_share"].eq(0) & settled["table_files"].ge(1)).all()
    asked, spared = (trials(run, f"warm_{use}")["page_lookups"] for use in ("once", "best"))
    assert asked.gt(0).all()
    assert spared.le(asked.to_numpy()).all(), "a mapped file spares the page cache"
    assert trials(run, "as_run_5000")["insert_syncs"].ge(1).all()
    assert trials(run, "warm_no_sync", "after_5000")["insert_syncs"].eq(0).all()


@given(RUNS, "sqlite_fairness")
def test_every_log_keeps_what_was_reported_and_the_control_without_one_loses_it(run: Run) -> None:
    logged = [use for use in fairness.WRITES if use != "no_log"]
    for rows in (trials(run, *(f"{part}_{use}" for use in logged)) for part in ("commits", "one_write")):
        assert rows["recovered_rows"].eq(rows["acknowledged_rows"]).all()
        assert rows["acknowledged_commits"].ge(rows["wanted_commits"]).all()
    assert trials(run, "commits_no_log", "one_write_no_log")["recovered_rows"].eq(0).all()
    syncs = {use: trials(run, f"commits_{use}")["write_syncs_per_commit"] for use in fairness.WRITES}
    assert syncs["log_unsynced"].eq(0).all()
    assert (syncs["log_synced"].ge(1) & syncs["default"].ge(2).to_numpy()).all(), "a log; journal and file"
    kept = not run.parameters["allow_power_cut"]
    found = fairness.all_recovered(lab.experiment("sqlite_fairness").summarize(run)).point
    assert found == kept, "the path as run syncs nothing, so a loss of power takes every row"


@pytest.mark.parametrize(("batches", "said"), [(0, "from 1 on"), (10**6, "1000000 of .* batches")])
def test_a_writer_is_killed_after_one_of_its_batches(tmp_path: Path, batches: int, said: str) -> None:
    p = fairness.Parameters()
    asked = fairness.request_of(p, next(e for e in fairness.configurations(p) if e.name == "commits_default"), 1)
    asked["run"]["kill_after_batches"] = batches
    with pytest.raises(BenchbookError, match=said):
        probe.ask(kv.find(), asked, timeout_s=20, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@given(RUNS, "system_calls")
def test_look_ups_that_ask_the_kernel_take_as_much_longer_as_was_added_to_their_calls(run: Run) -> None:
    for use in ("as_run", "once"):
        slow, quick = trials(run, f"{use}_20000"), trials(run, f"{use}_0")
        assert (quick["locks_per_lookup"].ge(2) & quick["added_per_lookup_ns"].eq(0)).all(), "to lock and to unlock"
        assert (slow["added_per_lookup_ns"] >= 20_000 * slow["calls_per_lookup"] * 0.999).all()
        added_at_least = 20_000 * slow["calls_per_lookup"].min() * 0.999
        assert slow["lookup_mean_ns"].min() > max(added_at_least, quick["lookup_mean_ns"].min())
    for use in ("best", "value_file"):
        assert trials(run, f"{use}_20000")["calls_per_lookup"].lt(0.2).all(), use
