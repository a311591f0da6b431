"""Trials on small tables and a real PostgreSQL: pools of their size, counters that agree, the setting on a cluster."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, trials

from benchbook.chapters.feature_buffers import Parameters, configurations, reduce
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


def test_every_configuration_has_its_cell_and_counts_the_measured_requests_alone(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)
    for counted in ("index_scans", "heap_blocks"):
        assert run.trials[counted].eq(run.trials["requests"] * PARAMETERS.n_tables).all()
    check_chapter(run, ["design", "answer", "noise"])


def test_a_filled_pool_holds_as_much_as_its_size_and_a_larger_one_misses_less(run: Run) -> None:
    for keys in ("disjoint", "mix", "direct"):
        small, large = (trials(run, f"{keys}_{each}") for each in (6, 12))
        assert (small["in_pool_bytes"] / small["pool_bytes"]).between(0.85, 1.0).all()
        assert large["heap_hit_ratio"].min() > small["heap_hit_ratio"].max()
        assert large["pool_misses_per_request"].max() < small["pool_misses_per_request"].min()
    assert trials(run, "disjoint_6")["warmed_keys_share"].eq(0).all()
    filled, start = (trials(run, f"{keys}_12")["data_in_pool_at_start"] for keys in ("disjoint", "unfilled"))
    assert start.max() < filled.min()


def test_without_a_page_cache_every_miss_is_a_read_from_the_device(run: Run) -> None:
    past = trials(run, "direct_6", "direct_12")
    if past["requests"].isna().all():
        pytest.skip("this server cannot read past the page cache")
    assert past[["in_os_cache_only_bytes", "in_both_bytes"]].eq(0).all(axis=None)
    if past["device_blocks_per_request"].notna().all():
        assert past["device_blocks_per_request"].to_numpy() == pytest.approx(past["pool_misses_per_request"].to_numpy())


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
