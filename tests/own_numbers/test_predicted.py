"""Predicted hit ratios against measured ones, within 2 points: of rows, and of the pages of three engines."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchbook import lab
from benchbook.caches import policies
from benchbook.chapters import filter_shards, lru, shared_buffers
from benchbook.engines import badger, probe
from benchbook.engines.postgres import find, private_cluster
from benchbook.experiments import chosen_runs
from benchbook.workloads import draws

POINTS = 0.02


def published(name: str) -> Any:
    """The summary of a chapter's published runs."""
    module = lab.experiment(name)
    run = chosen_runs.run(module)
    return module.summarize(run)


def test_a_cache_of_rows_before_rocksdb_has_the_hits_of_lru() -> None:
    summary = published("lru")
    for size, percent in lru.predicted(summary).items():
        assert percent / 100 == pytest.approx(summary.mean(f"zipf_{size}", "hit_ratio"), abs=POINTS), size


def test_rocksdbs_block_cache_has_the_hits_of_its_shards() -> None:
    found = filter_shards.predicted(published("filter_shards"))
    assert found["misses"] == pytest.approx(found["measured"], abs=POINTS)
    assert 0.2 < found["misses"] < 0.8


def test_the_published_pools_have_the_hits_of_the_clock_sweep() -> None:
    found = shared_buffers.predicted(published("shared_buffers"))
    assert len(found["sweep"]) == 2
    assert found["sweep"] == pytest.approx(found["measured"], abs=100 * POINTS)


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
                    connection.execute(f"EXECUTE one('({key},1)')")
                connection.execute("SELECT pg_stat_force_next_flush()")
                looks.append(connection.execute(counted).fetchone())
    (hit_before, read_before), (hit, read) = looks
    assert hit + read - hit_before - read_before == asked
    measured = (hit - hit_before) / asked
    assert policies.clock_sweep(keys.tolist(), pool, asked) == pytest.approx(measured, abs=POINTS)


@pytest.mark.engine
@pytest.mark.parametrize(("exponent", "cache_mib"), [(0.7, 6), (1.0, 2)])
def test_badgers_block_cache_has_the_hits_of_tinylfu(tmp_path: Path, exponent: float, cache_mib: int) -> None:
    rows, in_block, asked, store, trace = 39_000, 12, 60_000, tmp_path / "store", tmp_path / "trace"
    random = np.random.default_rng(5)
    keys = draws.scattered(draws.zipf(rows, exponent, 2 * asked, random), random.permutation(rows))
    trace.write_text("\n".join(map(str, keys.tolist())) + "\n")
    store.mkdir()
    program = badger.find(badger.Build.LENGTH)
    options = {"compression": "none", "block_bytes": 4_096, "block_cache_bytes": cache_mib << 20}
    request = {"seed": 1, "workload": "gets", "options": options, "load": {"keys": rows, "value_bytes": 300}}
    run = {"law": "trace", "trace": str(trace), "warm_operations": asked, "operations": asked, "workers": 1}

    def ask(more: dict[str, Any], own: dict[str, Any]) -> probe.Answer:
        whole = request | {"options": options | more, "run": run | own}
        return probe.ask(program, whole, timeout_s=120, folder=tmp_path, store=store)

    ask({"compact_l0_on_close": True}, {"warm_operations": 0, "operations": 1})
    answer = ask({"read_only": True}, {})
    before, after = (answer.record["counters"][when]["block_cache"] for when in ("warm", "run"))
    hits, misses = (after[name] - before[name] for name in ("hits", "misses"))
    # Badger looks for the first row of a block in the block before as well, unless it is of the last transaction.
    accesses = np.stack([keys // in_block - 1, keys // in_block], axis=1)
    made = np.stack([(keys % in_block == 0) & (keys >= in_block), np.full(keys.size, True)], axis=1)
    blocks, skipped = accesses[made], int(made[:asked].sum())
    assert hits + misses == pytest.approx(blocks.size - skipped, rel=0.1)
    places = int((cache_mib << 20) * after["keys_added"] / after["cost_added_bytes"])
    assert policies.tinylfu(blocks.tolist(), places, skip=skipped) == pytest.approx(hits / (hits + misses), abs=POINTS)
