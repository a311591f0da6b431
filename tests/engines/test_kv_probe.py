"""The key-value probe: what it is asked for it does, checks and counts; what it cannot do it refuses beforehand."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchbook import files
from benchbook.engines import kv, probe
from benchbook.errors import BenchbookError

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("kv_built")]

ROWS = 3_000
KINDS = ("fsync", "fdatasync")


def request(
    options: dict[str, Any], load: dict[str, Any] | None = None, run: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "seed": 5,
        "workload": "gets",
        "options": options,
        "load": {"rows": ROWS, "keys": "sequential", "value_bytes": 0, "batch_rows": 1000} | (load or {}),
        "run": {"law": "uniform", "operations": 1024, "warm_operations": 100} | (run or {}),
    }


def ask(*parts: Any) -> probe.Answer:
    return probe.ask(kv.find(), request(*parts), timeout_s=120)


def test_the_program_names_its_engines() -> None:
    assert list(kv.versions()) == ["RocksDB", "SQLite", "LMDB"]
    assert all(version[0].isdigit() for version in kv.versions().values())


@pytest.mark.parametrize("engine", ["rocksdb", "sqlite", "lmdb", "value_file"])
@pytest.mark.parametrize("keys", ["sequential", "random"])
def test_every_read_of_every_engine_is_checked(engine: str, keys: str) -> None:
    answer = ask({"engine": engine}, {"keys": keys, "value_bytes": 100})
    assert answer.record["checked_reads"] == 1124
    assert answer.record["counters"]["load"]["batches"] == 3
    assert answer.series["batch.service"].shape == (4,)
    assert answer.series["batch.service"].min() > 0


@pytest.mark.parametrize(
    "index",
    ["alex", "alex_simd", "alex_huge_pages", "btree", "hash", "hash_huge_pages", "sorted", "note_flat", "note_levels"],
)
def test_every_index_answers_alone_and_before_an_engine(index: str) -> None:
    for engine in ("none", "rocksdb"):
        for filling in ("bulk", "single"):
            answer = ask({"engine": engine, "index": index, "index_load": filling}, None, {"dependent": True})
            assert answer.record["checked_reads"] == 1124


def test_parts_are_timed_within_their_query() -> None:
    series = ask({"engine": "rocksdb", "index": "alex"}, None, {"timing": "parts"}).series
    assert sorted(series) == ["engine.service", "index.service", "query.service"]
    rest = series["query.service"] - series["engine.service"] - series["index.service"]
    assert rest.shape == (1024,)
    assert rest.min() >= 0


@pytest.mark.parametrize("without", ["engine", "index", "both"])
def test_what_is_left_out_is_not_asked(without: str) -> None:
    answer = ask(
        {"engine": "rocksdb", "index": "alex", "statistics": True}, None, {"without": without, "warm_operations": 0}
    )
    tickers = answer.record["counters"]["run"]["engine"]["tickers"]
    assert tickers.get("rocksdb.memtable.hit", 0) == (1024 if without == "index" else 0)
    assert answer.record["checked_reads"] == (0 if without == "both" else 1024)


def test_memtable_and_compacted_files_are_told_apart_by_the_engines_counters() -> None:
    options = {"engine": "rocksdb", "statistics": True, "bloom_bits": 10}
    fresh = ask(options, {"settle": "nothing"}).record["counters"]["run"]["engine"]
    compacted = ask(options, {"settle": "compact"}).record["counters"]["run"]["engine"]
    assert fresh["tickers"]["rocksdb.memtable.hit"] == 1124
    assert sum(fresh["files_at_level"]) == 0
    assert "rocksdb.memtable.hit" not in compacted["tickers"]
    assert compacted["tickers"]["rocksdb.block.cache.data.hit"] > 0
    assert sum(compacted["files_at_level"]) == 1


def test_an_index_spares_the_engine_the_keys_that_are_absent() -> None:
    answer = ask({"engine": "rocksdb", "index": "alex", "statistics": True}, None, {"absent": True})
    assert answer.record["checked_reads"] == 1124
    assert "rocksdb.memtable.miss" not in answer.record["counters"]["run"]["engine"]["tickers"]


def test_the_row_cache_answers_what_it_holds() -> None:
    counters = ask({"engine": "lmdb", "row_cache_entries": ROWS}, None, {"law": "stride", "stride": 1000}).record
    assert counters["counters"]["run"]["row_cache_hits"] == 1124 - 3


def test_durable_writes_are_counted_where_the_kernel_is_asked() -> None:
    def syncs(options: dict[str, Any]) -> int:
        counters = ask(options).record["counters"]
        opened, loaded = (sum(counters[phase]["syncs"][kind] for kind in KINDS) for phase in ("open", "load"))
        return int(loaded - opened)

    assert syncs({"engine": "sqlite", "synchronous": "full"}) >= 3
    assert syncs({"engine": "sqlite", "synchronous": "off"}) == 0
    # The first one of a log also makes its name in the folder durable.
    assert syncs({"engine": "rocksdb", "sync": True}) in {3, 4}
    assert syncs({"engine": "rocksdb", "sync": False}) == 0
    assert syncs({"engine": "value_file", "sync": True}) == 3
    assert syncs({"engine": "value_file", "sync": False}) == 0


def test_scans_read_rows_in_order() -> None:
    for engine in ("rocksdb", "sqlite", "lmdb", "value_file"):
        answer = ask({"engine": engine}, {"value_bytes": 16}, {"scan_rows": 20, "timing": "queries"})
        assert answer.series["query.service"].shape == (1024,)


@pytest.mark.parametrize(
    ("options", "load", "run", "words"),
    [
        ({"engine": "leveldb"}, {}, {}, "leveldb"),
        ({"engine": "rocksdb", "blom_bits": 10}, {}, {}, "blom_bits"),
        ({"engine": "rocksdb", "index": "trie"}, {}, {}, "trie"),
        ({"engine": "none"}, {}, {}, "neither engine nor index"),
        ({"engine": "lmdb"}, {"rows": 0}, {}, "rows is 0"),
        ({"engine": "lmdb"}, {"rows": -1}, {}, "wrong type"),
        ({"engine": "lmdb"}, {"rows": 10**11, "batch_rows": 0}, {}, "MiB are needed"),
        ({"engine": "lmdb"}, {}, {"operations": 0}, "operations is 0"),
        ({"engine": "lmdb"}, {}, {"law": "zipf"}, "exponent"),
        ({"engine": "lmdb"}, {}, {"law": "pareto"}, "pareto"),
        ({"engine": "lmdb"}, {}, {"without": "index"}, "needs an index"),
        ({"engine": "lmdb"}, {}, {"speed": 3}, "speed"),
        ({"engine": "lmdb"}, {}, {"dependent": True, "timing": "queries"}, "batches"),
        ({"engine": "rocksdb", "sync": True, "write_ahead_log": False}, {}, {}, "write_ahead_log"),
    ],
)
def test_a_bad_request_is_refused(
    options: dict[str, Any], load: dict[str, Any], run: dict[str, Any], words: str
) -> None:
    with pytest.raises(BenchbookError, match=r"refused") as refusal:
        ask(options, load, run)
    assert words in str(refusal.value)


def test_a_folder_in_use_is_refused_and_left_alone(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "mine").write_text("kept")
    whole = request({"engine": "lmdb"}) | {"folder": str(store), "samples": str(tmp_path / "samples")}
    for protocol, words in ((2, "not empty"), (1, "protocol 1")):
        asked = json.dumps(whole | {"protocol": protocol})
        ended = subprocess.run([kv.find()], input=asked, capture_output=True, text=True)
        assert (ended.returncode, ended.stdout) == (4, "")
        assert words in ended.stderr
        assert [each.name for each in tmp_path.rglob("*")] == ["store", "mine"]


def test_its_own_files_are_in_memory_when_it_starts(tmp_path: Path) -> None:
    program = tmp_path / "kv"
    shutil.copy(kv.find(), program)
    files.evict(tmp_path)
    if files.filesystem(tmp_path) not in files.IN_MEMORY:
        assert not files.cached_pages(program).any()
    with probe.started(program) as process:
        assert files.cached_pages(program).all()
        assert process.poll() is None
