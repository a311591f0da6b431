"""Requests by many clients without a server: the keys that are drawn, the scripts, and what is refused."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchbook.chapters.feature_clients import Parameters
from benchbook.measuring.features import Data

P = Parameters()


@given(st.integers(1_000, 100_000), st.integers(1, 900))
def test_warmed_keys_are_different_rows_as_far_apart_as_they_can(rows: int, hot: int) -> None:
    data = Data(Parameters(rows_per_table=rows, hot_keys=hot))
    keys = np.arange(hot) * data.apart
    assert keys.max() < rows
    assert len(set(keys.tolist())) == hot
    assert (data.apart + 1) * hot > rows


def test_a_request_asks_each_table_once_for_the_key_that_it_draws() -> None:
    serial, pipeline = (Data(P).script(hot=True, pipeline=each).splitlines() for each in (False, True))
    assert serial[0] == "\\set k random(0, 99) * 200"
    assert [line for line in pipeline if not line.startswith("\\")] == serial[1:]
    assert (pipeline[1], pipeline[-1]) == ("\\startpipeline", "\\endpipeline")
    assert [line.split(" FROM ")[1].split(" ")[0] for line in serial[1:]] == Data(P).tables


def test_any_key_is_drawn_from_all_rows() -> None:
    hot, every = (Data(P).script(hot=each, pipeline=False).splitlines() for each in (True, False))
    assert every[0] == "\\set k random(0, 19999) * 1"
    assert every[1:] == hot[1:]
