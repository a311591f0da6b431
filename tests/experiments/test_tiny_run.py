"""One run of hot_cold_keys on two small tables, from parameters to a stored run, on a real PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, trials

from benchbook import lab
from benchbook.engines.postgres import Cluster, find, private_cluster
from benchbook.errors import BenchbookError, MachineError
from benchbook.experiments.families.features import dataset
from benchbook.experiments.families.features.client import Client
from benchbook.experiments.families.features.keys import requests
from benchbook.experiments.families.features.pages import page_map
from benchbook.experiments.hot_cold_keys import chapter
from benchbook.experiments.hot_cold_keys.arms import Parameters, configurations
from benchbook.model import Run

pytestmark = pytest.mark.engine

CHAPTER = "hot_cold_keys"
PARAMETERS = Parameters.given(
    {
        "n_tables": 2,
        "rows_per_table": 1_000,
        "hot_set_keys": 50,
        "warmup_requests": 50,
        "measured_requests": 200,
        "window_requests": 100,
        "shared_buffers_mib": 4,
        "large_pool_mib": 8,
        "blocks": 2,
        "hot_shares_percent": [80],
        "zipf_exponents": [0.99],
    }
)


def reading(run: Run) -> pd.DataFrame:
    return run.trials[run.trials["configuration"] != "empty_statement"]


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))
    assert run.samples.groupby("trial").size().eq(PARAMETERS.measured_requests).all()
    assert (run.samples["latency_ns"] > 0).all()


def test_the_same_parameters_give_the_stored_run(run: Run) -> None:
    assert lab.obtain(lab.experiment("hot_cold_keys"), PARAMETERS).id == run.id


def test_hot_arms_are_certified_hot_and_cold_ones_cold(run: Run) -> None:
    hot = trials(run, "same_keys", "same_keys_again", "same_keys_first_table", "all_warmed_large_pool")
    assert hot["cache_state"].eq("hot").all()
    assert hot["needed_in_pool_at_start"].eq(1).all()
    assert hot["pool_misses_per_request"].eq(0).all()
    cold = trials(run, "true_cold")
    assert cold["cache_state"].eq("cold").all()
    assert cold["needed_in_pool_at_start"].eq(0).all()
    assert trials(run, "ten_percent_warmed_large_pool")["cache_state"].eq("mixed").all()
    assert trials(run, "empty_statement")["cache_state"].eq("no data").all()


def test_each_trial_holds_the_settings_of_the_session_that_was_measured(run: Run) -> None:
    small, large = trials(run, "true_cold")["settings"], trials(run, "all_warmed_large_pool")["settings"]
    assert small.str.contains("shared_buffers=4MB; ").all()
    assert large.str.contains("shared_buffers=8MB; ").all()
    assert not run.trials["settings"].str.contains("=/").any(), "no path of this machine"


def test_under_direct_io_every_miss_of_the_pool_is_a_read_of_the_device(run: Run) -> None:
    if not run.provenance["direct_io"]:
        pytest.skip("no direct I/O on this disk")
    warmed = reading(run)[~reading(run)["configuration"].eq("true_cold")]
    assert np.allclose(warmed["device_blocks_per_request"], warmed["pool_misses_per_request"])
    assert np.allclose(warmed["io_reads_per_request"], warmed["pool_misses_per_request"])
    cold = trials(run, "true_cold")
    catalogue = (cold["device_blocks_per_request"] - cold["pool_misses_per_request"]) * PARAMETERS.measured_requests
    assert catalogue.between(0, 60).all(), "only a connection's first question reads the system tables too"
    assert reading(run)["needed_in_os_cache_at_start"].eq(0).all()


def test_every_request_is_one_index_look_up_per_table(run: Run) -> None:
    assert reading(run)["index_scans"].eq(PARAMETERS.measured_requests * PARAMETERS.n_tables).all()
    assert (reading(run)["blocks_per_request"] >= 2 * PARAMETERS.n_tables).sum() > 0
    hits = reading(run)["pool_hits_per_request"] + reading(run)["pool_misses_per_request"]
    assert np.allclose(hits, reading(run)["blocks_per_request"])


def test_a_key_that_only_the_first_table_holds_reads_one_heap_page(run: Run) -> None:
    both, first = trials(run, "same_keys"), trials(run, "same_keys_first_table")
    assert np.allclose(both["blocks_per_request"].mean() - first["blocks_per_request"].mean(), PARAMETERS.n_tables - 1)


def test_warmed_shares_are_those_of_the_arms(run: Run) -> None:
    expected = {"same_keys": 1.0, "disjoint": 0.0, "ten_percent_warmed_large_pool": 0.1}
    for name, share in expected.items():
        assert trials(run, name)["warmed_keys_share"].tolist() == pytest.approx([share, share])
    # 160 requests draw some of the 50 hot keys, 40 requests a fresh key each: a share of keys, not of requests
    assert trials(run, "hot_share_80")["warmed_keys_share"].between(40 / 80, 50 / 90).all()


def test_the_cumulative_ratio_differs_from_the_windows_by_the_load_alone(run: Run) -> None:
    cold = trials(run, "true_cold")
    assert cold["cumulative_heap_hit_ratio_without_load"].tolist() == pytest.approx(
        cold["note_heap_hit_ratio"].tolist()
    )
    assert (cold["cumulative_heap_hit_ratio"] != cold["note_heap_hit_ratio"]).all()
    loads = reading(run)["cumulative_heap_hit_ratio"]
    assert loads.between(0, 1).all()


def test_stored_metrics_are_those_of_the_stored_samples(run: Run) -> None:
    check_metrics(run, chapter.reduce)


@pytest.fixture(scope="module")
def loaded(module_home: Path) -> Iterator[Cluster]:
    with private_cluster(find(), bytes_needed=200_000_000) as cluster:
        cluster.start({"shared_buffers": "32MB", "synchronous_commit": False})
        dataset.load(cluster, PARAMETERS, lambda share: None)
        yield cluster


def test_the_pages_computed_are_those_that_look_ups_bring_into_the_pool(loaded: Cluster) -> None:
    from benchbook.engines.postgres import counters as pg

    pages = page_map(loaded, PARAMETERS)
    loaded.stop()
    loaded.start({"shared_buffers": "32MB"})
    asked = requests(PARAMETERS, configurations(PARAMETERS)[0], 5)
    with loaded.connect() as connection, loaded.connect() as observer:
        Client(connection, PARAMETERS, only_first=False, empty=False).run(asked.measured)
        there = pg.buffered_blocks(observer, dataset.relations(PARAMETERS))
    needed = pages.needed(asked.measured)
    assert np.isin(needed, there).all()
    beyond = np.setdiff1d(there, needed)
    assert len(beyond) <= 2 * PARAMETERS.n_tables, "only each index's root and meta page lie beyond them"


@pytest.mark.parametrize("mode", ["pipeline", "serial"])
@pytest.mark.parametrize("harm", ["UPDATE {} SET feature_01 = feature_01 + 1", "DELETE FROM {}"])
def test_a_row_that_is_not_the_one_written_stops_the_measurement(loaded: Cluster, mode: str, harm: str) -> None:
    parameters = Parameters.given(PARAMETERS.model_dump() | {"client_mode": mode})
    ids = np.arange(20)
    key = dataset.key_bytes(np.array([7]))[0].decode()
    table = f"{dataset.SCHEMA}.{dataset.tables(parameters)[1]}"
    with loaded.connect() as connection:
        asking = Client(connection, parameters, only_first=False, empty=False)
        latencies, elapsed_ns = asking.run(ids)
        assert latencies.shape == (20,)
        assert elapsed_ns >= latencies.sum()
        connection.execute("BEGIN")
        connection.execute(f"{harm.format(table)} WHERE hashkey = %s", (key,))
        with pytest.raises(BenchbookError, match=r"table 1 answered .* for row 7"):
            asking.run(ids)
        connection.execute("ROLLBACK")
        asking.run(ids)


def test_a_key_that_must_be_absent_and_is_there_stops_the_measurement(loaded: Cluster) -> None:
    extra = np.arange(PARAMETERS.rows_per_table, PARAMETERS.rows_per_table + 20)
    with loaded.connect() as connection:
        Client(connection, PARAMETERS, only_first=True, empty=False).run(extra)
        with pytest.raises(BenchbookError, match="table 1 answered"):
            Client(connection, PARAMETERS, only_first=True, empty=False).run(np.arange(5))
        with pytest.raises(BenchbookError, match="table 1 answered None"):
            Client(connection, PARAMETERS, only_first=False, empty=False).run(extra)


@pytest.mark.parametrize("shape", [{}, {"n_features": 40, "n_tables": 1}])
def test_the_estimated_size_is_near_the_real_one(module_home: Path, shape: dict[str, Any]) -> None:
    parameters = Parameters.given(
        {"n_tables": 3, "rows_per_table": 40_000, "measured_requests": 1_000, "hot_set_keys": 100} | shape
    )
    with private_cluster(find(), bytes_needed=200_000_000) as cluster:
        cluster.start({"shared_buffers": "64MB", "synchronous_commit": False})
        dataset.load(cluster, parameters, lambda share: None)
        with cluster.connect() as connection:
            real = sum(dataset.relation_bytes(connection))
    fixed = 40_000_000  # the cluster's own files, which are no part of the tables
    assert parameters.data_bytes - fixed == pytest.approx(real, rel=0.25)


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    check_chapter(run, ("design", "answer", "noise", "implied_shares", "misses_of_the_service_level"))


def test_client_and_server_keep_to_cores_of_their_own_and_the_record_says_which(run: Run) -> None:
    pinned = run.provenance["pinned"]
    if len(os.sched_getaffinity(0)) < 2:
        assert pinned is None
    else:
        assert set(pinned["client"]) | set(pinned["server"]) == os.sched_getaffinity(0)
        assert not set(pinned["client"]) & set(pinned["server"])


def test_a_role_whose_settings_no_run_asked_for_ends_the_run_before_anything_is_timed(module_home: Path) -> None:
    with chapter.session(PARAMETERS, lambda what, share: None) as bench:
        planned = lab.experiment(CHAPTER).plan(PARAMETERS).trials[0]
        assert bench.measure(planned).samples
        bench.cluster.start({"shared_buffers": "8MB"})
        with bench.cluster.connect() as connection:
            connection.execute("ALTER ROLE benchbook SET enable_indexscan = off")
        bench.cluster.stop()
        with pytest.raises(MachineError, match=r"enable_indexscan=off.*comes from ALTER ROLE"):
            bench.measure(planned)
