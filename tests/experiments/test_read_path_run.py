"""A tiny real run of the key-value probe, from parameters to figures and verdicts, and what its counters must say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing, times, trials

from benchbook import lab
from benchbook.chapters.read_path.arms import (
    ALEX_PRESENT,
    BTREE_PRESENT,
    BTREE_ROCKSDB,
    BYPASS,
    DURABLE_LMDB,
    DURABLE_ROCKSDB,
    DURABLE_SQLITE,
    DURABLE_VALUE_FILE,
    HASH_PRESENT,
    LARGER_CACHE,
    LMDB_HALF,
    ROCKSDB_HALF,
    SQLITE_AS_RUN,
    SQLITE_HALF,
    VALUE_FILE,
    VALUE_FILE_HALF,
    VALUE_FILE_HASH,
    Parameters,
    configurations,
)
from benchbook.chapters.read_path.measure import reduce, request_of
from benchbook.engines import kv, probe
from benchbook.errors import BenchbookError
from benchbook.model import Run

chapter = lab.experiment("read_path")

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
HALVES = (VALUE_FILE_HALF, SQLITE_HALF, LMDB_HALF, ROCKSDB_HALF)
VALUE_RECORD_BYTES = 16 + 104
"""Header, and 100 bytes of value filled up to a multiple of eight."""


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))
    assert times(run).groupby("trial").size().le(PARAMETERS.kept_samples).all()


def test_every_answer_was_compared_with_what_was_written(run: Run) -> None:
    assert run.trials["right_answers"].eq(run.trials["operations"]).all()


def test_batches_single_look_ups_and_scans_are_never_mixed(run: Run) -> None:
    kinds = times(run).merge(run.trials[["trial", "configuration"]], on="trial")
    series = kinds.groupby("configuration")["series"].unique()
    ways = {arm.name: arm.settings["way"] for arm in configurations(PARAMETERS)}
    expected = {"stride": "batch", "index": "batch", "uniform": "query", "durable": "scan", "half": "query"}
    assert {name: list(found) for name, found in series.items()} == {n: [expected[str(w)]] for n, w in ways.items()}
    batched = run.trials["configuration"].map(ways).isin(["stride", "index"])
    assert run.trials["batch_mean_ns"].notna().eq(batched).all()
    assert run.trials["query_p50_ns"].notna().eq(run.trials["configuration"].map(ways).isin(["uniform", "half"])).all()
    assert run.trials["scan_p50_ns"].notna().eq(run.trials["configuration"].map(ways) == "durable").all()


def test_the_record_names_the_versions_and_the_options_as_the_engines_held_them(run: Run) -> None:
    where = run.provenance
    assert list(where["versions"]) == ["RocksDB", "SQLite", "LMDB"]
    assert all(version in where["engine_version"] for version in where["versions"].values())
    assert where["settings"]["sqlite_as_run"]["prepare"] == "get"
    assert where["settings"]["durable_sqlite"]["journal_mode"] == "wal"
    assert where["settings"]["durable_sqlite"]["synchronous"] == "2"
    assert int(where["settings"]["sqlite_best"]["mmap_size"]) > 2**30
    assert where["settings"]["value_file"]["verify"] is True
    assert "/" not in json.dumps(where["settings"]), "no folder of this machine"


def test_the_value_file_holds_every_row_once_and_its_index_is_counted(run: Run) -> None:
    rows = trials(run, VALUE_FILE, VALUE_FILE_HASH)
    batches = 1
    wanted = VALUE_RECORD_BYTES + 16 * (batches + 1) / PARAMETERS.rows  # commit marks and the file's own header
    assert rows["disk_bytes_per_key"].to_numpy() == pytest.approx(wanted)
    assert trials(run, VALUE_FILE)["index_bytes_per_key"].between(16, 40).all()
    assert trials(run, VALUE_FILE_HASH)["index_bytes_per_key"].isna().all()
    for name in (ALEX_PRESENT, HASH_PRESENT, BTREE_PRESENT):
        assert trials(run, name)["index_bytes_per_key"].between(16, 60).all(), name


def test_look_ups_of_the_value_file_map_it_and_those_of_other_engines_map_nothing(run: Run) -> None:
    whole = 32 * PARAMETERS.rows
    assert trials(run, BYPASS)["mapped_bytes"].ge(whole / 2).all()
    assert trials(run, SQLITE_AS_RUN, BTREE_ROCKSDB, LARGER_CACHE)["mapped_bytes"].lt(whole / 2).all()


def test_rows_that_are_still_in_memory_have_no_file(run: Run) -> None:
    assert trials(run, LARGER_CACHE)["disk_bytes_per_key"].isna().all()


def test_every_engine_syncs_at_every_durable_write(run: Run) -> None:
    durable = trials(run, DURABLE_VALUE_FILE, DURABLE_SQLITE, DURABLE_LMDB, DURABLE_ROCKSDB)
    assert durable["syncs_per_batch"].ge(1).all()
    assert trials(run, DURABLE_VALUE_FILE)["syncs_per_batch"].eq(1).all()
    assert durable["reopen_s"].gt(0).all()


def test_a_small_store_was_read_from_memory(run: Run) -> None:
    # Of what the trials read from a device the stores have no part: they were written moments before.
    whole = run.trials[~run.trials["configuration"].isin(HALVES)]
    assert whole["run_major_faults"].eq(0).all()
    assert whole["cache_state"].isin(["warm", "not counted", "read from the device"]).all()


def test_where_memory_holds_half_of_a_store_look_ups_read_from_the_device(run: Run) -> None:
    halves = trials(run, *HALVES)
    assert halves["held_share"].between(0.2, 0.7).all()
    assert halves["cache_state"].isin(["half in memory", "another share in memory"]).all()
    assert halves["device_kib_per_lookup"].gt(0.5).all()
    whole = run.trials[~run.trials["configuration"].isin(HALVES)]
    assert whole["held_share"].isna().all()


def test_stored_metrics_are_those_of_the_stored_samples(run: Run) -> None:
    check_metrics(run, reduce)


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    sentences = ("design", "answer", "order", "existence", "durability", "redb", "recommended")
    summary = check_chapter(run, sentences)
    assert "[" in chapter.say(summary, "rivals").text
    assert "30,000 rows where 10,000,000 are asked" in chapter.say(summary, "design").text
    assert len(chapter.table(summary, "overview")) == len(configurations(PARAMETERS))
    assert len(chapter.table(summary, "note_claims"))


def reopened(engine: str, **changes: Any) -> probe.Answer:
    request = {
        "seed": 7,
        "workload": "gets",
        "options": {"engine": engine},
        "load": {"rows": 2_000, "keys": "random", "value_bytes": 40, "batch_rows": 100, "reopen": True} | changes,
        "run": {"law": "uniform", "operations": 1_000},
    }
    return probe.ask(kv.find(), request, timeout_s=60)


@pytest.mark.parametrize("engine", ["value_file", "sqlite", "lmdb", "rocksdb"])
def test_a_store_that_was_opened_again_answers_as_before(engine: str) -> None:
    answer = reopened(engine)
    assert answer.record["checked_reads"] == 1_000
    assert answer.record["seconds"]["reopen"] > 0
    held = answer.record["counters"]["load"]["engine"]
    if engine == "value_file":
        assert held["recovered_records"] == 2_000
        assert held["cut_bytes"] == 0


def test_an_index_alone_cannot_be_opened_again(tmp_path: Path) -> None:
    request = request_of(PARAMETERS, next(a for a in configurations(PARAMETERS) if a.name == ALEX_PRESENT), 1)
    request["load"]["reopen"] = True
    with pytest.raises(BenchbookError, match=r"refused: .*reopen needs an engine"):
        probe.ask(kv.find(), request, timeout_s=20, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
