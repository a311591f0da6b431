"""A store beyond memory without an engine: what is refused, and what a run takes of the machine."""

from __future__ import annotations

from typing import Any

import pytest

from benchbook.chapters.beyond_memory import COMPRESSIONS, Parameters, configurations, needs
from benchbook.errors import BenchbookError
from benchbook.measuring.badger.lookups import room_bytes

P: Any = Parameters()


def test_the_a_a_pair_has_the_same_settings() -> None:
    first, *_, again = configurations(P)
    assert (first.name, again.name) == ("none_25_small", "again")
    assert again.settings == first.settings


def test_memory_is_a_part_of_the_store() -> None:
    half, whole = P.memory_mib(50), P.memory_mib(100)
    assert whole - 1 <= 2 * half <= whole
    assert 2_000 < whole < 2_100


def test_a_run_needs_room_for_every_store_and_more_for_more_rows() -> None:
    assert needs(P).disk_bytes > room_bytes(P, COMPRESSIONS) > 3 * 2_000_000_000
    assert needs(Parameters.given({"lookup_rows": 10_000_000})).disk_bytes > needs(P).disk_bytes


@pytest.mark.parametrize(
    "given", [{"memory_percent": [50, 25]}, {"memory_percent": []}, {"memory_percent": [1]}, {"lookup_rows": 100_000}]
)
def test_impossible_shares_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(BenchbookError, match="memory_percent"):
        Parameters.given(given)
