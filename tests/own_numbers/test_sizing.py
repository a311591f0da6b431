"""Hit ratios by size: against brute force, and a sample against all keys."""

import random
from collections import OrderedDict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchbook.caches import curve, policies, trace
from benchbook.errors import BenchbookError
from benchbook.measuring.clock_sweep import Pool
from benchbook.workloads import draws


def zipf(count: int, keys: int = 2_000, exponent: float = 0.9, seed: int = 3) -> np.ndarray:
    return draws.zipf(keys, exponent, count, np.random.default_rng(seed))


def written(path: Path, keys: np.ndarray) -> Path:
    path.write_text("\n".join(map(str, keys)) + "\n")
    return path


def lru(keys: np.ndarray, places: float, sizes: np.ndarray | None = None) -> float:
    """By brute force. sizes: bytes of each reference's key; places are bytes then."""
    held: OrderedDict[int, int] = OrderedDict()
    hits = used = 0
    for number, key in enumerate(keys.tolist()):
        if key in held:
            hits += 1
            held.move_to_end(key)
            continue
        size = 1 if sizes is None else int(sizes[number])
        if size > places:
            continue
        while used + size > places:
            used -= held.popitem(last=False)[1]
        held[key] = size
        used += size
    return hits / len(keys)


@pytest.mark.parametrize("places", [1, 10, 200, 1_999])
def test_lru_is_what_brute_force_gives(tmp_path: Path, places: int) -> None:
    keys = zipf(20_000)
    found = trace.read(written(tmp_path / "keys", keys), limit=curve.EXACT)
    [point] = curve.curve(found, [places], curve.LRU)
    assert (point.hits, point.error) == (pytest.approx(lru(keys, places), abs=1e-12), 0.0)


def test_sizes_in_bytes_count_as_bytes(tmp_path: Path) -> None:
    keys = zipf(10_000, 500)
    sizes = 100 + keys % 7 * 50
    pd.DataFrame({"at": range(len(keys)), "page": keys, "bytes": sizes}).to_csv(tmp_path / "t.csv", index=False)
    found = trace.read(tmp_path / "t.csv", "page", "bytes", limit=curve.EXACT)
    [point] = curve.curve(found, [20_000], curve.LRU)
    assert point.hits == pytest.approx(lru(keys, 20_000, sizes), abs=1e-12)
    assert found.footprint == sum(dict(zip(keys, sizes, strict=True)).values())


def test_shards_divide_the_cache_and_a_key_has_one_of_them(tmp_path: Path) -> None:
    keys = zipf(30_000)
    found = trace.read(written(tmp_path / "keys", keys), limit=curve.EXACT)
    whole, parted = (curve.curve(found, [400], policy, shards=8)[0].hits for policy in (curve.LRU, curve.SHARDED))
    assert abs(whole - parted) < 0.03
    tiny = curve.curve(found, [8], curve.SHARDED, shards=8)[0].hits
    ids = trace.hashed(found.keys + np.uint64(curve._SHARDED)) % np.uint64(8)
    each = [lru(found.keys[ids == shard], 1) * (ids == shard).mean() for shard in range(8)]
    assert tiny == pytest.approx(sum(each), abs=1e-12)


@pytest.mark.parametrize("places", [3, 50, 400])
def test_the_clock_sweep_is_that_of_the_chapters(places: int) -> None:
    keys = zipf(20_000, 1_000).tolist()
    pool = Pool(places)
    for key in keys:
        pool.use(key, 1)
    assert policies.clock_sweep(keys, places) == pytest.approx(1 - pool.count / len(keys))


