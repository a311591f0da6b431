"""Tiny runs of the chapters on the key-value probe: each is whole, and its counters say what its engines did."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_runs import Tiny, check_run, given, needing, times, trials

from benchbook import lab
from benchbook.chapters import alex_rocksdb, mixed_workloads, read_path, scale, turns
from benchbook.engines import kv, probe
from benchbook.model import PlannedTrial, Run

pytestmark = needing(kv.versions)
TURNS = {"blocks": 2, "rounds": 3, "turn_ms": 20, "discard_ms": 2, "kept_samples": 500}
RUNS = {
    "alex_rocksdb": Tiny(
        TURNS | {
            "rows": 20_000, "law_rows": 10_000, "between_rows": [5_000], "small_rows": 2_000, "index_rows": 10_000,
            "lookups": 2_560, "tool_lookups": 1_024, "benchmark_lookups": 100,
        },
        ("design", "executed", "answer", "clock", "marker", "explained", "patterns", "index_alone", "grows"),
    ),
    "mixed_workloads": Tiny(
        {
            "blocks": 2, "insert_rows": 2_000, "rows": 1_000, "value_bytes": 50, "operations": 400,
            "warm_operations": 100, "scan_operations": 100, "scan_rows": 10, "kept_samples": 100,
        },
        ("design", "inserts", "updates"),
    ),
    "read_path": Tiny(
        TURNS | {
            "rows": 30_000, "operations": 2_000, "existence_keys": 2_000, "durable_rows": 3_000,
            "durable_batch_rows": 300, "scans": 400, "scan_rows": 20, "option_a_cache_mib": 16, "half_rows": 400_000,
            "half_operations": 2_000,
        },
        ("design", "answer", "order", "existence", "durability", "redb", "recommended", "rivals"),
    ),
    "scale": Tiny(
        TURNS | {
            "rows": [1_000, 10_000], "random_rows": [2_000], "again_rows": [10_000], "lookups": 1_000,
            "tail_rows": 2_000, "tail_lookups": 12_000, "tail_warm_lookups": 100,
        },
        ("design", "answer", "column", "held", "caches", "comparator", "random_keys", "noise", "target"),
    ),
    "turns": Tiny(
        TURNS | {"blocks": 3, "rows": 2_000, "warm_lookups": 100, "kept_samples": 100}, ("design", "lottery")
    ),
}  # fmt: skip


@given(RUNS)
def test_the_run_is_whole_and_its_page_has_its_sentences(run: Run) -> None:
    check_run(run, RUNS[run.experiment].sentences)


@given(RUNS, "alex_rocksdb", "scale")
def test_every_look_up_was_compared(run: Run) -> None:
    rows = run.trials[run.trials["configuration"] != "without_both"]
    assert rows["checked_reads"].eq(rows["lookups"]).all()


@given(RUNS, "alex_rocksdb")
def test_rows_of_one_write_stay_in_the_memtable_and_a_compacted_store_is_read_from_files(run: Run) -> None:
    memory = trials(run, alex_rocksdb.LOOP, "parts", "point_query", "witness_before", "witness_after")
    assert (memory["rows_in"].eq("memtable") & memory["files"].eq(0)).all()
    assert trials(run, alex_rocksdb.LOOP)["memtable_rows"].eq(20_000).all()
    after = trials(run, "witness_after")
    assert after["memtable_hits"].eq(after["lookups"]).all()
    assert not after[["block_cache_hits", "block_cache_misses", "bloom_useful", "bloom_passed"]].any(axis=None)
    assert trials(run, "witness_after_compacted", "compacted_uniform")["rows_in"].eq("files").all()
    counted = trials(run, "witness_after_compacted")
    assert (counted["block_cache_hits"] + counted["block_cache_misses"]).eq(counted["lookups"]).all()
    assert counted["bloom_passed"].eq(counted["lookups"]).all(), "a filter turns no present key away"
    witnesses = run.trials.loc[run.trials["memtable_hits"].notna(), "configuration"]
    assert witnesses.str.startswith("witness_").all(), "counters that cost time"


@given(RUNS, "alex_rocksdb")
def test_parts_lie_within_their_query_and_an_index_holds_at_least_its_keys(run: Run) -> None:
    for row in trials(run, "parts", "point_query_parts", "tool").to_dict("records"):
        for kind in ("mean_ns", "net_ns"):
            together = sum(row[f"{part}_{kind}"] for part in ("index", "engine", "rest"))
            assert together == pytest.approx(row[f"query_{kind}"], rel=1e-6)
        assert row["query_mean_ns"] == pytest.approx(row["mean_ns"], rel=1e-6)
    assert trials(run, "without_engine", "without_both", "note_flat_alone")["engine_mean_ns"].isna().all()
    counted = {name: trials(run, f"{name}_random_throughput")["index_bytes_per_key"] for name in alex_rocksdb.INDEXES}
    assert {index for index, values in counted.items() if values.isna().all()} == {"btree", "hash"}
    assert counted["note_flat"].gt(100).all(), "keys, values and gaps are counted, not only the headers of leaves"


@given(RUNS, "mixed_workloads")
def test_every_operation_was_made_and_its_answer_compared(run: Run) -> None:
    def of(workload: str, stores: Any = mixed_workloads.STORES) -> Any:
        rows = trials(run, *(f"{workload}_{store}" for store in stores))
        return rows[~rows["engine"].str.startswith("left out: ")]

    for workload in mixed_workloads.WORKLOADS:
        worked = of(workload)
        assert len(worked)
        assert worked["operations"].isin([400, 100]).all()
        assert worked["checked_reads"].gt(100).all()
        assert worked["run_syncs"].eq(0).all(), "no write waited for the device"
    assert of("c")["write_amplification"].isna().all()
    written = of("a")["write_amplification"]
    assert written.isna().all() or written.gt(0.9).all()
    inserted, looked = trials(run, *mixed_workloads.INSERTS), of("lookup", mixed_workloads.LOOKUPS)
    assert (inserted["insert_mean_ns"].gt(0) & inserted["inserted_rows"].eq(2_000)).all()
    assert (looked["lookup_mean_ns"].gt(0) & looked["checked_reads"].ge(256)).all()


def test_redb_is_left_out_by_name_where_it_was_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / kv.PROGRAM).symlink_to(kv.find())
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    parameters = mixed_workloads.Parameters.given(RUNS["mixed_workloads"].parameters)
    [arm] = [each for each in mixed_workloads.configurations(parameters) if each.name == "a_redb"]
    with mixed_workloads.session(parameters, lambda *_: None) as bench:
        left_out, provenance = bench.measure(PlannedTrial(0, 0, arm, seed=1)), bench.provenance()
    assert left_out.metrics == {}
    assert "left out: the measuring program kv-redb is not built: run `make redb`" in left_out.labels["engine"]
    assert provenance["left_out"]["redb"] in left_out.labels["engine"]
    assert "a_lmdb" in provenance["settings"]
    assert not any(name.endswith("redb") for name in provenance["settings"])


@given(RUNS, "read_path")
def test_the_value_file_holds_every_row_once_and_its_look_ups_map_it(run: Run) -> None:
    rows = trials(run, "value_file", "value_file_hash")
    record, marks = 16 + 104, 16 * 2 / 30_000  # header and value; those of a commit and of the file
    assert rows["disk_bytes_per_key"].to_numpy() == pytest.approx(record + marks)
    counted = trials(run, "value_file", "alex_present", "hash_present", "btree_present")["index_bytes_per_key"]
    assert counted.between(16, 60).all()
    assert trials(run, "option_a_larger_cache")["disk_bytes_per_key"].isna().all(), "its rows are still in memory"
    half = 32 * 30_000 / 2
    assert trials(run, "bypass")["mapped_bytes"].ge(half).all()
    assert trials(run, "sqlite_as_run", "btree_and_rocksdb", "option_a_larger_cache")["mapped_bytes"].lt(half).all()


@given(RUNS, "read_path")
def test_durable_writes_are_synced_and_where_memory_holds_half_of_a_store_look_ups_read_the_device(run: Run) -> None:
    p = read_path.Parameters.given(run.parameters)
    ways = {arm.name: str(arm.settings["way"]) for arm in read_path.configurations(p)}
    kinds = times(run).merge(run.trials[["trial", "configuration"]], on="trial").groupby("configuration")["series"]
    stored = {"stride": "batch", "index": "batch", "uniform": "query", "durable": "scan", "half": "query"}
    assert {name: [*found] for name, found in kinds.unique().items()} == {n: [stored[way]] for n, way in ways.items()}
    assert run.trials["right_answers"].eq(run.trials["operations"]).all()
    durable, halves = (trials(run, *(name for name in ways if ways[name] == way)) for way in ("durable", "half"))
    assert (durable["syncs_per_batch"].ge(1) & durable["reopen_s"].gt(0)).all()
    assert trials(run, "durable_value_file")["syncs_per_batch"].eq(1).all()
    assert (halves["held_share"].between(0.2, 0.7) & halves["device_kib_per_lookup"].gt(0.5)).all()
    assert halves["cache_state"].isin(["half in memory", "another share in memory"]).all()
    assert run.trials[~run.trials["trial"].isin(halves["trial"])]["run_major_faults"].eq(0).all()


@pytest.mark.parametrize("engine", ["value_file", "sqlite", "lmdb", "rocksdb"])
def test_a_store_that_was_opened_again_answers_as_before(engine: str) -> None:
    load = {"rows": 2_000, "keys": "random", "value_bytes": 40, "batch_rows": 100, "reopen": True}
    request = {"seed": 7, "workload": "gets", "options": {"engine": engine}, "load": load}
    answer = probe.ask(kv.find(), request | {"run": {"law": "uniform", "operations": 1_000}}, timeout_s=60)
    assert answer.record["checked_reads"] == 1_000
    assert answer.record["seconds"]["reopen"] > 0
    assert answer.record["counters"]["load"]["engine"].get("recovered_records", 2_000) == 2_000


@given(RUNS, "scale")
def test_the_mean_of_a_trial_is_that_of_its_stored_batches(run: Run) -> None:
    samples = times(run)
    for row in trials(run, "before_1000_sequential", "sqlite_well_2000_random").to_dict("records"):
        batches = samples[samples["trial"] == row["trial"]]
        assert (len(batches), {*batches["series"]}) == (10, {"batch"})
        assert batches["latency_ns"].sum() / 1_000 == pytest.approx(row["query_mean_ns"], rel=1e-9)
    single = trials(run, *(f"{system}_2000_uniform" for system in scale.SYSTEMS))
    assert (single["query_mean_ns"].isna() & single["uniform_p99_ns"].notna()).all()


@given(RUNS, "scale")
def test_all_rows_are_in_the_memtable_and_sqlite_alone_is_durable(run: Run) -> None:
    held = trials(run, "before_10000_sequential", "after_10000_sequential")
    assert (held["memtable_rows"].eq(10_000) & held["table_files"].eq(0) & held["index_leaves"].gt(100)).all()
    assert held["insert_syncs"].eq(0).all()
    assert trials(run, "sqlite_as_run_10000_sequential")["insert_syncs"].ge(1).all()
    stride = trials(run, *(f"{system}_10000_sequential" for system in scale.SYSTEMS))
    assert stride["row_cache_hits"].eq(0).all(), "each key is asked for once"


@given(RUNS, "turns")
def test_configurations_of_a_group_follow_each_other_and_spreads_are_of_the_a_a_pairs(run: Run) -> None:
    for _, block in run.trials.sort_values("trial").groupby("block"):
        places = np.flatnonzero(block["configuration"].str.endswith("turns"))
        assert (np.diff(places) == 1).all()
    summary, time = lab.experiment("turns").summarize(run), "lookup_mean_ns"
    logs = {
        way: np.log(summary.values(f"value_file_again_{way}", time) / summary.values(f"value_file_{way}", time))
        for way in ("turns", "alone")
    }
    for way, values in logs.items():
        assert turns.spread(way)(summary, "value_file_again").point == pytest.approx(values.std(ddof=1), rel=1e-6)
    apart = turns.between(summary)["value file, again (A/A)"].point
    assert apart == pytest.approx(np.exp(logs["turns"].mean() - logs["alone"].mean()), rel=1e-9)
