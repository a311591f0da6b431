"""Ways to warm without a server: keys that moved, what the first requests lose, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.chapters.prewarming import Parameters, asked
from benchbook.measuring.features import Data

P = Parameters()


@given(st.integers(1_000, 50_000), st.integers(10, 250), st.integers(1, 100))
def test_keys_that_moved_are_as_many_as_asked_in_the_tables_and_none_of_them_was_warmed(
    rows: int, hot: int, percent: int
) -> None:
    data = Data(Parameters(rows_per_table=rows, hot_keys=hot))
    others = hot * percent // 100
    warmed = np.arange(hot) * data.apart
    drawn = np.where(warmed < others * data.apart, warmed + data.apart // 2, warmed)
    assert len(set(drawn.tolist())) == hot
    assert drawn.max() < rows
    assert len(set(drawn.tolist()) - set(warmed.tolist())) == others


def test_a_script_says_which_keys_moved() -> None:
    still, moved = (Data(P).script(hot=True, pipeline=True, moved=each).splitlines() for each in (0, 75))
    assert still[0] == moved[0] == "\\set k random(0, 299) * 66"
    assert moved[1] == "\\set k :k + (CASE WHEN :k < 4950 THEN 33 ELSE 0 END)"
    assert still[1:] == moved[2:]


def test_the_first_requests_lose_what_they_take_longer_than_the_last_ones() -> None:
    found = asked(np.array([3_000] * 20 + [1_000] * 180), 100)
    assert found["steady_p50_ns"] == 1_000
    assert found["waited_s"] == pytest.approx(20 * 2e-6)
    assert (found["part_01_ns"], found["part_20_ns"]) == (3_000, 1_000)
    assert found["requests"] == 200
