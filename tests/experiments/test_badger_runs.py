"""Tiny runs of the chapters on Badger: each is whole, and what its counters must add up to."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tiny_runs import Tiny, check_run, given, needing, trials

from benchbook import lab, store
from benchbook.chapters import beyond_memory, cache_sizing, event_stores, label_order
from benchbook.chapters import positive_controls as controls
from benchbook.engines import badger, probe
from benchbook.engines import event_stores as stores
from benchbook.engines.badger import Build
from benchbook.errors import NoEngineError
from benchbook.model import Run

BADGER = tuple(needing(badger.versions))
SMALL = {"blocks": 2, "allow_slow_storage": False, "kept_samples": 500}
SUITE = SMALL | {
    "events": 2_000, "workers": 2, "burst_spread_ms": 2, "burst_quiet_ms": 1, "mem_table_mib": 2, "base_table_mib": 2,
}  # fmt: skip
RUNS = {
    "beyond_memory": Tiny(
        SMALL | {
            "lookup_rows": 60_000, "memory_percent": [300], "mem_table_mib": 3, "base_table_mib": 3,
            "lookup_warm_s": 0.05, "lookup_s": 0.2,
        },
        ("design", "kinds", "equal"),
        BADGER,
    ),
    "cache_sizing": Tiny(
        SUITE | {
            "fewer_events": 100, "mixed_operations": 20, "query_events": 50, "query_s": 0.1, "concurrent_s": 0.1,
            "rounds": 1, "small_mem_table_mib": 1, "small_base_table_mib": 1, "length_ladder_mib": [1, 64],
            "lookup_rows": 20_000, "lookup_memory_mib": 64, "lookup_warm_s": 0.05, "lookup_s": 0.4,
        },
        ("design", "answer", "evictions", "latency", "reads", "index_cache", "recommended", "lookups", "charges"),
        BADGER,
    ),
    "event_stores": Tiny(
        {
            "blocks": 2, "events": 400, "synced_events": 40, "alone_events": 20, "burst_spread_ms": 2,
            "burst_quiet_ms": 0, "mixed_operations": 20, "query_events": 40, "query_s": 0.05, "concurrent_s": 0.05,
            "kept_samples": 100,
        },
        ("design", "queue", "by_default", "answers"),
        tuple(needing(stores.versions)),
    ),
    "label_order": Tiny(SUITE | {"rest_s": 0, "pause_s": 0}, ("design", "answer", "by_chance", "queue"), BADGER),
    "positive_controls": Tiny(
        {
            "blocks": 2, "scale": 12, "clients": 2, "tpcb_seconds": 1, "commit_clients": 12, "rounds": 2,
            "turn_ms": 400, "sums": 2, "rows": 250_000, "lookups": 1_000,
        },
        ("design", "answer", "size", "plan", "checkpoint", "group_commit"),
        tuple(needing(controls.needs(controls.Parameters()).engine)),
    ),
}  # fmt: skip


@given(RUNS)
def test_the_run_is_whole_and_its_page_has_its_sentences(run: Run) -> None:
    check_run(run, RUNS[run.experiment].sentences)


@given(RUNS, "beyond_memory")
def test_the_larger_cache_is_four_times_the_smaller_one_in_the_same_memory(run: Run) -> None:
    for kind in beyond_memory.COMPRESSIONS:
        small, large = (trials(run, f"{kind}_300_{cache}") for cache in beyond_memory.CACHES)
        assert set(small["memory_bytes"]) == set(large["memory_bytes"])
        assert 3.5 < large["cache_bytes"].iloc[0] / small["cache_bytes"].iloc[0] < 4.6
        assert large["lookups"].gt(0).all()


@given(RUNS, "cache_sizing")
def test_the_record_names_the_versions_and_the_librarys_own_defaults(run: Run) -> None:
    builds = run.provenance["builds"]
    assert builds[Build.NOTE] == run.provenance["engine_version"] == "4.8.0"
    assert builds[Build.LENGTH].startswith("4.8.0, changed:")
    assert builds[Build.CURRENT] > "4.8.0"
    assert run.provenance["settings"]["default_block_cache_bytes"] == 256 << 20
    assert run.provenance["settings"]["default_index_cache_bytes"] == 0
    assert trials(run, "current_version")["badger"].eq(builds[Build.CURRENT]).all()


@given(RUNS, "cache_sizing")
def test_what_was_timed_is_what_the_store_holds(run: Run) -> None:
    suite = run.trials.dropna(subset=["saved_events"])
    assert len(suite) == 2 * len(cache_sizing.parted(cache_sizing.Parameters.given(run.parameters))[0])
    assert suite["saved_events"].eq(suite["timed_saves"]).all()
    assert suite["stored_keys"].eq(9 * suite["saved_events"]).all()
    assert trials(run, "tuned", "stated")["checked_reads"].gt(0).all(), "queries compare what they read"
    assert run.samples.groupby("trial").size().between(100, 500).all()


@given(RUNS, "cache_sizing")
def test_an_uncompressed_block_is_charged_its_table_and_the_controls_are_charged_its_length(run: Run) -> None:
    plain = trials(run, "tuned", "medium", "relay_before", "current_version")
    plain = plain[plain["keys_added"] > 0]  # some trials keep all keys in memory, or have them turned away
    assert len(plain), "some trial of them added keys"
    assert plain["cost_per_key_bytes"].gt(100_000).all()
    assert plain["cost_per_key_bytes"].lt(2.05 * plain["largest_table_bytes"]).all()
    assert trials(run, "own_length_64", "snappy", "zstd")["cost_per_key_bytes"].dropna().between(2_000, 8_000).all()
    least = trials(run, "own_length_1")
    filled = least[least["keys_added"] > 0]  # on a busy machine a trial this small may find all of its keys in memory
    assert len(filled)
    held = filled["resident_blocks"] * filled["cost_per_key_bytes"]
    assert held.lt(1.1 * 2**20).all(), "no more is kept than the cache may charge"


@given(RUNS, "cache_sizing")
def test_what_the_cache_missed_is_what_it_was_offered_unless_it_is_larger_than_the_cache(run: Run) -> None:
    rows = trials(run, "tuned", "medium", "current_version", "own_length_64", "snappy")
    misses = rows["accesses"] * (1 - rows["hit_ratio"].fillna(0))  # none where a slow machine asked nothing in time
    offered = rows["keys_added"] + rows["keys_updated"] + rows["keys_rejected"]
    under_way = 10  # look-ups that the window's end may find counted in one part of the program only
    assert np.allclose(misses, offered, rtol=0.05, atol=under_way)
    assert (rows["turned_away_share"].fillna(0) * misses <= 0.05 * misses + under_way).all()
    assert offered.sum(), "some trial offered its cache keys"


@given(RUNS, "cache_sizing")
def test_a_cache_of_nothing_is_missing_and_memory_is_told_where_the_whole_suite_ran(run: Run) -> None:
    assert trials(run, "no_block_cache")["hit_ratio"].isna().all()
    assert trials(run, "fewer_events")["hit_ratio"].isna().all(), "all is still in memory"
    asked = run.trials["query_index_cache_lookups"].dropna()
    assert len(asked)
    assert asked.eq(0).all(), "the index cache is never asked"
    assert trials(run, "no_index_cache")["query_index_cache_lookups"].isna().all()
    suite = trials(run, "tuned", "medium", "minimal", "no_block_cache")
    for name in ("peak_resident_bytes", "peak_anonymous_bytes", "peak_badger_heap_bytes", "peak_go_overhead_bytes"):
        assert suite[name].between(1e5, 4e9).all(), name
        assert trials(run, "stated")[name].isna().all()
    assert (suite["peak_anonymous_bytes"] <= suite["peak_resident_bytes"]).all()


@given(RUNS, "cache_sizing")
def test_look_ups_are_counted_and_with_all_data_in_memory_none_waits(run: Run) -> None:
    cold, warm = trials(run, "dropped_stated"), trials(run, "free_stated")
    for rows in (cold, warm):
        assert rows["lookups"].gt(0).all()
        assert (rows["lookups_asked"] >= rows["lookups"]).all()
        assert rows["lookup_hit_ratio"].between(0, 1).all()
        assert rows["saved_events"].isna().all()
    assert cold["memory"].str.contains("bounded").all()
    assert warm["lookup_waits"].eq(0).all()


@given(RUNS, "cache_sizing")
def test_without_the_engine_a_published_run_is_shown(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, parameters = lab.experiment(run.experiment), cache_sizing.Parameters.given(run.parameters)
    other = parameters.model_copy(update={"seed": 1})
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    assert lab.shown_as_published(module, other) is None, "nothing is published yet"
    store.publish(run.id)
    missing = lab.shown_as_published(module, other)
    assert isinstance(missing, NoEngineError)
    assert "make probes" in missing.mend
    assert lab.shown_as_published(module, parameters) is None, "a stored run answers"
    monkeypatch.delenv(probe.FOLDER)
    assert lab.shown_as_published(module, other) is None, "the engine is there"


@given(RUNS, "event_stores")
def test_every_store_saved_what_was_timed_and_a_synced_save_is_flushed(run: Run) -> None:
    assert run.trials["saved_events"].eq(run.trials["timed_saves"]).all()
    assert run.trials["checked_reads"].gt(6 * 4 * 20).all()
    assert set(run.trials["engine"].str.split().str[0]) == {"Badger", "SQLite", "LMDB", "bbolt", "Pebble"}
    waits = trials(run, *(f"{store}_synced" for store in event_stores.STORES), "sqlite_journal")
    if waits["flushes_per_save"].fillna(0).any():  # wherever the device says so
        assert waits["flushes_per_save"].ge(0.9).all()
    answered = run.trials.set_index("configuration")["concurrent_cache_hit_ratio"]
    assert answered["badger_query_cache"].between(0, 1).all()
    assert answered.drop("badger_query_cache").isna().all()


@given(RUNS, "label_order")
def test_labels_ran_in_the_planned_order_stored_the_same_and_each_on_a_store_of_its_own(run: Run) -> None:
    chapter = lab.experiment("label_order")
    summary, parameters = chapter.summarize(run), label_order.Parameters.given(run.parameters)
    assert summary.trials["configuration"].tolist() == [t.configuration.name for t in chapter.plan(parameters).trials]
    assert summary.trials["place"].tolist() == [*range(6), *range(6)]
    assert pd.to_datetime(summary.trials["started_at"]).is_monotonic_increasing
    assert all(gate.passed for gate in (*summary.counts_agree(), *summary.in_order()))
    assert run.trials["saved_events"].eq(4_000).all(), "nothing is left of the label before"
    assert run.trials["stored_keys"].eq(9 * run.trials["saved_events"]).all()
    assert run.trials["badger"].nunique() == 1
    assert run.trials.groupby("block")["seed"].nunique().eq(1).all()
    assert run.provenance["engine_version"] == "4.8.0"
    assert {str(64 << 20), str(32 << 20)} <= {*map(str, run.provenance["settings"].values())}
    assert "2 blocks instead of at least 6" in chapter.say(summary, "design").text


@pytest.mark.engine
def test_the_rest_comes_before_a_blocks_first_label_and_outside_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []
    sleep = label_order.time.sleep
    # Waiting for a process sleeps too, in small steps.
    monkeypatch.setattr(label_order.time, "sleep", lambda s: rests.append(s) if s == 700 else sleep(s))
    parameters = label_order.Parameters.given(RUNS["label_order"].parameters | {"events": 200, "rest_s": 700.0})
    with label_order.session(parameters, lambda what, share: None) as session:
        planned = lab.experiment("label_order").plan(parameters).trials[5:8]
        measured = [session.measure(each) for each in planned]
    assert rests == [700, 700], "the sixth is the first of a resumed run, and the seventh opens the second block"
    assert all(trial.duration_s < 60 for trial in measured)
    assert [trial.planned.index for trial in measured] == [5, 6, 7]


@given(RUNS, "positive_controls")
def test_workers_are_launched_by_sums_alone_and_by_more_of_them_with_higher_limits(run: Run) -> None:
    if "parallel_workers" not in run.trials:
        pytest.skip("this server does not count parallel workers")
    assert (trials(run, *controls.TPCB)["parallel_workers"] == 0).all()
    assert (trials(run, "sum_baseline")["parallel_workers_planned"] == 2 * 4).all()
    assert (trials(run, "sum_scenario_a")["parallel_workers_planned"] == 2 * 7).all()
    assert (trials(run, "sum_baseline", "sum_scenario_a")["parallel_workers"] > 0).all()
    assert trials(run, "sum_scenario_a")["plan"].str.contains("Workers Planned: 7").all()


@given(RUNS, "positive_controls")
def test_each_counter_moves_in_its_control_alone(run: Run) -> None:
    stored = trials(run, controls.PLAIN, *controls.ENCRYPTED)
    assert (trials(run, controls.PLAIN)["index_cache_lookups"] == 0).all()
    assert (trials(run, *controls.ENCRYPTED)["index_cache_lookups"] > 1_000).all()
    assert (trials(run, "index_encrypted_1")["index_cache_misses"] > 0).all()
    assert (trials(run, "index_encrypted_1024")["index_cache_misses"] == 0).all()
    assert (stored["checked_values"] == 1_000).all()
    rows = trials(run, "checkpoint")
    assert ((rows["dirty_pages_before"] > 0) & (rows["dirty_pages_after"] == 0) & (rows["autovacuums"] == 0)).all()
    assert (rows["resident_pages_after"] == rows["resident_pages_before"]).all()
    assert rows["settings"].str.contains("autovacuum=off").all()
    assert (trials(run, *controls.LOGS)["log_buffers_full"] == 0).all()
    assert (trials(run, "log_bulk")["log_buffers_full"] > 0).all()
    assert (trials(run, *controls.READS)["bitmap_rows"] == 0).all()
    assert (trials(run, "reads_bitmap")["bitmap_rows"] == 20 * 2).all()
    without = [name for name, (_, _, delay, _) in controls.COMMITS.items() if not delay]
    assert (trials(run, *without)["pauses_per_flush"] < 0.1).all()
    few = [name for name, (_, _, delay, siblings) in controls.COMMITS.items() if delay and siblings < 10]
    assert (trials(run, *few)["pauses_per_flush"] > 0.1).all(), "of 12 clients as many others are open"
    assert (trials(run, *controls.COMMITS)["commits_per_flush"] > 1).all()
    assert all(gate.passed for gate in controls.checks(lab.experiment("positive_controls").summarize(run)))
