"""Predicted hit ratios against measured ones, within 2 points: a cache of rows, RocksDB's block cache, a pool."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.engines.postgres import find, private_cluster
from benchbook.experiments import chosen_runs
from benchbook.own_numbers import curve, policies, trace
from benchbook.workloads import draws

POINTS = 0.02


def published(name: str) -> tuple[dict[str, Any], pd.DataFrame]:
    run = chosen_runs.run(lab.experiment(name))
    assert run is not None
    return dict(run.parameters), run.trials.groupby("configuration").mean(numeric_only=True)


def test_a_cache_of_rows_before_rocksdb_has_the_hits_of_lru() -> None:
    p, measured = published("lru")
    places = [p[f"{size}_entries"] for size in ("small", "middle", "large")]
    count = p["warm_lookups"] + p["lookups"]
    keys = draws.zipf(p["rows"], p["zipf_exponent"], count, np.random.default_rng(7))
    found = trace.Trace(trace.hashed(keys), None, count)
    points = curve.curve(found, places, curve.LRU, warm_up=p["warm_lookups"] / count)
    for size, point in zip(("small", "middle", "large"), points, strict=True):
        assert point.hits == pytest.approx(measured["hit_ratio"][f"zipf_{size}"], abs=POINTS), size


def test_rocksdbs_block_cache_has_the_hits_of_its_shards() -> None:
    p, measured = published("filter_shards")
    arm = measured.loc["outside_16384"]
    block = arm["file_bytes_per_lookup"] / arm["data_misses_per_lookup"]
    blocks = int((arm["files_bytes"] - 10 * p["rows"] / 8) / block)  # the file without its filter of 10 bits a key
    keys = np.random.default_rng(3).integers(0, blocks, 400_000)
    found = trace.Trace(trace.hashed(keys), None, keys.size)
    held = 120  # bytes that the cache keeps beside a block
    for name in ("outside_512", "outside_16384"):
        places = measured["cache_capacity_bytes"][name] / (block + held)
        [point] = curve.curve(found, [places], curve.SHARDED, shards=8, warm_up=0.5)
        assert 1 - point.hits == pytest.approx(measured["data_misses_per_lookup"][name], abs=POINTS), name


@pytest.mark.engine
def test_a_buffer_pool_has_the_hits_of_the_clock_sweep() -> None:
    pages, pool, asked = 3_000, 1_024, 30_000
    keys = draws.zipf(pages, 0.7, 2 * asked, np.random.default_rng(5))
    with private_cluster(find(), bytes_needed=100_000_000) as cluster:
        cluster.start({"shared_buffers": f"{8 * pool}kB", "autovacuum": False})
        with cluster.connect() as connection:
            connection.autocommit = True
            # A row fills a page, and a look-up by its place touches that page and nothing else.
            connection.execute("CREATE TABLE wide (filler char(7000)) ")
            connection.execute("ALTER TABLE wide ALTER filler SET STORAGE PLAIN")
            connection.execute("INSERT INTO wide SELECT 'x' FROM generate_series(1, %s)", (pages,))
            connection.execute("VACUUM (FREEZE) wide")
            connection.execute("PREPARE one(tid) AS SELECT 1 FROM wide WHERE ctid = $1")
            counted = "SELECT heap_blks_hit, heap_blks_read FROM pg_statio_user_tables WHERE relname = 'wide'"
            looks = []
            for half in (keys[:asked], keys[asked:]):
                for key in half.tolist():
                    connection.execute(f"EXECUTE one('({key},1)')")  # type: ignore[arg-type]
                connection.execute("SELECT pg_stat_force_next_flush()")
                looks.append(connection.execute(counted).fetchone())
    (hit_before, read_before), (hit, read) = looks
    assert hit + read - hit_before - read_before == asked
    measured = (hit - hit_before) / asked
    assert policies.clock_sweep(keys.tolist(), pool, asked) == pytest.approx(measured, abs=POINTS)
