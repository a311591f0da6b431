"""Ways to warm without a server: keys that moved, what the first requests lose, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.chapters.prewarming import AA, Parameters, asked, configurations, needs
from benchbook.errors import BenchbookError
from benchbook.measuring.features import Data

P = Parameters()


def test_the_control_is_what_it_is_compared_with() -> None:
    arms = {arm.name: arm.settings for arm in configurations(P)}
    assert arms[AA[0]] == arms[AA[1]]
    assert sum(bool(arm["small_pool"]) for arm in arms.values()) == 3


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


def test_the_tables_take_disk_and_the_pool_memory() -> None:
    wanted, more = needs(P), needs(Parameters(rows_per_table=200_000))
    assert more.disk_bytes > 2 * wanted.disk_bytes
    assert more.memory_bytes > 5 * wanted.memory_bytes / 2


@pytest.mark.parametrize(
    "wrong", [{"hot_keys": 6_000}, {"moved_percent": [50, 5]}, {"moved_percent": []}, {"direct_io": False},
              {"slow_read_ms": 0}],
)  # fmt: skip
def test_impossible_parameters_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BenchbookError):
        Parameters.given(wrong)
