"""A tiny real run of the key-value probe, from parameters to figures and verdicts, and what its counters must say."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing, times, trials

from benchbook.chapters.read_path import Parameters, configurations, reduce
from benchbook.engines import kv, probe
from benchbook.model import Run

pytestmark = needing(kv.versions)
CHAPTER = "read_path"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rounds": 3, "turn_ms": 20, "discard_ms": 2,
        "rows": 30_000, "operations": 2_000, "existence_keys": 2_000, "durable_rows": 3_000,
        "durable_batch_rows": 300, "scans": 400, "scan_rows": 20, "option_a_cache_mib": 16, "kept_samples": 500,
        "half_rows": 400_000, "half_operations": 2_000,
    }
)  # fmt: skip
WAYS = {arm.name: str(arm.settings["way"]) for arm in configurations(PARAMETERS)}


def test_every_cell_is_whole_and_every_answer_compared(run: Run) -> None:
    check_cells(run, len(WAYS))
    check_metrics(run, reduce)
    assert run.trials["right_answers"].eq(run.trials["operations"]).all()
    kinds = times(run).merge(run.trials[["trial", "configuration"]], on="trial").groupby("configuration")["series"]
    stored = {"stride": "batch", "index": "batch", "uniform": "query", "durable": "scan", "half": "query"}
    assert {name: [*found] for name, found in kinds.unique().items()} == {n: [stored[way]] for n, way in WAYS.items()}


def test_the_value_file_holds_every_row_once_and_its_look_ups_map_it(run: Run) -> None:
    rows = trials(run, "value_file", "value_file_hash")
    record, marks = 16 + 104, 16 * 2 / PARAMETERS.rows  # header and value; those of a commit and of the file
    assert rows["disk_bytes_per_key"].to_numpy() == pytest.approx(record + marks)
    counted = trials(run, "value_file", "alex_present", "hash_present", "btree_present")["index_bytes_per_key"]
    assert counted.between(16, 60).all()
    assert trials(run, "option_a_larger_cache")["disk_bytes_per_key"].isna().all(), "its rows are still in memory"
    half = 32 * PARAMETERS.rows / 2
    assert trials(run, "bypass")["mapped_bytes"].ge(half).all()
    assert trials(run, "sqlite_as_run", "btree_and_rocksdb", "option_a_larger_cache")["mapped_bytes"].lt(half).all()


def test_every_engine_syncs_at_every_durable_write(run: Run) -> None:
    durable = trials(run, *(name for name, way in WAYS.items() if way == "durable"))
    assert (durable["syncs_per_batch"].ge(1) & durable["reopen_s"].gt(0)).all()
    assert trials(run, "durable_value_file")["syncs_per_batch"].eq(1).all()


def test_where_memory_holds_half_of_a_store_look_ups_read_from_the_device(run: Run) -> None:
    halves = trials(run, *(name for name, way in WAYS.items() if way == "half"))
    assert (halves["held_share"].between(0.2, 0.7) & halves["device_kib_per_lookup"].gt(0.5)).all()
    assert halves["cache_state"].isin(["half in memory", "another share in memory"]).all()
    assert run.trials[~run.trials["trial"].isin(halves["trial"])]["run_major_faults"].eq(0).all()


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    check_chapter(run, ("design", "answer", "order", "existence", "durability", "redb", "recommended", "rivals"))


@pytest.mark.parametrize("engine", ["value_file", "sqlite", "lmdb", "rocksdb"])
def test_a_store_that_was_opened_again_answers_as_before(engine: str) -> None:
    load = {"rows": 2_000, "keys": "random", "value_bytes": 40, "batch_rows": 100, "reopen": True}
    request = {"seed": 7, "workload": "gets", "options": {"engine": engine}, "load": load}
    answer = probe.ask(kv.find(), request | {"run": {"law": "uniform", "operations": 1_000}}, timeout_s=60)
    assert answer.record["checked_reads"] == 1_000
    assert answer.record["seconds"]["reopen"] > 0
    assert answer.record["counters"]["load"]["engine"].get("recovered_records", 2_000) == 2_000
