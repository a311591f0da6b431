"""Tiny real runs of the Badger probe, from parameters to figures and verdicts, and what its counters must add up to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, check_shown_as_published, needing, trials

from benchbook import lab
from benchbook.chapters.cache_sizing import Parameters, configurations, parted
from benchbook.engines import badger
from benchbook.engines.badger import Build
from benchbook.model import Run

chapter = lab.experiment("cache_sizing")

pytestmark = needing(badger.versions)

CHAPTER = "cache_sizing"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "events": 2_000, "fewer_events": 100, "workers": 2, "burst_spread_ms": 2, "burst_quiet_ms": 1,
        "mixed_operations": 20, "query_events": 50, "query_s": 0.1, "concurrent_s": 0.1, "rounds": 1,
        "mem_table_mib": 2, "base_table_mib": 2, "small_mem_table_mib": 1, "small_base_table_mib": 1,
        "length_ladder_mib": [1, 64], "kept_samples": 500, "allow_slow_storage": False, "lookup_rows": 20_000,
        "lookup_memory_mib": 64, "lookup_warm_s": 0.05, "lookup_s": 0.4,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, chapter.reduce)
    assert run.samples.groupby("trial").size().between(100, PARAMETERS.kept_samples).all()


def test_the_record_names_the_versions_and_the_librarys_own_defaults(run: Run) -> None:
    builds = run.provenance["builds"]
    assert builds[Build.NOTE] == run.provenance["engine_version"] == "4.8.0"
    assert builds[Build.LENGTH].startswith("4.8.0, changed:")
    assert builds[Build.CURRENT] > "4.8.0"
    assert run.provenance["settings"]["default_block_cache_bytes"] == 256 << 20
    assert run.provenance["settings"]["default_index_cache_bytes"] == 0
    current = trials(run, "current_version")
    assert current["badger"].eq(builds[Build.CURRENT]).all()


def test_what_was_timed_is_what_the_store_holds(run: Run) -> None:
    suite = run.trials.dropna(subset=["saved_events"])
    assert len(suite) == PARAMETERS.blocks * len(parted(PARAMETERS)[0])
    assert suite["saved_events"].eq(suite["timed_saves"]).all()
    assert suite["stored_keys"].eq(9 * suite["saved_events"]).all()
    assert trials(run, "tuned", "stated")["checked_reads"].gt(0).all(), "queries compare what they read"


def test_an_uncompressed_block_is_charged_its_table_and_the_controls_are_charged_its_length(run: Run) -> None:
    plain = trials(run, "tuned", "medium", "relay_before", "current_version")
    plain = plain[plain["keys_added"] > 0]  # some trials keep all keys in memory, or have them turned away
    assert len(plain), "some trial of them added keys"
    assert plain["cost_per_key_bytes"].gt(100_000).all()
    assert plain["cost_per_key_bytes"].lt(2.05 * plain["largest_table_bytes"]).all()
    assert trials(run, "own_length_64", "snappy", "zstd")["cost_per_key_bytes"].dropna().between(2_000, 8_000).all()


def test_what_the_cache_missed_is_what_it_was_offered_unless_it_is_larger_than_the_cache(run: Run) -> None:
    rows = trials(run, "tuned", "medium", "current_version", "own_length_64", "snappy")
    misses = rows["accesses"] * (1 - rows["hit_ratio"].fillna(0))  # none where a slow machine asked nothing in time
    offered = rows["keys_added"] + rows["keys_updated"] + rows["keys_rejected"]
    under_way = 10  # look-ups that the window's end may find counted in one part of the program only
    assert np.allclose(misses, offered, rtol=0.05, atol=under_way)
    assert (rows["turned_away_share"].fillna(0) * misses <= 0.05 * misses + under_way).all()
    assert offered.sum(), "some trial offered its cache keys"


def test_no_more_is_kept_than_the_cache_may_charge(run: Run) -> None:
    rows = trials(run, "own_length_1")
    filled = rows[rows["keys_added"] > 0]  # on a busy machine a trial this small may find all of its keys in memory
    assert len(filled)
    assert (filled["resident_blocks"] * filled["cost_per_key_bytes"]).lt(1.1 * 2**20).all()


def test_a_cache_of_nothing_is_missing_and_the_index_cache_is_never_asked(run: Run) -> None:
    assert trials(run, "no_block_cache")["hit_ratio"].isna().all()
    assert trials(run, "fewer_events")["hit_ratio"].isna().all(), "all is still in memory"
    asked = run.trials["query_index_cache_lookups"].dropna()
    assert len(asked)
    assert asked.eq(0).all()
    assert trials(run, "no_index_cache")["query_index_cache_lookups"].isna().all()


def test_memory_is_told_where_the_whole_suite_ran_and_nowhere_else(run: Run) -> None:
    suite = trials(run, "tuned", "medium", "minimal", "no_block_cache")
    for name in ("peak_resident_bytes", "peak_anonymous_bytes", "peak_badger_heap_bytes", "peak_go_overhead_bytes"):
        assert suite[name].between(1e5, 4e9).all(), name
        assert trials(run, "stated")[name].isna().all()
    assert (suite["peak_anonymous_bytes"] <= suite["peak_resident_bytes"]).all()


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    said = ("design", "answer", "evictions", "latency", "reads", "index_cache", "recommended", "lookups", "charges")
    summary = check_chapter(run, said)
    assert len(chapter.table(summary, "overview")) == len(parted(PARAMETERS)[0])
    assert len(chapter.table(summary, "of_lookups")) == len(summary.lookup_arms) == 3


def test_look_ups_are_counted_and_with_all_data_in_memory_none_waits(run: Run) -> None:
    cold, warm = trials(run, "dropped_stated"), trials(run, "free_stated")
    for rows in (cold, warm):
        assert rows["lookups"].gt(0).all()
        assert (rows["lookups_asked"] >= rows["lookups"]).all()
        assert rows["lookup_hit_ratio"].between(0, 1).all()
        assert rows["saved_events"].isna().all()
    assert cold["memory"].str.contains("bounded").all()
    assert warm["lookup_waits"].eq(0).all()


def test_without_the_engine_a_published_run_is_shown_and_nothing_else_can_be(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_shown_as_published(run, PARAMETERS, "make probes", tmp_path, monkeypatch)
