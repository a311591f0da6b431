"""The price of a system call without an engine: what is asked and refused, and at which price SQLite is level."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchbook.chapters.system_calls import USES, Parameters, configurations, price, request_of
from benchbook.errors import BenchbookError

P = Parameters()
ASKED = {arm.name: request_of(P, arm, 1) for arm in configurations(P)}


def test_a_use_is_asked_the_same_whatever_is_added_to_its_calls() -> None:
    for use in USES:
        same = [request for name, request in ASKED.items() if name == use or name.startswith(f"{use}_")]
        assert len(same) > 1
        assert all(each == same[0] for each in same)


def test_the_uses_of_sqlite_differ_in_one_option_each() -> None:
    once = ASKED["once"]["options"]
    for use, option in (("as_run", "prepare"), ("held", "transaction")):
        other = ASKED[use]["options"]
        assert {name for name in {**once, **other} if once.get(name) != other.get(name)} == {option}


@pytest.mark.parametrize("given", [{"added_ns": [250, 500]}, {"added_ns": [0]}, {"added_ns": [0, 500, 250]}])
def test_prices_that_do_not_grow_from_nothing_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError, match="added_ns"):
        Parameters.given(given)


def test_a_faster_sqlite_is_level_at_the_price_that_makes_up_for_its_lead_and_a_slower_one_below_none() -> None:
    found = price(np.array([5_000.0, 5_000.0]), np.array([4_000.0, 7_000.0]), np.ones(2), np.array([8.0, 8.0]))
    assert found.tolist() == [125, -250]
