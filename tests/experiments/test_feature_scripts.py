"""What requests of pgbench ask of feature tables: keys warmed, drawn and moved, and what the first requests lose."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.chapters import feature_clients, index_only, prewarming
from benchbook.measuring.features import Data

CLIENTS = feature_clients.Parameters()


@given(st.integers(1_000, 100_000), st.integers(1, 900))
def test_warmed_keys_are_different_rows_as_far_apart_as_they_can(rows: int, hot: int) -> None:
    data = Data(feature_clients.Parameters(rows_per_table=rows, hot_keys=hot))
    keys = np.arange(hot) * data.apart
    assert keys.max() < rows
    assert len(set(keys.tolist())) == hot
    assert (data.apart + 1) * hot > rows


def test_a_request_asks_each_table_once_for_the_key_that_it_draws() -> None:
    serial, pipeline = (Data(CLIENTS).script(hot=True, pipeline=each).splitlines() for each in (False, True))
    assert serial[0] == "\\set k random(0, 99) * 200"
    assert [line for line in pipeline if not line.startswith("\\")] == serial[1:]
    assert (pipeline[1], pipeline[-1]) == ("\\startpipeline", "\\endpipeline")
    assert [line.split(" FROM ")[1].split(" ")[0] for line in serial[1:]] == Data(CLIENTS).tables
    assert Data(CLIENTS).script(hot=False, pipeline=False).splitlines() == ["\\set k random(0, 19999) * 1", *serial[1:]]


def test_a_covered_request_asks_for_what_stands_in_the_index_and_the_other_for_a_column_more() -> None:
    data = Data(index_only.Parameters(), index_only.COVERED)
    covered, every = (
        data.script(hot=False, pipeline=False, features=each).splitlines() for each in (index_only.COVERED, 10)
    )
    assert covered[1].startswith("SELECT hashkey, feature_01, feature_02, feature_03 FROM feature_000 WHERE")
    assert len(covered) == len(every) == 1 + index_only.Parameters().n_tables
    assert "feature_10" in every[1]
    assert "feature_10" not in covered[1]


def test_a_script_says_which_keys_moved() -> None:
    still, moved = (
        Data(prewarming.Parameters()).script(hot=True, pipeline=True, moved=each).splitlines() for each in (0, 75)
    )
    assert still[0] == moved[0] == "\\set k random(0, 299) * 66"
    assert moved[1] == "\\set k :k + (CASE WHEN :k < 4950 THEN 33 ELSE 0 END)"
    assert still[1:] == moved[2:]


def test_the_first_requests_lose_what_they_take_longer_than_the_last_ones() -> None:
    found = prewarming.asked(np.array([3_000] * 20 + [1_000] * 180), 100)
    assert found["steady_p50_ns"] == 1_000
    assert found["waited_s"] == pytest.approx(20 * 2e-6)
    assert (found["part_01_ns"], found["part_20_ns"]) == (3_000, 1_000)
    assert found["requests"] == 200
