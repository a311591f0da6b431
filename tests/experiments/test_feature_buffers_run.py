"""Trials on small tables and a real PostgreSQL: pools of their size, counters that agree, the setting on a cluster."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, trials

from benchbook.chapters.feature_buffers.arms import DIRECT, DISJOINT, MIX, UNFILLED, Parameters, configurations
from benchbook.chapters.feature_buffers.arms import pool_name as named
from benchbook.chapters.feature_buffers.measure import reduce
from benchbook.engines import bounds
from benchbook.model import Run

pytestmark = pytest.mark.engine

CHAPTER = "feature_buffers"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "n_tables": 2, "rows_per_table": 30_000, "hot_set_keys": 500, "measured_requests": 1_000,
        "fill_requests": 4_000, "ram_percent": 700, "pools_percent": [6, 12], "mix_pools_percent": [30],
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_and_its_metrics(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))
    check_metrics(run, reduce)


def test_what_filled_the_caches_is_not_counted_with_the_measured_requests(run: Run) -> None:
    assert run.trials["index_scans"].eq(run.trials["requests"] * PARAMETERS.n_tables).all()
    heap = run.trials["heap_blocks"]
    assert heap.eq(run.trials["requests"] * PARAMETERS.n_tables).all()


def test_a_filled_pool_holds_as_much_as_its_size_and_a_larger_one_misses_less(run: Run) -> None:
    for keys in (DISJOINT, MIX, DIRECT):
        small, large = (trials(run, named(keys, each)) for each in (6, 12))
        used = small["in_pool_bytes"] / small["pool_bytes"]
        assert used.between(0.85, 1.0).all()
        assert large["heap_hit_ratio"].min() > small["heap_hit_ratio"].max()
        assert large["pool_misses_per_request"].max() < small["pool_misses_per_request"].min()
    assert trials(run, named(DISJOINT, 6))["warmed_keys_share"].eq(0).all()


def test_without_a_page_cache_every_miss_is_a_read_from_the_device(run: Run) -> None:
    past = trials(run, named(DIRECT, 6), named(DIRECT, 12))
    if past["requests"].isna().all():
        pytest.skip("this server cannot read past the page cache")
    assert past["in_os_cache_only_bytes"].eq(0).all()
    assert past["in_both_bytes"].eq(0).all()
    if past["device_blocks_per_request"].notna().all():
        assert past["device_blocks_per_request"].to_numpy() == pytest.approx(past["pool_misses_per_request"].to_numpy())


def test_no_trial_after_a_start_alone_is_as_warm_as_a_filled_one(run: Run) -> None:
    filled, start = (trials(run, named(keys, 12)) for keys in (DISJOINT, UNFILLED))
    assert start["data_in_pool_at_start"].max() < filled["data_in_pool_at_start"].min()


def test_what_is_cached_adds_up_and_memory_is_bounded_or_says_why_not(run: Run) -> None:
    parts = run.trials[["in_pool_only_bytes", "in_both_bytes", "in_os_cache_only_bytes"]].sum(axis=1)
    assert parts.eq(run.trials["cached_bytes"]).all()
    with bounds.memory(2**30) as bound:
        possible = bound.bounded
    assert run.trials["memory"].str.startswith("bounded" if possible else "not bounded: ").all()
    if possible:
        assert (run.trials["memory_used_bytes"] <= run.trials["ram_bytes"]).all()
        assert run.trials["killed_processes"].eq(0).all()


def test_the_setting_waits_for_a_restart_on_a_fresh_cluster(run: Run) -> None:
    said = run.provenance["setting"]
    assert said["pending"]
    assert not said["pending_after_restart"]
    assert said["after_reload_bytes"] == said["default_bytes"] != said["asked_bytes"] == said["after_restart_bytes"]


def test_figures_verdicts_and_sentences(run: Run) -> None:
    summary = check_chapter(run, ["design", "answer", "noise"])
    assert len(summary.swept) == len(PARAMETERS.pools_percent) + len(PARAMETERS.mix_percents)
