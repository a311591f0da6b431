"""Branches and clients of contended_rows, and what its parameters refuse."""

from __future__ import annotations

import pytest

from benchbook.chapters.contended_rows import AA, Parameters, configurations
from benchbook.errors import BenchbookError


def test_branches_follow_the_clients_and_the_control_has_one() -> None:
    found = {arm.name: arm.settings for arm in configurations(Parameters())}
    assert [found[f"few_{level}"]["branches"] for level in ("wide", "each", "single")] == [100, 8, 1]
    assert [found[f"many_{level}"]["branches"] for level in ("wide", "each", "single")] == [200, 16, 1]
    assert found[AA[0]] == found[AA[1]]


def test_the_tables_hold_the_branches_of_the_widest_range() -> None:
    assert Parameters().most_branches == 200
    assert Parameters.given({"scale": 300}).most_branches == 300


@pytest.mark.parametrize("given", [{"few_clients": 16}, {"few_clients": 2, "threads": 3}])
def test_numbers_of_clients_that_contradict_each_other_are_refused(given: dict[str, int]) -> None:
    with pytest.raises(BenchbookError, match="there must be fewer of the few"):
        Parameters.given(given)
