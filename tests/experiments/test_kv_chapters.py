"""Chapters on the key-value probe without an engine: sizes that follow from parameters, and what an answer becomes."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook.chapters import (
    beyond_memory,
    filter_shards,
    later_write,
    lru,
    mapped_files,
    rocksdb_releases,
    system_calls,
)
from benchbook.chapters import mixed_workloads as mixed
from benchbook.chapters import rocksdb_tuning as tuning
from benchbook.engines import kv as program
from benchbook.engines import probe
from benchbook.engines.probe import Answer
from benchbook.errors import NoEngineError
from benchbook.measuring import kv
from benchbook.measuring.badger.lookups import room_bytes


@pytest.mark.parametrize(
    ("cache_kib", "parts", "mib"),
    [(256, 1, 0.25), (1_536, 2, 0.75), (16_384, 32, 0.5), (32_768, 64, 0.5), (81_920, 64, 1.25)],
)
def test_a_shard_has_at_least_half_a_mebibyte_and_a_large_cache_64_of_them(
    cache_kib: int, parts: int, mib: float
) -> None:
    assert (filter_shards.shards(cache_kib * 1024), filter_shards.shard_mib(cache_kib)) == (parts, mib)


def test_a_store_beyond_memory_has_its_share_of_it_and_room_on_the_disk() -> None:
    p: Any = beyond_memory.Parameters()
    half, whole = p.memory_mib(50), p.memory_mib(100)
    assert whole - 1 <= 2 * half <= whole
    assert 2_000 < whole < 2_100
    assert beyond_memory.needs(p).disk_bytes > room_bytes(p, beyond_memory.COMPRESSIONS) > 3 * 2_000_000_000


def test_the_memory_of_the_largest_store_is_asked_for_and_a_write_buffer_may_be_given() -> None:
    p, first = later_write.Parameters(), next(iter(later_write.configurations(later_write.Parameters())))
    asked = later_write.PROBING.requests(p)[f"one_before_{p.rows[-1]}"]
    assert later_write.needs(p).memory_bytes == kv.costs.memory_bytes(asked)
    assert 50_000_000 * 200 < later_write.needs(p).memory_bytes < 24 * 2**30
    own = later_write.request_of(later_write.Parameters(write_buffer_mib=1), first, 1)["options"]
    assert own["write_buffer_bytes"] == 1 << 20


def test_a_faster_sqlite_is_level_at_the_price_that_makes_up_for_its_lead_and_a_slower_one_below_none() -> None:
    calls = np.ones(2), np.array([8.0, 8.0])
    found = system_calls.price(np.array([5_000.0, 5_000.0]), np.array([4_000.0, 7_000.0]), *calls)
    assert found.tolist() == [125, -250]


def test_each_release_has_its_program_and_without_one_the_message_says_how_to_build_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    p = rocksdb_releases.Parameters()
    bench = rocksdb_releases.Bench(rocksdb_releases.PROBING, p, Path("own"), Path(), None, Path("note"))
    for arm in rocksdb_releases.configurations(p):
        assert bench.program_of(arm) == Path("note" if arm.name.startswith("notes") else "own")
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    with pytest.raises(NoEngineError, match=r"kv-rocksdb-10 is not built.*make rocksdb-10"):
        program.find_notes_release()


def test_hits_of_the_warm_up_are_not_counted() -> None:
    engine = {"rocksdb.num-entries-active-mem-table": 7, "rocksdb.num-entries-imm-mem-tables": 0}
    counters = {
        "warm": {"row_cache_hits": 40},
        "run": {"row_cache_hits": 70, "checked_reads": 120, "asked": 120, "measured_ns": 5_000, "engine": engine,
                "memory": {"anonymous_bytes": 9}},
    }  # fmt: skip
    answer = Answer(
        {"batch.service": np.array([1])}, {"counters": counters, "engine": "rocksdb", "engine_version": "1"}
    )
    request = {"options": {"row_cache_entries": 10}, "run": {"operations": 100}}
    asked: Any = SimpleNamespace(answer=answer, request=request)
    found = lru.read(asked).metrics
    assert (found["hit_ratio"], found["lookups"], found["query_mean_ns"]) == (0.25, 120, 50)


@pytest.mark.parametrize(("hits", "said"), [(0.0, ""), (0.001, "0.10%")])
def test_a_hit_where_no_key_is_asked_twice_is_told(hits: float, said: str) -> None:
    summary = SimpleNamespace(values=lambda arm, metric: np.array([0.0, hits]))
    idle = lru.NUMBERS["once"].idle  # type: ignore[union-attr]
    assert idle is not None
    assert idle(summary).startswith(said)
    assert bool(idle(summary)) is bool(said)


def mixed_answer(name: str, *, flushed: int | None) -> Any:
    p = mixed.Parameters()
    arm = next(each for each in mixed.configurations(p) if each.name == f"{name}_rocksdb")
    series = {f"{kind}.service": np.full(share, 2_000) for kind, share in mixed.WORKLOADS[name][1].items()}
    syncs = dict.fromkeys(("fsync", "fdatasync", "msync"), 0)
    counters: dict[str, Any] = {
        phase: {"memory": {"device_write_bytes": written, "anonymous_bytes": 7}, "syncs": syncs}
        for phase, written in {"warm": 1_000, "run": 2_000, "flushed": flushed}.items()
    }
    counters["run"] |= {"operations": 100, "measured_ns": 200_000}
    record = {"counters": counters, "checked_reads": 9, "engine": "RocksDB", "engine_version": "7"}
    answer: Any = SimpleNamespace(record=record, series=series)
    return mixed.read(kv.Asked(p, arm, mixed.request_of(p, arm, 1), answer, None))


def test_writes_are_amplified_by_what_reached_the_device_where_there_were_any_and_they_were_counted() -> None:
    found = mixed_answer("a", flushed=1_000 + 2 * 50 * 1_008)
    assert (found.metrics["operation_mean_ns"], found.metrics["write_amplification"]) == (2_000, 2)
    assert found.metrics["update_p99_ns"] is None, "fifty updates have no P99"
    assert len(found.times) == 100
    assert "write_amplification" not in mixed_answer("c", flushed=5_000).metrics
    assert "write_amplification" not in mixed_answer("a", flushed=None).metrics


def counted(warm: dict[str, int], run: dict[str, int]) -> dict[str, float | None]:
    """Metrics of a trial of 100 look-ups after 50 others, with these tickers after the warm-up and at the end."""
    p = tuning.Parameters()
    arm = next(each for each in tuning.configurations(p) if each.name == "counted_cache")
    engine: dict[str, Any] = {
        "files_at_level": [2, 0, 1], "rocksdb.num-entries-active-mem-table": 0, "rocksdb.num-entries-imm-mem-tables": 0,
        "rocksdb.total-sst-files-size": 7, "rocksdb.block-cache-capacity": 8,
    }  # fmt: skip
    tickers = {"load": {}, "warm": warm, "run": run}
    phases: dict[str, Any] = {name: {"engine": engine | {"tickers": each}} for name, each in tickers.items()}
    phases["run"] |= {"checked_reads": 100, "measured_ns": 5_000}
    record = {"counters": phases, "seconds": {"load_engine": 1.0}, "memory": {"anonymous_bytes": 1}}
    record |= {"engine": "RocksDB", "engine_version": "7"}
    asked = {"run": {"operations": 100, "warm_operations": 50, "timing": "batches"}}
    return dict(tuning.read(kv.Asked(p, arm, asked, Answer({"batch.service": np.ones(2)}, record), None)).metrics)


def test_counters_are_of_the_look_ups_and_bytes_of_the_warm_up_too() -> None:
    hit, miss, useful = "rocksdb.block.cache.data.hit", "rocksdb.block.cache.data.miss", "rocksdb.bloom.filter.useful"
    last, others = "rocksdb.last.level.read.bytes", "rocksdb.non.last.level.read.bytes"
    found = counted({hit: 10, miss: 40, last: 300}, {hit: 85, miss: 65, useful: 25, last: 400, others: 50})
    assert found["block_requests"] == 100
    assert (found["block_cache_hit_ratio"], found["filtered_share"]) == (0.75, 0.25)
    assert (found["file_bytes_per_lookup"], found["query_mean_ns"]) == (3, 50)
    assert (found["table_files"], found["level0_files"]) == (3, 2)
    nothing = counted({}, {})
    assert (nothing["block_cache_hit_ratio"], nothing["filtered_share"]) == (None, 0)


def test_without_a_volume_there_is_one_read_ahead_which_is_the_machines() -> None:
    own = mapped_files.Parameters(allow_slow_storage=False)
    assert own.sizes == (mapped_files.MACHINES,)
    assert mapped_files.volume_mib(own) == 0 < mapped_files.volume_mib(mapped_files.Parameters())
    assert "value_file_own_50" in {arm.name for arm in mapped_files.configurations(own)}


@pytest.mark.parametrize(
    ("trials", "filtered", "why"),
    [
        ({"share": ["as asked for"] * 2, "filter_misses_per_lookup": [0.0, 0.01]}, True, ""),
        ({"share": ["as asked for"] * 2, "filter_misses_per_lookup": [0.0, 0.02]}, True, "missed 0.02 times"),
        ({"share": ["as asked for"] * 2, "filter_misses_per_lookup": [0.0, 1.0]}, False, ""),
        ({"share": ["as asked for", "another"]}, False, "in 1 trials"),
        ({"share": ["as asked for"], "filter_misses_per_lookup": [None]}, False, ""),
        ({"share": ["as asked for"]}, True, "not counted"),
    ],
)
def test_a_time_is_refused_at_another_share_and_where_filters_were_read(
    trials: dict[str, list[Any]], filtered: bool, why: str
) -> None:
    assert why in (said := mapped_files.refused(pd.DataFrame(trials), filtered=filtered))
    assert bool(said) == bool(why)


@pytest.mark.parametrize(
    ("trials", "off"),
    [({"share": ["as asked for", "another"]}, 1), ({"share": ["as asked for"]}, 0), ({"block": [1]}, 0)],
)
def test_trials_that_held_another_share_are_counted(trials: dict[str, list[Any]], off: int) -> None:
    assert mapped_files.WORDS["off"](SimpleNamespace(run=SimpleNamespace(trials=pd.DataFrame(trials)))) == off
