"""Filters and shards without an engine: how RocksDB divides a cache, and what differs between configurations."""

from __future__ import annotations

import pytest

from benchbook.chapters.filter_shards.arms import (
    AGAIN,
    CACHED,
    KIB,
    OUTSIDE,
    PINNED,
    WAYS,
    Parameters,
    at,
    configurations,
    shard_mib,
    shards,
)
from benchbook.chapters.filter_shards.measure import request_of
from benchbook.errors import BenchbookError

ASKED = {arm.name: request_of(Parameters(), arm, 1) for arm in configurations(Parameters())}


@pytest.mark.parametrize(("cache_kib", "parts"), [(256, 1), (512, 1), (1_536, 2), (16_384, 32), (32_768, 64)])
def test_a_shard_has_at_least_half_a_mebibyte(cache_kib: int, parts: int) -> None:
    assert shards(cache_kib * KIB) == parts


def test_a_large_cache_has_64_shards() -> None:
    assert [shard_mib(mib * KIB) for mib in (64, 80, 256)] == [1, 1.25, 4]


def test_the_ways_of_one_cache_differ_in_where_the_filter_is_alone() -> None:
    for kib in Parameters().cache_kib:
        options = [ASKED[at(way, kib)]["options"] for way in WAYS]
        differ = {name for name in options[0] if len({repr(each[name]) for each in options}) > 1}
        assert differ == {"cache_index_and_filter_blocks", "pin_level0"}
    cached, pinned, outside = (ASKED[at(way, 16 * KIB)]["options"] for way in (CACHED, PINNED, OUTSIDE))
    assert [each["cache_index_and_filter_blocks"] for each in (cached, pinned, outside)] == [True, True, False]
    assert [each["pin_level0"] for each in (cached, pinned, outside)] == [False, True, False]


def test_the_a_a_pair_is_asked_the_same() -> None:
    assert ASKED[AGAIN] == ASKED[at(OUTSIDE, 16 * KIB)]


@pytest.mark.parametrize(
    "given", [{"rows": 1_000}, {"filter_bits": 1}, {"cache_mib": [64, 16]}, {"control_kib": 2_000}]
)
def test_a_control_that_could_hold_the_filter_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(BenchbookError, match=r"control_kib|cache_mib"):
        Parameters.given(given)
