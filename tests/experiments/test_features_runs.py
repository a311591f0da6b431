"""Tiny runs of chapters with look-ups on a real PostgreSQL: each is whole, caches are as named, counters agree."""

from functools import partial

import pandas as pd
import pytest
from tiny_runs import Tiny, check_whole, given, needing, trials

from benchbook import lab
from benchbook.chapters import feature_clients, index_only, prewarming
from benchbook.chapters.networked_keys import Place, at
from benchbook.engines import bounds, delay, postgres
from benchbook.model import Run

SERVER = (*needing(postgres.find),)
RUNS = {
    "feature_buffers": Tiny(
        {"blocks": 2, "n_tables": 2, "rows_per_table": 30_000, "hot_set_keys": 500, "measured_requests": 1_000,
         "fill_requests": 4_000, "ram_percent": 700, "pools_percent": [6, 12], "mix_pools_percent": [30]},
        ("design", "answer", "noise"), SERVER,
    ),
    "feature_clients": Tiny(
        {"blocks": 2, "n_tables": 3, "rows_per_table": 3_000, "shared_buffers_mib": 1, "hot_keys": 5,
         "clients": [1, 4], "trial_seconds": 1, "kept_samples": 100},
        ("design", "ways", "spent"), SERVER,
    ),
    "index_only": Tiny(
        {"blocks": 2, "n_tables": 2, "rows_per_table": 10_000, "updated_permille": [20], "beside_mib": 1,
         "slow_read_ms": 1.0, "trial_seconds": 1, "kept_samples": 100},
        ("design", "pages", "large"), SERVER,
    ),
    "networked_keys": Tiny(
        {"blocks": 2, "n_tables": 4, "rows_per_table": 4_000, "shared_buffers_mib": 32, "hot_set_keys": 20,
         "warmup_requests": 20, "measured_requests": 200, "window_requests": 50, "requests": 50, "dose_requests": 30,
         "other_read_ms": (0.0, 2.0), "other_trip_ms": 0.5},
        ("design", "answer", "control", "place", "turns", "noise"), (*needing(delay.find),),
    ),
    "prewarming": Tiny(
        {"blocks": 2, "n_tables": 3, "rows_per_table": 2_000, "hot_keys": 160, "moved_percent": [50],
         "slow_read_ms": 0.2, "trial_seconds": 9, "kept_samples": 100},
        ("design", "over", "brings"), SERVER,
    ),
}  # fmt: skip
of = partial(given, RUNS)


@of()
def test_a_run_is_whole(run: Run) -> None:
    check_whole(run, RUNS[run.experiment].sentences)


@of("feature_buffers")
def test_a_filled_pool_holds_as_much_as_its_size_and_a_larger_one_misses_less(run: Run) -> None:
    for counted in ("index_scans", "heap_blocks"):
        assert run.trials[counted].eq(run.trials["requests"] * 2).all(), "of the measured requests alone"
    for keys in ("disjoint", "mix", "direct"):
        small, large = (trials(run, f"{keys}_{each}") for each in (6, 12))
        assert (small["in_pool_bytes"] / small["pool_bytes"]).between(0.85, 1.0).all()
        assert large["heap_hit_ratio"].min() > small["heap_hit_ratio"].max()
        assert large["pool_misses_per_request"].max() < small["pool_misses_per_request"].min()
    assert trials(run, "disjoint_6")["warmed_keys_share"].eq(0).all()
    filled, start = (trials(run, f"{keys}_12")["data_in_pool_at_start"] for keys in ("disjoint", "unfilled"))
    assert start.max() < filled.min()


@of("feature_buffers")
def test_without_a_page_cache_every_miss_is_a_read_from_the_device(run: Run) -> None:
    past = trials(run, "direct_6", "direct_12")
    if past["requests"].isna().all():
        pytest.skip("this server cannot read past the page cache")
    assert past[["in_os_cache_only_bytes", "in_both_bytes"]].eq(0).all(axis=None)
    if past["device_blocks_per_request"].notna().all():
        assert past["device_blocks_per_request"].to_numpy() == pytest.approx(past["pool_misses_per_request"].to_numpy())


@of("feature_buffers")
def test_what_is_cached_adds_up_and_memory_is_bounded_or_says_why_not(run: Run) -> None:
    parts = run.trials[["in_pool_only_bytes", "in_both_bytes", "in_os_cache_only_bytes"]].sum(axis=1)
    assert parts.eq(run.trials["cached_bytes"]).all()
    with bounds.memory(2**30) as bound:
        possible = bound.bounded
    assert run.trials["memory"].str.startswith("bounded" if possible else "not bounded: ").all()
    if possible:
        assert (run.trials["memory_used_bytes"] <= run.trials["ram_bytes"]).all()
        assert run.trials["killed_processes"].eq(0).all()


