"""Filters and shards without an engine: how RocksDB divides a cache, and what differs between configurations."""

from __future__ import annotations

import pytest

from benchbook.chapters.filter_shards import KIB, WAYS, Parameters, configurations, request_of, shard_mib, shards
from benchbook.errors import BenchbookError

ASKED = {arm.name: request_of(Parameters(), arm, 1) for arm in configurations(Parameters())}


@pytest.mark.parametrize(("cache_kib", "parts"), [(256, 1), (512, 1), (1_536, 2), (16_384, 32), (32_768, 64)])
def test_a_shard_has_at_least_half_a_mebibyte(cache_kib: int, parts: int) -> None:
    assert shards(cache_kib * KIB) == parts


def test_a_large_cache_has_64_shards() -> None:
    assert [shard_mib(mib * KIB) for mib in (64, 80, 256)] == [1, 1.25, 4]


def test_the_ways_of_one_cache_differ_in_where_the_filter_is_alone() -> None:
    for kib in Parameters().cache_kib:
        options = [ASKED[f"{way}_{kib}"]["options"] for way in WAYS]
        differ = {name: [each[name] for each in options] for name in options[0]}
        assert {name: each for name, each in differ.items() if len({*map(repr, each)}) > 1} == {
            "cache_index_and_filter_blocks": [True, True, False],
            "pin_level0": [False, True, False],
        }
    assert ASKED["outside_again"] == ASKED[f"outside_{16 * KIB}"]


@pytest.mark.parametrize(
    "given", [{"rows": 1_000}, {"filter_bits": 1}, {"cache_mib": [64, 16]}, {"control_kib": 2_000}]
)
def test_a_control_that_could_hold_the_filter_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(BenchbookError, match=r"control_kib|cache_mib"):
        Parameters.given(given)
