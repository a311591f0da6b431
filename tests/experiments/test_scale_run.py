"""Tiny real runs of the key-value probe for the scale chapter, from parameters to figures and verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing, times, trials

from benchbook import lab, store, verification
from benchbook.chapters.scale.arms import (
    AFTER,
    AS_RUN,
    BEFORE,
    RANDOM,
    SYSTEMS,
    UNIFORM,
    WELL,
    Parameters,
    configurations,
    name,
)
from benchbook.chapters.scale.measure import reduce, request_of
from benchbook.engines import kv, probe
from benchbook.errors import BenchbookError
from benchbook.model import Run

chapter = lab.experiment("scale")

pytestmark = needing(kv.versions)

CHAPTER = "scale"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rounds": 3, "turn_ms": 20, "discard_ms": 2,
        "rows": [1_000, 10_000], "random_rows": [2_000], "again_rows": [10_000], "lookups": 1_000,
        "tail_rows": 2_000, "tail_lookups": 12_000, "tail_warm_lookups": 100, "kept_samples": 500,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))


def test_the_run_verifies_as_it_is_stored(run: Run) -> None:
    [entry] = [each for each in store.catalogue("scale") if each.id == run.id]
    assert verification.verify(entry).problems == ()


def test_every_look_up_was_compared(run: Run) -> None:
    assert run.trials["checked_reads"].eq(run.trials["lookups"]).all()
    assert run.trials["row_cache_hits"].dropna().ge(0).all()
    stride = trials(run, *(name(system, 10_000) for system in SYSTEMS))
    assert stride["row_cache_hits"].eq(0).all(), "each key is asked for once"


def test_the_mean_of_a_trial_is_that_of_its_stored_batches(run: Run) -> None:
    stride = run.trials[run.trials["query_mean_ns"].notna()]
    assert len(stride) == 2 * (len(configurations(PARAMETERS)) - len(SYSTEMS))
    for row in stride.to_dict("records"):
        samples = run.samples[run.samples["trial"] == row["trial"]]
        assert samples["series"].eq("batch").all()
        assert len(samples) == PARAMETERS.lookups // PARAMETERS.batch_lookups
        assert samples["latency_ns"].sum() / PARAMETERS.lookups == pytest.approx(row["query_mean_ns"], rel=1e-9)


def test_single_look_ups_are_never_mixed_with_batches(run: Run) -> None:
    single = trials(run, *(name(system, 2_000, distribution=UNIFORM) for system in SYSTEMS))
    assert single["query_mean_ns"].isna().all()
    assert single["uniform_p99_ns"].notna().all()
    enough = single["lookups"] >= 100_000  # of them, so that 100 are beyond it
    assert single.loc[~enough, "uniform_p999_ns"].isna().all()
    stored = times(run)[times(run)["trial"].isin(single["trial"])]
    assert stored["series"].eq("query").all()
    assert stored.groupby("trial").size().eq(500).all()


def test_before_the_options_all_rows_are_in_the_memtable_and_no_file_is_asked(run: Run) -> None:
    for rows in PARAMETERS.rows:
        held = trials(run, name(BEFORE, rows), name(AFTER, rows))
        assert held["memtable_rows"].eq(rows).all()
        assert held["table_files"].eq(0).all()
        assert held["index_leaves"].gt(rows / 100).all()
    assert trials(run, name(AS_RUN, 10_000))["memtable_rows"].isna().all()


def test_sqlite_is_durable_as_it_says_and_rocksdb_is_not_asked_to_be(run: Run) -> None:
    assert trials(run, name(AS_RUN, 10_000))["insert_syncs"].ge(1).all()
    assert trials(run, name(BEFORE, 10_000))["insert_syncs"].eq(0).all()


def test_the_record_names_the_versions_and_what_each_system_held(run: Run) -> None:
    versions = kv.versions()
    assert run.provenance["engine_version"] == f"RocksDB {versions['RocksDB']}, SQLite {versions['SQLite']}"
    held = run.provenance["settings"]
    settings = {system: held[name(system, 1_000)] for system in SYSTEMS}
    assert set(held) == {name(system, 1_000) for system in SYSTEMS} | {name(BEFORE, 2_000, RANDOM)}
    assert settings[BEFORE]["write_buffer_bytes"] == 256 << 20
    assert settings[AFTER]["bloom_bits"] == 10
    assert settings[AS_RUN]["prepare"] == "query"
    assert settings[AS_RUN]["journal_mode"] == "delete"
    assert settings[WELL]["journal_mode"] == "wal"
    assert settings[WELL]["transaction"] == "read"
    text = json.dumps(run.provenance["settings"])
    assert "/tmp" not in text
    assert "/var/" not in text
    assert trials(run, name(BEFORE, 10_000, RANDOM), name(BEFORE, 10_000))["engine"].str.startswith("RocksDB ").all()


def test_stored_metrics_are_those_of_the_stored_samples(run: Run) -> None:
    check_metrics(run, reduce)


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    sentences = ("design", "answer", "column", "held", "caches", "comparator", "random_keys", "noise", "target")
    summary = check_chapter(run, sentences)
    assert len(chapter.table(summary, "overview")) == len(configurations(PARAMETERS))


def request(**load: Any) -> dict[str, Any]:
    whole = request_of(PARAMETERS, configurations(PARAMETERS)[0], 1)
    return whole | {"load": whole["load"] | load}


def test_no_rows_are_refused_by_the_probe_too(tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match=r"refused: .*rows is 0"):
        probe.ask(kv.find(), request(rows=0), timeout_s=20, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_more_rows_than_memory_holds_are_refused_by_the_probe_too(tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match="MiB are needed"):
        probe.ask(kv.find(), request(rows=10**11), timeout_s=20, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