@of("feature_buffers")
def test_the_setting_waits_for_a_restart_on_a_fresh_cluster(run: Run) -> None:
    said = run.provenance["setting"]
    assert said["pending"]
    assert not said["pending_after_restart"]
    assert said["after_reload_bytes"] == said["default_bytes"] != said["asked_bytes"] == said["after_restart_bytes"]


@of("feature_clients")
def test_costs_of_requests_are_told_and_any_key_reads_more_than_a_warmed_one(run: Run) -> None:
    assert run.trials["requests"].gt(0).all()
    assert run.trials["littles_ratio"].between(0, 1.2, inclusive="right").all(), "a busy machine keeps them from asking"
    assert (run.trials["user_s_per_request"] + run.trials["system_s_per_request"]).gt(0).all()
    hot, every = (
        trials(run, *(f"{keys}_{way}_{clients}" for way in feature_clients.WAYS for clients in (1, 4)))
        for keys in ("hot", "any")
    )
    assert hot["reads_per_request"].max() < every["reads_per_request"].min()


@of("index_only")
def test_a_covered_look_up_visits_the_heap_where_rows_were_updated_and_any_other_always(run: Run) -> None:
    for pool in index_only.POOLS:
        none, some, plain = (trials(run, f"{pool}_{each}")["fetched_share"] for each in ("0", "20", "not_covered"))
        assert none.eq(0).all()
        assert some.between(0.2, 0.8).all()
        assert plain.eq(1).all()
    assert trials(run, "small_0")["hidden_pages"].eq(0).all()
    assert trials(run, "small_20")["hidden_pages"].between(0.2, 0.8).all()
    assert trials(run, "large_20")["heap_reads"].eq(0).all()
    assert trials(run, "small_not_covered")["heap_reads"].gt(0).all()


NETWORK = lab.experiment("networked_keys").Parameters.given(RUNS["networked_keys"].parameters)


def cell(run: Run, keys: str, place: Place | str) -> pd.DataFrame:
    return trials(run, at(keys, place, NETWORK))


@of("networked_keys")
def test_no_delay_is_cut_short_and_none_is_added_where_none_is_asked(run: Run) -> None:
    """How far a delay may be exceeded is no matter of this test: other work can hold it up."""
    warmed = run.trials[run.trials["configuration"].str.startswith("same_keys")]
    assert warmed["cache_state"].eq("hot").all()
    assert warmed["pool_misses_per_request"].eq(0).all()
    assert trials(run, "disjoint")["cache_state"].eq("cold").all()
    cold = run.trials[run.trials["delayed_reads_per_request"].gt(1)]
    assert (cold["measured_read_ms"] / cold["added_read_ms"]).gt(0.9).all()
    assert (run.trials["measured_trip_ms"] / run.trials["added_trip_ms"]).median() > 0.5, "it is what other times leave"
    without = cell(run, "disjoint", Place(0.0, NETWORK.trip_ms))
    assert without["delayed_reads_per_request"].eq(0).all()
    assert without["pool_misses_per_request"].gt(4).all(), "it reads as cold keys do"


@of("networked_keys")
def test_requests_take_the_delays_that_were_measured_and_more(run: Run) -> None:
    shares = run.trials["reads_time_share"] + run.trials["trips_time_share"]
    assert shares.gt(0).all()
    assert shares.median() < 1, "few short trials may exceed it: the observer's own reads wait too"
    cold = cell(run, "disjoint", Place(2.0, 0.5))
    assert cold["cache_state"].eq("cold").all()
    waited_ms = cold["delayed_reads_per_request"] * cold["measured_read_ms"]
    assert (waited_ms > 4 * 0.5).all(), "a page of each of four tables at least"
    assert (cold["mean_ns"] > 1e6 * waited_ms).all()


@of("prewarming")
def test_each_way_brings_the_pages_that_it_is_to_bring_and_what_is_not_warmed_reads_later(run: Run) -> None:
    ways = {way: trials(run, f"{way}_slow") for way in prewarming.WAYS}
    held = {way: rows["hot_in_pool"] for way, rows in ways.items()}
    assert held["none"].eq(0).all()
    assert held["asked"].eq(1).all()
    assert held["whole"].eq(1).all()
    assert held["list"].gt(0.95).all(), "but for what a connection keeps of an index"
    assert held["indexes"].between(0, 1, inclusive="neither").all()
    whole, asked, none, listed = (ways[way] for way in ("whole", "asked", "none", "list"))
    assert whole["warming_bytes"].min() > asked["warming_bytes"].max()
    assert none["warming_reads"].max() < asked["warming_reads"].min()
    assert none["missed_reads"].min() > asked["missed_reads"].max()
    catalogue = listed["warming_bytes"] - listed["held_bytes"]
    assert catalogue.between(0, 4 * 2**20).all(), "what the server that wrote the list had read is not counted"
