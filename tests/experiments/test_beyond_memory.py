"""A store beyond memory without an engine: what differs between configurations, and what a run takes of the machine."""

from __future__ import annotations

import pytest

from benchbook.chapters.beyond_memory.arms import (
    AGAIN,
    CACHES,
    COMPRESSIONS,
    NONE,
    ROW_BYTES,
    SMALL,
    Parameters,
    at,
    configurations,
    memory_mib,
)
from benchbook.chapters.beyond_memory.measure import needs
from benchbook.errors import BenchbookError
from benchbook.measuring.badger.lookups import STORED_BYTES, room_bytes

P = Parameters()
ARMS = {arm.name: arm for arm in configurations(P)}


def test_every_kind_of_store_is_measured_with_every_memory_and_cache() -> None:
    wanted = {at(kind, percent, cache) for kind in COMPRESSIONS for percent in P.memory_percent for cache in CACHES}
    assert {*ARMS} == wanted | {AGAIN}


def test_the_a_a_pair_has_the_same_settings() -> None:
    assert ARMS[AGAIN].settings == ARMS[at(NONE, P.memory_percent[0], SMALL)].settings


def test_memory_is_a_part_of_the_store() -> None:
    half, whole = memory_mib(P, 50), memory_mib(P, 100)
    assert whole - 1 <= 2 * half <= whole
    assert ROW_BYTES == STORED_BYTES
    assert 2_000 < whole < 2_100


def test_a_run_needs_room_for_every_store_and_more_for_more_rows() -> None:
    assert needs(P).disk_bytes > room_bytes(P, COMPRESSIONS) > 3 * 2_000_000_000
    assert needs(Parameters(lookup_rows=10_000_000)).disk_bytes > needs(P).disk_bytes


@pytest.mark.parametrize(
    "given", [{"memory_percent": [50, 25]}, {"memory_percent": []}, {"memory_percent": [1]}, {"lookup_rows": 100_000}]
)
def test_impossible_shares_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(BenchbookError, match="memory_percent"):
        Parameters.given(given)