def tinylfu(keys: list[int], places: int) -> float:
    """By brute force: how often a key was asked for is counted anew in all that was asked, each time. Same draws."""
    draw, held, hits, halvings = random.Random(0), list[int](), 0, [0]
    for number, key in enumerate(keys, start=1):
        if number % (policies.COUNTERS * places) == 0:
            halvings.append(number)

        def frequency(one: int, number: int = number) -> int:
            count = 0
            for begin, end in pairwise(halvings):
                count = min(15, count + max(0, keys[begin:end].count(one) - 1)) // 2
            asked = keys[halvings[-1] : number].count(one)
            return min(15, count + max(0, asked - 1)) + bool(asked)

        if key in held:
            hits += 1
        elif len(held) < places:
            held.append(key)
        else:
            least = min((held[draw.randrange(places)] for _ in range(policies.CANDIDATES)), key=frequency)
            if frequency(key) >= frequency(least):
                held[held.index(least)] = key
    return hits / len(keys)


@pytest.mark.parametrize("places", [3, 20])
def test_tinylfu_is_what_brute_force_gives(places: int) -> None:
    keys = zipf(1_500, 100).tolist()
    assert policies.tinylfu(keys, places) == pytest.approx(tinylfu(keys, places), abs=1e-12)


def test_tinylfu_keeps_what_is_asked_for_again_where_a_scan_passes() -> None:
    hot, scan = zipf(40_000, 100, 0.5).tolist(), list(range(1_000, 41_000))
    keys = [key for pair in zip(hot, scan, strict=True) for key in pair]
    assert policies.tinylfu(keys, 100, skip=20_000) > max(0.4, 1.5 * lru(np.array(keys), 100))
    assert policies.tinylfu(zipf(5_000, 50).tolist(), 50, skip=1_000) > 0.999


def test_a_sample_of_the_keys_comes_within_its_error(tmp_path: Path) -> None:
    keys = zipf(400_000, 40_000, 0.8)
    path = written(tmp_path / "keys", keys)
    exact = curve.curve(trace.read(path, limit=curve.EXACT), [2_000, 20_000], curve.LRU)
    sampled = trace.read(path, limit=60_000)
    assert sampled.rate < 0.3
    assert sampled.total == len(keys)
    for true, point in zip(exact, curve.curve(sampled, [2_000, 20_000], curve.LRU), strict=True):
        assert point.error > 0
        assert abs(point.hits - true.hits) < max(2 * point.error, 0.02)


def test_what_only_fills_the_cache_is_not_counted(tmp_path: Path) -> None:
    keys = np.concatenate([np.arange(1_000), np.arange(1_000)])
    found = trace.read(written(tmp_path / "keys", keys), limit=curve.EXACT)
    for policy in (curve.LRU, curve.CLOCK, curve.TINYLFU):
        assert curve.curve(found, [1_000], policy, warm_up=0.5)[0].hits == 1.0
        assert curve.curve(found, [1_000], policy)[0].hits == 0.5


def test_the_size_for_a_hit_ratio_lies_between_two_points() -> None:
    points = [curve.Point(100, 0.4, 0), curve.Point(400, 0.8, 0)]
    assert curve.needed(points, 0.6) == pytest.approx(200)
    assert (curve.needed(points, 0.9), curve.needed(points, 0.3)) == (None, 100)


def test_words_as_keys_and_a_parquet_column_are_read(tmp_path: Path) -> None:
    keys = zipf(5_000, 300)
    (tmp_path / "words").write_text("\n".join(f"user {key}" for key in keys) + "\n")
    pd.DataFrame({"key": keys, "other": 1}).to_parquet(tmp_path / "t.parquet")
    for name in ("words", "t.parquet"):
        found = trace.read(tmp_path / name, limit=curve.EXACT)
        assert curve.curve(found, [50], curve.LRU)[0].hits == pytest.approx(lru(keys, 50), abs=1e-12)


@pytest.mark.parametrize(
    ("content", "problem"),
    [("", "is empty"), ("key,bytes\na,0\n", "no number of bytes"), ("key,bytes\na,x\n", "no number of bytes")],
)
def test_a_trace_that_is_none_is_refused(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(BenchbookError, match=problem):
        trace.read(path, "key" if content else "", "bytes" if content else "", limit=10)
    written(path, np.arange(10))
    with pytest.raises(BenchbookError, match="there is no column 'page'"):
        trace.read(path, "page", limit=10)
