"""A parameter of which the claims ask for a number says so itself where a run has another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.errors import BenchbookError
from benchbook.parameters.base import AnalysisParameters, asked, other_numbers


class Parameters(AnalysisParameters):
    """Two numbers that are asked for, the second not the default, and one that nobody asks for."""

    events: int = asked(50_000, "events", ge=1, description="events in a store")
    rows: int = asked(10, "rows", 5, description="rows of a table")
    keys: int = 3


@given(st.integers(1, 10**9), st.integers(0, 10**9), st.integers(0, 9))
def test_a_departure_is_told_for_each_number_that_is_not_as_asked(events: int, rows: int, keys: int) -> None:
    wanted = {"events": (events, 50_000), "rows": (rows, 10)}
    assert list(other_numbers(Parameters(events=events, rows=rows, keys=keys))) == [
        f"{has:,} {name} where {due:,} are asked" for name, (has, due) in wanted.items() if has != due
    ]


def test_what_is_asked_is_the_default_unless_another_is_given_and_keeps_its_bounds() -> None:
    assert Parameters().model_dump() == {"events": 50_000, "rows": 5, "keys": 3}
    with pytest.raises(BenchbookError, match="events=0"):
        Parameters.given({"events": 0})
